"""The compiled loops of `contamination`: which sentences of the evaluation sets each row of a column matches.

Texts and n-grams are hashes, in ascending order. An index of them has the place of the first one with each
value of its leading bits.
"""

from typing import NamedTuple

import numpy as np

from ...base.compiled import compiled, helper
from ...tokens.kernels import sort_part


class HashIndex(NamedTuple):
    """Hashes in ascending order, where each value of their leading bits starts, and the shift to these."""

    keys: np.ndarray
    starts: np.ndarray
    shift: np.uint64


class FoundMatches(NamedTuple):
    """Room for matches: the rows, the sentences that they match, and whether they do as whole texts."""

    rows: np.ndarray
    sentences: np.ndarray
    whole: np.ndarray


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
    known_texts: HashIndex,
    known_ngrams: HashIndex,
    holders: np.ndarray,
    needed: np.ndarray,
    found: FoundMatches,
) -> tuple[int, int]:
    """Writes the matches of the rows from `first` on into `found`, which has room for at least one row's.

    Returns how many matches were found, and the first row that was not looked at because its matches may not
    fit.

    Row i is the text `texts[i]` with the n-grams `ngrams[starts[i]:starts[i + 1]]`, which are sorted here.
    The sentence `holders[j]` has the n-gram `known_ngrams.keys[j]`, and sentence k matches with `needed[k]`
    of its n-grams.
    """
    keys = known_ngrams.keys
    counts = np.zeros(len(needed), np.int32)
    touched = np.empty(len(needed), np.int32)
    size = 0
    for row in range(first, len(texts)):
        copied = _place(texts[row], known_texts)
        touched_count = 0
        sort_part(ngrams, starts[row], starts[row + 1])
        for place in range(starts[row], starts[row + 1]):
            ngram = ngrams[place]
            if place > starts[row] and ngram == ngrams[place - 1]:
                continue
            position = _place(ngram, known_ngrams)
            while 0 <= position < len(keys) and keys[position] == ngram:
                sentence = holders[position]
                if counts[sentence] == 0:
                    touched[touched_count] = sentence
                    touched_count += 1
                counts[sentence] += 1
                position += 1
        if size + touched_count + 1 > len(found.rows):
            return size, row
        if copied >= 0:
            found.rows[size], found.sentences[size], found.whole[size] = row, copied, True
            size += 1
        for position in range(touched_count):
            sentence = touched[position]
            if counts[sentence] >= needed[sentence] and sentence != copied:
                found.rows[size], found.sentences[size], found.whole[size] = row, sentence, False
                size += 1
            counts[sentence] = 0
    return size, len(texts)


@helper
def _place(key: np.uint64, index: HashIndex) -> int:
    """The place of the first key that is equal; -1 if there is none."""
    keys = index.keys
    leading = np.int64(key >> index.shift)
    first, end = index.starts[leading], index.starts[leading + 1]
    last = end
    while first < last:
        middle = (first + last) >> 1
        if keys[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first if first < end and keys[first] == key else -1
