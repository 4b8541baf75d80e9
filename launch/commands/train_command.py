"""`paranmt train`: trains a sentence encoder on a release, and resumes a training that was interrupted."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ...base.durations import duration
from ...base.errors import RecipeError
from ...base.outputs import check_absent
from ...models.encoders.encoder_kinds import DEFAULT_TYPE
from ...models.encoders.encoder_options import UnitOptions
from ...models.training.head_options import HEAD_OBJECTIVES, HeadOptions
from ...models.training.train_options import Objective, TrainOptions
from ...pipeline.recipe.train_entries import AnyPairTraining, Training
from ...transforms.pair_files.pair_file_options import PairFileOptions
from ..display.console import progress_line, say
from ..display.progress import counted, rated
from ..options.command_options import set_option
from ..options.field_options import FieldOption, Given, from_fields
from .training_folder import training_folder

if TYPE_CHECKING:
    from ...models.training.dev_scores import DevScore
    from ...models.training.pair_training import TrainProgress
    from ...models.training.pairs import PairStream
    from ...models.training.parallel import Processes
    from ...pipeline.recipe.document import Data


def train(
    release: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="The folder of a release or its Parquet files; or files of pairs: of PPDB, "
            "tab-separated pairs, SNLI's JSON lines, Parquet files with two columns of text; or, for an "
            "objective with a head, files of examples.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The folder to write the encoder to; it must not exist.",
            show_default=False,
        ),
    ],
    *,
    options: Annotated[
        Given,
        FieldOption(
            Training,
            "selection",
            metavar="NAME",
            help="Train on the pairs of this selection (a boolean column); by default on all.",
        ),
        FieldOption(
            TrainOptions,
            "objective",
            help="{names of models.training.train_options.Objective} on pairs, or "
            "{names of models.training.head_options.HEAD_OBJECTIVES} on examples with labels or scores; by "
            "default margin.",
        ),
        FieldOption(
            TrainOptions,
            "dev",
            metavar="FOLDER",
            help="For pairs, a folder of development sets, by which the best encoder is kept; for an "
            "objective with a head, a file of examples by which the epoch is chosen. Can be repeated.",
            repeats=True,
        ),
        from_fields(PairFileOptions, "format", "minimum_score"),
        FieldOption(
            TrainOptions,
            "encoder",
            help="The type of encoder: {names of models.encoders.encoder_kinds.ENCODERS}; by default avg.",
        ),
        from_fields(UnitOptions, "dimension"),
        from_fields(TrainOptions, "epochs", "mega_batch"),
        FieldOption(TrainOptions, "vectors", metavar="FILE"),
        from_fields(TrainOptions, "seed"),
        FieldOption(Training, "logs", metavar="FOLDER"),
    ],
    sets: Annotated[
        list[str] | None, set_option("Set any other key that an entry of `train` has in a recipe.")
    ] = None,
) -> None:
    """Train a sentence encoder on the pairs of a release or of files, or under a head.

    \b
    paranmt train work/release --selection paraphrases -o models/avg
    paranmt train release/data/*.parquet -o models/trigrams --epochs 10 --set text.units=trigrams
    paranmt train ppdb-2.0-xxl-phrasal.gz -o models/ppdb --minimum-score 3 --set pairs.sample_tokens=8000000
    paranmt train para-nmt-50m.txt -o models/paranmt --minimum-score 0.4 --set pairs.maximum_score=1
    paranmt train snli_train.jsonl --objective nli --dev snli_dev.jsonl --encoder bilstm -o models/nli
    """
    from ...pipeline.recipe.problems import nearest

    objective, objectives = options.get("objective"), (*get_args(Objective), *HEAD_OBJECTIVES)
    if objective is not None and objective not in objectives:
        raise RecipeError(f"no objective {objective!r}; {nearest(str(objective), objectives)}")
    data = _only(options, "objective", "dev", "epochs", "vectors", "seed")
    data["encoder"] = {"type": options.get("encoder", DEFAULT_TYPE), **_only(options, "dimension")}
    of_pairs = _only(options, "selection", "mega_batch", "logs")
    of_files = _only(options, "format", "minimum_score")
    if objective in HEAD_OBJECTIVES:
        _train_head(_head_options(release, data, {**of_pairs, **of_files}, sets or ()), output)
    else:
        training = _pair_training(release, {**data, **of_pairs}, of_files, sets or ())
        _train_on_pairs(training, release, output)


def _only(options: Given, *names: str) -> "dict[str, Data]":
    return {name: options[name] for name in names if name in options}


def _head_options(
    examples: Sequence[str], data: "dict[str, Data]", of_pairs: "Mapping[str, Data]", sets: Sequence[str]
) -> HeadOptions:
    """The options of a training under a head; RecipeError for one that only pairs have."""
    from ...pipeline.recipe.section import read_section

    objective = str(data["objective"])
    if of_pairs:
        raise RecipeError(
            f"{_option(of_pairs)} is for pairs: leave it out, because {objective} trains on examples"
        )
    data = {**data, "examples": [*examples]}
    return read_section(HEAD_OBJECTIVES[objective], data, sets, "train")


def _option(values: "Mapping[str, Data]") -> str:
    """The first of some options as it is written in a command."""
    return "--" + next(iter(values)).replace("_", "-")


def _pair_training(
    paths: Sequence[str], data: "dict[str, Data]", of_files: "dict[str, Data]", sets: Sequence[str]
) -> Training:
    """A training on pairs: of a release or, if the options or the paths say so, of files of pairs."""
    from ...pipeline.recipe.section import read_section

    if "selection" in data and of_files:
        raise RecipeError(
            f"{_option(of_files)} is for files of pairs: leave it out, because only releases have a "
            "--selection"
        )
    if "selection" not in data:
        if of_files or not _is_release(paths, sets):
            data = {**data, "pairs": {"path": [*paths], **of_files}}
        else:
            data = {**data, "selection": ""}
    return read_section(AnyPairTraining, data, sets, "train")


def _train_on_pairs(training: Training, release: Sequence[str], output: Path) -> None:
    """Trains and writes an encoder, perhaps as one of several processes of torchrun."""
    from ...models.training.pairs import PairList
    from ...models.training.parallel import processes_of_torchrun
    from ...models.training.trainer import train_encoder
    from ...pipeline.manifest.whole_release import check_inputs
    from ...pipeline.release.release_pairs import release_pairs
    from ...transforms.pair_files import PairFiles

    check_absent(output, "folder")
    with processes_of_torchrun() as processes:
        if processes.is_first:
            files = PairFiles(training.pairs) if training.pairs else None
            check_inputs(training.pairs.paths if training.pairs else ())
            tokens = training.options.text.tokens
            pairs = files.sampled(tokens) if files else release_pairs(release, training.selection or None)
            _train_and_write(training, pairs, output, processes)
            for reason, count in files.left_out.items() if files else ():
                say(f"left out {counted(count, 'record')}: {reason}")
            return
        with tempfile.TemporaryDirectory() as folder:
            nothing = PairList([], [])  # the first process sends the pairs
            train_encoder(nothing, training.seeded(1), Path(folder), Path(folder), processes=processes)


def _train_and_write(training: Training, pairs: "PairStream", output: Path, processes: "Processes") -> None:
    from ...models.training.board import logged
    from ...models.training.scratch import clear_scratch
    from ...models.training.trainer import train_encoder

    with training_folder(output, "paranmt train", clear_scratch) as (trained, scratch, aside):
        with (
            progress_line() as show,
            logged(training.logs, lambda state: show(_training_state(state))) as progress,
        ):
            options = training.seeded(1)
            result = train_encoder(pairs, options, trained, scratch, progress, aside, processes=processes)
        result.write(trained)
    loss = f", loss {result.losses[-1]:.4f}" if result.losses else ""
    say(
        f"{output}: trained on {counted(result.pairs, 'pair')} in {duration(result.seconds)}{loss}, "
        f"{result.idle:.1%} of the time idle"
    )
    if result.best is not None:
        best = result.dev[result.best]
        names = ", ".join(best.pearson)
        say(f"kept the encoder after {best.epoch:.2f} epochs, the best on {names}: {_points(best)}")


def _is_release(paths: Sequence[str], sets: Sequence[str]) -> bool:
    """Whether the paths are folders and Parquet files, and nothing is set that only other files have."""
    return not any(override.startswith("pairs.") for override in sets) and all(
        path.endswith(".parquet") or _is_folder(path) for path in paths
    )


def _is_folder(url: str) -> bool:
    from ...base.streams import file_system, reaching

    files, path = file_system(url)
    with reaching(url):
        return bool(files.isdir(path))


def _train_head(options: HeadOptions, output: Path) -> None:
    from ...models.training.fine_tuning import fine_tune
    from ...models.training.head_training import HeadState
    from ...models.training.scratch import clear_scratch

    def state_text(state: HeadState, examples: int, seconds: float) -> str:
        share, epoch = state.examples / examples, min(state.epoch + 1, options.epochs)
        loss = f", loss {state.total / state.batches:.4f}" if state.batches else ""
        dev = "" if state.best_dev is None else f", best on dev {100 * state.best_dev:.1f}"
        return f"epoch {epoch} of {options.epochs}, {share:.0%}{loss}{dev}, {duration(seconds)}"

    with training_folder(output, "paranmt train", clear_scratch) as (trained, scratch, aside):
        with progress_line() as show:
            result = fine_tune(options, trained, scratch, lambda *state: show(state_text(*state)), aside)
        result.write(trained)
    left_out = {"without a label": result.unlabelled, "too long": result.too_long}
    counts = "".join(f", {count:,} {reason}" for reason, count in left_out.items() if count)
    best = result.dev[result.best_epoch - 1]
    quality = "" if best is None else f", {100 * best:.1f} on dev"
    say(
        f"{output}: trained on {counted(result.examples, 'example')}{counts} in {duration(result.seconds)}, "
        f"epoch {result.best_epoch} of {len(result.dev)} is kept{quality}"
    )


def _training_state(progress: "TrainProgress") -> str:
    rate = rated(progress.pairs_per_second)
    if progress.pairs_in_epoch is None:
        return f"reading, {counted(progress.pairs, 'pair')}, {rate}"
    share = progress.pairs / max(1, progress.pairs_in_epoch)
    loss = "" if progress.loss is None else f", loss {progress.loss:.4f}"
    dev = "" if progress.dev is None else f", dev {_points(progress.dev)} (best {_points(progress.best)})"
    return f"epoch {progress.epoch} of {progress.epochs}, {share:.0%}, {rate}{loss}{dev}"


def _points(score: "DevScore | None") -> str:
    return "-" if score is None or score.mean is None else f"{score.mean:.1f}"
