"""One training of a table and its evaluation, as the work of a task of the stage `trainings`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import xxhash

from ..base.errors import InputError
from ..models.encoders.encoder_kinds import AveragingOptions, LstmOptions
from ..models.evaluation.bootstrap import RESAMPLES, Scored, mean_resampled, mean_value
from ..models.evaluation.fine_tuned import tuned_scores
from ..models.evaluation.supervised import SupervisedTask, tasks_of
from ..models.sts.correlation import pair_cosines
from ..models.sts.development_sets import development_files, read_development
from ..models.sts.set_lists import SET_LISTS, SETS_22
from ..models.sts.sts_data import StsDataset, read_sts
from ..models.training.head_options import RelatednessOptions
from ..models.training.pairs import PairList
from ..models.training.train_options import TrainOptions
from ..pipeline.keys import digest
from ..transforms.beam.gpus import on_device
from ..transforms.beam.model_cache import cached_model, model_lock
from ..transforms.beam.task_work import PartWork, Task
from ..transforms.storage.dataset import part_file, read_columns, write_part
from ..transforms.storage.file_hashes import as_planned
from ..transforms.storage.workspace import Workspace
from ..transforms.works.training_encoders import InputHashes, planned_vectors, training_ingredients
from .evaluations import Figures, evaluated
from .inference import LabelledPairs, train_on_inference
from .pair_statistics import correlations, differences
from .paper_table import Classification, EvaluationKind, Inference, Statistics, Supervision
from .paper_table import Task as OtherTask

if TYPE_CHECKING:
    from ..models.classifier import ClassifierOptions
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.encoders.vectors import WordVectors

SAMPLES, TRAININGS = "samples", "trainings"
"""The folders, in the workspace, of the pairs that encoders are trained on, and of the results."""

_VERSION = 2  # raised when the same options and data would give other results
_SUPERVISED_BATCH = 25
EXPECTED = SET_LISTS[SETS_22]
"""The 22 sets of the papers' mean: STS 2012 to 2015, SICK and Twitter."""


@dataclass(frozen=True)
class PaperTraining:
    """How to train on lists of pairs, one after the other. tests, tests_key: of the evaluation.

    vectors_hash: of the word vectors to start from. other: another training, whose test gives the figure.
    dev, dev_key: the folders of the development sets to evaluate the encoder on too, and the sets' key.
    evaluations: what the results are of, if not of the papers' sets; `tests_key` is then the folders' hash.
    """

    options: TrainOptions
    tests: tuple[str, ...]
    tests_key: str
    vectors_hash: str | None = None
    other: OtherTask | None = None
    dev: tuple[str, ...] = ()
    dev_key: str = ""
    evaluations: tuple[EvaluationKind, ...] = ()

    def task(self, samples: Sequence[PairList]) -> Task:
        """The training on these samples; its key does not depend on paths, nor on the table."""
        made_of = training_ingredients(self.options, InputHashes(self.vectors_hash))
        other = None if self.other is None else asdict(self.other)
        keys = [pairs.key for pairs in samples]
        key = digest(
            TRAININGS, _VERSION, made_of, keys, self.tests_key, other, self.dev_key, self.evaluations
        )
        files = tuple((str(number), sample_file(pairs)) for number, pairs in enumerate(samples))
        return Task(self.options.encoder.type, key, files)

    @property
    def on_pairs(self) -> bool:
        """Whether the encoder is trained on the pairs, not only given their words."""
        if isinstance(self.other, Inference):
            return not self.other.is_frozen
        return not isinstance(self.other, Supervision) or self.other.setting == "universal"

    def datasets(self) -> "list[StsDataset] | list[SupervisedTask]":
        """What the encoder is evaluated on; InputError if it changed since the run began."""
        tests: list[StsDataset] | list[SupervisedTask] = (
            supervised_tasks(self.tests, self.other.sets)
            if isinstance(self.other, Supervision)
            else evaluation_sets(self.tests)
        )
        _check_unchanged(self.tests, tests, self.tests_key)
        return tests


def sample_file(pairs: PairList) -> str:
    """The file of a sample in the workspace."""
    return part_file(SAMPLES, "pairs", pairs.key)


def write_sample(workspace: Workspace, pairs: PairList) -> None:
    """Write a sample, for workers to train on."""
    columns = {"reference": list(pairs.references), "translation": list(pairs.translations)}
    if isinstance(pairs, LabelledPairs):
        columns["label"] = list(pairs.labels)
    write_part(workspace, SAMPLES, "pairs", pairs.key, pa.table(columns))


