"""`paranmt`: the commands that work on a recipe and its workspace. Those that need neither are in `tools`.

Whatever is heavy (torch, Beam) is imported inside the command that needs it, so that `--help` is quick.
"""

import atexit
import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__, interrupts
from ..errors import RecipeError
from ..logs import LEVELS
from .console import ending, print_json, say, table
from .demo import demo
from .forecasting import show_forecast
from .progress import counted, duration
from .render_command import launch
from .runner_options import with_runner
from .runners.local import LocalRunner
from .runners.profile import Profile
from .running import outcome, run_recipe
from .tools import evaluate, nmt_train, train, translate

if TYPE_CHECKING:
    from ..pipeline.plan import Plan
    from ..pipeline.preview import Preview
    from ..pipeline.recipe.recipe import Recipe

app = typer.Typer(
    name="paranmt",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

RecipeFile = Annotated[
    Path, typer.Argument(metavar="RECIPE", help="The recipe, a YAML file.", show_default=False)
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one value of the recipe; may be given often."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Compute hours of finished work again without asking.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"paranmt {__version__}")
        raise typer.Exit


@app.callback()
def _paranmt(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", help="Print the version.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """From a bitext to a scored, selected and released paraphrase corpus, and to the encoders trained on it.

    \b
    paranmt demo                      the whole pipeline on a small bitext, with no download
    paranmt recipe --example          a recipe to begin with, every key explained
    paranmt plan recipe.yaml          what a run would do
    paranmt run recipe.yaml           do it
    """


@app.command("run", short_help="Compute what is not fresh.")
@ending
@with_runner
def run(
    recipe: RecipeFile,
    runner: Profile,
    overrides: Overrides = None,
    first: Annotated[str | None, typer.Option("--from", metavar="STAGE", help="Begin at this stage.")] = None,
    last: Annotated[
        str | None, typer.Option("--until", metavar="STAGE", help="End after this stage.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only", metavar="STAGE", help="This stage (score/perplexity), or all of a kind (score)."
        ),
    ] = None,
    redo: Annotated[
        str | None, typer.Option("--redo", metavar="STAGE", help="As --only, and again although it is fresh.")
    ] = None,
    yes: Yes = False,
    log: Annotated[
        str | None,
        typer.Option(
            "--log", metavar="FILE", help="Append structured logs, a JSON object a line; - is standard error."
        ),
    ] = None,
    log_level: Annotated[
        str, typer.Option("--log-level", help="debug, info, warning or error, also on workers.")
    ] = "info",
) -> None:
    """Compute every stage of a recipe that is not fresh, resuming at the missing parts.

    \b
    paranmt run recipe.yaml
    paranmt run recipe.yaml --until translate --set translate.beam=5
    paranmt run recipe.yaml --redo score/perplexity
    paranmt run recipe.yaml --runner dask --dask-scheduler tcp://head:8786
    paranmt run recipe.yaml --runner flink --flink-master jobmanager:8081 --parallelism 16

    What follows -- goes to Beam as it is.
    """
    chosen = [name for name in (only, redo, first or last) if name is not None]
    if len(chosen) > 1:
        raise typer.BadParameter("give --only, --redo, or --from and --until")
    if log_level not in LEVELS:
        raise typer.BadParameter(f"--log-level: expected one of {', '.join(LEVELS)}, got {log_level!r}")
    loaded = _load(recipe, overrides)
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
    )
    say(outcome(result))


@app.command("plan", short_help="Show what a run would do.")
@ending
def plan(
    recipe: RecipeFile,
    overrides: Overrides = None,
    as_json: AsJson = False,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast", help="Run a pilot, and say what the whole bitext will cost, from nothing."
        ),
    ] = False,
    pilot: Annotated[
        int | None,
        typer.Option(
            "--pilot",
            metavar="PAIRS",
            help="Of the pilot; by default 2,000 or more, or 40,000 if a GPU translates.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Run the pilot although the last one was of the same work.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", help="Processors the run will have; by default this machine's."),
    ] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="GPUs the run will have; by default 1.")] = None,
    price: Annotated[float | None, typer.Option("--price", help="Money for a GPU hour.")] = None,
    cpu_price: Annotated[
        float | None, typer.Option("--cpu-price", help="Money for an hour of one processor.")
    ] = None,
) -> None:
    """Show how every stage stands, and why, and do no work; or forecast what all of it will cost.

    \b
    paranmt plan recipe.yaml
    paranmt plan recipe.yaml --set scores.perplexity.lm.train_on=10_000
    paranmt plan recipe.yaml --json
    paranmt plan recipe.yaml --forecast --gpus 4 --price 2.5

    A stage is fresh, stale (what it is made of changed), partial (some parts are there), missing, or
    waiting (until ingest has cut the input files into parts).

    A forecast runs the stages on a small sample of the bitext, spread over all of it, here and now, and
    keeps what it found in the workspace; `status` then shows it beside what each stage took.
    """
    from ..pipeline.plan import make_plan

    flags = ("--pilot", "--again", "--workers", "--gpus", "--price", "--cpu-price")
    values = (pilot, again or None, workers, gpus, price, cpu_price)
    given = [flag for flag, value in zip(flags, values, strict=True) if value is not None]
    if given and not forecast:
        raise RecipeError(f"{given[0]} is of a forecast: say --forecast too, or leave it out")
    found = make_plan(_load(recipe, overrides))
    if forecast:
        show_forecast(found, pilot, again, workers, gpus, price, cpu_price, as_json)
        return
    if as_json:
        print_json({"workspace": found.recipe.workspace, "stages": found.conditions})
        return
    print(_plan_table(found))
    say(_plan_summary(found))


