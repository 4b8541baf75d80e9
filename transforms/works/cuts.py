"""Finds where deciles begin and samples end, in passes over all parts. Each pass is one job."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields

import numpy as np

from ...filters.ranks.decile_ranks import decile_starts
from ...filters.ranks.draws import Smallest
from ...filters.ranks.radix import Cuts, CutSearch, Goal, Tally, merge
from ..beam.runner import Runner
from ..beam.stage_pipeline import run_fold
from ..beam.task_work import Work
from ..storage.workspace import Workspace
from .decile_ranking import RankTask, TallyScores
from .selecting import SelectPart, TallySelected


def find_all_cuts(
    runner: Runner,
    workspace: Workspace,
    tasks: Sequence[RankTask],
    scores: Sequence[str],
    seed: int,
    seconds: float,
) -> dict[str, Cuts]:
    """The cuts of several scores. Each pass is one job for all scores that are not done yet."""

    def work(searches: Mapping[str, CutSearch]) -> TallyScores:
        return TallyScores("deciles", searches, seed)

    return search_cuts(runner, workspace, tasks, {score: decile_starts for score in scores}, work, seconds)


def find_sample(
    runner: Runner,
    workspace: Workspace,
    tasks: Sequence[RankTask],
    select: SelectPart,
    seconds: float,
) -> Cuts:
    """The cut below which are the `select.sample` smallest hashes of the pairs that pass `select.where`."""
    assert select.sample is not None
    goals = {select.name: Smallest(select.sample)}

    def work(searches: Mapping[str, CutSearch]) -> TallySelected:
        return TallySelected(select, searches[select.name])

    return search_cuts(runner, workspace, tasks, goals, work, seconds)[select.name]


def search_cuts(
    runner: Runner,
    workspace: Workspace,
    tasks: Sequence[RankTask],
    goals: Mapping[str, Goal],
    work: Callable[[Mapping[str, CutSearch]], Work[RankTask, dict[str, Tally]]],
    seconds: float,
) -> dict[str, Cuts]:
    """The keys at the goals' ranks, found in as many passes over all tasks as the longest search takes.

    work: makes the work of one pass from the searches that are not finished. seconds: see `Runner.pipeline`.
    """
    searches = {name: CutSearch(goal) for name, goal in goals.items()}
    if not tasks:
        searches = {name: search.advance(Tally()) for name, search in searches.items()}
    while still_open := {name: search for name, search in searches.items() if search.cuts is None}:
        merged = _decode(run_fold(runner, workspace, tasks, work(still_open), _merge_all, _encode, seconds))
        for name, search in still_open.items():
            searches[name] = search.advance(merged.get(name, Tally()))
    return {name: search.cuts for name, search in searches.items() if search.cuts is not None}


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
    tallies: dict[str, dict[str, object]] = {}
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        for key in arrays.files:
            name, _, field = key.rpartition("/")
            value = arrays[key]
            tallies.setdefault(name, {})[field] = value if value.ndim else int(value)
    return {name: Tally(**values) for name, values in tallies.items()}  # type: ignore[arg-type]
