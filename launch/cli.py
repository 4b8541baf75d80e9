"""`paranmt`: the table of commands. Each has its own module in `commands`, which is imported when it is used.

So no command waits for what another one needs, and `--help` is fast.
"""

import atexit
import contextlib
import io
import os
import sys
from typing import Annotated

import typer

from .. import __version__
from ..base import interrupts
from .display.help import CommandsInGroups, ImportedLater

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
_CLUSTER = "Run on a cluster"


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
_add("run_command.run", "run", _MAKE, "Run the stages of a recipe that are not up to date.")
_add("plan_command.plan", "plan", _MAKE, "Show what a run would do.")
_add("status_command.status", "status", _MAKE, "Show what is finished and what is running.")
_add(
    "results_command.show_results",
    "results",
    _MAKE,
    "Show the selections, evaluations and files of a finished recipe.",
)
_add("clean_command.clean", "clean", _MAKE, "Remove files that are no longer needed.")
_add("select_command.select", "select", _MAKE, "Compute or preview selections.")
_add("tune_command.tune", "tune", _MAKE, "Find which range of a score makes the best training data.")
_add("recipe_command.recipe", "recipe", _START, "Print an example recipe or the schema, or check a recipe.")
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
_add("analyse_command.analyse", "analyse", _ENCODE, "Look at what encoders have learned.")
_add("render_command.launch", "launch", _CLUSTER, "Write the files that run a recipe on a cluster.")


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
