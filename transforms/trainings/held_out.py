"""Held-out pairs: those that a model of the corpus was trained on, chosen by the text of the reference.

All models of a run take their pairs from the start of the same order, the seeded hash of the normalised
reference. So of the same corpora, a smaller set is part of every larger one, and copies of a sentence stay
together. These pairs stay in the release, with `held_out` true, and have no value for the scores whose model
saw them.

A score may have a model for each group of corpora: its folder then has a folder for each group.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...base.documents import read_json
from ...base.errors import ModelError
from ...filters.ranks.draws import Smallest, copy_keys
from ...filters.ranks.radix import find_cuts, hash_keys

FILE = "held_out.json"
GROUPS_FILE = "groups.json"


@dataclass(frozen=True)
class HeldOut:
    """The pairs whose normalised reference has a hash less than `below`, under the run's `seed` for them."""

    seed: int
    below: int
    pairs: int

    def mask(self, references: pa.ChunkedArray) -> np.ndarray:
        """Which references are held out; boolean, (n,)."""
        return reference_hashes(references, self.seed) < np.uint64(self.below)


def reference_hashes(references: pa.ChunkedArray, seed: int) -> np.ndarray:
    """The position of each reference in the order from which held-out pairs are drawn; uint64, (n,)."""
    return copy_keys(references, seed).lead


def choose_held_out(hashes: np.ndarray, wanted: int, share: float, seed: int) -> HeldOut:
    """The largest set of at most `wanted` pairs, and at most this share of them, that keeps copies together.

    hashes: the `reference_hashes` of all pairs, uint64, (n,).
    """
    cuts = find_cuts(hash_keys(hashes), Smallest(wanted, share))
    below = cuts.keys[0].lead if cuts.keys else 0
    return HeldOut(seed, below, int((hashes < np.uint64(below)).sum()))


def write_held_out(folder: Path, held_out: HeldOut) -> None:
    """Write the description of held-out pairs into the model's folder."""
    content = {"seed": held_out.seed, "below": held_out.below, "pairs": held_out.pairs}
    (folder / FILE).write_text(json.dumps(content) + "\n")


def read_held_out(folder: Path) -> HeldOut | None:
    """The pairs that the model in `folder` was trained on; None if it may score those pairs too."""
    file = folder / FILE
    return HeldOut(**read_json(file)) if file.exists() else None


def write_groups(folder: Path, groups: Mapping[str, str]) -> None:
    """Say in the folder of a score's models which of its folders has the model of each corpus."""
    (folder / GROUPS_FILE).write_text(json.dumps(dict(groups)) + "\n")


def model_folder(folder: Path, corpus: str) -> Path:
    """Where the model for a corpus is: `folder` itself if the score has one model for all.

    ModelError if there are models of groups, and none for this corpus.
    """
    file = folder / GROUPS_FILE
    if not file.exists():
        return folder
    groups = read_json(file)
    if corpus not in groups:
        raise ModelError(
            f"{folder} has no model for the corpus {corpus}; there are models for: {', '.join(groups)}"
        )
    return folder / groups[corpus]
