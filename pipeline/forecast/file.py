"""The forecast that is kept in the workspace, and comparing the workspace's status with it."""

import os
import platform
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...base.keys import digest
from ...transforms.beam.runner import Runner
from ...transforms.storage.workspace import Workspace
from ..running.status import RunningStage, Status
from ..running.work_keys import manifest_work_keys, work_keys
from ..stages.kept_forecast import Interval, KeptForecast, keep_forecast, read_forecast
from ..stages.planned import Plan
from ..stages.whole import Machines
from .forecast import make_forecast

if TYPE_CHECKING:
    from ..running.execution import Observer


def forecast(
    plan: Plan, runner: Runner, machines: Machines, pairs: int, observer: "Observer", again: bool = False
) -> KeptForecast:
    """Forecast a run of a plan's recipe on its whole bitext, and keep the forecast in the workspace.

    runner: for the pilot; it must work in this process. pairs: the size of the pilot. A pilot of the same
    work with as many pairs on this machine is not repeated unless `again` is true, because a forecast for
    other machines and prices only needs arithmetic.
    """
    works = work_keys(plan.stages)
    key = digest(works, pairs, socket.gethostname(), os.cpu_count(), platform.python_version())
    kept = read_forecast(plan.workspace)
    if again or kept is None or kept.key != key:
        from .pilot import run_pilot  # Beam, which those who only read a forecast do without

        made, pilot = time.time(), run_pilot(plan, runner, pairs, observer)
    else:
        made, pilot = kept.made, kept.pilot
    translated = {entry.corpus: entry.translation is None for entry in plan.recipe.bitext}
    new = make_forecast(pilot, machines, works, translated)
    result = KeptForecast(key, made, socket.gethostname(), new, pilot)
    keep_forecast(plan.workspace, result)
    return result


@dataclass(frozen=True)
class Against:
    """A workspace compared with its forecast, in seconds.

    stages: the forecast for each finished stage that did exactly the forecast work. running_left: the time
    left for the running stage, from its own pace once it has finished a part. left: the time left for
    everything that is not finished.
    """

    stages: dict[str, Interval]
    running_left: Interval | None
    left: Interval


def against_forecast(status: Status, now: float | None = None) -> Against | None:
    """Compare a workspace's status with its forecast; None without a forecast.

    now: UNIX time.
    """
    now = time.time() if now is None else now
    workspace = Workspace(status.workspace)
    kept = read_forecast(workspace)
    if kept is None:
        return None
    stages = {stage.name: stage for stage in kept.forecast.stages}
    works = manifest_work_keys(workspace, list(stages))
    done = {name: stage.seconds for name, stage in stages.items() if works.get(name) == stage.work}
    todo = {name: stage.seconds for name, stage in stages.items() if name not in done}
    left = None
    running = status.running
    if running is not None and running.stage in stages and running.work == stages[running.stage].work:
        left = _left(running, stages[running.stage].seconds, now)
        done.pop(running.stage, None)
        todo[running.stage] = left
    total = [sum(getattr(seconds, bound) for seconds in todo.values()) for bound in ("low", "mid", "high")]
    return Against(done, left, Interval(*total))


def _left(running: RunningStage, seconds: Interval, now: float) -> Interval:
    """The time left for the running stage, from the pace of its parts; before the first, the forecast's."""
    elapsed, parts_in_run = now - running.since, running.parts_done - running.parts_before
    if parts_in_run > 0:
        left = elapsed / parts_in_run * (running.parts - running.parts_done)
        return Interval(left, left, left)
    share = 1 - running.parts_before / running.parts
    return Interval(
        *(max(0.0, share * bound - elapsed) for bound in (seconds.low, seconds.mid, seconds.high))
    )
