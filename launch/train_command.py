"""`paranmt train`: trains a sentence encoder on a release, and resumes a training that was interrupted."""

import contextlib
import fcntl
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ..errors import ModelError, RecipeError
from .console import progress_line, say
from .options import given_options
from .progress import counted, duration, rated

if TYPE_CHECKING:
    from ..models.training.head_options import HeadOptions
    from ..models.training.trainer import TrainProgress


def train(
    release: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA",
            help="The folder of a release, or its Parquet files; for an objective with a head, the files of "
            "examples.",
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
    objective: Annotated[
        str | None,
        typer.Option(
            "--objective",
            help="margin or infonce on pairs, or nli, relatedness or classification on examples with labels "
            "or scores; by default margin.",
        ),
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            "--dev",
            help="For an objective with a head: a file of examples by which the epoch is chosen. Can be "
            "repeated.",
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
    """Train a sentence encoder on the pairs of a release, or on examples with labels or scores.

    \b
    paranmt train work/release --selection paraphrases -o models/avg
    paranmt train release/data/*.parquet -o models/trigrams --epochs 10 --set text.units=trigrams
    paranmt train snli_train.jsonl --objective nli --dev snli_dev.jsonl --encoder bilstm -o models/nli
    """
    from ..models.encoders.kinds import DEFAULT_TYPE
    from ..models.training.head_options import HEAD_OBJECTIVES
    from ..models.training.options import Objective
    from ..models.training.trainer import clear_scratch, train_encoder
    from ..pipeline.recipe.problems import nearest
    from ..pipeline.recipe.section import read_section
    from ..pipeline.recipe.training import Training, head_training
    from ..pipeline.train_release import release_pairs

    objectives = (*get_args(Objective), *HEAD_OBJECTIVES)
    if objective is not None and objective not in objectives:
        raise RecipeError(f"no objective {objective!r}; {nearest(objective, objectives)}")
    if objective in HEAD_OBJECTIVES:
        if selection is not None or mega_batch is not None:
            option = "--selection" if selection is not None else "--mega-batch"
            raise RecipeError(f"{option} is for pairs: leave it out, because {objective} trains on examples")
        heads: dict[str, object] = {
            "examples": release,
            "dev": dev,
            "epochs": epochs,
            "vectors": vectors,
            "seed": seed,
        }
        data = {"objective": objective, **given_options(heads)}
        data["encoder"] = given_options({"type": encoder or DEFAULT_TYPE, "dimension": dimension})
        _train_head(read_section(head_training(objective), data, sets or (), "train").options(1), output)
        return
    if dev:
        raise RecipeError(f"--dev is for the objectives {', '.join(HEAD_OBJECTIVES)}: give one of them")
    given: dict[str, object] = {
        "objective": objective,
        "epochs": epochs,
        "mega_batch": mega_batch,
        "vectors": vectors,
        "seed": seed,
    }
    data = {**given_options(given), "selection": selection or ""}
    data["encoder"] = given_options({"type": encoder or DEFAULT_TYPE, "dimension": dimension})
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


def _train_head(options: "HeadOptions", output: Path) -> None:
    from ..models.training.fine_tuning import FineTuningState, clear_scratch, fine_tune

    def state_text(state: FineTuningState, examples: int, seconds: float) -> str:
        share, epoch = state.examples / examples, min(state.epoch + 1, options.epochs)
        loss = f", loss {state.total / state.batches:.4f}" if state.batches else ""
        dev = "" if state.best_dev is None else f", best on dev {100 * state.best_dev:.1f}"
        return f"epoch {epoch} of {options.epochs}, {share:.0%}{loss}{dev}, {duration(seconds)}"

    _check_absent(output)
    with _training_folder(output) as (scratch, aside):
        with progress_line() as show:
            trained = aside / "encoder"
            result = fine_tune(options, trained, scratch, lambda *state: show(state_text(*state)), aside)
        _check_absent(output)
        trained.rename(output)
        clear_scratch(scratch)
    left_out = {"without a label": result.unlabelled, "too long": result.too_long}
    counts = "".join(f", {count:,} {reason}" for reason, count in left_out.items() if count)
    best = result.dev[result.best_epoch - 1]
    quality = "" if best is None else f", {100 * best:.1f} on dev"
    say(
        f"{output}: trained on {counted(result.examples, 'example')}{counts} in {duration(result.seconds)}, "
        f"epoch {result.best_epoch} of {len(result.dev)} is kept{quality}"
    )


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