@dataclass(frozen=True)
class RunPaperTraining(PartWork):
    """Trains an encoder with one thread and evaluates it. trainings: by the keys of their tasks."""

    stage: str
    trainings: Mapping[str, PaperTraining]

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        samples = [_sample(read_columns(workspace, file)) for _, file in task.inputs]
        outcome = run_training(self.trainings[task.key], samples)
        return outcome.to_table(), {"pairs": outcome.pairs}


def _sample(table: pa.Table) -> PairList:
    columns = [column.to_pylist() for column in table.columns]
    return LabelledPairs(*columns) if "label" in table.column_names else PairList(*columns)


@dataclass(frozen=True)
class Outcome:
    """What an encoder is worth: Pearson's r times 100 of each set, and their mean.

    A set whose predicted or gold scores are all alike has no r, and then there is no mean either. resampled:
    the mean on resamples of the sets' pairs, the same for all encoders, (resamples,); NaN where a set has no
    r. pairs: how many it was trained on. dev: the mean of Pearson's r times 100 over the development sets,
    if data is chosen by it. of_sets: of other evaluations, whose results have no mean, each result on
    resamples of its items; empty where there are none.
    """

    mean: float | None
    sets: dict[str, float | None]
    resampled: np.ndarray
    pairs: int
    dev: float | None = None
    of_sets: Mapping[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def read(cls, workspace: Workspace, file: str) -> "Outcome":
        """The outcome that one part holds; DamagedError if it is not what was written."""
        (row,) = read_columns(workspace, file).to_pylist()
        sets = {entry["set"]: entry["value"] for entry in row["sets"]}
        of_sets = {
            entry["set"]: np.array(entry["resampled"])
            for entry in row["sets"]
            if entry["resampled"] is not None
        }
        return cls(row["mean"], sets, np.array(row["resampled"]), row["pairs"], row["dev"], of_sets)

    def to_table(self) -> pa.Table:
        """A table with one row."""
        resampled = {name: samples.tolist() for name, samples in self.of_sets.items()}
        sets = [
            {"set": name, "value": value, "resampled": resampled.get(name)}
            for name, value in self.sets.items()
        ]
        row = {"mean": self.mean, "sets": sets, "resampled": self.resampled.tolist()}
        return pa.Table.from_pylist([{**row, "pairs": self.pairs, "dev": self.dev}], schema=_OUTCOME)

    def of(self, name: str) -> float | None:
        """The figure of a set, or the mean of those of a year; None if one is not there or has no r."""
        if name in self.sets:
            return self.sets[name]
        values = [value for key, value in self.sets.items() if key.endswith(f" {name}")]
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if known and len(known) == len(values) else None

    def figure(self, name: str) -> "Outcome":
        """The outcome with the result of a set for the mean."""
        return replace(self, mean=self.sets.get(name), resampled=self.of_sets.get(name, np.empty(0)))

    @property
    def without_correlation(self) -> list[str]:
        """The sets that have no r, and because of which there is no mean."""
        return [name for name, value in self.sets.items() if value is None and self.mean is None]


_SET = pa.struct({"set": pa.string(), "value": pa.float64(), "resampled": pa.list_(pa.float64())})
_OUTCOME = pa.schema(
    {
        "mean": pa.float64(),
        "sets": pa.list_(_SET),
        "resampled": pa.list_(pa.float64()),
        "pairs": pa.int64(),
        "dev": pa.float64(),
    }
)


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


def development_folders(folders: Sequence[str]) -> list[str]:
    """The folders that hold a development set."""

    def has_sets(folder: str) -> bool:
        try:
            return bool(development_files([folder]))
        except InputError:
            return False

    return [folder for folder in folders if has_sets(folder)]


def name_of(dataset: StsDataset | SupervisedTask) -> str:
    """A set's name with its year."""
    return dataset.name if dataset.year is None else f"{dataset.name} {dataset.year}"


def key_of_tests(tests: Sequence[StsDataset | SupervisedTask]) -> str:
    """Another wherever a sentence, a score or a set is another."""
    sets = [part for test in tests for part in (test.parts if isinstance(test, SupervisedTask) else [test])]
    content = [(part.year, part.name, part.left, part.right, part.gold) for part in sets]
    return xxhash.xxh3_128_hexdigest(repr(content).encode())


def _check_unchanged(folders: Sequence[str], tests: Sequence[StsDataset | SupervisedTask], key: str) -> None:
    """InputError unless the sets in these folders still have this key."""
    if key_of_tests(tests) != key:
        raise InputError(f"{', '.join(folders)}: changed since the run began; run again")


def supervised_tasks(folders: tuple[str, ...], sets: Literal["SICK", "STS"]) -> list[SupervisedTask]:
    """The sets to train and test on that the folders hold, split in the same way for all seeds."""
    years = {year for year, _ in EXPECTED if year is not None}
    datasets = [dataset for folder in folders for dataset in read_sts(folder)]
    if sets == "SICK":
        datasets = [dataset for dataset in datasets if dataset.name.startswith("SICK")]
    else:
        datasets = [dataset for dataset in datasets if dataset.year in years]
    return [task for task in tasks_of(datasets, seed=1) if not task.absent]


def run_training(training: PaperTraining, samples: Sequence[PairList]) -> Outcome:
    """Trains an encoder with one thread on the samples, one after the other, and evaluates it."""
    from ..models.training.determinism import single_thread  # imports torch, which lists do not need

    with model_lock, single_thread(), on_device(training.options.device):
        if isinstance(training.other, Statistics):
            return Outcome(None, differences(samples[0]), np.empty(0), len(samples[0].references))
        if isinstance(training.other, Classification):
            return _classified(training.options, training.other, samples[0], _vectors(training))
        with TemporaryDirectory(prefix="paranmt-") as folder:
            return _of_encoder(training, samples, Path(folder))


def _of_encoder(training: PaperTraining, samples: Sequence[PairList], folder: Path) -> Outcome:
    """What an encoder is worth; it is trained in a folder of its own."""
    held_out: dict[str, LabelledPairs] = {}
    if isinstance(training.other, Inference):
        train, *parts = (pairs for pairs in samples if isinstance(pairs, LabelledPairs))
        samples, held_out = [train], dict(zip(("dev", "test"), parts, strict=True))
        vectors = _vectors(training)
        encoder = train_on_inference(
            training.options, training.other, train, held_out["dev"], vectors, folder
        )
    else:
        encoder = _trained(training, samples)
    pairs = sum(len(pairs.references) for pairs in samples) if training.on_pairs else 0
    if training.evaluations:
        with as_planned(training.tests, training.tests_key):
            return of_figures(
                evaluated(training.evaluations, encoder, training.tests, held_out, folder), pairs
            )
    dev = _scored(encoder, _development(training)) if training.dev else None
    if isinstance(training.other, Supervision):
        scored = _supervised(training, encoder)
    else:
        scored = _scored(encoder, _datasets(training))
    outcome = outcome_of(scored, pairs)
    return outcome if dev is None else replace(outcome, dev=100 * (mean_value(list(dev.values())) or 0.0))


def outcome_of(scored: Mapping[str, Scored], pairs: int) -> Outcome:
    """What the scores of an encoder that was trained on so many pairs are worth."""
    values = {name: mean_value([scores]) for name, scores in scored.items()}
    sets = {name: None if value is None else 100 * value for name, value in values.items()}
    known = [value for value in sets.values() if value is not None]
    mean = float(np.mean(known)) if len(known) == len(sets) else None
    # The last bits of a matrix product depend on the number of threads.
    resampled = (100 * mean_resampled(list(scored.values()))).round(4)
    return Outcome(mean, sets, resampled, pairs)


def of_figures(figures: Figures, pairs: int) -> Outcome:
    """The results of other evaluations of an encoder that was trained on so many pairs."""
    sets = {name: figure.value for name, figure in figures.items()}
    of_sets = {name: figure.resampled.round(4) for name, figure in figures.items()}
    return Outcome(None, sets, np.empty(0), pairs, of_sets=of_sets)


def _scored(encoder: "SentenceEncoder", datasets: Sequence[StsDataset]) -> dict[str, Scored]:
    return {name_of(test): (pair_cosines(encoder, test), np.array(test.gold)) for test in datasets}


def _supervised(training: PaperTraining, encoder: "SentenceEncoder") -> dict[str, Scored]:
    options, supervision = training.options, training.other
    assert isinstance(supervision, Supervision)
    tasks = _datasets(training)
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
    weights = supervision.grid or ((supervision.lambda_words, supervision.lambda_encoder),)
    tuned = tuned_scores(encoder, train, dev, tests, how, weights, is_universal)
    gold = (np.array(test.gold) for test in tests)
    return dict(zip(map(name_of, tasks), zip(tuned.scores, gold, strict=True), strict=True))


def _classified(
    options: TrainOptions, task: Classification, pairs: PairList, vectors: "WordVectors | None"
) -> Outcome:
    """The accuracy of a classifier on the last of the references, with which no other one is tested."""
    from ..models.classifier import CandidateLists, train_classifier  # imports torch

    translations: dict[str, list[str]] = {}
    for reference, translation in zip(pairs.references, pairs.translations, strict=True):
        translations.setdefault(reference, []).append(translation)
    references = list(translations)
    cut = len(references) - max(1, round(task.test * len(references)))

    def lists(chosen: list[str]) -> CandidateLists:
        texts = [text for reference in chosen for text in translations[reference]]
        starts = np.cumsum([0, *(len(translations[reference]) for reference in chosen)])
        return CandidateLists(pa.array(chosen, pa.string()), pa.array(texts, pa.string()), starts)

    encoder = options.encoder
    assert isinstance(encoder, AveragingOptions | LstmOptions), encoder
    how = classifier_options(encoder, options.epochs, options.seed)
    classifier, _ = train_classifier(lists(references[:cut]), lists(references[cut:]), how, vectors)
    tested = [translations[reference][0] for reference in references[cut:]]
    probabilities = classifier.reference_probability(tested)
    right = np.stack([classifier.reference_probability(references[cut:]) > 0.5, probabilities <= 0.5])
    accuracy, draws = 100 * right.mean(axis=1), np.random.default_rng(1)
    items = draws.integers(len(tested), size=(RESAMPLES, len(tested)))
    sets: dict[str, float | None] = {"references": accuracy[0], "translations": accuracy[1]}
    sets |= correlations(probabilities, tested, references)
    return Outcome(float(accuracy.mean()), sets, 100 * right.mean(axis=0)[items].mean(axis=1), cut)


def classifier_options(
    encoder: AveragingOptions | LstmOptions, epochs: int, seed: int
) -> "ClassifierOptions":
    """Those of the paper on back-translated bitext: in each epoch a random translation of each reference."""
    from ..models.classifier import ClassifierOptions  # imports torch, which lists do not need

    return ClassifierOptions(
        type=encoder.type,
        dimension=encoder.dimension,
        epochs=epochs,
        negatives="random",
        lambda_words=1e-6,
        tokens="words",
        seed=seed,
    )


def _datasets(training: PaperTraining) -> list:
    key = training.tests, training.tests_key
    return cached_model(key, training.datasets)


def _development(training: PaperTraining) -> list[StsDataset]:
    def read() -> list[StsDataset]:
        sets = read_development(training.dev)
        _check_unchanged(training.dev, sets, training.dev_key)
        return sets

    return cached_model((training.dev, training.dev_key), read)


def _vectors(training: PaperTraining) -> "WordVectors | None":
    path, hashed = training.options.vectors, training.vectors_hash
    return None if path is None else cached_model((path, hashed), lambda: planned_vectors(path, hashed))


def _trained(training: PaperTraining, samples: Sequence[PairList]) -> "SentenceEncoder":
    return train_in_turn(training.options, _vectors(training), samples, training.on_pairs)


def train_in_turn(
    options: TrainOptions,
    vectors: "WordVectors | None",
    samples: Sequence[PairList],
    on_pairs: bool = True,
) -> "SentenceEncoder":
    """An encoder that is trained with one thread on lists of pairs, one after the other.

    vectors: those that `options` name. on_pairs: False for an encoder with the pairs' words that is not
    trained.
    """
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.training.pairs import tokenise_pairs  # these import torch, which lists do not need
    from ..models.training.start import Start
    from ..models.training.trainer import train_on

    with TemporaryDirectory(prefix="paranmt-") as name:
        for number, pairs in enumerate(samples):
            folder = Path(name) / str(number)
            folder.mkdir()
            given = Start(options, vectors).vocabularies()
            corpus = tokenise_pairs(pairs, options.text, folder / "shared", folder, options.streams, given)
            if not on_pairs:
                started = Start(options, vectors).encoder(corpus.rows())
                return SentenceEncoder(started, *corpus.vocabularies.values())
            encoder = train_on(corpus, options, vectors)
            if number < len(samples) - 1:
                encoder.save(folder / "encoder")
                options, vectors = replace(options, vectors=None, start=str(folder / "encoder")), None
    return encoder
