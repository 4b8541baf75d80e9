"""Running a recipe's stages on the command line: runner, progress, confirmation, last line."""

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

import typer

from .display.progress import counted, progress_on
from .runners.profile import Profile

if TYPE_CHECKING:
    from ..pipeline.recipe.recipe import Recipe
    from ..pipeline.run import RunResult


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
) -> "RunResult":
    """Run with progress on the standard error, and ask before finished work is computed again.

    first, last, only, redo, targets, log, log_level: see `pipeline.run.run`. yes: do not ask. RunnerError,
    before anything is submitted, if the runner cannot work.
    """
    from rich.console import Console

    from ..pipeline.run import run

    runner.check(recipe.workspace)

    def confirm(question: str) -> bool:
        return yes or (sys.stdin.isatty() and typer.confirm(question, err=True))

    with progress_on(Console(stderr=True)) as progress:
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
        )


def outcome(result: "RunResult") -> str:
    """One line about what a run did and where its results are."""
    workspace = result.plan.workspace
    done = f"{counted(len(result.computed), 'stage')} computed" if result.computed else "nothing to compute"
    files = {"release": "release", "report": "report/index.html"}
    places = [name for name in files if result.plan.condition(name).state == "fresh"]
    return "; ".join([done, *(f"{name}: {workspace.path(files[name])}" for name in places)])
