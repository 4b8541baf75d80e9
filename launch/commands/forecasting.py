"""Forecasting on the command line: the machines to forecast for, the pilot's progress, the table."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...base.bounds import NOT_NEGATIVE
from ...base.errors import RecipeError
from ..display.console import print_json, print_text, progress_line, say
from ..display.forecast_text import forecast_note, forecast_summary, forecast_text, runner_advice
from ..display.progress import counted
from ..options.command_options import MACHINES, check_number

if TYPE_CHECKING:
    from ...pipeline.recipe.name import StageName
    from ...pipeline.stages.planned import Plan
    from ...pipeline.stages.whole import Machines

PILOT_PAIRS = 2_000
PAIRS_PER_PROCESSOR = 1_000
"""A pilot has a dozen parts, each with batches for all processors, so that they work at their usual speed."""
GPU_PILOT_PAIRS = 40_000
"""Enough for batches of a GPU's usual size."""


def show_forecast(
    plan: "Plan",
    pairs: int | None,
    again: bool,
    workers: int | None,
    gpus: int | None,
    price: float | None,
    cpu_price: float | None,
    as_json: bool,
) -> None:
    """Run a pilot of the plan's recipe, print the forecast for the whole bitext, and keep it."""
    from ...pipeline.forecast.file import forecast
    from ..runners.local import LocalRunner

    on_gpu = _translates_on_gpu(plan)
    machines = _machines(workers, gpus, price, cpu_price, on_gpu)
    on_cpu = max(PILOT_PAIRS, PAIRS_PER_PROCESSOR * (os.cpu_count() or 1))
    pilot_pairs = pairs if pairs is not None else GPU_PILOT_PAIRS if on_gpu else on_cpu
    with progress_line() as show:
        progress = _PilotProgress(show, pilot_pairs)
        kept = forecast(plan, LocalRunner(workers=1), machines, pilot_pairs, progress, again)
    if as_json:
        print_json({"made": kept.made, "host": kept.host, "pilot": kept.pilot, **vars(kept.forecast)})
        return
    print_text(forecast_text(kept))
    say(forecast_note(kept))
    advice = runner_advice(kept.forecast)
    if advice is not None:
        say(advice)
    print_text(forecast_summary(kept.forecast))


class _PilotProgress:
    """Shows which stage a pilot is at, and nothing else."""

    def __init__(self, show: Callable[[str], None], pairs: int) -> None:
        self._show = show
        self._pairs = pairs

    def stages_planned(self, expected: "Mapping[StageName, float | None]") -> None:
        return None

    def stage_started(self, name: str, parts: int | None, done: int) -> None:
        self._show(f"pilot of {counted(self._pairs, 'pair')} from all of the bitext: {name}")

    def part_done(self, name: str, pairs: int) -> None:
        return None

    def stage_goes_on(self, name: str, share: float | None, note: str) -> None:
        return None

    def stage_finished(self, name: str, seconds: float, pairs: int, computed: int) -> None:
        return None

    def message(self, text: str) -> None:
        return None


def _machines(
    workers: int | None, gpus: int | None, price: float | None, cpu_price: float | None, on_gpu: bool
) -> "Machines":
    from ...pipeline.stages.whole import Machines

    check_number("--workers", workers, MACHINES)
    check_number("--gpus", gpus, MACHINES)
    check_number("--price", price, NOT_NEGATIVE)
    check_number("--cpu-price", cpu_price, NOT_NEGATIVE)
    if not on_gpu and (gpus is not None or price is not None):
        raise RecipeError(
            f"{'--gpus' if gpus is not None else '--price'}: nothing translates on a GPU here, and a pilot "
            "can measure only the machine that it runs on; make the forecast on a machine with such a GPU, "
            "with translate.device: cuda"
        )
    processors = os.cpu_count() or 1
    return Machines(workers or processors, gpus or 1, processors, price, cpu_price)


def _translates_on_gpu(plan: "Plan") -> bool:
    from ...transforms.works.translating import TranslatePart

    work = plan.stage("translate").work
    return isinstance(work, TranslatePart) and work.device == "cuda"
