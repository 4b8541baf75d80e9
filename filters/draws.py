"""Rows drawn by chance: samples of an exact size, and the pairs that a scoring model may train on.

Chance is a seeded hash, so a draw depends on no order, part or machine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..hashing import derive_seed, seeded_hash
from ..tokens import normalise
from .ranks import Cuts, Keys, before, hash_keys


@dataclass(frozen=True)
class Smallest:
    """The goal of drawing the `count` rows of the smallest keys: the first row left out."""

    count: int

    def ranks(self, n: int) -> tuple[int, ...]:
        """The rank `count`."""
        return (self.count,)


@dataclass(frozen=True)
class SmallestShare:
    """As `Smallest`, but at most one row in `one_in`, however many `count` asks for."""

    count: int
    one_in: int = 10

    def ranks(self, n: int) -> tuple[int, ...]:
        """The number of rows that may be drawn.

        >>> SmallestShare(40_000).ranks(1_005), SmallestShare(40_000).ranks(1_000_000)
        ((100,), (40000,))
        """
        return (min(self.count, n // self.one_in),)


def sample_keys(pair_ids: Sequence[str], seed: int) -> Keys:
    """Keys for drawing an exact number of pairs: the seeded hash of pair_id, ties by a second hash."""
    return hash_keys(seeded_hash(pair_ids, seed), seeded_hash(pair_ids, derive_seed(seed, "ties")))


def copy_keys(references: Iterable[str], seed: int) -> Keys:
    """Keys for drawing pairs so that all copies of a reference are drawn or none.

    The seeded hash of the normalised reference (`tokens.normalise`), without more: draws of different
    sizes with one seed nest.
    """
    return hash_keys(seeded_hash((normalise(reference) for reference in references), seed))


def drawn(keys: Keys, cuts: Cuts) -> np.ndarray:
    """Which rows are drawn, (n,) bool, given the cut found for `Smallest` or `SmallestShare`.

    With `sample_keys` exactly as many as asked, or all valid rows if there are fewer. With
    `copy_keys` the most that whole groups of copies allow, and no more.
    """
    if not cuts.keys:
        return keys.valid.copy()
    return keys.valid & before(keys, cuts.keys[0])
