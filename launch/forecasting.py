"""Forecasting from the command line: the machines that are meant, the pilot's progress, the table."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import RecipeError
from .console import print_json, say, telling
from .forecast_text import forecast_note, forecast_summary, forecast_text
from .progress import counted

if TYPE_CHECKING:
    from ..pipeline.forecast.forecast import Machines
    from ..pipeline.plan import Plan

PILOT_PAIRS = 2_000
PAIRS_PER_PROCESSOR = 1_000
"""A pilot has a dozen parts, and each must have batches for all processors to show their usual speed."""
GPU_PILOT_PAIRS = 40_000
"""A GPU needs batches of its usual size, too."""


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
    """Run a pilot of the plan's recipe, print what the whole bitext will cost, and keep it."""
    from ..pipeline.forecast.file import forecast
    from .runners.local import LocalRunner

    on_gpu = _translates_on_gpu(plan)
    machines = _machines(workers, gpus, price, cpu_price, on_gpu)
    on_cpu = max(PILOT_PAIRS, PAIRS_PER_PROCESSOR * (os.cpu_count() or 1))
    wanted = pairs if pairs is not None else GPU_PILOT_PAIRS if on_gpu else on_cpu
    with telling() as tell:
        kept = forecast(plan, LocalRunner(workers=1), machines, wanted, _Told(tell, wanted), again)
    if as_json:
        print_json({"made": kept.made, "host": kept.host, "pilot": kept.pilot, **vars(kept.forecast)})
        return
    print(forecast_text(kept))
    say(forecast_note(kept))
    print(forecast_summary(kept.forecast))


class _Told:
    """Tells which stage a pilot is at; what it takes there is no one's concern."""

    def __init__(self, tell: Callable[[str], None], pairs: int) -> None:
        self._tell = tell
        self._pairs = pairs

    def stage_started(self, name: str, parts: int | None, done: int) -> None:
        self._tell(f"pilot of {counted(self._pairs, 'pair')} from all of the bitext: {name}")

    def part_done(self, name: str, pairs: int) -> None:
        return None

    def stage_finished(self, name: str, seconds: float, pairs: int, detail: str = "") -> None:
        return None

    def message(self, text: str) -> None:
        return None


def _machines(
    workers: int | None, gpus: int | None, price: float | None, cpu_price: float | None, on_gpu: bool
) -> "Machines":
    from ..pipeline.forecast.forecast import Machines

    for name, value, least in (("--workers", workers, 1), ("--gpus", gpus, 1)):
        if value is not None and value < least:
            raise RecipeError(f"{name}: expected {least} or more, got {value}")
    for name, money in (("--price", price), ("--cpu-price", cpu_price)):
        if money is not None and money < 0:
            raise RecipeError(f"{name}: expected 0 or more, got {money:g}")
    if not on_gpu and (gpus is not None or price is not None):
        raise RecipeError(
            f"{'--gpus' if gpus is not None else '--price'}: nothing translates on a GPU here, and a pilot "
            "measures where it runs; run it on a machine with such a GPU, with translate.device: cuda"
        )
    processors = os.cpu_count() or 1
    return Machines(workers or processors, gpus or 1, processors, price, cpu_price)


def _translates_on_gpu(plan: "Plan") -> bool:
    from ..transforms.translate import TranslatePart

    work = plan.stage("translate").work
    return isinstance(work, TranslatePart) and work.options is not None and work.options.device == "cuda"
