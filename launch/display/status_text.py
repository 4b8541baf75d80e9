"""A workspace's status as text for the terminal."""

import time
from typing import TYPE_CHECKING

from .console import table
from .forecast_text import time_span
from .progress import Pace, counted, duration, rated, state

if TYPE_CHECKING:
    from ...pipeline.forecast.file import Against
    from ...pipeline.forecast.forecast import Interval
    from ...pipeline.status import RunningStage, Status


def status_text(status: "Status", now: float | None = None, against: "Against | None" = None) -> str:
    """A table of the finished stages, then the stage that is running, if any.

    against: the workspace's forecast; adds a column with it, and the expected end of the run.
    """
    now = time.time() if now is None else now
    if not status.stages and status.running is None:
        return f"{status.workspace}: no stage has finished or is running"
    rows = [
        [
            stage.name,
            f"{stage.pairs:,}",
            f"{stage.parts:,}",
            "" if stage.seconds is None else duration(stage.seconds),
            time_span(against.stages[stage.name]) if against and stage.name in against.stages else "",
            rated(stage.pairs / stage.seconds) if stage.seconds and stage.pairs else "",
            "" if stage.ended is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(stage.ended)),
            # Counts for each clause of a selection, or each value of a score, would fill the screen; `--json`
            # and the report have them.
            ", ".join(f"{name} {count:,}" for name, count in stage.counts.items() if ": " not in name)
            if stage.name.startswith(("select/", "score/"))
            else ", ".join(f"{name} {count:,}" for name, count in stage.counts.items()),
        ]
        for stage in status.stages
    ]
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
    pace = Pace(running.parts, running.parts_done, running.since, running.parts_before)
    workers = f", {counted(running.workers, 'worker')}" if running.workers else ""
    return f"{running.stage}: {state(pace, now)}; {where}{workers}"
