"""A workspace's status as text for the terminal."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ...base.durations import duration
from ...pipeline.recipe.name import StageName
from .console import table
from .forecast_text import time_span
from .progress import Pace, counted, rated, state

if TYPE_CHECKING:
    from ...pipeline.forecast.file import Against
    from ...pipeline.running.status import RunningStage, StageStatus, Status
    from ...pipeline.stages.kept_forecast import Interval


def status_text(
    status: "Status", now: float | None = None, against: "Against | None" = None, each: bool = True
) -> str:
    """A table of the finished stages, then the stage that is running, if any.

    against: the workspace's forecast; adds a column with it, and the expected end of the run. each: a row for
    each stage; otherwise those of a kind that ended one after the other are one row.
    """
    now = time.time() if now is None else now
    if not status.stages and status.running is None:
        return f"{status.workspace}: no stage has finished or is running"
    groups = [[stage] for stage in status.stages]
    if not each:
        kinds = groupby(status.stages, lambda stage: StageName(stage.name).kind)
        groups = [list(group) for _, group in kinds]
    rows = [_row(group, against) for group in groups]
    heads = ["stage", "pairs", "parts", "took", "forecast", "speed", "ended", "counts"]
    if not any(row[4] for row in rows):
        heads.remove("forecast")
        rows = [[*row[:4], *row[5:]] for row in rows]
    text = table(heads, rows, right=["pairs", "parts", "took", "forecast", "speed"]) if rows else ""
    if status.running is not None:
        text += ("\n\n" if text else "") + _running(status.running, now)
    if status.running is not None and status.running.alive and against is not None:
        if against.running_left is not None:
            text += f"\n{status.running.stage}: should end at about {_ends(against.running_left, now)}"
        text += f"\nall stages of the forecast: should end at about {_ends(against.left, now)}"
    return text


def _row(stages: Sequence["StageStatus"], against: "Against | None") -> list[str]:
    """The row of one stage, or of several of a kind."""
    first, last = stages[0], stages[-1]
    is_one = len(stages) == 1
    seconds = [stage.seconds for stage in stages if stage.seconds is not None]
    forecasts = [
        against.stages[stage.name] for stage in stages if against is not None and stage.name in against.stages
    ]
    return [
        first.name if is_one else f"{StageName(first.name).kind} ({len(stages):,})",
        f"{max(stage.pairs for stage in stages):,}",
        f"{sum(stage.parts for stage in stages):,}",
        duration(sum(seconds)) if seconds else "",
        time_span(_total(forecasts)) if len(forecasts) == len(stages) else "",
        rated(first.speed) if is_one and first.speed else "",
        "" if last.ended is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(last.ended)),
        ", ".join(f"{name} {count:,}" for name, count in first.shown_counts.items()) if is_one else "",
    ]


def _total(intervals: "Sequence[Interval]") -> "Interval":
    return replace(
        intervals[0],
        low=sum(each.low for each in intervals),
        mid=sum(each.mid for each in intervals),
        high=sum(each.high for each in intervals),
    )


def _ends(left: "Interval", now: float) -> str:
    """The time of day, with the date if it is not today."""
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    moments = [time.localtime(now + seconds) for seconds in (left.low, left.high)]
    same = all(time.strftime("%Y-%m-%d", moment) == today for moment in moments)
    shown = [time.strftime("%H:%M" if same else "%Y-%m-%d %H:%M", moment) for moment in moments]
    return shown[0] if shown[0] == shown[1] else "–".join(shown)


def _running(running: "RunningStage", now: float) -> str:
    where = f"process {running.process} on {running.host}"
    if not running.alive:
        return f"{running.stage}: interrupted: {where} no longer answers; run the recipe again to continue"
    pace = Pace(
        running.parts,
        running.parts_done,
        running.since,
        running.parts_before,
        share=running.share,
        note=running.note,
    )
    workers = f", {counted(running.workers, 'worker')}" if running.workers else ""
    return f"{running.stage}: {state(pace, now)}; {where}{workers}"
