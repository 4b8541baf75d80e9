"""Seeded hashes. All random choices of rows use them, so none depends on order, parts or machines."""

from collections.abc import Iterable, Sequence

import numpy as np
import xxhash


def seeded_hash(texts: Sequence[str] | Iterable[str], seed: int) -> np.ndarray:
    """xxh3-64 of each text's UTF-8 bytes with `seed` (0 <= seed < 2**64); shape (n,), uint64."""
    digest = xxhash.xxh3_64_intdigest
    return np.fromiter((digest(text.encode("utf-8"), seed) for text in texts), dtype=np.uint64)


def derive_seed(seed: int, name: str) -> int:
    """The seed of a stage without one of its own: it follows from the recipe's seed and the stage's name.

    >>> derive_seed(1, "train/avg") == derive_seed(1, "train/avg") != derive_seed(2, "train/avg")
    True
    """
    return xxhash.xxh3_64_intdigest(name.encode("utf-8"), seed & (2**64 - 1)) & (2**32 - 1)


def mixed(values: np.ndarray, seed: int) -> np.ndarray:
    """splitmix64 (Steele, Lea and Flood 2014) of each value, starting from a seed; uint64."""
    with np.errstate(over="ignore"):
        bits = values.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return bits ^ (bits >> np.uint64(31))
