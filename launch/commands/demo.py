"""`paranmt demo`: the whole pipeline on a small bitext that comes with the package, without downloads."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import install
from ...base.durations import duration
from ...base.errors import InputError, RecipeError
from ...base.outputs import new_folder
from ...pipeline.demo import PAIRS, is_demo, write_demo
from ..display.console import folded, print_text, say
from ..display.results_text import results_text
from ..options.field_options import FieldOption, Given
from ..runners.local import LocalRunner
from ..runners.runner_options import make_runner
from .running import run_recipe

if TYPE_CHECKING:
    from ...pipeline.stages.planned import Plan

_RECIPE = "recipe.yaml"
_SCORES = ("paraphrase_similarity", "trigram_overlap", "translation_cost", "perplexity")


def demo(
    folder: Annotated[Path, typer.Argument(help="The folder to write everything into.")] = Path("demo"),
    *,
    options: Annotated[
        Given,
        FieldOption(LocalRunner, "workers", help="How many processes to use; by default one per processor."),
    ],
) -> None:
    """Run the whole pipeline on a small Czech-English bitext: a minute on two cores, no downloads.

    \b
    paranmt demo
    paranmt demo /tmp/try

    The bitext was made by a grammar, and the translation model was trained on it beforehand. Afterwards the
    folder holds both, a recipe that you can change, and the workspace with the release, a trained encoder,
    its evaluation and a report.
    """
    from ...pipeline.recipe.recipe import Recipe

    missing = install.missing("kenlm", *install.PROGRAMS)
    if missing:
        raise RecipeError(f"the demo needs KenLM; {missing}")
    started = time.monotonic()
    recipe_file = _prepared(folder)
    recipe = Recipe.load(recipe_file).located()
    result = run_recipe(recipe, make_runner("local", options, ()), yes=True)
    print_text(_results_text(result.plan))
    say(f"the demo took {duration(time.monotonic() - started)}; next, try: paranmt plan {recipe_file}")


def _prepared(folder: Path) -> Path:
    """Write the bitext, the model and the recipe, unless an earlier demo has written them.

    InputError if something else is in the folder: a recipe of the user is not run.
    """
    recipe = folder / _RECIPE
    if is_demo(folder):
        return recipe
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder} contains files that are not from a demo; choose an empty or a new folder")
    with new_folder(folder) as new:
        write_demo(new)
    say(f"{folder}: {PAIRS:,} pairs of sentences that a grammar made, and {recipe}")
    say(folded(_model_text(folder / "model", recipe)))
    return recipe


def _model_text(model: Path, recipe: Path) -> str:
    """Where the demo's translation model comes from, and how to train one."""
    from ...base.documents import read_json

    trained = read_json(model / "training.json")
    options, result = trained["options"], trained["result"]
    return (
        f"{model}: a translation model that comes with paranmt, trained for {options['epochs']} epochs on "
        f"{result['train_pairs']:,} of these pairs; to train one yourself: "
        f"paranmt nmt-train {recipe} --preset {options['preset']} -o my-model"
    )


def _results_text(plan: "Plan") -> str:
    """Ten pairs with their scores, the results of the evaluations, and the paths of the results."""
    from ...pipeline.looking.results import results
    from ...pipeline.release.open_release import open_release

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
    last = folded(f"    {', '.join(scores)}", hang=4)
    return f"{pair['reference']}\n{pair['translation']}\n{last}\n"
