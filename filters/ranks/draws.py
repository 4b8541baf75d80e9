"""Rows drawn at random: samples of an exact size, and the pairs that a scoring model may train on.

Rows are drawn by a seeded hash, so a draw does not depend on order, parts or machines.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...base.hashing import derive_seed, seeded_hash
from ..text_columns import Texts
from .radix import Cuts, Keys, before, hash_keys


@dataclass(frozen=True)
class Smallest:
    """The goal of drawing the `count` rows with the smallest keys, but at most this share of all rows."""

    count: int
    share: float = 1.0

    def __call__(self, n: int) -> tuple[int, ...]:
        """The first row that is left out.

        >>> Smallest(40_000, share=0.1)(1_005), Smallest(40_000, share=0.1)(1_000_000)
        ((100,), (40000,))
        """
        # Rounded, because 0.29 * 100 is 28.999999999999996.
        return (min(self.count, math.floor(round(self.share * n, 6))),)


def sample_keys(pair_ids: Sequence[str], seed: int) -> Keys:
    """Keys for drawing an exact number of pairs: the seeded hash of pair_id; a second hash breaks ties."""
    return hash_keys(seeded_hash(pair_ids, seed), seeded_hash(pair_ids, derive_seed(seed, "ties")))


def copy_keys(references: Texts, seed: int) -> Keys:
    """Keys for drawing pairs so that either all copies of a reference are drawn or none.

    The key is the seeded hash of the normalised reference (`tokens.normalise`) and nothing else. So with the
    same seed a larger draw contains every smaller one.
    """
    from ...tokens.columns import normalised  # imports numba, which planning does not need

    return hash_keys(seeded_hash(normalised(references).to_pylist(), seed))


def drawn(keys: Keys, cuts: Cuts) -> np.ndarray:
    """Which rows are drawn, (n,) bool, given the cut found for `Smallest`.

    With `sample_keys` exactly as many are drawn as were asked for, or all valid rows if there are fewer.
    With `copy_keys` as many are drawn as whole groups of copies allow without exceeding that number.
    """
    if not cuts.keys:
        return keys.valid.copy()
    return keys.valid & before(keys, cuts.keys[0])
