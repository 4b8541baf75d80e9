"""The compiled loops of `overlap`, `bleu` and `repetition`: n-grams that two sentences share or one repeats.

Tokens are hashes: sentence i of a side has `tokens[starts[i]:starts[i + 1]]` (`token_columns.HashedTokens`).
"""

import math

import numpy as np

from ..compiled import compiled, helper

# Slots of the hash table per n-gram. With few of them taken, the first slot is nearly always the right one.
_ROOM = 8


@compiled
def overlaps(
    reference: np.ndarray,
    reference_starts: np.ndarray,
    translation: np.ndarray,
    translation_starts: np.ndarray,
    n: int,
    clipped: bool,
    shares: np.ndarray,
) -> None:
    """For each pair, the matching n-grams over the n-grams of the side with fewer; 0 if it has none."""
    keys, counts, owners = _table(reference_starts, translation_starts)
    for pair in range(len(shares)):
        first, size = _ngrams_of(reference_starts, pair, n)
        other_first, other_size = _ngrams_of(translation_starts, pair, n)
        fewer, more = reference, translation
        if size > other_size:
            fewer, more = translation, reference
            first, size, other_first, other_size = other_first, other_size, first, size
        shares[pair] = 0.0
        if size == 0:
            continue
        mask = _mask(size)
        _fill(fewer, first, size, n, keys, counts, owners, pair, mask)
        matches = _count(more, other_first, other_size, n, keys, counts, owners, pair, mask, clipped)
        shares[pair] = matches / size


@compiled
def bleus(
    reference: np.ndarray,
    reference_starts: np.ndarray,
    translation: np.ndarray,
    translation_starts: np.ndarray,
    only_shorter: bool,
    values: np.ndarray,
) -> None:
    """Smoothed sentence BLEU of each pair; see `bleu.sentence_bleu`."""
    keys, counts, owners = _table(reference_starts, translation_starts)
    for pair in range(len(values)):
        first, size = _ngrams_of(reference_starts, pair, 1)
        other_first, other_size = _ngrams_of(translation_starts, pair, 1)
        values[pair] = 0.0
        if other_size == 0:
            continue
        mask = _mask(size)
        precision, matches = 1.0, size
        for n in range(1, 5):
            owner = 4 * pair + n
            others = max(other_size - n + 1, 0)
            if matches:  # without a match of order n there is none of order n + 1
                _fill(reference, first, size - n + 1, n, keys, counts, owners, owner, mask)
                matches = _count(translation, other_first, others, n, keys, counts, owners, owner, mask, True)
            precision *= (matches + 1) / (others + 1)
        penalty = 1.0
        if not only_shorter or other_size < size:
            penalty = math.exp(min(0.0, 1 - (size + 1) / other_size))
        values[pair] = penalty * precision**0.25


@compiled
def repetitions(
    tokens: np.ndarray, starts: np.ndarray, n: int, counted: np.ndarray, shares: np.ndarray
) -> None:
    """For each sentence, the share of its n-grams that occur earlier in it; 0 if it has none.

    counted: (tokens,) bool; n-grams count only where this is true of their first token.
    """
    keys, _, owners = _table(starts, starts)
    for sentence in range(len(shares)):
        first, size = _ngrams_of(starts, sentence, n)
        mask = _mask(size)
        ngrams, repeated = 0, 0
        for place in range(first, first + size):
            if counted[place]:
                key = _key(tokens, place, n)
                slot = _slot(key, keys, owners, sentence, mask)
                ngrams += 1
                repeated += owners[slot] == sentence
                keys[slot] = key
                owners[slot] = sentence
        shares[sentence] = repeated / ngrams if ngrams else 0.0


@helper
def _ngrams_of(starts: np.ndarray, pair: int, n: int) -> tuple[int, int]:
    """Where a sentence's n-grams start, and how many there are."""
    return starts[pair], max(starts[pair + 1] - starts[pair] - n + 1, 0)


@helper
def _key(tokens: np.ndarray, place: int, n: int) -> np.uint64:
    """The hash of the n-gram that starts at `place`."""
    key = tokens[place]
    for further in range(place + 1, place + n):
        key = _join(key, tokens[further])
    return key


@helper
def _join(key: np.uint64, token: np.uint64) -> np.uint64:
    """The hash of an n-gram with one more token."""
    key = key * np.uint64(0xD6E8FEB86659FD93) ^ token
    return key ^ key >> np.uint64(32)


@helper
def _table(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A hash table for the n-grams of one sentence: keys, counts, and who wrote each slot (-1: nobody)."""
    longest = 0
    for starts in (one, other):
        for pair in range(len(starts) - 1):
            longest = max(longest, starts[pair + 1] - starts[pair])
    slots = np.int64(_mask(longest)) + 1
    return np.empty(slots, np.uint64), np.empty(slots, np.int32), np.full(slots, -1, np.int64)


@helper
def _mask(size: int) -> np.uint64:
    """The slots used for `size` n-grams: a power of two, less one."""
    slots = np.uint64(_ROOM)
    while slots < np.uint64(_ROOM * size):
        slots <<= np.uint64(1)
    return slots - np.uint64(1)


@helper
def _slot(key: np.uint64, keys: np.ndarray, owners: np.ndarray, owner: int, mask: np.uint64) -> np.uint64:
    """The slot of a key, or the free one where it would go."""
    slot = key & mask
    while owners[slot] == owner and keys[slot] != key:
        slot = slot + np.uint64(1) & mask
    return slot


@helper
def _fill(
    tokens: np.ndarray,
    first: int,
    size: int,
    n: int,
    keys: np.ndarray,
    counts: np.ndarray,
    owners: np.ndarray,
    owner: int,
    mask: np.uint64,
) -> None:
    """Count a sentence's n-grams in the table."""
    for place in range(first, first + size):
        key = _key(tokens, place, n)
        slot = _slot(key, keys, owners, owner, mask)
        if owners[slot] == owner:
            counts[slot] += 1
        else:
            keys[slot] = key
            counts[slot] = 1
            owners[slot] = owner


@helper
def _count(
    tokens: np.ndarray,
    first: int,
    size: int,
    n: int,
    keys: np.ndarray,
    counts: np.ndarray,
    owners: np.ndarray,
    owner: int,
    mask: np.uint64,
    clipped: bool,
) -> int:
    """How many n-grams in the table match. If clipped, each matches as often as this sentence has it."""
    matches = np.int32(0)
    for place in range(first, first + size):
        key = _key(tokens, place, n)
        slot = _slot(key, keys, owners, owner, mask)
        left = counts[slot] * np.int32(owners[slot] == owner)
        taken = np.int32(left > 0) if clipped else left
        counts[slot] -= taken
        matches += taken
    return int(matches)
