"""One training of a table, its evaluation, and the file that keeps its result."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import xxhash

from .. import __version__
from ..base.documents import read_json
from ..base.errors import InputError
from ..base.whole_files import written_whole
from ..models.evaluation.bootstrap import Scored, mean_resampled, mean_value
from ..models.evaluation.fine_tuned import tuned_scores
from ..models.evaluation.sts import YEARS
from ..models.evaluation.supervised import SupervisedTask, tasks_of
from ..models.sts.correlation import pair_cosines
from ..models.sts.sts_data import StsDataset, read_sts
from ..models.training.head_options import RelatednessOptions
from ..models.training.pairs import PairList
from ..models.training.train_options import TrainOptions
from .paper_table import Supervision

if TYPE_CHECKING:
    from ..models.encoders.sentence_encoder import SentenceEncoder

VERSION = 2
"""Raised when the same training would give another result."""

_SUPERVISED_BATCH = 25
_EXPECTED = [(year, name) for year, names in YEARS.items() if year < 2016 for name in names]
EXPECTED: tuple[tuple[int | None, str], ...] = (*_EXPECTED, (None, "SICK"), (None, "Twitter"))
"""The 22 sets of the papers' mean: STS 2012 to 2015, SICK and Twitter."""


@dataclass(frozen=True)
class PaperTraining:
    """Pairs to train on, one list after the other, and how. tests, tests_key: of the evaluation.

    supervision: training on people's scores, if any, after that on the pairs.
    """

    pairs: tuple[PairList, ...]
    options: TrainOptions
    tests: tuple[str, ...]
    tests_key: str
    vectors_key: str = ""
    supervision: Supervision | None = None

    @property
    def key(self) -> str:
        """Another wherever the result may be another; paths do not matter.

        Options with their default value do not count, so that a new option makes no result stale.
        """
        parts = [VERSION, self.settings, *(pairs.key for pairs in self.pairs)]
        supervision = [] if self.supervision is None else [self.supervision]
        text = " ".join(map(str, [*parts, self.tests_key, self.vectors_key, *supervision]))
        return xxhash.xxh3_128_hexdigest(text.encode())

    @property
    def on_pairs(self) -> bool:
        """Whether the encoder is trained on the pairs, not only given their words."""
        return self.supervision is None or self.supervision.setting == "universal"

    @property
    def settings(self) -> str:
        """The options that have another value than their default, as JSON."""
        return json.dumps(_changed(replace(self.options, vectors=None)), sort_keys=True)


