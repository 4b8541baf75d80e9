"""`paranmt nmt-train`: trains a translation model on the bitext of a recipe, or on two text files."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.durations import duration
from ...base.errors import RecipeError
from ...models.translation.nmt_options import CHECKPOINTS, NmtOptions
from ..display.console import progress_line, say
from ..display.progress import counted
from ..options.command_options import set_option
from ..options.field_options import FieldOption, Given, from_fields
from .training_folder import training_folder

if TYPE_CHECKING:
    from ...models.translation.nmt_training import NmtProgress
    from ...pipeline.recipe.document import Data
    from ...pipeline.recipe.recipe import Recipe

_STEPS = {
    "text": "preparing the text",
    "train": "training",
    "export": "exporting the model",
    "measure": "measuring BLEU",
}


_MEASURED = 5.0
"""Seconds of training after which its speed is known."""


def nmt_train(
    recipe: Annotated[
        Path | None, typer.Argument(metavar="[RECIPE]", help="Train on the bitext of this recipe.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The folder to write the model to; by default the recipe's translate.model.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="FILE",
            help="Without a recipe: a text file with one source sentence per line.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help="Without a recipe: a text file with their English, line by line.",
        ),
    ] = None,
    *,
    options: Annotated[
        Given,
        FieldOption(
            NmtOptions,
            "source_language",
            metavar="CODE",
            help="Without a recipe: the language of --source.",
        ),
        from_fields(NmtOptions, "preset", "epochs", "seed"),
    ],
    sets: Annotated[
        list[str] | None, set_option("Set any other option of the training, such as vocabulary=8_000.")
    ] = None,
) -> None:
    """Train a translation model with fairseq, and convert it to CTranslate2. Its first updates show how long
    it will take. A training that was interrupted goes on after its last checkpoint.

    \b
    paranmt nmt-train recipe.yaml --preset base
    paranmt nmt-train --source train.cs.gz --reference train.en.gz --source-language cs -o models/cs-en
    paranmt nmt-train recipe.yaml -o models/small --set vocabulary=8_000 --set max_updates=20_000
    """
    from ...models.translation.languages import Languages
    from ...models.translation.nmt_training import clear_checkpoints, train_nmt
    from ...pipeline.looking.bitext_pairs import bitext_pairs, languages_of
    from ...pipeline.recipe.section import read_section

    bitext_recipe = _bitext_recipe(recipe, output, source, reference, options.get("source_language"))
    bitext = bitext_recipe.bitext
    model = output or Path(_model_folder(bitext_recipe.translate.model))
    translate = bitext_recipe.translate
    for entry in bitext:  # before hours of training, what its recipe would be refused for
        own = entry.source_language, entry.reference_language
        Languages().chosen(
            (translate.source_language, translate.target_language), str(model), own, entry.corpus
        )
    languages = dict(zip(("source_language", "target_language"), languages_of(bitext), strict=True))
    data: dict[str, Data] = {**options, **languages}
    training = read_section(NmtOptions, data, sets or (), "nmt-train")
    pairs = bitext_pairs(bitext, bitext_recipe.ingest.max_characters)
    told = NmtStates()

    def tell(state: "NmtProgress") -> None:
        show(told.text(state))
        if (expected := told.expected(state)) is not None:
            show.keep(expected)

    with (
        _stored_checkpoints(bitext_recipe, training) as stored,
        training_folder(model, "paranmt nmt-train", clear_checkpoints) as (trained, beside, _),
        progress_line() as show,
    ):
        result = train_nmt(pairs, trained, training, tell, stored or beside)
    say(
        f"{model}: trained on {counted(result.train_pairs, 'pair')} in {duration(result.seconds)}, "
        f"BLEU {result.dev_bleu:.1f} on {counted(result.dev_pairs, 'held-out pair')}"
    )


@contextmanager
def _stored_checkpoints(recipe: "Recipe", options: "NmtOptions") -> Iterator[Path | None]:
    """A scratch folder whose checkpoints lie in the recipe's workspace, if that is on an object store."""
    from ...base.keys import digest
    from ...transforms.storage.checkpoints import resumable
    from ...transforms.storage.workspace import Workspace

    workspace = Workspace(recipe.workspace)
    if workspace.is_local:
        yield None
        return
    decisive = asdict(replace(options, device="auto", threads=None))
    name = f"nmt-train-{digest(recipe.model_dump(mode='json')['bitext'], decisive)}"
    with resumable(workspace, name, CHECKPOINTS) as scratch:
        yield scratch


def _bitext_recipe(
    recipe: Path | None,
    output: Path | None,
    source: str | None,
    reference: str | None,
    source_language: "Data",
) -> "Recipe":
    """The recipe whose bitext to train on: the given one, or one made for the two given text files."""
    from ...pipeline.recipe.recipe import Recipe

    has_files = (source is not None, reference is not None)
    if recipe is not None and not any(has_files):
        model = [] if output is None else [f"translate.model={json.dumps(str(output), ensure_ascii=False)}"]
        return Recipe.load(recipe, model).located()
    if recipe is not None or not all(has_files):
        raise RecipeError("expected either a recipe, or --source and --reference")
    if output is None:
        raise RecipeError("expected --output, the folder to write the model to")
    if source_language is None:
        raise RecipeError("expected --source-language, the language of --source, such as cs")
    entry = {"corpus": "text", "format": "moses", "source_language": source_language}
    content = {
        "bitext": [{**entry, "source": source, "reference": reference}],
        "translate": {"model": str(output)},
    }
    return Recipe.from_yaml(json.dumps(content, ensure_ascii=False), name="nmt-train").located()


def _model_folder(model: str | tuple[str, ...] | None) -> str:
    if not isinstance(model, str):
        reason = "has no translate.model" if model is None else "has several models in translate.model"
        raise RecipeError(f"the recipe {reason}; give --output, the folder to write the model to")
    if "://" in model:
        raise RecipeError(
            f"translate.model of the recipe is {model}, and a model is trained in a folder of this machine; "
            "give --output, the folder to write it to"
        )
    return model


class NmtStates:
    """Lines about how far the training of a translation model is, with the time that is left."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, float] | None = None  # time and share when this attempt began to train
        self._was_expected = False

    def text(self, progress: "NmtProgress") -> str:
        """The line for one state."""
        step = _STEPS[progress.step]
        if not progress.epoch:
            return step
        loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
        updates = counted(progress.updates, "update")
        line = f"{step}, {progress.share:.0%}, epoch {progress.epoch} of {progress.epochs}, {updates}{loss}"
        seconds = self._seconds(progress)
        return line if seconds is None else f"{line}, {duration(seconds[1])} left"

    def expected(self, progress: "NmtProgress") -> str | None:
        """How long the training will take, once, as soon as its speed has been measured."""
        seconds = self._seconds(progress)
        if self._was_expected or seconds is None or seconds[0] < _MEASURED:
            return None
        self._was_expected = True
        return (
            f"training will take about {duration(sum(seconds))} at the speed of its first updates here; "
            "you can interrupt it, and the same command goes on"
        )

    def _seconds(self, progress: "NmtProgress") -> tuple[float, float] | None:
        """The seconds that this attempt has trained, and those that are left, by their shares."""
        if progress.step != "train" or not progress.epoch:
            return None
        now = self._clock()
        if self._first is None:
            self._first = now, progress.share
        began, share = self._first
        if progress.share <= share:
            return None
        return now - began, (now - began) * (1 - progress.share) / (progress.share - share)
