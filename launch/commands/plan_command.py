"""`paranmt plan`: what a run would do, or what it will cost on other machines by a pilot on this one."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ...pipeline.stages.whole import Machines
from ..display.console import print_json, print_text, progress_line, say, screen_width
from ..display.forecast_text import forecast_note, forecast_summary, forecast_text, runner_advice
from ..display.plan_text import plan_summary, plan_table
from ..display.progress import counted
from ..options.command_options import set_option
from ..options.field_options import FieldOption, Given, from_fields

if TYPE_CHECKING:
    from ...pipeline.recipe.name import StageName
    from ...pipeline.stages.planned import Plan

PILOT_PAIRS = 2_000
PAIRS_PER_PROCESSOR = 1_000
"""A pilot has a dozen parts, each with batches for all processors, so that they work at their usual speed."""
GPU_PILOT_PAIRS = 40_000
"""Enough for batches of a GPU's usual size."""

_MACHINES = (
    *from_fields(Machines, "workers", "gpus"),
    FieldOption(Machines, "gpu_price", spellings=("--price",)),
    *from_fields(Machines, "cpu_price"),
)


def plan(
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE", help="The recipe: a YAML file.", show_default=False)
    ],
    overrides: Annotated[list[str] | None, set_option()] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="A line for each stage, instead of one for each kind of stage."),
    ] = False,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast",
            help="Run a pilot on a sample, and forecast the time, disk and money for the whole bitext.",
        ),
    ] = False,
    pilot: Annotated[
        int | None,
        typer.Option(
            "--pilot",
            metavar="PAIRS",
            help="The size of the sample; by default 2,000 or more, or 40,000 when translating on a GPU.",
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Repeat the pilot even if the last one measured the same work."),
    ] = False,
    *,
    machines: Annotated[Given, _MACHINES],
) -> None:
    """Show the state of every stage, without running anything; or forecast what the whole run will cost.

    \b
    paranmt plan recipe.yaml
    paranmt plan recipe.yaml --set scores.perplexity.lm.train_on=10_000
    paranmt plan recipe.yaml --json
    paranmt plan recipe.yaml --forecast --gpus 4 --price 2.5

    A stage is fresh (up to date), stale (something it depends on has changed), partial (some parts are
    finished), missing, or waiting (until ingest has cut the input files into parts).

    A forecast runs the stages on this machine, on a small sample taken from all over the bitext. It is
    kept in the workspace, where `status` compares it with the time that each stage really took.
    """
    from ...pipeline.recipe.recipe import Recipe
    from ...pipeline.running.plan import make_plan
    from ...pipeline.running.swapped_sides import swapped_sides

    given = [flag for flag, value in (("--pilot", pilot), ("--again", again or None)) if value is not None]
    given += [option.flags[0] for option in _MACHINES if option.name in machines]
    if given and not forecast:
        raise RecipeError(f"{given[0]} works only with --forecast; add --forecast, or leave out {given[0]}")
    current_plan = make_plan(Recipe.load(recipe, overrides or ()).located())
    if forecast:
        _show_forecast(current_plan, pilot, again, machines, as_json)
        return
    if as_json:
        print_json({"workspace": current_plan.recipe.workspace, "stages": current_plan.conditions})
        return
    print_text(plan_table(current_plan, each=verbose or screen_width() is None))
    for warning in swapped_sides(current_plan):
        say(warning)
    say(plan_summary(current_plan))


def _show_forecast(plan: "Plan", pairs: int | None, again: bool, given: Given, as_json: bool) -> None:
    """Run a pilot of the plan's recipe, print the forecast for the whole bitext, and keep it."""
    from ...pipeline.forecast.file import forecast
    from ..runners.local import LocalRunner

    on_gpu = _translates_on_gpu(plan)
    machines = _machines(given, on_gpu)
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


def _machines(given: Given, on_gpu: bool) -> Machines:
    if not on_gpu and ("gpus" in given or "gpu_price" in given):
        raise RecipeError(
            f"{'--gpus' if 'gpus' in given else '--price'}: nothing translates on a GPU here, and a pilot "
            "can measure only the machine that it runs on; make the forecast on a machine with such a GPU, "
            "with translate.device: cuda"
        )
    processors = os.cpu_count() or 1
    numbers: Mapping[str, object] = {"workers": processors, "processors": processors, **given}
    return Machines(**numbers)  # type: ignore[arg-type]


def _translates_on_gpu(plan: "Plan") -> bool:
    from ...transforms.works.translating import TranslatePart

    work = plan.stage("translate").work
    return isinstance(work, TranslatePart) and work.device == "cuda"