@app.command("status", short_help="Show what a workspace holds.")
@ending
def status(
    workspace: Annotated[str, typer.Argument(help="A workspace, or the recipe of one.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Show what a workspace holds and what is being computed, from any machine that can read it.

    \b
    paranmt status recipe.yaml
    paranmt status s3://bucket/work --json
    """
    from ..pipeline.forecast.file import against_forecast
    from ..pipeline.status import workspace_status
    from .status_text import status_text

    is_recipe = workspace.endswith((".yaml", ".yml"))
    found = workspace_status(_load(Path(workspace), None).workspace if is_recipe else workspace)
    against = against_forecast(found)
    if as_json:
        print_json({**vars(found), "forecast": against})
    else:
        print(status_text(found, against=against))


@app.command("clean", short_help="Remove what nothing needs.")
@ending
def clean(
    recipe: RecipeFile,
    overrides: Overrides = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Only say what would be removed.")] = False,
    older: Annotated[
        bool, typer.Option("--older", help="Also what only other recipes, or older states of this one, need.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove what nothing needs from a recipe's workspace: leftovers of runs that were killed.

    \b
    paranmt clean recipe.yaml --dry-run
    paranmt clean recipe.yaml --older
    """
    from ..pipeline.clean import clean as clean_workspace

    result = clean_workspace(_load(recipe, overrides), older=older, dry_run=dry_run)
    if as_json:
        print_json({"removed": result.removed, "bytes": result.bytes, "dry_run": dry_run})
        return
    if dry_run:
        for name in sorted(result.removed):
            print(name)
    what = "would remove" if dry_run else "removed"
    say(f"{what} {counted(len(result.removed), 'file')}, {result.bytes / 1e6:,.1f} MB")


@app.command("select", short_help="Compute or preview selections.")
@ending
def select(
    recipe: RecipeFile,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="SELECTION", help="By default all of the recipe.")
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only count, in seconds, what each clause drops.")
    ] = False,
    overrides: Overrides = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Compute selections, or preview how many pairs each clause of them drops.

    \b
    paranmt select recipe.yaml --preview
    paranmt select recipe.yaml paraphrases --preview --set "select.paraphrases.where=trigram_overlap < 0.5"
    """
    loaded = _load(recipe, overrides)
    if not preview:
        for name in names or list(loaded.select):
            run_recipe(loaded, LocalRunner(), yes, only=f"select/{name}")
        return
    from ..pipeline.preview import preview as preview_selection

    found = [preview_selection(loaded, name) for name in names or list(loaded.select)]
    if as_json:
        print_json(found)
    else:
        print("\n\n".join(_preview_text(each) for each in found))


@app.command("recipe", short_help="Print an example or the schema, or check.")
@ending
def recipe(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of recipes.")] = False,
    example: Annotated[bool, typer.Option("--example", help="Print a recipe with every key.")] = False,
    check: Annotated[Path | None, typer.Option("--check", metavar="FILE", help="Check a recipe.")] = None,
    overrides: Overrides = None,
) -> None:
    """Print an example of a recipe or the JSON Schema of all, or check one.

    \b
    paranmt recipe --example > recipe.yaml
    paranmt recipe --schema > recipe.schema.json
    paranmt recipe --check recipe.yaml
    """
    if schema + example + (check is not None) != 1:
        raise typer.BadParameter("give one of --schema, --example and --check FILE")
    from ..pipeline.recipe.schema import example_recipe, recipe_schema

    if schema:
        print_json(recipe_schema())
    elif example:
        print(example_recipe(), end="")
    elif check is not None:
        found = _load(check, overrides)
        parts = [(found.bitext, "input"), (found.scores, "score"), (found.select, "selection")]
        say(f"{check} is valid: {', '.join(counted(len(part), name) for part, name in parts)}")


for command, name, summary in (
    (demo, "demo", "Run everything on a small bitext, with no download."),
    (translate, "translate", "Translate a text file."),
    (train, "train", "Train a sentence encoder on a release."),
    (evaluate, "evaluate", "Evaluate a sentence encoder."),
    (nmt_train, "nmt-train", "Train a translation model."),
):
    app.command(name, short_help=summary)(ending(command))

app.add_typer(launch, name="launch", short_help="Write the files for a cluster.")


def main() -> None:
    """The entry point of the `paranmt` command."""
    # OpenMP threads that wait by spinning take the processor from those that work: beside one other
    # busy process a step of training took 2.6 s instead of 0.15 s. It is read when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    atexit.register(interrupts.leave)
    try:
        app()
    except SystemExit as end:
        if end.code in interrupts.CODES:
            with contextlib.suppress(OSError):  # nobody may read it any more
                sys.stdout.flush()
            interrupts.leave_soon(int(end.code))
        raise


def _load(path: Path, overrides: list[str] | None) -> "Recipe":
    from ..pipeline.recipe.recipe import Recipe

    return Recipe.load(path, overrides or ()).located()


def _plan_table(plan: "Plan") -> str:
    rows = [
        [
            each.name,
            each.state,
            f"{each.parts_done:,} of {'?' if each.parts is None else f'{each.parts:,}'}",
            "" if each.seconds is None else duration(each.seconds),
            "; ".join([each.reason] * bool(each.reason) + [f"made by {text}" for text in each.versions]),
        ]
        for each in plan.conditions
    ]
    return table(["stage", "state", "parts", "last cost", "why"], rows, right=["parts", "last cost"])


def _plan_summary(plan: "Plan") -> str:
    todo = [each for each in plan.conditions if each.state != "fresh"]
    if not todo:
        return "everything is fresh: a run has nothing to do"
    again = sum(each.seconds or 0.0 for each in todo if each.state == "stale")
    cost = f"; {duration(again)} of it is finished work computed again" if again else ""
    return f"a run would compute {counted(len(todo), 'stage')}{cost}"


def _preview_text(found: "Preview") -> str:
    drops = found.drops
    rows = [
        [clause.clause, f"{clause.alone:,}", f"{clause.in_order:,}", f"{clause.null:,}"]
        for clause in drops.clauses
    ]
    seen = f"{counted(drops.pairs, 'pair')} in {found.parts:,} of {counted(found.of_parts, 'part')}"
    share = f" ({drops.selected / drops.pairs:.1%})" if drops.pairs else ""
    sampled = f"; a sample of {found.sample:,} of them is taken" if found.sample is not None else ""
    counts = table(
        ["clause", "drops alone", "drops here", "null"], rows, right=["drops alone", "drops here", "null"]
    )
    return f"{found.selection}: {drops.selected:,} of {seen} pass{share}{sampled}\n{counts}"
