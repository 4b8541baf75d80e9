"""The compiled loops of `statistics`: n-grams of sentences, how many of them differ, and sums of counts.

Tokens are hashes: sentence i has `tokens[starts[i]:starts[i + 1]]` (`token_columns.HashedTokens`).
"""

import numpy as np

from ..compiled import compiled, helper


@compiled
def ngrams(tokens: np.ndarray, starts: np.ndarray, n: int, keys: np.ndarray, key_starts: np.ndarray) -> None:
    """The hashes of all n-grams, and where each sentence's n-grams start in them."""
    count = 0
    for row in range(len(starts) - 1):
        key_starts[row] = count
        for place in range(starts[row], starts[row + 1] - n + 1):
            key = tokens[place]
            for further in range(place + 1, place + n):
                key = _join(key, tokens[further])
            keys[count] = key
            count += 1
    key_starts[len(starts) - 1] = count


@compiled
def count_distinct(keys: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> None:
    """How many different keys each sentence has."""
    for row in range(len(starts) - 1):
        ordered = np.sort(keys[starts[row] : starts[row + 1]])
        distinct = min(len(ordered), 1)
        for place in range(1, len(ordered)):
            distinct += ordered[place] != ordered[place - 1]
        counts[row] = distinct


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


@helper
def _join(key: np.uint64, token: np.uint64) -> np.uint64:
    """The hash of an n-gram with one more token."""
    key = key * np.uint64(0xD6E8FEB86659FD93) ^ token
    return key ^ key >> np.uint64(32)
