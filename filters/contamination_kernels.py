"""The compiled loops of `contamination`: which sentences of the evaluation sets each row of a column matches.

Texts, tokens and n-grams are hashes. A table maps a hash to its place in `keys`: it has a power of two of
slots, and a slot holds a place or -1.
"""

import numpy as np

from ..compiled import compiled, helper


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
def list_ngrams(
    tokens: np.ndarray, starts: np.ndarray, n: int, ngrams: np.ndarray, sentences: np.ndarray
) -> int:
    """All n-grams and the sentence of each; returns how many there are."""
    size = 0
    for sentence in range(len(starts) - 1):
        for first in range(starts[sentence], starts[sentence + 1] - n + 1):
            ngrams[size] = _ngram(tokens, first, n)
            sentences[size] = sentence
            size += 1
    return size


@compiled
def find_matches(
    texts: np.ndarray,
    tokens: np.ndarray,
    starts: np.ndarray,
    n: int,
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
) -> int:
    """The rows that match, what they match, and whether as whole texts; returns how many matches there are.

    Row i is the text `texts[i]` with the tokens `tokens[starts[i]:starts[i + 1]]`. N-gram j occurs in the
    sentences `holders[holder_starts[j]:holder_starts[j + 1]]`, and sentence k matches with `needed[k]` of its
    n-grams. If there are more matches than the last three arrays have room for, the others are only counted.
    """
    counts = np.zeros(len(needed), np.int32)
    touched = np.empty(len(needed), np.int32)
    hits = np.empty(_longest(starts), np.int64)
    size = 0
    for row in range(len(texts)):
        copied = _place(texts[row], text_keys, text_table)
        if copied >= 0:
            if size < len(rows):
                rows[size], sentences[size], whole[size] = row, copied, True
            size += 1
        hit_count, touched_count = 0, 0
        for first in range(starts[row], starts[row + 1] - n + 1):
            ngram = _place(_ngram(tokens, first, n), ngram_keys, ngram_table)
            if ngram < 0 or _has(hits, hit_count, ngram):
                continue
            hits[hit_count] = ngram
            hit_count += 1
            for position in range(holder_starts[ngram], holder_starts[ngram + 1]):
                sentence = holders[position]
                if counts[sentence] == 0:
                    touched[touched_count] = sentence
                    touched_count += 1
                counts[sentence] += 1
        for position in range(touched_count):
            sentence = touched[position]
            if counts[sentence] >= needed[sentence] and sentence != copied:
                if size < len(rows):
                    rows[size], sentences[size], whole[size] = row, sentence, False
                size += 1
            counts[sentence] = 0
    return size


@helper
def _ngram(tokens: np.ndarray, first: int, n: int) -> np.uint64:
    """The hash of the n-gram that starts at `first`."""
    key = tokens[first]
    for place in range(first + 1, first + n):
        key = key * np.uint64(0xD6E8FEB86659FD93) ^ tokens[place]
        key ^= key >> np.uint64(32)
    return key


@helper
def _place(key: np.uint64, keys: np.ndarray, table: np.ndarray) -> int:
    """The place of a key in `keys`; -1 if it is not there."""
    mask = np.uint64(len(table) - 1)
    slot = key & mask
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = slot + np.uint64(1) & mask
    return table[slot]


@helper
def _has(values: np.ndarray, size: int, value: int) -> bool:
    for place in range(size):
        if values[place] == value:
            return True
    return False


@helper
def _longest(starts: np.ndarray) -> int:
    longest = 0
    for row in range(len(starts) - 1):
        longest = max(longest, starts[row + 1] - starts[row])
    return longest
