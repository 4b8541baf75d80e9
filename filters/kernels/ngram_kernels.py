"""The compiled loop of `overlap` and `bleu`: the n-grams that two sentences share.

N-grams are hashes: sentence i of a side has `ngrams[starts[i]:starts[i + 1]]` (`token_columns.ngrams`).
"""

import numpy as np

from ...base.compiled import compiled, helper
from ...tokens.kernels import longest

# Slots of the hash table per n-gram. With few of them taken, the first slot is nearly always the right one.
_ROOM = 8


@compiled
def count_matches(
    reference: np.ndarray,
    reference_starts: np.ndarray,
    translation: np.ndarray,
    translation_starts: np.ndarray,
    clipped: bool,
    counts: np.ndarray,
) -> None:
    """How many n-grams of each pair's side with fewer, or of its reference, the other side has too.

    If clipped, an n-gram counts as often as both sides have it; otherwise as often as the side with fewer
    has it.
    """
    slots = np.int64(_mask(max(longest(reference_starts), longest(translation_starts)))) + 1
    keys, left, owners = np.empty(slots, np.uint64), np.empty(slots, np.int32), np.full(slots, -1, np.int64)
    for pair in range(len(counts)):
        first, last = reference_starts[pair], reference_starts[pair + 1]
        other_first, other_last = translation_starts[pair], translation_starts[pair + 1]
        fewer, more = reference, translation
        if last - first > other_last - other_first:
            fewer, more = translation, reference
            first, last, other_first, other_last = other_first, other_last, first, last
        mask = _mask(last - first)
        for place in range(first, last):
            key = fewer[place]
            slot = key & mask
            while owners[slot] == pair and keys[slot] != key:
                slot = slot + np.uint64(1) & mask
            if owners[slot] == pair:
                left[slot] += 1
            else:
                keys[slot], left[slot], owners[slot] = key, 1, pair
        matches = np.int32(0)
        for place in range(other_first, other_last):
            key = more[place]
            slot = key & mask
            while owners[slot] == pair and keys[slot] != key:
                slot = slot + np.uint64(1) & mask
            unmatched = left[slot] * np.int32(owners[slot] == pair)
            taken = np.int32(unmatched > 0) if clipped else unmatched
            left[slot] -= taken
            matches += taken
        counts[pair] = matches


@helper
def _mask(size: int) -> np.uint64:
    """The slots used for `size` n-grams: a power of two, less one."""
    slots = np.uint64(_ROOM)
    while slots < np.uint64(_ROOM * size):
        slots <<= np.uint64(1)
    return slots - np.uint64(1)
