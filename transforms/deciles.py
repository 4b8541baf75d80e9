"""The `deciles/<score>` stages: exact tenths of the corpus, all scores ranked together in each pass."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from ..columns import decile_name
from ..filters.deciles import DecileRanks, assign, score_keys
from ..filters.ranks import Cuts, CutSearch, Goal, Tally, merge, tally
from ..hashing import seeded_hash
from .dataset import read_columns
from .stage import PartWork, Runner, Unit, Work, run_fold
from .workspace import Workspace


@dataclass(frozen=True)
class RankUnit:
    """One part, with its file in each of the datasets that are ranked (name → file)."""

    part: str
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TallyScores:
    """One pass over one part: what it contributes to each score's search."""

    stage: str
    searches: Mapping[str, CutSearch]
    seed: int

    def __call__(self, workspace: Workspace, unit: RankUnit) -> dict[str, Tally]:
        tallies = {}
        hashes: np.ndarray | None = None
        for score, file in unit.files:
            if score not in self.searches:
                continue
            table = read_columns(workspace, file, [score])
            if hashes is None:
                hashes = seeded_hash(table["pair_id"].to_pylist(), self.seed)
            tallies[score] = tally(score_keys(table[score], hashes), self.searches[score])
        return tallies


def find_all_cuts(
    runner: Runner,
    workspace: Workspace,
    units: Sequence[RankUnit],
    scores: Sequence[str],
    seed: int,
    seconds: float,
) -> dict[str, Cuts]:
    """The cuts of several scores; every pass of every score that is not done yet is one job."""

    def work(searches: Mapping[str, CutSearch]) -> TallyScores:
        return TallyScores("deciles", searches, seed)

    return search_cuts(runner, workspace, units, {score: DecileRanks() for score in scores}, work, seconds)


def search_cuts(
    runner: Runner,
    workspace: Workspace,
    units: Sequence[RankUnit],
    goals: Mapping[str, Goal],
    work: Callable[[Mapping[str, CutSearch]], Work[RankUnit, dict[str, Tally]]],
    seconds: float,
) -> dict[str, Cuts]:
    """The keys at the goals' ranks, by as many passes over all units as the longest search takes.

    work: makes one pass's work from the searches that are still open. seconds: see `Runner.pipeline`.
    """
    searches = {name: CutSearch(goal) for name, goal in goals.items()}
    if not units:
        searches = {name: search.advance(Tally()) for name, search in searches.items()}
    while still_open := {name: search for name, search in searches.items() if search.cuts is None}:
        merged = _decode(run_fold(runner, workspace, units, work(still_open), _merge_all, _encode, seconds))
        for name, search in still_open.items():
            searches[name] = search.advance(merged.get(name, Tally()))
    return {name: search.cuts for name, search in searches.items() if search.cuts is not None}


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

    def make(self, workspace: Workspace, unit: Unit) -> tuple[pa.Table, dict[str, int]]:
        table = read_columns(workspace, unit.input(f"score/{self.score}"), [self.score])
        keys = score_keys(table[self.score], seeded_hash(table["pair_id"].to_pylist(), self.seed))
        deciles = assign(keys, self.cuts)
        named = pa.table({"pair_id": table["pair_id"], decile_name(self.score): deciles})
        return named, {"null": deciles.null_count}


def _merge_all(merged: dict[str, Tally], more: dict[str, Tally]) -> dict[str, Tally]:
    return {name: merge([merged.get(name, Tally()), more.get(name, Tally())]) for name in {**merged, **more}}


def _encode(tallies: dict[str, Tally]) -> bytes:
    arrays = {
        f"{name}/{field.name}": np.asarray(getattr(tallied, field.name), _WIDE.get(field.name))
        for name, tallied in tallies.items()
        for field in fields(Tally)
    }
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


_WIDE = {"lowest": np.uint64, "highest": np.uint64}


def _decode(content: bytes) -> dict[str, Tally]:
    found: dict[str, dict[str, object]] = {}
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        for key in arrays.files:
            name, _, field = key.rpartition("/")
            value = arrays[key]
            found.setdefault(name, {})[field] = value if value.ndim else int(value)
    return {name: Tally(**values) for name, values in found.items()}  # type: ignore[arg-type]
