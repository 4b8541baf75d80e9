"""The commands that need no workspace: `translate`, `train`, `evaluate`, `nmt-train`."""

import contextlib
import fcntl
import json
import os
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from ..errors import ModelError, RecipeError
from .console import print_json, say, table, telling
from .progress import counted, duration, rated

if TYPE_CHECKING:
    from ..models.evaluation.sts import StsResult
    from ..models.training.trainer import TrainProgress
    from ..models.translation.nmt_training import NmtProgress
    from ..pipeline.recipe.document import Data

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Any other key of that section of a recipe; may be given often."
    ),
]


class Written(StrEnum):
    """How translations are written."""

    tsv = "tsv"
    jsonl = "jsonl"
    text = "text"


class PresetName(StrEnum):
    """Sizes of translation models."""

    tiny = "tiny"
    small = "small"
    base = "base"
    big = "big"


def translate(
    model: Annotated[str, typer.Argument(help="The model's folder.", show_default=False)],
    text: Annotated[
        str, typer.Argument(help="A text file, a sentence a line; - is the standard input.")
    ] = "-",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="By default the standard output.")
    ] = None,
    form: Annotated[
        Written, typer.Option("--format", help="tsv, jsonl, or text: the best alone.")
    ] = Written.tsv,
    n_best: Annotated[int, typer.Option("--n-best", min=1, help="Translations of each sentence.")] = 1,
    beam: Annotated[int | None, typer.Option("--beam", help="By default 12.")] = None,
    engine: Annotated[str | None, typer.Option("--engine", help="By default auto.")] = None,
    device: Annotated[str | None, typer.Option("--device", help="auto, cpu or cuda.")] = None,
    sets: Sets = None,
) -> None:
    """Translate a text file, or the standard input, line by line.

    \b
    paranmt translate models/cs-en sentences.cs.gz -o translations.tsv
    paranmt translate models/cs-en --format text < sentences.cs > sentences.en
    paranmt translate models/cs-en sentences.cs --n-best 5 --format jsonl --set length_penalty=0.6

    tsv has the columns line, rank, log-probability, tokens, translation.
    """
    from ..models.translation.options import TranslateOptions
    from ..pipeline.recipe.section import read_section
    from ..pipeline.translate_text import read_sentences, translate_lines, write_translated

    given = {"model": model, "beam": beam, "engine": engine, "device": device}
    options = read_section(TranslateOptions, _given(given), sets or (), "translate")
    started = time.monotonic()
    lines = _Counted(read_sentences(text))
    with _opened(output) as out:
        found = translate_lines(lines, options, n_best, token_log_probs=form.value == "jsonl")
        failed = write_translated(found, out, form.value)
    seconds = time.monotonic() - started
    lost = f", {failed:,} without a translation" if failed else ""
    say(f"{counted(lines.count, 'sentence')} in {duration(seconds)}{lost}")