def _changed(options: object) -> dict[str, object]:
    """The fields of a dataclass, and of those in it, that have another value than their default."""
    changed: dict[str, object] = {}
    for field in fields(options):  # type: ignore[arg-type]
        value = getattr(options, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if is_dataclass(value):
            changed[field.name] = {"type": getattr(value, "type", ""), **_changed(value)}
        elif value != default:
            changed[field.name] = value
    return changed


@dataclass(frozen=True)
class Outcome:
    """What an encoder is worth: Pearson's r times 100 of each set, and their mean.

    A set whose predicted or gold scores are all alike has no r, and then there is no mean either. resampled:
    the mean on resamples of the sets' pairs, the same for all encoders, (resamples,); NaN where a set has no
    r. pairs: how many it was trained on.
    """

    mean: float | None
    sets: dict[str, float | None]
    resampled: np.ndarray
    pairs: int

    @property
    def without_correlation(self) -> list[str]:
        """The sets that have no r."""
        return [name for name, value in self.sets.items() if value is None]


def evaluation_sets(folders: Sequence[str]) -> list[StsDataset]:
    """Those of the 22 sets that the folders hold; InputError if they hold none of them, or one twice."""
    datasets: dict[tuple[int | str | None, str], StsDataset] = {}
    for folder in folders:
        for dataset in read_sts(folder):
            key = dataset.year, dataset.name
            if dataset.unavailable is None and key in EXPECTED and dataset.gold:
                if key in datasets:
                    raise InputError(f"{', '.join(folders)} hold {name_of(dataset)} twice: keep one of them")
                datasets[key] = dataset
    if not datasets:
        raise InputError(f"{', '.join(folders)}: no set of STS 2012 to 2015, SICK or Twitter")
    return [datasets[key] for key in EXPECTED if key in datasets]


def name_of(dataset: StsDataset | SupervisedTask) -> str:
    """A set's name with its year."""
    return dataset.name if dataset.year is None else f"{dataset.name} {dataset.year}"


def sets_key(tests: Sequence[StsDataset]) -> str:
    """Another wherever a sentence, a score or a set is another."""
    content = [(test.year, test.name, test.left, test.right, test.gold) for test in tests]
    return xxhash.xxh3_128_hexdigest(repr(content).encode())


@cache
def supervised_tasks(folders: tuple[str, ...], sets: Literal["SICK", "STS"]) -> list[SupervisedTask]:
    """The sets to train and test on that the folders hold, split in the same way for all seeds."""
    years = {year for year, _ in EXPECTED if year is not None}
    datasets = [dataset for folder in folders for dataset in read_sts(folder)]
    if sets == "SICK":
        datasets = [dataset for dataset in datasets if dataset.name.startswith("SICK")]
    else:
        datasets = [dataset for dataset in datasets if dataset.year in years]
    return [task for task in tasks_of(datasets, seed=1) if not task.absent]


def run_training(training: PaperTraining) -> Outcome:
    """Trains an encoder with one thread, and evaluates it."""
    scored = _by_cosine(training) if training.supervision is None else _supervised(training)
    pairs = sum(len(pairs.references) for pairs in training.pairs) if training.on_pairs else 0
    return outcome_of(scored, pairs)


def outcome_of(scored: Mapping[str, Scored], pairs: int) -> Outcome:
    """What the scores of an encoder that was trained on so many pairs are worth."""
    values = {name: mean_value([scores]) for name, scores in scored.items()}
    sets = {name: None if value is None else 100 * value for name, value in values.items()}
    known = [value for value in sets.values() if value is not None]
    mean = float(np.mean(known)) if len(known) == len(sets) else None
    return Outcome(mean, sets, 100 * mean_resampled(list(scored.values())), pairs)


def _by_cosine(training: PaperTraining) -> dict[str, Scored]:
    encoder = _trained(training)
    return {
        name_of(test): (pair_cosines(encoder, test), np.array(test.gold)) for test in _tests(training.tests)
    }


def _supervised(training: PaperTraining) -> dict[str, Scored]:
    from ..models.training.determinism import single_thread

    options, supervision = training.options, training.supervision
    assert supervision is not None
    tasks = supervised_tasks(training.tests, supervision.sets)
    train, dev, tests = ([task.parts[part] for task in tasks] for part in range(3))
    is_universal = supervision.setting == "universal"
    how = RelatednessOptions(
        examples=(),
        dev=(),
        seed=options.seed,
        vectors=None if is_universal else options.vectors,
        levels=tasks[0].levels,
        epochs=supervision.epochs,
        batch=_SUPERVISED_BATCH,
        learning_rate=options.learning_rate,
        scramble=options.scramble,
    )
    weights = [(supervision.lambda_words, supervision.lambda_encoder)]
    with single_thread():
        tuned = tuned_scores(_trained(training), train, dev, tests, how, weights, is_universal)
    gold = (np.array(test.gold) for test in tests)
    return dict(zip(map(name_of, tasks), zip(tuned.scores, gold, strict=True), strict=True))


def _trained(training: PaperTraining) -> "SentenceEncoder":
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.encoders.vectors import read_vectors
    from ..models.training.pairs import tokenise_pairs  # these import torch, which lists do not need
    from ..models.training.start import Start
    from ..models.training.trainer import train_on

    options = training.options
    vectors = None if options.vectors is None else read_vectors(options.vectors)
    with TemporaryDirectory(prefix="paranmt-") as name:
        for number, pairs in enumerate(training.pairs):
            folder = Path(name) / str(number)
            folder.mkdir()
            given = Start(options, vectors).vocabularies()
            corpus = tokenise_pairs(pairs, options.text, folder / "shared", folder, options.streams, given)
            if not training.on_pairs:
                started = Start(options, vectors).encoder(corpus.rows())
                return SentenceEncoder(started, *corpus.vocabularies.values())
            encoder = train_on(corpus, options, vectors)
            if number < len(training.pairs) - 1:
                encoder.save(folder / "encoder")
                options, vectors = replace(options, vectors=None, start=str(folder / "encoder")), None
    return encoder


@cache
def _tests(folders: tuple[str, ...]) -> list[StsDataset]:
    return evaluation_sets(folders)


class Outcomes:
    """The results of a folder, a file for each training; what is there is never trained again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Outcome | None:
        """The result of a training that was finished; InputError if its file is damaged."""
        file = self._folder / f"{key}.json"
        if not file.exists():
            return None
        try:
            content = read_json(file)
            resampled = np.array(content["resampled"], np.float64)
            return Outcome(content["mean"], content["sets"], resampled, content["pairs"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file} is damaged ({error}); remove it, and run the command again") from None

    def put(self, training: PaperTraining, outcome: Outcome) -> None:
        """Writes a result, with what it is the result of."""
        content: dict[str, Any] = {
            "version": __version__,
            "options": json.loads(training.settings),
            "pairs": outcome.pairs,
            "mean": outcome.mean,
            "sets": outcome.sets,
            "resampled": [
                None if np.isnan(value) else value for value in outcome.resampled.round(4).tolist()
            ],
        }
        with written_whole(self._folder / f"{training.key}.json") as file:
            file.write(json.dumps(content).encode() + b"\n")


def run_all(
    trainings: Sequence[PaperTraining], outcomes: Outcomes, jobs: int, done: Callable[[int, int], None]
) -> None:
    """Runs the trainings that have no result, each in one thread, and keeps each result as it comes.

    done: hears how many of these are finished, and how many there are.
    """
    missing = list({t.key: t for t in trainings if outcomes.get(t.key) is None}.values())
    done(0, len(missing))
    for number, (training, outcome) in enumerate(_results(missing, jobs), start=1):
        outcomes.put(training, outcome)
        done(number, len(missing))


def _results(trainings: Sequence[PaperTraining], jobs: int) -> Iterator[tuple[PaperTraining, Outcome]]:
    if jobs == 1:
        yield from ((training, run_training(training)) for training in trainings)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin_worker) as pool:
        futures = {pool.submit(run_training, training): training for training in trainings}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:  # otherwise leaving the block would wait for the trainings that are running
            for process in active_children():
                process.terminate()
            pool.shutdown(cancel_futures=True)
            raise


def _begin_worker() -> None:
    """One thread, and an end together with the parent even if that is killed."""
    import torch

    torch.set_num_threads(1)
    parent = parent_process()
    assert parent is not None, "this is a worker"

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
