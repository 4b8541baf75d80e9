"""`paranmt demo`: the whole pipeline on a small bitext that comes with the package, without downloads."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import install
from ...base.errors import InputError, RecipeError
from ...base.outputs import new_folder
from ...pipeline.demo import PAIRS, is_demo, write_demo
from ..display.console import print_text, progress_line, say
from ..display.progress import duration
from ..display.results_text import results_text
from ..runners.local import LocalRunner
from ..running import run_recipe
from .nmt_train_command import NmtStates

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe
    from ...pipeline.stages.planned import Plan

_RECIPE = "recipe.yaml"
_SCORES = ("paraphrase_similarity", "trigram_overlap", "translation_cost", "perplexity")


def demo(
    folder: Annotated[Path, typer.Argument(help="The folder to write everything into.")] = Path("demo"),
    pairs: Annotated[
        int,
        typer.Option(
            "--pairs",
            metavar="N",
            min=500,
            max=PAIRS,
            help="The size of the bitext. Fewer pairs make a worse translator.",
        ),
    ] = PAIRS,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", help="How many processes to use; by default one per processor."
        ),
    ] = None,
) -> None:
    """Run the whole pipeline on a small Czech-English bitext: a few minutes on two cores, no downloads.

    \b
    paranmt demo
    paranmt demo /tmp/try --pairs 4000

    Afterwards the folder holds the bitext, a recipe that you can change, a translation model, and the
    workspace with the release, a trained encoder, its evaluation and a report.
    """
    from ...pipeline.recipe.recipe import Recipe

    missing = install.missing("fairseq", "kenlm", *install.PROGRAMS)
    if missing:
        raise RecipeError(f"the demo needs fairseq and KenLM; {missing}")
    started = time.monotonic()
    recipe_file = _prepared(folder, pairs)
    recipe = Recipe.load(recipe_file).located()
    _train_translator(recipe)
    result = run_recipe(recipe, LocalRunner(workers=workers), yes=True)
    print_text(_results_text(result.plan))
    say(f"the demo took {duration(time.monotonic() - started)}; next, try: paranmt plan {recipe_file}")


def _prepared(folder: Path, pairs: int) -> Path:
    """Write the bitext and the recipe, unless an earlier demo has written them.

    InputError if something else is in the folder: a recipe of the user is not run.
    """
    recipe = folder / _RECIPE
    if is_demo(folder):
        return recipe
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder} contains files that are not from a demo; choose an empty or a new folder")
    with new_folder(folder) as new:
        written = write_demo(new, pairs)
    say(f"{folder}: a bitext of {written:,} pairs, and {recipe}")
    return recipe


def _train_translator(recipe: "Recipe") -> None:
    """Train a tiny translation model on the demo's bitext, unless it exists already."""
    from ...models.translation.nmt_options import NmtOptions
    from ...models.translation.nmt_training import train_nmt
    from ...pipeline.bitext_pairs import bitext_pairs

    assert isinstance(recipe.translate.model, str)
    model = Path(recipe.translate.model)
    if model.exists():
        return
    pairs = bitext_pairs(recipe.bitext, recipe.ingest.max_characters)
    options, told = NmtOptions(preset="tiny", source_language="cs"), NmtStates()
    with progress_line() as show:
        result = train_nmt(pairs, model, options, lambda state: show(told.text(state)))
    say(
        f"nmt-train: {result.train_pairs:,} pairs in {duration(result.seconds)}, "
        f"BLEU {result.dev_bleu:.1f} on {result.dev_pairs:,} held-out pairs"
    )


def _results_text(plan: "Plan") -> str:
    """Ten pairs with their scores, the results of the evaluations, and the paths of the results."""
    from ...pipeline.release.open_release import open_release
    from ...pipeline.results import results

    workspace = plan.workspace
    selection = next(iter(plan.recipe.select))
    lines = ["", f"Ten of the pairs selected as {selection}:", ""]
    pairs = open_release(workspace.path("release")).pairs(selection).sample(10, plan.recipe.seed)
    lines += [_pair_text(pair) for pair in pairs.to_pylist()]
    return "\n".join([*lines, results_text(results(plan))])


def _pair_text(pair: Mapping[str, Any]) -> str:
    from ...base.dataset_columns import decile_name  # imports pyarrow, which `--help` does without

    scores = [
        f"{name} {pair[name]:.2f} (decile {pair[decile_name(name)]})"
        for name in _SCORES
        if pair[name] is not None
    ]
    return f"{pair['reference']}\n{pair['translation']}\n    {', '.join(scores)}\n"
