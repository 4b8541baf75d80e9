"""`paranmt run`: runs the stages of a recipe that are not up to date."""

from typing import Annotated

import typer

from ...base.logs import LEVELS
from ..display.console import print_text, say
from ..display.results_text import results_text
from ..options.command_options import Overrides, RecipeFile, Verbose, Yes, load_recipe
from ..runners.profile import Profile
from ..runners.runner_options import with_runner
from .running import budget_seconds, outcome, run_recipe


@with_runner
def run(
    recipe: RecipeFile,
    runner: Profile,
    overrides: Overrides = None,
    first: Annotated[str | None, typer.Option("--from", metavar="STAGE", help="Start at this stage.")] = None,
    last: Annotated[
        str | None, typer.Option("--until", metavar="STAGE", help="Stop after this stage.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="STAGE",
            help="Run this stage alone (score/perplexity), or all stages of a kind (score).",
        ),
    ] = None,
    redo: Annotated[
        str | None,
        typer.Option("--redo", metavar="STAGE", help="Recompute this stage even if it is up to date."),
    ] = None,
    yes: Yes = False,
    verbose: Verbose = False,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Append structured logs to this file, one JSON object per line. - is the standard error.",
        ),
    ] = None,
    log_level: Annotated[
        str,
        typer.Option(
            "--log-level",
            metavar="LEVEL",
            help="The lowest level to log, also on workers: debug, info, warning or error.",
        ),
    ] = "info",
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="TIME|MONEY",
            help="Begin no more work after this time (90m, 4h, 2d) or for more than this money (20usd); what "
            "is begun is finished. The status is then 3.",
        ),
    ] = None,
    hourly_cost: Annotated[
        float | None,
        typer.Option(
            "--hourly-cost",
            metavar="NUMBER",
            help="What an hour of all machines costs, for a budget of money.",
        ),
    ] = None,
) -> None:
    """Run every stage of a recipe that is not up to date. Finished parts are not computed again.

    \b
    paranmt run recipe.yaml
    paranmt run recipe.yaml --until translate --set translate.beam=5
    paranmt run recipe.yaml --redo score/perplexity
    paranmt run recipe.yaml --budget 4h
    paranmt run recipe.yaml --runner dask --dask-scheduler tcp://head:8786
    paranmt run recipe.yaml --runner flink --flink-master jobmanager:8081 --parallelism 16

    Options after -- are passed to Beam unchanged.
    """
    chosen = [name for name in (only, redo, first or last) if name is not None]
    if len(chosen) > 1:
        raise typer.BadParameter("expected only one of --only, --redo, and --from with --until")
    if log_level not in LEVELS:
        raise typer.BadParameter(f"--log-level: expected one of {', '.join(LEVELS)}, got {log_level!r}")
    if budget is None and hourly_cost is not None:
        raise typer.BadParameter("--hourly-cost needs --budget")
    seconds = None if budget is None else budget_seconds(budget, hourly_cost)
    loaded = load_recipe(recipe, overrides)
    result = run_recipe(
        loaded,
        runner,
        yes,
        first=first,
        last=last,
        only=only,
        redo=redo,
        log=log,
        log_level=log_level,
        budget=seconds,
        verbose=verbose,
    )
    say(outcome(result))
    if result.left:
        raise typer.Exit(3)
    if not chosen and last is None:
        from ...pipeline.looking.results import results

        print_text(results_text(results(result.plan)))