def train(
    release: Annotated[
        list[str], typer.Argument(help="A release's folder, or Parquet files of it.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The encoder's folder.", show_default=False)],
    selection: Annotated[
        str | None,
        typer.Option("--selection", help="The boolean column of the wanted pairs; by default all."),
    ] = None,
    encoder: Annotated[str | None, typer.Option("--encoder", help="By default avg.")] = None,
    dimension: Annotated[int | None, typer.Option("--dimension", help="By default 300.")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", help="By default 5.")] = None,
    mega_batch: Annotated[int | None, typer.Option("--mega-batch", help="By default 40.")] = None,
    vectors: Annotated[str | None, typer.Option("--vectors", help="Word vectors to start from.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="By default 1.")] = None,
    sets: Sets = None,
) -> None:
    """Train a sentence encoder on the pairs of a release.

    \b
    paranmt train work/release --selection paraphrases -o models/avg
    paranmt train release/data/*.parquet -o models/trigrams --epochs 10 --set text.units=trigrams

    The keys of --set are those of an entry of `train` in a recipe.
    """
    from ..models.training.trainer import clear_scratch, train_encoder
    from ..pipeline.recipe.recipe import Training
    from ..pipeline.recipe.section import read_section
    from ..pipeline.train_release import release_pairs

    given: dict[str, object] = {"epochs": epochs, "mega_batch": mega_batch, "vectors": vectors, "seed": seed}
    data: dict[str, Data] = {**_given(given), "selection": selection or ""}
    data["encoder"] = _given({"type": encoder, "dimension": dimension})
    options = read_section(Training, data, sets or (), "train").options(1)
    _check_absent(output)
    pairs = release_pairs(release, selection)
    with _training_folder(output) as (scratch, aside):
        with telling() as tell:
            trained = aside / "encoder"
            result = train_encoder(
                pairs, options, trained, scratch, lambda state: tell(_training_state(state)), aside
            )
        _check_absent(output)
        trained.rename(output)
        clear_scratch(scratch)
    loss = f", loss {result.losses[-1]:.4f}" if result.losses else ""
    say(f"{output}: trained on {counted(result.pairs, 'pair')} in {duration(result.seconds)}{loss}")


def evaluate(
    encoder: Annotated[
        str, typer.Argument(help="An encoder's folder, or a text file of word vectors.", show_default=False)
    ],
    data: Annotated[str, typer.Argument(help="A folder of STS data.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Evaluate a sentence encoder, or averaged word vectors, on semantic textual similarity.

    \b
    paranmt evaluate models/avg data/sts-semeval
    paranmt evaluate glove.6B.50d.txt data/sts-benchmark --json

    The data: SemEval's folders of the years, or the files of the STS Benchmark. 100 × Pearson's and
    Spearman's correlation of the cosines with people's scores.
    """
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.evaluation.sts import evaluate_sts

    if os.path.isdir(encoder):
        loaded = SentenceEncoder.load(encoder)
    elif os.path.isfile(encoder):
        loaded = SentenceEncoder.from_vectors(encoder)
    else:
        raise ModelError(f"there is no encoder's folder or file of word vectors {encoder}")
    results = evaluate_sts(loaded, data)
    if as_json:
        print_json(results)
    else:
        print(_sts_table(results))


def nmt_train(
    recipe: Annotated[
        Path | None, typer.Argument(metavar="[RECIPE]", help="Train on the bitext of this recipe.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The model's folder; by default the recipe's translate.model."),
    ] = None,
    source: Annotated[str | None, typer.Option("--source", help="Or on this file of sentences,")] = None,
    reference: Annotated[
        str | None, typer.Option("--reference", help="and this one of their translations.")
    ] = None,
    source_language: Annotated[str, typer.Option("--source-language", help="Of --source.")] = "cs",
    preset: Annotated[PresetName, typer.Option("--preset", help="The size of the model.")] = PresetName.small,
    epochs: Annotated[int | None, typer.Option("--epochs", help="By default the preset's.")] = None,
    seed: Annotated[int, typer.Option("--seed")] = 1,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Any other option of the training; may be given often."
        ),
    ] = None,
) -> None:
    """Train a translation model: subwords, a transformer by fairseq, and its export to CTranslate2.

    \b
    paranmt nmt-train recipe.yaml --preset base
    paranmt nmt-train --source train.cs.gz --reference train.en.gz -o models/cs-en
    paranmt nmt-train recipe.yaml -o models/small --set vocabulary=8_000 --set max_updates=20_000
    """
    from ..models.translation.nmt_training import NmtOptions, train_nmt
    from ..pipeline.bitext_pairs import bitext_pairs, languages_of
    from ..pipeline.recipe.recipe import Recipe
    from ..pipeline.recipe.section import read_section

    files = (source is not None, reference is not None)
    if recipe is not None and not any(files):
        overrides = (
            [] if output is None else [f"translate.model={json.dumps(str(output), ensure_ascii=False)}"]
        )
        loaded = Recipe.load(recipe, overrides)
        bitext, characters = loaded.located().bitext, loaded.ingest.max_characters
        model = output or Path(_needed(loaded.located().translate.model))
    elif recipe is None and all(files):
        if output is None:
            raise RecipeError("expected --output, the folder that the model goes to")
        entry = {"corpus": "text", "format": "moses", "source_language": source_language}
        described = {
            "bitext": [{**entry, "source": source, "reference": reference}],
            "translate": {"model": str(output)},
        }
        loaded = Recipe.from_yaml(json.dumps(described, ensure_ascii=False), name="nmt-train").located()
        bitext, characters, model = loaded.bitext, loaded.ingest.max_characters, output
    else:
        raise RecipeError("expected a recipe, or --source and --reference: one of both")
    languages = languages_of(bitext)
    given: dict[str, object] = {"preset": preset.value, "epochs": epochs, "seed": seed}
    data: dict[str, Data] = {
        **_given(given),
        "source_language": languages[0],
        "target_language": languages[1],
    }
    options = read_section(NmtOptions, data, sets or (), "nmt-train")
    with telling() as tell:
        pairs = bitext_pairs(bitext, characters)
        result = train_nmt(pairs, model, options, lambda state: tell(nmt_state(state)))
    say(
        f"{result.folder}: trained on {counted(result.train_pairs, 'pair')} in {duration(result.seconds)}, "
        f"BLEU {result.dev_bleu:.1f} on {counted(result.dev_pairs, 'held-out pair')}"
    )


class _Counted:
    """Lines, counted as they go by."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.count += 1
            yield line


@contextlib.contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    """The standard output, or a file that appears when all is written."""
    if output is None:
        yield sys.stdout
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            yield file
        os.chmod(name, 0o644)
        os.replace(name, output)
    except BaseException:
        os.unlink(name)
        raise


def _given(options: Mapping[str, object]) -> dict[str, "Data"]:
    return {name: value for name, value in options.items() if value is not None}  # type: ignore[misc]


def _needed(model: str | tuple[str, ...] | None) -> str:
    if not isinstance(model, str):
        found = "names no translate.model" if model is None else "names several models in translate.model"
        raise RecipeError(f"the recipe {found}: give --output, the folder that the model goes to")
    return model


def _check_absent(output: Path) -> None:
    if os.path.lexists(output):
        raise ModelError(f"{output} exists already; name a folder that does not, or remove it")


@contextlib.contextmanager
def _training_folder(output: Path) -> Iterator[tuple[Path, Path]]:
    """Two folders beside `output`: what a later training goes on from, and what this one alone builds in.

    They lie in a hidden folder that goes when nothing is left to go on from; files that others put
    there stay. ModelError where it cannot be made, is not ours, or another process trains to `output`.
    """
    from ..transforms.processes import process_name
    from ..transforms.sweep import sweep_folder

    folder = output.parent / f".{output.name}.training"
    marker = folder / "paranmt-training.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ours = marker.exists() or not any(folder.iterdir())
        lock = marker.open("a") if ours else None
    except OSError as error:
        raise ModelError(f"{output} cannot be written ({error}); name a folder in another place") from None
    if lock is None:
        raise ModelError(
            f"{folder}, which training needs, holds other things: move it, or name another output"
        )
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ModelError(
                f"another `paranmt train` is training {output}; wait for it to end, or name another folder"
            ) from None
        except OSError:  # a file system without locks
            pass
        _check_absent(output)  # the one that had the lock until now may have finished it
        sweep_folder(folder)
        scratch, aside = folder / "scratch", folder / f"{process_name()}-{uuid.uuid4().hex}"
        aside.mkdir()
        try:
            yield scratch, aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)
            with contextlib.suppress(OSError):  # there are files in it
                scratch.rmdir()
            if not scratch.exists():
                marker.unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _training_state(progress: "TrainProgress") -> str:
    rate = rated(progress.pairs_per_second)
    if progress.pairs_in_epoch is None:
        return f"reading, {counted(progress.pairs, 'pair')}, {rate}"
    share = progress.pairs / max(1, progress.pairs_in_epoch)
    loss = "" if progress.loss is None else f", loss {progress.loss:.4f}"
    return f"epoch {progress.epoch} of {progress.epochs}, {share:.0%}, {rate}{loss}"


def nmt_state(progress: "NmtProgress") -> str:
    """How far the training of a translation model is, in one line."""
    loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
    if not progress.epoch:
        return progress.step
    updates = counted(progress.updates, "update")
    return f"{progress.step}, epoch {progress.epoch} of {progress.epochs}, {updates}{loss}"


def _sts_table(results: list["StsResult"]) -> str:
    rows = [
        [
            str(result["year"] or ""),
            result["dataset"],
            f"{result['pairs']:,}",
            "" if result["pearson"] is None else f"{result['pearson']:.1f}",
            "" if result["spearman"] is None else f"{result['spearman']:.1f}",
            result.get("note", ""),
        ]
        for result in results
    ]
    numbers = ["pairs", "pearson", "spearman"]
    return table(["year", "dataset", *numbers, "note"], rows, right=numbers)
