"""A plan as text for the terminal."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ...base.durations import duration
from .console import table
from .progress import counted

if TYPE_CHECKING:
    from ...pipeline.stages.planned import Plan, StagePlan


def plan_table(plan: "Plan", each: bool = True) -> str:
    """A table of the stages and their conditions.

    each: a row for each stage; otherwise stages of a kind are one row if they are in the same condition.
    """
    groups = [[stage] for stage in plan.conditions] if each else _groups(plan.conditions)
    return table(
        ["stage", "state", "parts", "last cost", "why"], list(map(_row, groups)), right=["parts", "last cost"]
    )


def plan_summary(plan: "Plan") -> str:
    """What a run would compute, and what of it waits for what, in a line or two."""
    todo = [stage for stage in plan.conditions if stage.state != "fresh"]
    if not todo:
        return "everything is fresh: a run would compute nothing"
    again = sum(stage.seconds or 0.0 for stage in todo if stage.state == "stale")
    cost = f" and would repeat {duration(again)} of finished work" if again else ""
    summary = f"a run would compute {counted(len(todo), 'stage')}{cost}"
    reasons = dict.fromkeys(stage.reason for stage in todo if stage.state == "waiting")
    return "\n".join([*(f"waiting: {reason}" for reason in reasons), summary])


def _groups(stages: Iterable["StagePlan"]) -> list[list["StagePlan"]]:
    """The stages of a kind that follow each other and have the same state for the same reason."""

    def alike(stage: "StagePlan") -> tuple[object, ...]:
        return stage.name.kind, stage.state, stage.reason, stage.versions

    return [list(group) for _, group in groupby(stages, alike)]


def _row(stages: Sequence["StagePlan"]) -> list[str]:
    first = stages[0]
    is_waiting = first.state == "waiting"  # the line below the table says for what
    done = sum(stage.parts_done for stage in stages)
    parts = (
        None if any(stage.parts is None for stage in stages) else sum(stage.parts or 0 for stage in stages)
    )
    seconds = [stage.seconds for stage in stages if stage.seconds is not None]
    reasons = [] if is_waiting else [first.reason] * bool(first.reason)
    return [
        first.name if len(stages) == 1 else f"{first.name.kind} ({len(stages):,})",
        first.state,
        "" if is_waiting and not done else f"{done:,} of {'?' if parts is None else f'{parts:,}'}",
        duration(sum(seconds)) if seconds else "",
        "; ".join([*reasons, *(f"made with {text}" for text in first.versions)]),
    ]
