"""Negatives: for each sentence of a mega-batch, one that is not its paraphrase."""

import numpy as np
import torch

from .loss import unit_vectors
from .options import NegativeMode, NegativePool

_BLOCK_CELLS = 2**24  # similarities held at once: 64 MiB, whatever the mega-batch


def choose_negatives(
    vectors: torch.Tensor, mode: NegativeMode, pool: NegativePool, generator: np.random.Generator
) -> np.ndarray:
    """For each of 2n sentences the index of its negative, (2n,) int64.

    vectors: (2n, dimension) float32; sentence i is a reference and n + i its translation. pool: `all`
    2n sentences (the papers' code), or those of the `other_side` only (Wieting et al. 2019). mode:
    `max` the nearest by cosine; `rand` any sentence of another pair, all alike likely; `mix` a fair
    coin between the two for each sentence (Revisiting recurrent networks, section 3.2).
    """
    if mode == "max":
        return hardest_negatives(vectors, pool)
    random = _random_negatives(len(vectors) // 2, pool, generator)
    if mode == "rand":
        return random
    return np.where(generator.random(len(random)) < 0.5, hardest_negatives(vectors, pool), random)


def hardest_negatives(vectors: torch.Tensor, pool: NegativePool) -> np.ndarray:
    """For each of 2n sentences the nearest other by cosine, the first of equals, (2n,) int64.

    The sentence itself and its partner count as having cosine 0, as in the papers' code: one of them
    is chosen only where no other sentence has a positive cosine. Blocks of rows, so that memory
    stays at 64 MiB for any n.
    """
    units = unit_vectors(vectors)
    n = len(units) // 2
    nearest = torch.empty(2 * n, dtype=torch.int64)
    for side in (0, 1):
        # `all` puts both sides in the pool, `other_side` the half that does not hold the query.
        start = 0 if pool == "all" else (1 - side) * n
        candidates = units if pool == "all" else units[start : start + n]
        rows = max(1, _BLOCK_CELLS // max(1, len(candidates)))
        for block in torch.arange(side * n, (side + 1) * n, device=units.device).split(rows):
            cosines = units[block] @ candidates.T
            here = torch.arange(len(block), device=units.device)
            if pool == "all":
                cosines[here, block] = 0.0
            cosines[here, (block + n) % (2 * n) - start] = 0.0
            nearest[block.cpu()] = cosines.argmax(dim=1).cpu() + start
    return nearest.numpy()


def _random_negatives(n: int, pool: NegativePool, generator: np.random.Generator) -> np.ndarray:
    sentences = np.arange(2 * n)
    # A step of 1 … n − 1 pairs leads to any other pair; a mega-batch of one pair has no other.
    other_pair = (sentences + generator.integers(1, max(2, n), size=2 * n)) % n
    if pool == "other_side":
        return np.where(sentences < n, other_pair + n, other_pair)
    return other_pair + n * generator.integers(0, 2, size=2 * n)
