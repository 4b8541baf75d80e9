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
from .console import print_json, progress_line, say
from .evaluation_text import evaluation_text
from .progress import counted, duration, rated

if TYPE_CHECKING:
    from ..models.training.trainer import TrainProgress
    from ..models.translation.nmt_training import NmtProgress
    from ..pipeline.recipe.document import Data

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Written(StrEnum):
    """The formats in which translations are written."""

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
    model: Annotated[str, typer.Argument(help="The folder of the translation model.", show_default=False)],
    text: Annotated[
        str, typer.Argument(help="A text file with one sentence per line; - is the standard input.")
    ] = "-",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write to; by default the standard output."),
    ] = None,
    form: Annotated[
        Written,
        typer.Option("--format", help="The output format; text is the best translation of each line alone."),
    ] = Written.tsv,
    n_best: Annotated[
        int, typer.Option("--n-best", min=1, help="How many translations to write for each sentence.")
    ] = 1,
    beam: Annotated[int | None, typer.Option("--beam", help="The size of the beam; by default 12.")] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="torch, ctranslate2, fairseq or auto (the fastest); by default auto."),
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="auto, cpu or cuda; by default auto.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set any other key that `translate` has in a recipe. Can be repeated.",
        ),
    ] = None,
) -> None:
    """Translate a text file or the standard input, line by line.

    \b
    paranmt translate models/cs-en sentences.cs.gz -o translations.tsv
    paranmt translate models/cs-en --format text < sentences.cs > sentences.en
    paranmt translate models/cs-en sentences.cs --n-best 5 --format jsonl --set length_penalty=0.6

    A tsv line has the columns line number, rank, log-probability, number of tokens, and translation.
    """
    from ..models.translation.options import TranslateOptions
    from ..pipeline.recipe.section import read_section
    from ..pipeline.translate_text import read_sentences, translate_lines, write_translated

    given = {"model": model, "beam": beam, "engine": engine, "device": device}
    options = read_section(TranslateOptions, _given(given), sets or (), "translate")
    started = time.monotonic()
    lines = _Counted(read_sentences(text))
    with _opened(output) as out:
        translated = translate_lines(lines, options, n_best, token_log_probs=form.value == "jsonl")
        failed = write_translated(translated, out, form.value)
    seconds = time.monotonic() - started
    failures = f", {failed:,} without a translation" if failed else ""
    say(f"{counted(lines.count, 'sentence')} in {duration(seconds)}{failures}")


