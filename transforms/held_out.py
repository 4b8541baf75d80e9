"""Held-out pairs: what a model of the corpus was trained on, chosen by the text of the reference.

All models of a run draw from one order, the seeded hash of the normalised reference, so that their
sets nest and copies of a sentence stay together. Those pairs stay in the release, with `held_out`
true, and are null for the scores whose model saw them.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..filters.draws import SmallestShare, copy_keys
from ..filters.ranks import find_cuts, hash_keys

FILE = "held_out.json"
ONE_IN = 10


@dataclass(frozen=True)
class HeldOut:
    """Pairs whose normalised reference hashes below `below`, with the run's seed of held-out pairs."""

    seed: int
    below: int
    pairs: int

    def mask(self, references: pa.ChunkedArray) -> np.ndarray:
        """Which references are held out; boolean, (n,)."""
        return reference_hashes(references, self.seed) < np.uint64(self.below)


def reference_hashes(references: pa.ChunkedArray, seed: int) -> np.ndarray:
    """The place of each reference in the order that held-out pairs are drawn in; uint64, (n,)."""
    return copy_keys(references.to_pylist(), seed).lead


def choose_held_out(hashes: np.ndarray, wanted: int, seed: int) -> HeldOut:
    """The largest set of at most `wanted` pairs, and at most a tenth of them, that keeps copies together.

    hashes: of all pairs' references, uint64, (n,).
    """
    cuts = find_cuts(hash_keys(hashes), SmallestShare(wanted, ONE_IN))
    below = cuts.keys[0].lead if cuts.keys else 0
    return HeldOut(seed, below, int((hashes < np.uint64(below)).sum()))


def write_held_out(folder: Path, held_out: HeldOut) -> None:
    """Write it beside the model."""
    content = {"seed": held_out.seed, "below": held_out.below, "pairs": held_out.pairs}
    (folder / FILE).write_text(json.dumps(content) + "\n")


def read_held_out(folder: Path) -> HeldOut | None:
    """What the model in `folder` was trained on; None where it is not barred from scoring its pairs."""
    file = folder / FILE
    return HeldOut(**json.loads(file.read_text())) if file.exists() else None
