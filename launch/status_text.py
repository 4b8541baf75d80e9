"""`status` as a person reads it."""

import time
from typing import TYPE_CHECKING

from .console import table
from .progress import Pace, duration, rated, state

if TYPE_CHECKING:
    from ..pipeline.status import Running, Status


def status_text(status: "Status", now: float | None = None) -> str:
    """A table of finished stages, then what is being computed, if anything is."""
    now = time.time() if now is None else now
    if not status.stages and status.running is None:
        return f"{status.workspace}: nothing is there yet"
    rows = [
        [
            stage.name,
            f"{stage.pairs:,}",
            f"{stage.parts:,}",
            "" if stage.seconds is None else duration(stage.seconds),
            rated(stage.pairs / stage.seconds) if stage.seconds and stage.pairs else "",
            "" if stage.ended is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(stage.ended)),
            ", ".join(f"{name} {count:,}" for name, count in stage.counts.items()),
        ]
        for stage in status.stages
    ]
    heads = ["stage", "pairs", "parts", "took", "speed", "ended", "counts"]
    text = table(heads, rows, right=["pairs", "parts", "took", "speed"]) if rows else ""
    if status.running is not None:
        text += ("\n\n" if text else "") + _running(status.running, now)
    return text


def _running(running: "Running", now: float) -> str:
    where = f"process {running.process} on {running.host}"
    if not running.alive:
        return f"{running.stage}: nothing was heard of {where} for a while; run again to go on"
    pace = Pace(running.parts, running.parts_done, running.since, running.parts_before)
    workers = f", {running.workers} workers" if running.workers else ""
    return f"{running.stage}: {state(pace, now)}; {where}{workers}"
