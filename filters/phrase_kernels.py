"""The compiled loops of `phrases`: find the phrases of a list in sentences of hashed tokens."""

import numpy as np

from ..compiled import compiled, helper


@compiled
def join_phrases(tokens: np.ndarray, starts: np.ndarray, keys: np.ndarray) -> None:
    """The hash of each phrase."""
    for phrase in range(len(keys)):
        keys[phrase] = _key(tokens, starts[phrase], starts[phrase + 1])


@compiled
def count_phrases(
    tokens: np.ndarray,
    starts: np.ndarray,
    keys: np.ndarray,
    marks: np.ndarray,
    longest: int,
    counts: np.ndarray,
) -> None:
    """How many phrases each sentence has; of those that start at one token the longest counts.

    keys: the hashes of the phrases, ascending; marks: a power of two of bools, true at the lowest bits of
    each key; longest: the most tokens of a phrase.
    """
    mask = np.uint64(len(marks) - 1)
    for sentence in range(len(counts)):
        place, end = starts[sentence], starts[sentence + 1]
        counts[sentence] = 0
        while place < end:
            size = min(longest, end - place)
            while size > 0:
                key = _key(tokens, place, place + size)
                if marks[key & mask] and _find(key, keys) >= 0:
                    break
                size -= 1
            counts[sentence] += size > 0
            place += max(size, 1)


@helper
def _key(tokens: np.ndarray, first: int, last: int) -> np.uint64:
    key = tokens[first]
    for place in range(first + 1, last):
        key = key * np.uint64(0xD6E8FEB86659FD93) ^ tokens[place]
        key ^= key >> np.uint64(32)
    return key


@helper
def _find(key: np.uint64, keys: np.ndarray) -> int:
    """Where a key is among keys in ascending order, or -1. numpy's search is several times as slow."""
    first, last = 0, len(keys)
    while first < last:
        middle = (first + last) >> 1
        if keys[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first if first < len(keys) and keys[first] == key else -1
