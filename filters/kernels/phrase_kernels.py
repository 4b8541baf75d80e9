"""The compiled loops of `phrases`: find the phrases of a list in sentences of hashed tokens."""

import numpy as np

from ...base.compiled import compiled
from ...tokens.kernels import find_sorted, join


@compiled
def join_phrases(tokens: np.ndarray, starts: np.ndarray, keys: np.ndarray) -> None:
    """The hash of each phrase."""
    for phrase in range(len(keys)):
        key = tokens[starts[phrase]]
        for place in range(starts[phrase] + 1, starts[phrase + 1]):
            key = join(key, tokens[place])
        keys[phrase] = key


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
            key, size = np.uint64(0), 0
            for further in range(place, min(place + longest, end)):
                key = join(key, tokens[further]) if further > place else tokens[place]
                if marks[key & mask] and find_sorted(key, keys) >= 0:
                    size = further - place + 1
            counts[sentence] += size > 0
            place += max(size, 1)
