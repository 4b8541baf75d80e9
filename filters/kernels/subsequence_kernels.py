"""The compiled loop of `copies`: the longest common subsequence of two sequences of hashes."""

import numpy as np

from ...base.compiled import compiled, helper
from ...tokens.kernels import count_bits

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def longest_subsequences(
    one: np.ndarray, one_starts: np.ndarray, other: np.ndarray, other_starts: np.ndarray, lengths: np.ndarray
) -> None:
    """The length of each pair's longest common subsequence, 64 places of the shorter side at a time.

    Hyyrö 2004, "Bit-parallel LCS-length computation revisited".
    """
    longest = 0
    for pair in range(len(lengths)):
        size, other_size = (
            one_starts[pair + 1] - one_starts[pair],
            other_starts[pair + 1] - other_starts[pair],
        )
        longest = max(longest, min(size, other_size))
    words = _words(longest)
    slots = np.int64(_mask(longest)) + 1
    keys, owners, rows = np.empty(slots, np.uint64), np.full(slots, -1, np.int64), np.empty(slots, np.int64)
    masks, bits = np.empty(longest * words, np.uint64), np.empty(words, np.uint64)
    for pair in range(len(lengths)):
        first, last = one_starts[pair], one_starts[pair + 1]
        other_first, other_last = other_starts[pair], other_starts[pair + 1]
        shorter, longer = one, other
        if last - first > other_last - other_first:
            shorter, longer = other, one
            first, last, other_first, other_last = other_first, other_last, first, last
        size = last - first
        words, mask = _words(size), _mask(size)
        _fill(shorter, first, size, words, mask, keys, owners, rows, masks, pair)
        for word in range(words):
            bits[word] = _FULL
        _match(longer, other_first, other_last, words, mask, keys, owners, rows, masks, bits, pair)
        common = 64 * words
        for word in range(words):
            common -= count_bits(bits[word])
        lengths[pair] = common


@helper
def _match(
    tokens: np.ndarray,
    first: int,
    last: int,
    words: int,
    mask: np.uint64,
    keys: np.ndarray,
    owners: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    bits: np.ndarray,
    pair: int,
) -> None:
    """Go through the longer side: a zero among `bits` is a place up to which one more token is common."""
    for place in range(first, last):
        slot = _first_slot(tokens[place], mask)
        while owners[slot] == pair and keys[slot] != tokens[place]:
            slot = slot + np.uint64(1) & mask
        if owners[slot] != pair:
            continue
        carry = np.uint64(0)
        for word in range(words):
            before = bits[word]
            matches = before & masks[rows[slot] + word]
            total = before + matches
            carried = total + carry
            carry = np.uint64(total < before) | np.uint64(carried < total)
            bits[word] = carried | (before - matches)


@helper
def _fill(
    tokens: np.ndarray,
    first: int,
    size: int,
    words: int,
    mask: np.uint64,
    keys: np.ndarray,
    owners: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    pair: int,
) -> None:
    """For each different token, the places where it is, as bits."""
    different = 0
    for place in range(size):
        key = tokens[first + place]
        slot = _first_slot(key, mask)
        while owners[slot] == pair and keys[slot] != key:
            slot = slot + np.uint64(1) & mask
        if owners[slot] != pair:
            keys[slot], owners[slot], rows[slot] = key, pair, different * words
            masks[different * words : (different + 1) * words] = 0
            different += 1
        masks[rows[slot] + (place >> 6)] |= np.uint64(1) << np.uint64(place & 63)


@helper
def _first_slot(key: np.uint64, mask: np.uint64) -> np.uint64:
    """The slot of a key; if another key is there, it goes into the next free one."""
    return (key ^ key >> np.uint64(7)) & mask


@helper
def _mask(size: int) -> np.uint64:
    """The slots used for `size` tokens: a power of two, less one."""
    slots = np.uint64(8)
    while slots < np.uint64(4 * size):
        slots <<= np.uint64(1)
    return slots - np.uint64(1)


@helper
def _words(size: int) -> int:
    return (size + 63) // 64