def train(
    release: Annotated[
        list[str], typer.Argument(help="The folder of a release, or its Parquet files.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The folder to write the encoder to; it must not exist.",
            show_default=False,
        ),
    ],
    selection: Annotated[
        str | None,
        typer.Option(
            "--selection", help="Train on the pairs of this selection (a boolean column); by default on all."
        ),
    ] = None,
    encoder: Annotated[
        str | None, typer.Option("--encoder", help="The type of encoder; by default avg.")
    ] = None,
    dimension: Annotated[
        int | None, typer.Option("--dimension", help="The dimension of its vectors; by default 300.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="How often to go through the pairs; by default 5 times.")
    ] = None,
    mega_batch: Annotated[
        int | None,
        typer.Option(
            "--mega-batch", help="How many mini-batches share their negative examples; by default 40."
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option("--vectors", help="A file of word vectors to start from; by default a random start."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="The seed of all random choices; by default 1.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set any other key that an entry of `train` has in a recipe. Can be repeated.",
        ),
    ] = None,
) -> None:
    """Train a sentence encoder on the pairs of a release.

    \b
    paranmt train work/release --selection paraphrases -o models/avg
    paranmt train release/data/*.parquet -o models/trigrams --epochs 10 --set text.units=trigrams
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
        with progress_line() as show:
            trained = aside / "encoder"
            result = train_encoder(
                pairs, options, trained, scratch, lambda state: show(_training_state(state)), aside
            )
        _check_absent(output)
        trained.rename(output)
        clear_scratch(scratch)
    loss = f", loss {result.losses[-1]:.4f}" if result.losses else ""
    say(f"{output}: trained on {counted(result.pairs, 'pair')} in {duration(result.seconds)}{loss}")


def evaluate(
    encoder: Annotated[
        str, typer.Argument(help="The folder of an encoder, or a file of word vectors.", show_default=False)
    ],
    data: Annotated[
        str | None,
        typer.Argument(
            help="The data to evaluate it on; for sts a folder with the files of SemEval's STS tasks, or of "
            "the STS Benchmark.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="The kind of evaluation.")] = "sts",
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set any other key that this kind of evaluation has in a recipe. Can be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate a sentence encoder, or averaged word vectors; by default on semantic textual similarity (STS).

    \b
    paranmt evaluate models/avg data/sts-semeval
    paranmt evaluate glove.6B.50d.txt data/sts-benchmark --json

    The results of STS are 100 times Pearson's and Spearman's correlation between the cosine similarities of
    the encoder and the scores that people gave.
    """
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.evaluation.kinds import EVALUATIONS
    from ..pipeline.recipe.section import read_section

    if kind not in EVALUATIONS:
        raise RecipeError(f"no kind of evaluation {kind!r}; there are: {', '.join(EVALUATIONS)}")
    evaluation = read_section(EVALUATIONS[kind], _given({"data": data}), sets or (), "evaluate")
    if os.path.isdir(encoder):
        loaded = SentenceEncoder.load(encoder)
    elif os.path.isfile(encoder):
        loaded = SentenceEncoder.from_vectors(encoder)
    else:
        raise ModelError(f"expected an encoder's folder or a file of word vectors; {encoder} does not exist")
    results = evaluation.evaluate(loaded)
    if as_json:
        print_json(results.to_json())
    else:
        say(results.caption)
        print(evaluation_text(results))


def nmt_train(
    recipe: Annotated[
        Path | None, typer.Argument(metavar="[RECIPE]", help="Train on the bitext of this recipe.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The folder to write the model to; by default the recipe's translate.model.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Without a recipe: a text file with one source sentence per line."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", help="Without a recipe: a text file with their English, line by line."),
    ] = None,
    source_language: Annotated[
        str, typer.Option("--source-language", help="Without a recipe: the language of --source.")
    ] = "cs",
    preset: Annotated[PresetName, typer.Option("--preset", help="The size of the model.")] = PresetName.small,
    epochs: Annotated[
        int | None,
        typer.Option("--epochs", help="How often to go through the pairs; by default what the preset says."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of all random choices.")] = 1,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Set any other option of the training, such as vocabulary=8_000. Can be repeated.",
        ),
    ] = None,
) -> None:
    """Train a translation model with fairseq, and convert it to CTranslate2.

    \b
    paranmt nmt-train recipe.yaml --preset base
    paranmt nmt-train --source train.cs.gz --reference train.en.gz -o models/cs-en
    paranmt nmt-train recipe.yaml -o models/small --set vocabulary=8_000 --set max_updates=20_000
    """
    from ..models.translation.nmt_training import NmtOptions, train_nmt
    from ..pipeline.bitext_pairs import bitext_pairs, languages_of
    from ..pipeline.recipe.recipe import Recipe
    from ..pipeline.recipe.section import read_section

    has_files = (source is not None, reference is not None)
    if recipe is not None and not any(has_files):
        overrides = (
            [] if output is None else [f"translate.model={json.dumps(str(output), ensure_ascii=False)}"]
        )
        loaded = Recipe.load(recipe, overrides)
        bitext, characters = loaded.located().bitext, loaded.ingest.max_characters
        model = output or Path(_model_folder(loaded.located().translate.model))
    elif recipe is None and all(has_files):
        if output is None:
            raise RecipeError("expected --output, the folder to write the model to")
        entry = {"corpus": "text", "format": "moses", "source_language": source_language}
        described = {
            "bitext": [{**entry, "source": source, "reference": reference}],
            "translate": {"model": str(output)},
        }
        loaded = Recipe.from_yaml(json.dumps(described, ensure_ascii=False), name="nmt-train").located()
        bitext, characters, model = loaded.bitext, loaded.ingest.max_characters, output
    else:
        raise RecipeError("expected either a recipe, or --source and --reference")
    languages = languages_of(bitext)
    given: dict[str, object] = {"preset": preset.value, "epochs": epochs, "seed": seed}
    data: dict[str, Data] = {
        **_given(given),
        "source_language": languages[0],
        "target_language": languages[1],
    }
    options = read_section(NmtOptions, data, sets or (), "nmt-train")
    with progress_line() as show:
        pairs = bitext_pairs(bitext, characters)
        result = train_nmt(pairs, model, options, lambda state: show(nmt_state(state)))
    say(
        f"{result.folder}: trained on {counted(result.train_pairs, 'pair')} in {duration(result.seconds)}, "
        f"BLEU {result.dev_bleu:.1f} on {counted(result.dev_pairs, 'held-out pair')}"
    )


class _Counted:
    """Lines that are counted while they are read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.count += 1
            yield line


@contextlib.contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    """The standard output, or a file that appears once everything is written."""
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


def _model_folder(model: str | tuple[str, ...] | None) -> str:
    if not isinstance(model, str):
        reason = "has no translate.model" if model is None else "names several models in translate.model"
        raise RecipeError(f"the recipe {reason}: give --output, the folder to write the model to")
    return model


def _check_absent(output: Path) -> None:
    if os.path.lexists(output):
        raise ModelError(f"{output} already exists; choose another folder, or remove this one")


@contextlib.contextmanager
def _training_folder(output: Path) -> Iterator[tuple[Path, Path]]:
    """Two folders beside `output`: one from which a later training can resume, one for this training alone.

    Both are in a hidden folder, which is removed once there is nothing to resume; files of others in it
    stay. ModelError if the folder cannot be made, is not ours, or another process trains to `output`.
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
        raise ModelError(f"{output} cannot be written ({error}); choose a folder somewhere else") from None
    if lock is None:
        raise ModelError(
            f"{folder}, which training needs, holds other files: move it away, or choose another output"
        )
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ModelError(
                f"another `paranmt train` is training {output}; wait until it ends, or choose another folder"
            ) from None
        except OSError:  # a file system without locks
            pass
        _check_absent(output)  # the process that had the lock before may have finished it
        sweep_folder(folder)
        scratch, aside = folder / "scratch", folder / f"{process_name()}-{uuid.uuid4().hex}"
        aside.mkdir()
        try:
            yield scratch, aside
        finally:
            shutil.rmtree(aside, ignore_errors=True)
            with contextlib.suppress(OSError):  # it is not empty
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
    """One line about how far the training of a translation model is."""
    loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
    if not progress.epoch:
        return progress.step
    updates = counted(progress.updates, "update")
    return f"{progress.step}, epoch {progress.epoch} of {progress.epochs}, {updates}{loss}"
