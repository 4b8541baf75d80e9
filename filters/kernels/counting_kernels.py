"""The compiled loops of `statistics` and `repetition`: how many n-grams differ, and sums of counts.

N-grams are hashes: sentence i has `keys[starts[i]:starts[i + 1]]` (`token_columns.ngrams`).
"""

import numpy as np

from ...base.compiled import compiled
from ...tokens.kernels import longest, sort_part


@compiled
def count_distinct(keys: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """How many different keys each sentence has."""
    ordered = np.empty(longest(starts), np.uint64)
    for row in range(len(counts)):
        size = starts[row + 1] - starts[row]
        for place in range(size):
            ordered[place] = keys[starts[row] + place]
        sort_part(ordered, 0, size)
        counts[row] = min(size, 1)
        for place in range(1, size):
            counts[row] += ordered[place] != ordered[place - 1]


@compiled
def merge(
    one: np.ndarray,
    one_counts: np.ndarray,
    other: np.ndarray,
    other_counts: np.ndarray,
    keys: np.ndarray,
    counts: np.ndarray,
) -> int:
    """Merge two ascending lists of different keys and add the counts; returns how many keys there are."""
    left, right, size = 0, 0, 0
    while left < len(one) or right < len(other):
        from_one = right == len(other) or (left < len(one) and one[left] <= other[right])
        from_other = left == len(one) or (right < len(other) and other[right] <= one[left])
        counts[size] = 0
        if from_one:
            keys[size] = one[left]
            counts[size] += one_counts[left]
            left += 1
        if from_other:
            keys[size] = other[right]
            counts[size] += other_counts[right]
            right += 1
        size += 1
    return size
