"""`paranmt train`: trains a sentence encoder on a release, and resumes a training that was interrupted."""

import contextlib
import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ModelError
from .console import progress_line, say
from .options import given_options
from .progress import counted, duration, rated

if TYPE_CHECKING:
    from ..models.training.trainer import TrainProgress
    from ..pipeline.recipe.document import Data


def train(
    release: Annotated[
        list[str],
        typer.Argument(
            metavar="PAIRS...",
            help="The folder of a release or its Parquet files; or other people's pairs: files of PPDB, "
            "tab-separated pairs, SNLI's JSON lines, Parquet files with two columns of text.",
            show_default=False,
        ),
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
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The format of other people's pairs: ppdb, lexical (a word and its synonyms on each line), "
            "tsv, nli or parquet; by default each file shows it.",
        ),
    ] = None,
    minimum_score: Annotated[
        float | None,
        typer.Option(
            "--minimum-score", help="Leave out pairs of such files whose score is lower; by default none."
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
    """Train a sentence encoder on the pairs of a release, or of other people's files.

    \b
    paranmt train work/release --selection paraphrases -o models/avg
    paranmt train release/data/*.parquet -o models/trigrams --epochs 10 --set text.units=trigrams
    paranmt train ppdb-2.0-xxl-phrasal.gz -o models/ppdb --minimum-score 3 --set pairs.sample_tokens=8000000
    paranmt train para-nmt-50m.txt -o models/paranmt --minimum-score 0.4 --set pairs.maximum_score=1
    """
    from ..models.encoders.kinds import DEFAULT_TYPE
    from ..models.training.trainer import clear_scratch, train_encoder
    from ..pipeline.recipe.section import read_section
    from ..pipeline.recipe.training import Training
    from ..pipeline.train_release import release_pairs
    from ..transforms.pair_files import PairFiles

    given: dict[str, object] = {"epochs": epochs, "mega_batch": mega_batch, "vectors": vectors, "seed": seed}
    data: dict[str, Data] = given_options(given)
    of_files = given_options({"format": format, "minimum_score": minimum_score})
    if selection is None and (of_files or not _is_release(release, sets or ())):
        data["pairs"] = {"path": [*release], **of_files}
    else:
        data["selection"] = selection or ""
    data["encoder"] = given_options({"type": encoder or DEFAULT_TYPE, "dimension": dimension})
    training = read_section(Training, data, sets or (), "train")
    options = training.options(1)
    _check_absent(output)
    files = PairFiles(training.pairs) if training.pairs else None
    pairs = files.sampled(options.text.tokens) if files else release_pairs(release, selection)
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
    for reason, count in files.left_out.items() if files else ():
        say(f"left out {counted(count, 'record')}: {reason}")
    say(f"{output}: trained on {counted(result.pairs, 'pair')} in {duration(result.seconds)}{loss}")


def _is_release(paths: Sequence[str], sets: Sequence[str]) -> bool:
    """Whether the paths are folders and Parquet files, and nothing is set that only other files have."""
    return not any(override.startswith("pairs.") for override in sets) and all(
        path.endswith(".parquet") or _is_folder(path) for path in paths
    )


def _is_folder(url: str) -> bool:
    from ..streams import file_system, reaching

    files, path = file_system(url)
    with reaching(url):
        return bool(files.isdir(path))


def _check_absent(output: Path) -> None:
    if os.path.lexists(output):
        raise ModelError(f"{output} already exists; choose another folder, or remove this one")


@contextlib.contextmanager
def _training_folder(output: Path) -> Iterator[tuple[Path, Path]]:
    """Two folders beside `output`: one from which a later training can resume, one for this training alone.

    Both are in a hidden folder, which is removed once there is nothing to resume; files that we did not
    write stay. ModelError if the folder cannot be made or is not ours, or if another process is training an
    encoder for `output`.
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
        raise ModelError(f"{output} cannot be written: {error}; choose another folder") from None
    if lock is None:
        raise ModelError(
            f"{folder}, which training needs, contains other files; move it away, or choose another output"
        )
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ModelError(
                f"another `paranmt train` is writing to {output}; wait for it, or choose another output"
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
