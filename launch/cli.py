"""`paranmt`: the commands that work on a recipe and its workspace. The others have their own modules.

Heavy packages (torch, Beam) are imported inside the commands that need them, so that `--help` is fast.
"""

import atexit
import contextlib
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from ..base import interrupts
from ..base.errors import RecipeError
from ..base.logs import LEVELS
from .commands.analyse_command import analyse
from .commands.render_command import launch
from .commands.running import budget_seconds, outcome, run_recipe
from .commands.select_command import drops_table, select_from_release, share
from .commands.tune_command import run_tuning
from .display.console import ending, print_json, print_text, say, screen_width
from .display.help import CommandsInGroups, ImportedLater, NamesInHelp
from .display.progress import counted
from .display.results_text import results_text
from .options.command_options import set_option
from .runners.local import LocalRunner
from .runners.profile import Profile
from .runners.runner_options import with_runner

if TYPE_CHECKING:
    from ..pipeline.looking.preview import Preview
    from ..pipeline.recipe.recipe import Recipe

app = typer.Typer(
    name="paranmt",
    cls=CommandsInGroups,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_START, _MAKE, _LOOK = "Begin", "Make a corpus by its recipe", "Look at the pairs"
_RELEASE, _TRANSLATE, _ENCODE = (
    "Check and publish a release",
    "Translate and paraphrase",
    "Train and use encoders",
)

RecipeFile = Annotated[
    Path, typer.Argument(metavar="RECIPE", help="The recipe: a YAML file.", show_default=False)
]
Overrides = Annotated[list[str] | None, set_option()]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="A line for each stage, instead of one for each kind of stage."),
]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Do not ask before recomputing finished work that took hours."),
]


def _print_version(requested: bool) -> None:
    if requested:
        print(f"paranmt {__version__}")
        raise typer.Exit


@app.callback()
def _paranmt(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", help="Print the version.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """Turn a bitext into a scored and released paraphrase corpus, and train sentence encoders on it.

    \b
    paranmt demo                      try the whole pipeline on a small bitext, without downloads
    paranmt init FILES…               write a recipe for your files
    paranmt recipe --example          print a recipe with every key explained
    paranmt plan recipe.yaml          show what a run would do
    paranmt run recipe.yaml           run it
    """


def _add(place: str, name: str, group: str, summary: str) -> None:
    """Add a command that is imported when it is used. place: its module in `commands`, and the function."""
    app.command(name, short_help=summary, rich_help_panel=group)(ImportedLater(f"commands.{place}"))


_add("demo.demo", "demo", _START, "Try the whole pipeline on a small bitext, without downloads.")
_add("init_command.init", "init", _START, "Write a first recipe for your files.")


@app.command(
    "run",
    cls=NamesInHelp,
    short_help="Run the stages of a recipe that are not up to date.",
    rich_help_panel=_MAKE,
)
@ending
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
        budget=seconds,
        verbose=verbose,
    )
    say(outcome(result))
    if result.left:
        raise typer.Exit(3)
    if not chosen and last is None:
        from ..pipeline.looking.results import results

        print_text(results_text(results(result.plan)))


_add("plan_command.plan", "plan", _MAKE, "Show what a run would do.")


