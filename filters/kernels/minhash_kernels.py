"""The compiled loops of `minhash`."""

import numpy as np

from ...base.compiled import compiled, helper
from ...tokens.kernels import count_bits


@compiled
def signatures(
    shingles: np.ndarray,
    starts: np.ndarray,
    multipliers: np.ndarray,
    addends: np.ndarray,
    bands: np.ndarray,
    rows: int,
    sketches: np.ndarray,
) -> None:
    """For each text the hashes of its bands and its sketch, from the minima of its shingles' hashes."""
    size = len(multipliers)
    minima = np.empty(size, np.uint32)
    for text in range(len(starts) - 1):
        minima[:] = np.uint32(0xFFFFFFFF)
        for place in range(starts[text], starts[text + 1]):
            shingle = np.uint32(shingles[place] >> np.uint64(32))
            for number in range(size):
                minima[number] = min(
                    minima[number], np.uint32(shingle * multipliers[number] + addends[number])
                )
        for band in range(bands.shape[1]):
            bands[text, band] = _mixed(minima, band, rows)
        for number in range(size):
            bit = np.uint64(np.uint32(minima[number] * np.uint32(0x9E3779B1)) >> np.uint32(31))
            sketches[text, number >> 6] |= bit << np.uint64(number & 63)


@compiled
def link(sizes: np.ndarray, sketches: np.ndarray, differing: int, leaders: int, linked: np.ndarray) -> None:
    """For each member of a bucket's groups the earlier member that it is linked to, or -1.

    sizes: of the groups, whose members follow each other. A member is linked to the first leader of its group
    whose sketch differs in at most `differing` bits; without one, it becomes a leader.
    """
    places = np.empty(leaders, np.int64)
    first = 0
    for size in sizes:
        count = 0
        for member in range(first, first + size):
            linked[member] = -1
            for leader in range(count):
                if _distance(sketches, places[leader], member) <= differing:
                    linked[member] = places[leader]
                    break
            if linked[member] < 0 and count < leaders:
                places[count] = member
                count += 1
        first += size


@compiled
def join(nodes: np.ndarray, others: np.ndarray, parents: np.ndarray, ranks: np.ndarray) -> None:
    """Join the trees of both nodes of each link. The root of a tree is its node with the lowest rank."""
    for place in range(len(nodes)):
        root, other = _root(parents, nodes[place]), _root(parents, others[place])
        if ranks[other] < ranks[root]:
            root, other = other, root
        parents[other] = root


@compiled
def find_roots(parents: np.ndarray) -> None:
    """Make every node's parent the root of its tree."""
    for node in range(len(parents)):
        parents[node] = _root(parents, node)


@helper
def _mixed(minima: np.ndarray, band: int, rows: int) -> np.uint64:
    value = np.uint64(band + 1) * np.uint64(0xD6E8FEB86659FD93)
    for number in range(band * rows, (band + 1) * rows):
        value = (value ^ np.uint64(minima[number])) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(32)
    value *= np.uint64(0xD6E8FEB86659FD93)
    return value ^ value >> np.uint64(29)


@helper
def _distance(sketches: np.ndarray, one: int, other: int) -> int:
    """In how many bits two sketches differ."""
    total = 0
    for word in range(sketches.shape[1]):
        total += count_bits(sketches[one, word] ^ sketches[other, word])
    return total


@helper
def _root(parents: np.ndarray, node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node
