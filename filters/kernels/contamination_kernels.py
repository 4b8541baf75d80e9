"""The compiled loops of `contamination`: which sentences of the evaluation sets each row of a column matches.

Texts and n-grams are hashes. A table maps a hash to its place in `keys`: it has a power of two of
slots, and a slot holds a place or -1.
"""

import numpy as np

from ...base.compiled import compiled, helper


@compiled
def fill_table(keys: np.ndarray, table: np.ndarray) -> None:
    """Put the place of each key into the table; `keys` are distinct, and the table has free slots."""
    mask = np.uint64(len(table) - 1)
    for place in range(len(keys)):
        slot = keys[place] & mask
        while table[slot] >= 0:
            slot = slot + np.uint64(1) & mask
        table[slot] = place


@compiled
def find_matches(
    first: int,
    texts: np.ndarray,
    ngrams: np.ndarray,
    starts: np.ndarray,
    text_keys: np.ndarray,
    text_table: np.ndarray,
    ngram_keys: np.ndarray,
    ngram_table: np.ndarray,
    holder_starts: np.ndarray,
    holders: np.ndarray,
    needed: np.ndarray,
    rows: np.ndarray,
    sentences: np.ndarray,
    whole: np.ndarray,
) -> tuple[int, int]:
    """The rows from `first` on that match, what they match, and whether as whole texts.

    Returns how many matches were found, and the first row that was not looked at because its matches may not
    fit into the last three arrays, which have room for at least one row's.

    Row i is the text `texts[i]` with the n-grams `ngrams[starts[i]:starts[i + 1]]`. N-gram j occurs in the
    sentences `holders[holder_starts[j]:holder_starts[j + 1]]`, and sentence k matches with `needed[k]` of its
    n-grams.
    """
    counts = np.zeros(len(needed), np.int32)
    touched = np.empty(len(needed), np.int32)
    seen = np.full(len(ngram_keys), -1, np.int32)  # the last row that has an n-gram
    size = 0
    for row in range(first, len(texts)):
        copied = _place(texts[row], text_keys, text_table)
        touched_count = 0
        for place in range(starts[row], starts[row + 1]):
            ngram = _place(ngrams[place], ngram_keys, ngram_table)
            if ngram < 0 or seen[ngram] == row:
                continue
            seen[ngram] = row
            for position in range(holder_starts[ngram], holder_starts[ngram + 1]):
                sentence = holders[position]
                if counts[sentence] == 0:
                    touched[touched_count] = sentence
                    touched_count += 1
                counts[sentence] += 1
        if size + touched_count + 1 > len(rows):
            return size, row
        if copied >= 0:
            rows[size], sentences[size], whole[size] = row, copied, True
            size += 1
        for position in range(touched_count):
            sentence = touched[position]
            if counts[sentence] >= needed[sentence] and sentence != copied:
                rows[size], sentences[size], whole[size] = row, sentence, False
                size += 1
            counts[sentence] = 0
    return size, len(texts)


@helper
def _place(key: np.uint64, keys: np.ndarray, table: np.ndarray) -> int:
    """The place of a key in `keys`; -1 if it is not there."""
    mask = np.uint64(len(table) - 1)
    slot = key & mask
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = slot + np.uint64(1) & mask
    return table[slot]