@app.command("status", short_help="Show what is finished and what is running.", rich_help_panel=_MAKE)
@ending
def status(
    workspace: Annotated[str, typer.Argument(help="A workspace, or its recipe.", show_default=False)],
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Show which stages are finished and which one is running, on any machine that can read the workspace.

    \b
    paranmt status recipe.yaml
    paranmt status s3://bucket/work --json
    """
    from ..pipeline.forecast.file import against_forecast
    from ..pipeline.running.status import not_in_recipe, workspace_status
    from .display.status_text import status_text

    recipe = _load(Path(workspace), None) if workspace.endswith((".yaml", ".yml")) else None
    current_status = workspace_status(recipe.workspace if recipe else workspace)
    others = not_in_recipe(current_status, recipe) if recipe else []
    against = against_forecast(current_status)
    if as_json:
        print_json({**vars(current_status), "not_in_recipe": others, "forecast": against})
        return
    print_text(status_text(current_status, against=against, each=verbose or screen_width() is None))
    if others:
        say(f"not in this recipe, but in its workspace: {', '.join(others)}")


@app.command(
    "results",
    short_help="Show the selections, evaluations and files of a finished recipe.",
    rich_help_panel=_MAKE,
)
@ending
def show_results(recipe: RecipeFile, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Show what a recipe has made: selections, the means of evaluations, and where everything lies.

    \b
    paranmt results recipe.yaml
    paranmt results recipe.yaml --json

    Only stages that are up to date are shown. The report has all rows of each evaluation.
    """
    from ..pipeline.looking.results import results
    from ..pipeline.running.plan import make_plan
    from ..pipeline.stages.results import TUNING_RESULTS

    found = results(make_plan(_load(recipe, overrides)))
    if as_json:
        tables = {section.name: section.table.to_json() for section in found.evaluations}
        tunings = {
            section.name: TUNING_RESULTS.dump_python(section, mode="json") for section in found.tunings
        }
        print_json({**vars(found), "evaluations": tables, "tunings": tunings})
        return
    print_text(results_text(found))
    if found.missing:
        say(f"not up to date: {', '.join(found.missing)}; `paranmt run {recipe}` computes them")


@app.command("clean", short_help="Remove files that are no longer needed.", rich_help_panel=_MAKE)
@ending
def clean(
    recipe: RecipeFile,
    overrides: Overrides = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="List the files, and remove nothing.")
    ] = False,
    older: Annotated[
        bool,
        typer.Option(
            "--older", help="Also remove parts that only other recipes, or older versions of this one, need."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove files that no recipe needs from a workspace, such as those that killed runs left behind.

    \b
    paranmt clean recipe.yaml --dry-run
    paranmt clean recipe.yaml --older
    """
    from ..pipeline.running.clean import clean as clean_workspace

    result = clean_workspace(_load(recipe, overrides), older=older, dry_run=dry_run)
    if as_json:
        print_json({"removed": result.removed, "bytes": result.bytes, "dry_run": dry_run})
        return
    if dry_run:
        for name in sorted(result.removed):
            print_text(name)
    what = "would remove" if dry_run else "removed"
    say(f"{what} {counted(len(result.removed), 'file')}, {result.bytes / 1e6:,.1f} MB")


@app.command("select", short_help="Compute or preview selections.", rich_help_panel=_MAKE)
@ending
def select(
    recipe: Annotated[
        Path,
        typer.Argument(metavar="RECIPE", help="The recipe; or, with --where, a release.", show_default=False),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTION", help="Selections of the recipe; by default all of them."),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Count what each clause drops, in seconds, without selecting."),
    ] = False,
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="A condition on the pairs of a release, which needs no recipe.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write the pairs of --where as a new release."),
    ] = None,
    overrides: Overrides = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Compute selections, preview what each clause of them drops, or write pairs of a release as a new one.

    \b
    paranmt select recipe.yaml --preview
    paranmt select recipe.yaml paraphrases --preview --set "select.paraphrases.where=trigram_overlap < 0.5"
    paranmt select work/release --preview --where "trigram_overlap < 0.5 and reference_length <= 30"
    paranmt select work/release --where "trigram_overlap < 0.5" --output short

    A new release has the scores and deciles of the one that it is cut from: nothing is computed again.
    """
    if where is not None or output is not None:
        if where is None or preview is (output is not None) or names or overrides:
            raise RecipeError(
                "expected a release with --where, either --preview or --output, and no selections or --set"
            )
        select_from_release(str(recipe), where, output, as_json)
        return
    loaded = _load(recipe, overrides)
    if not preview:
        for name in names or list(loaded.select):
            run_recipe(loaded, LocalRunner(), yes, only=f"select/{name}")
        return
    from ..pipeline.looking.preview import preview as preview_selection

    previews = [preview_selection(loaded, name) for name in names or list(loaded.select)]
    if as_json:
        print_json(previews)
    else:
        print_text("\n\n".join(map(_preview_text, previews)))


@app.command(
    "tune",
    cls=NamesInHelp,
    short_help="Find which range of a score makes the best training data.",
    rich_help_panel=_MAKE,
)
@ending
@with_runner
def tune(
    recipe: RecipeFile,
    runner: Profile,
    only: Annotated[
        str | None, typer.Option("--only", metavar="NAME", help="This entry of `tune` alone.")
    ] = None,
    overrides: Overrides = None,
    yes: Yes = False,
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")] = False,
) -> None:
    """Train small encoders on ranges of scores, compare them on development sets, and print the best range.

    \b
    paranmt tune recipe.yaml
    paranmt tune recipe.yaml --only deciles --set tune.deciles.seeds=10
    paranmt tune recipe.yaml --runner dask --dask-scheduler tcp://head:8786

    The stages before it are run too where they are not up to date. Test sets are never read.
    """
    run_tuning(_load(recipe, overrides), runner, only, yes, as_json, markdown)


@app.command(
    "recipe", short_help="Print an example recipe or the schema, or check a recipe.", rich_help_panel=_START
)
@ending
def recipe(
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of recipes, for editors.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print a recipe that explains every key.")
    ] = False,
    check: Annotated[Path | None, typer.Option("--check", metavar="FILE", help="Check this recipe.")] = None,
    overrides: Overrides = None,
) -> None:
    """Print an example recipe or the JSON Schema of recipes, or check a recipe.

    \b
    paranmt recipe --example > recipe.yaml
    paranmt recipe --schema > recipe.schema.json
    paranmt recipe --check recipe.yaml
    """
    if schema + example + (check is not None) != 1:
        raise typer.BadParameter("expected one of --schema, --example and --check FILE")
    from ..pipeline.recipe.schema import example_recipe, recipe_schema

    if schema:
        print_json(recipe_schema())
    elif example:
        print(example_recipe(), end="")
    elif check is not None:
        checked = _load(check, overrides)
        sections = [(checked.bitext, "input"), (checked.scores, "score"), (checked.select, "selection")]
        counts = (counted(len(section), noun) for section, noun in sections)
        say(f"{check} is valid: {', '.join(counts)}")


_add("inspect_command.inspect", "inspect", _LOOK, "Show random pairs of a release.")
_add("stats_command.stats", "stats", _LOOK, "Compare references with translations, and corpora.")
_add("diff_command.diff", "diff", _LOOK, "Compare the selections of two recipes or releases.")
_add("judge_command.judge", "judge", _LOOK, "Let people judge pairs, and show what they answered.")
_add("verify_command.verify", "verify", _RELEASE, "Compare a release with its manifest.")
_add("merge_command.merge", "merge", _RELEASE, "Put releases together.")
_add(
    "publish_command.publish",
    "publish",
    _RELEASE,
    "Publish a release in a folder or on the Hugging Face hub.",
)
_add("nmt_train_command.nmt_train", "nmt-train", _TRANSLATE, "Train a translation model.")
_add("translate_command.translate", "translate", _TRANSLATE, "Translate a text file.")
_add("paraphrase_command.paraphrase", "paraphrase", _TRANSLATE, "Paraphrase a text file.")
_add("train_command.train", "train", _ENCODE, "Train a sentence encoder on a release.")
_add("evaluate_command.evaluate", "evaluate", _ENCODE, "Evaluate a sentence encoder.")
_add("embed_command.embed", "embed", _ENCODE, "Write the vectors of a file of sentences.")
_add("embed_command.export", "export", _ENCODE, "Write an encoder for sentence-transformers or onnxruntime.")
_add("reproduce_command.reproduce", "reproduce", _ENCODE, "Compute the papers' tables again on your data.")

app.add_typer(
    analyse, name="analyse", short_help="Look at what encoders have learned.", rich_help_panel=_ENCODE
)
app.add_typer(
    launch,
    name="launch",
    short_help="Write the files that run a recipe on a cluster.",
    rich_help_panel="Run on a cluster",
)


def main() -> None:
    """The entry point of the `paranmt` command."""
    # OpenMP threads that spin while they wait take processors from threads that work: with one other busy
    # process, a training step took 2.6 s instead of 0.15 s. torch reads this variable when it is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    atexit.register(interrupts.leave)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Data is UTF-8 in files too; only a file's name may have bytes that are not.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except SystemExit as end:
        if end.code in interrupts.CODES:
            with contextlib.suppress(OSError):  # the reader of the output may be gone
                sys.stdout.flush()
            interrupts.leave_soon(int(end.code))
        raise


def _load(path: Path, overrides: list[str] | None) -> "Recipe":
    from ..pipeline.recipe.recipe import Recipe

    return Recipe.load(path, overrides or ()).located()


def _preview_text(preview: "Preview") -> str:
    drops = preview.drops
    previewed = f"{counted(drops.pairs, 'pair')} in {preview.parts:,} of {counted(preview.of_parts, 'part')}"
    sampled = f"; the selection is a sample of {preview.sample:,}" if preview.sample is not None else ""
    passed = f"{preview.selection}: {drops.selected:,} of {previewed} pass{share(drops)}{sampled}"
    return f"{passed}\n{drops_table(drops)}"
