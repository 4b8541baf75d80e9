"""The compiled loops of `contamination`: which sentences of the evaluation sets each row of a column matches.

Texts and n-grams are hashes, in ascending order. An index of them has the place of the first one with each
value of its leading bits.
"""

import numpy as np

from ...base.compiled import compiled, helper
from ...tokens.kernels import sort_part


@compiled
def index_keys(keys: np.ndarray, shift: np.uint64, starts: np.ndarray) -> None:
    """Where the keys start that have each value when they are shifted; the last one is their number."""
    place = 0
    for leading in range(len(starts)):
        while place < len(keys) and keys[place] >> shift < np.uint64(leading):
            place += 1
        starts[leading] = place


@compiled
def find_matches(
    first: int,
    texts: np.ndarray,
    ngrams: np.ndarray,
    starts: np.ndarray,
    text_keys: np.ndarray,
    text_starts: np.ndarray,
    text_shift: np.uint64,
    ngram_keys: np.ndarray,
    ngram_starts: np.ndarray,
    ngram_shift: np.uint64,
    holders: np.ndarray,
    needed: np.ndarray,
    rows: np.ndarray,
    sentences: np.ndarray,
    whole: np.ndarray,
) -> tuple[int, int]:
    """The rows from `first` on that match, what they match, and whether as whole texts.

    Returns how many matches were found, and the first row that was not looked at because its matches may not
    fit into the last three arrays, which have room for at least one row's.

    Row i is the text `texts[i]` with the n-grams `ngrams[starts[i]:starts[i + 1]]`, which are sorted here.
    The sentence `holders[j]` has the n-gram `ngram_keys[j]`, and sentence k matches with `needed[k]` of its
    n-grams.
    """
    counts = np.zeros(len(needed), np.int32)
    touched = np.empty(len(needed), np.int32)
    size = 0
    for row in range(first, len(texts)):
        copied = _place(texts[row], text_keys, text_starts, text_shift)
        touched_count = 0
        sort_part(ngrams, starts[row], starts[row + 1])
        for place in range(starts[row], starts[row + 1]):
            ngram = ngrams[place]
            if place > starts[row] and ngram == ngrams[place - 1]:
                continue
            position = _place(ngram, ngram_keys, ngram_starts, ngram_shift)
            while 0 <= position < len(ngram_keys) and ngram_keys[position] == ngram:
                sentence = holders[position]
                if counts[sentence] == 0:
                    touched[touched_count] = sentence
                    touched_count += 1
                counts[sentence] += 1
                position += 1
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
def _place(key: np.uint64, keys: np.ndarray, starts: np.ndarray, shift: np.uint64) -> int:
    """The place of the first key that is equal; -1 if there is none."""
    leading = np.int64(key >> shift)
    first, end = starts[leading], starts[leading + 1]
    last = end
    while first < last:
        middle = (first + last) >> 1
        if keys[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first if first < end and keys[first] == key else -1
