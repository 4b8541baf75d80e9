"""The `deciles/<score>` stages: exact tenths of the corpus, all scores ranked together in each pass."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...base.dataset_columns import decile_name
from ...base.hashing import seeded_hash
from ...filters.ranks.decile_ranks import assign, score_keys
from ...filters.ranks.radix import Cuts, CutSearch, Tally, tally
from ..beam.task_work import PartWork, Task
from ..storage.dataset import read_columns
from ..storage.workspace import Workspace


@dataclass(frozen=True)
class RankTask:
    """One part, with its file in each dataset that is ranked (name → file)."""

    part: str
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TallyScores:
    """One pass over one part: makes the part's contribution to the search for each score's cuts."""

    stage: str
    searches: Mapping[str, CutSearch]
    seed: int

    def __call__(self, workspace: Workspace, task: RankTask) -> dict[str, Tally]:
        tallies = {}
        hashes: np.ndarray | None = None
        for score, file in task.files:
            if score not in self.searches:
                continue
            table = read_columns(workspace, file, [score])
            if hashes is None:
                hashes = seeded_hash(table["pair_id"].to_pylist(), self.seed)
            tallies[score] = tally(score_keys(table[score], hashes), self.searches[score])
        return tallies


@dataclass(frozen=True)
class AssignDeciles(PartWork):
    """Gives every row of one part its decile."""

    stage: str
    score: str
    cuts: Cuts
    seed: int

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy",)

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        table = read_columns(workspace, task.input(f"score/{self.score}"), [self.score])
        keys = score_keys(table[self.score], seeded_hash(table["pair_id"].to_pylist(), self.seed))
        deciles = assign(keys, self.cuts)
        named = pa.table({"pair_id": table["pair_id"], decile_name(self.score): deciles})
        return named, {"null": deciles.null_count}
