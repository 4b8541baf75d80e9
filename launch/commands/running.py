"""Running a recipe's stages on the command line: runner, progress, confirmation, last line."""

import re
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

import typer

from ...base.errors import RecipeError
from ..display.progress import counted, progress_on
from ..runners.profile import Profile

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe
    from ...pipeline.running.run import RunResult

_BUDGET = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*(m|h|d|[a-z]{3}|[$€£])")
_SECONDS = {"m": 60.0, "h": 3600.0, "d": 86_400.0}


def run_recipe(
    recipe: "Recipe",
    runner: Profile,
    yes: bool,
    *,
    first: str | None = None,
    last: str | None = None,
    only: str | None = None,
    redo: str | None = None,
    targets: Collection[str] = (),
    log: str | None = None,
    log_level: str = "info",
    budget: float | None = None,
    verbose: bool = False,
) -> "RunResult":
    """Run with progress on the standard error, and ask before finished work is computed again.

    first, last, only, redo, targets, log, log_level, budget: see `pipeline.run.run`. yes: do not ask.
    verbose: a line for each stage, also on a terminal.
    RunnerError, before anything is submitted, if the runner cannot work.
    """
    from rich.console import Console

    from ...pipeline.running.run import run

    runner.check(recipe.workspace)

    def confirm(question: str) -> bool:
        return yes or (sys.stdin.isatty() and typer.confirm(question, err=True))

    with progress_on(Console(stderr=True), verbose) as progress:
        return run(
            recipe,
            runner,
            progress,
            first=first,
            last=last,
            only=only,
            redo=redo,
            targets=targets,
            confirm=confirm,
            log=log,
            log_level=log_level,
            budget=budget,
        )


def budget_seconds(budget: str, hourly_cost: float | None) -> float:
    """How long a run may last: a time such as `90m`, `4h` or `2d`, or money such as `20usd`.

    hourly_cost: what an hour of all machines of the run costs. RecipeError if either cannot be used.

    >>> budget_seconds("90m", None), budget_seconds("20usd", 2.5)
    (5400.0, 28800.0)
    """
    found = _BUDGET.fullmatch(budget.strip().lower())
    if found is None or not 0 < float(found[1]) < 1e9:
        raise RecipeError(f"--budget: expected a time (90m, 4h, 2d) or money (20usd), got {budget[:80]!r}")
    amount, unit = float(found[1]), found[2]
    is_money = unit not in _SECONDS
    if is_money and not (hourly_cost is not None and 0 < hourly_cost < 1e9):
        raise RecipeError(
            f"--budget {budget}: give --hourly-cost too, what an hour of all machines of the run costs"
        )
    if not is_money and hourly_cost is not None:
        raise RecipeError(f"--hourly-cost is for a budget of money, and --budget {budget} is a time")
    return 3600 * amount / (hourly_cost or 1) if is_money else amount * _SECONDS[unit]


def outcome(result: "RunResult") -> str:
    """One line about what a run did; what is left, if its budget is used up."""
    done = f"{counted(len(result.computed), 'stage')} computed" if result.computed else "nothing to compute"
    if result.left:
        first, *others = result.left
        parts = (
            "" if first.parts is None else f" ({first.parts_done:,} of {counted(first.parts, 'part')} done)"
        )
        more = f" and {counted(len(others), 'stage')} after it" if others else ""
        return f"{done}; the budget is used up; left: {first.name}{parts}{more}; run again to continue"
    return done
