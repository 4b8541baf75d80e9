"""Running a recipe's stages from the command line: the runner, the progress, the question, the last line."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from .progress import counted, progress_on

if TYPE_CHECKING:
    from ..pipeline.recipe import Recipe
    from ..pipeline.run import RunResult
    from ..transforms.stage import Runner


def runner_of(name: str, workers: int | None, beam_options: Sequence[str]) -> "Runner":
    """The runner that the options name."""
    from .runners.local import LocalRunner

    if name != "local":
        raise typer.BadParameter(f"no runner {name!r}; there are: local", param_hint="--runner")
    return LocalRunner(workers, tuple(beam_options))


def run_recipe(
    recipe: "Recipe",
    runner: "Runner",
    yes: bool,
    *,
    first: str | None = None,
    last: str | None = None,
    only: str | None = None,
    redo: str | None = None,
) -> "RunResult":
    """Run with progress on the standard error, asking where finished work would be computed again.

    first, last, only, redo: as `pipeline.run.run` has them. yes: the answer to the question.
    """
    from rich.console import Console

    from ..pipeline.run import run

    def confirm(question: str) -> bool:
        return yes or (sys.stdin.isatty() and typer.confirm(question, err=True))

    with progress_on(Console(stderr=True)) as progress:
        return run(recipe, runner, progress, first=first, last=last, only=only, redo=redo, confirm=confirm)


def outcome(result: "RunResult") -> str:
    """What a run did, in one line, and where to look."""
    workspace = result.plan.workspace
    done = f"{counted(len(result.computed), 'stage')} computed" if result.computed else "nothing to compute"
    files = {"release": "release", "report": "report/index.html"}
    places = [name for name in files if result.plan.condition(name).state == "fresh"]
    return "; ".join([done, *(f"{name}: {workspace.path(files[name])}" for name in places)])
