"""One training of a table and its evaluation, as the work of a task of the stage `trainings`."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import xxhash

from ..base.errors import InputError
from ..base.keys import digest
from ..models.encoders.encoder_kinds import AveragingOptions, LstmOptions
from ..models.evaluation.bootstrap import RESAMPLES, mean_value, resampled_pearson
from ..models.evaluation.fine_tuned import Tuned, tuned_scores
from ..models.evaluation.supervised import SupervisedTask, tasks_of
from ..models.sts.correlation import Scored, comparable, scored_sets, spearman
from ..models.sts.development_sets import development_files, read_development
from ..models.sts.set_lists import SET_LISTS, SETS_22, SETS_25, SICK, TWITTER, DevSets, SetKey
from ..models.sts.sts_data import StsDataset, read_sts
from ..models.training.head_options import RelatednessOptions
from ..models.training.pairs import PairList
from ..models.training.train_options import TrainOptions
from ..transforms.beam.model_cache import cached_model
from ..transforms.beam.task_work import Task
from ..transforms.storage.dataset import part_file, read_columns, write_part
from ..transforms.storage.file_hashes import as_planned
from ..transforms.storage.workspace import Workspace
from ..transforms.trainings.training_encoders import InputHashes, planned_vectors, training_ingredients
from ..transforms.trainings.trial_work import TrialWork
from .evaluations import Figures, evaluated
from .inference import LabelledPairs, train_on_inference
from .pair_statistics import correlations, differences
from .paper_table import Classification, EvaluationKind, Inference, Statistics, Supervision
from .paper_table import Task as OtherTask

if TYPE_CHECKING:
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.encoders.vectors import WordVectors
    from ..models.training.classifier import SentenceClassifier

SAMPLES, TRAININGS = "samples", "trainings"
"""The folders, in the workspace, of the pairs that encoders are trained on, and of the results."""

_VERSION = 2  # raised when the same options and data would give other results
EVALUATED: tuple[SetKey, ...] = (*SET_LISTS[SETS_25], SICK, TWITTER, (2017, "track5.en-en"))
"""The sets that encoders are evaluated on, whichever of them a table has."""


@dataclass(frozen=True)
class PaperTraining:
    """How to train on lists of pairs, one after the other. tests, tests_key: of the evaluation.

    vectors_hash: of the word vectors to start from. other: another training, whose test gives the figure.
    dev, dev_key: the folders of the development sets `dev_sets` to evaluate the encoder on too, and the sets'
    key. stops: whether the encoder that is best on them after a quarter of an epoch is taken. evaluations:
    what the results are of, if not of the papers' sets; `tests_key` is then the folders' hash.
    """

    options: TrainOptions
    tests: tuple[str, ...]
    tests_key: str
    vectors_hash: str | None = None
    other: OtherTask | None = None
    dev: tuple[str, ...] = ()
    dev_key: str = ""
    dev_sets: DevSets = "standard"
    stops: bool = False
    evaluations: tuple[EvaluationKind, ...] = ()

    def task(self, samples: Sequence[PairList]) -> Task:
        """The training on these samples; its key does not depend on paths, nor on the table."""
        made_of = training_ingredients(self.options, InputHashes(self.vectors_hash))
        other = None if self.other is None else asdict(self.other)
        keys = [pairs.key for pairs in samples]
        measured = self.tests_key, other, self.dev_key, self.stops, self.evaluations
        key = digest(TRAININGS, _VERSION, made_of, keys, *measured)
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
class RunPaperTraining(TrialWork):
    """Trains an encoder with one thread and evaluates it. trainings: by the keys of their tasks."""

    trainings: Mapping[str, PaperTraining]

    def options_of(self, task: Task) -> TrainOptions:
        return self.trainings[task.key].options

    def trial(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
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
    r. sets: also the mean over each list of `SET_LISTS`, and results of other evaluations, which have no
    mean. pairs: how many it was trained on. dev: the mean of Pearson's r times 100 over the development sets,
    or that of the dev part of supervised training. of_sets: the lists' means and results of other evaluations
    on resamples of their items; empty where there are none.
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

    def without_correlation(self, set_list: str) -> list[str]:
        """The sets, of this list or of none, that have no r, and because of which there is no mean."""
        if self.mean is not None:
            return []
        others = {*SET_LISTS, *map(set_name, EVALUATED)} - {*names_of(set_list)}
        return [name for name, value in self.sets.items() if value is None and name not in others]


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
    """Those of `EVALUATED` that the folders hold; InputError if they hold none of them, or one twice."""
    datasets: dict[tuple[int | str | None, str], StsDataset] = {}
    for folder in folders:
        for dataset in read_sts(folder):
            key = dataset.year, dataset.name
            if dataset.unavailable is None and key in EVALUATED and dataset.gold:
                if key in datasets:
                    raise InputError(f"{', '.join(folders)} hold {name_of(dataset)} twice: keep one of them")
                datasets[key] = dataset
    if not datasets:
        raise InputError(f"{', '.join(folders)}: no set of STS 2012 to 2017, SICK or Twitter")
    return [datasets[key] for key in EVALUATED if key in datasets]


def names_of(set_list: str) -> list[str]:
    """The names of the sets of a list."""
    return [set_name(key) for key in SET_LISTS[set_list]]


def set_name(key: SetKey) -> str:
    """A set's name with its year."""
    year, name = key
    return name if year is None else f"{name} {year}"


def development_folders(folders: Sequence[str], sets: DevSets) -> list[str]:
    """The folders that hold one of these development sets."""

    def has_sets(folder: str) -> bool:
        try:
            return bool(development_files([folder], sets))
        except InputError:
            return False

    return [folder for folder in folders if has_sets(folder)]


def name_of(dataset: StsDataset | SupervisedTask) -> str:
    """A set's name with its year."""
    return set_name((dataset.year, dataset.name))


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
    years = {year for year, _ in SET_LISTS[SETS_22] if year is not None}
    datasets = [dataset for folder in folders for dataset in read_sts(folder)]
    if sets == "SICK":
        datasets = [dataset for dataset in datasets if dataset.name.startswith("SICK")]
    else:
        datasets = [dataset for dataset in datasets if dataset.year in years]
    return [task for task in tasks_of(datasets, seed=1) if not task.absent]


def run_training(training: PaperTraining, samples: Sequence[PairList]) -> Outcome:
    """Trains an encoder with one thread on the samples, one after the other, and evaluates it."""
    from ..models.training.determinism import single_thread  # imports torch, which lists do not need

    with single_thread():
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
    if isinstance(training.other, Supervision):
        return _supervised(training, training.other, encoder, pairs)
    outcome = with_lists(outcome_of(_scored(encoder, _datasets(training)), pairs))
    if not training.dev:
        return outcome
    dev = _scored(encoder, _development(training))
    return replace(outcome, dev=100 * (mean_value(list(dev.values())) or 0.0))


def outcome_of(scored: Mapping[str, Scored], pairs: int) -> Outcome:
    """What the scores of an encoder that was trained on so many pairs are worth."""
    values = {name: mean_value([scores]) for name, scores in scored.items()}
    sets = {name: None if value is None else 100 * value for name, value in values.items()}
    # The last bits of a matrix product depend on the number of threads.
    of_sets = {name: (100 * resampled_pearson(*scores)).round(4) for name, scores in scored.items()}
    mean, resampled = _mean_over(sets, of_sets, list(sets))
    return Outcome(mean, sets, resampled, pairs, of_sets=of_sets)


def with_lists(outcome: Outcome) -> Outcome:
    """An outcome with the means over the papers' lists of sets, as far as there are sets of them."""
    lists = {name: [one for one in names_of(name) if one in outcome.sets] for name in SET_LISTS}
    means = {name: _mean_over(outcome.sets, outcome.of_sets, names) for name, names in lists.items() if names}
    return replace(
        outcome,
        sets=outcome.sets | {name: mean for name, (mean, _) in means.items()},
        of_sets={name: resampled for name, (_, resampled) in means.items()},
    )


def _mean_over(
    sets: Mapping[str, float | None], of_sets: Mapping[str, np.ndarray], names: Sequence[str]
) -> tuple[float | None, np.ndarray]:
    """The mean over some sets, None if one of them has no r, and the same on resamples."""
    known = [value for value in map(sets.get, names) if value is not None]
    mean = float(np.mean(known)) if len(known) == len(names) else None
    resampled: np.ndarray = np.mean([of_sets[name] for name in names], axis=0)
    return mean, resampled.round(4)


def of_figures(figures: Figures, pairs: int) -> Outcome:
    """The results of other evaluations of an encoder that was trained on so many pairs."""
    sets = {name: figure.value for name, figure in figures.items()}
    of_sets = {name: figure.resampled.round(4) for name, figure in figures.items()}
    return Outcome(None, sets, np.empty(0), pairs, of_sets=of_sets)


def _scored(encoder: "SentenceEncoder", datasets: Sequence[StsDataset]) -> dict[str, Scored]:
    return dict(zip(map(name_of, datasets), scored_sets(encoder, datasets), strict=True))


def _supervised(
    training: PaperTraining, task: Supervision, encoder: "SentenceEncoder", pairs: int
) -> Outcome:
    """What an encoder is worth that is trained on people's scores; also ρ, and the squared error × 100."""
    options, tasks = training.options, _datasets(training)
    train, dev, tests = ([each.parts[part] for each in tasks] for part in range(3))
    is_universal = task.setting == "universal"
    weights = task.grid or ((task.lambda_words, task.lambda_encoder),)
    best: Tuned | None = None
    for batch, lambda_head in task.heads or ((task.batch, task.lambda_head),):
        how = RelatednessOptions(
            examples=(),
            dev=(),
            seed=options.seed,
            vectors=None if is_universal else options.vectors,
            levels=tasks[0].levels,
            epochs=task.epochs,
            batch=batch,
            lambda_head=lambda_head,
            learning_rate=options.learning_rate,
            scramble=options.scramble,
        )
        tuned = tuned_scores(encoder, train, dev, tests, how, weights, is_universal)
        if best is None or comparable(tuned.dev) > comparable(best.dev):
            best = tuned
    assert best is not None, "there is at least one head"
    gold = [np.array(test.gold) for test in tests]
    names = list(map(name_of, tasks))
    scored = dict(zip(names, zip(best.scores, gold, strict=True), strict=True))
    outcome = replace(outcome_of(scored, pairs), of_sets={})
    for name, (scores, wanted) in scored.items():
        if (rho := spearman(scores, wanted)) is not None:
            outcome.sets[f"{name}, ρ"] = 100 * rho
        outcome.sets[f"{name}, MSE × 100"] = 100 * float(np.mean((scores - wanted) ** 2))
    return replace(outcome, dev=100 * (best.dev or 0.0))


class Classified(NamedTuple):
    """A classifier, the references that it was not tested on, and those that it was, with a translation."""

    classifier: "SentenceClassifier"
    trained_on: int
    references: list[str]
    translations: list[str]


def classify(
    pairs: PairList,
    encoder: AveragingOptions | LstmOptions,
    epochs: int,
    seed: int,
    task: Classification,
    vectors: "WordVectors | None",
) -> Classified:
    """The classifier that is best on the validation part, and the test part: the last of the references.

    Where no reference has several translations, the hardest one is the only one, and is not tried.
    """
    from ..models.training.classifier import (  # imports torch
        CandidateLists,
        ClassifierOptions,
        choose_classifier,
    )

    translations: dict[str, list[str]] = {}
    for reference, translation in zip(pairs.references, pairs.translations, strict=True):
        translations.setdefault(reference, []).append(translation)
    references = list(translations)
    sizes = [max(1, round(share * len(references))) for share in (task.validation, task.test)]
    ends = (0, len(references) - sum(sizes), len(references) - sizes[1], len(references))

    def lists(chosen: list[str]) -> CandidateLists:
        texts = [text for reference in chosen for text in translations[reference]]
        starts = np.cumsum([0, *(len(translations[reference]) for reference in chosen)])
        return CandidateLists(pa.array(chosen, pa.string()), pa.array(texts, pa.string()), starts)

    several = any(len(texts) > 1 for texts in translations.values())
    trials = [
        ClassifierOptions(
            type=encoder.type,
            dimension=encoder.dimension,
            epochs=epochs,
            negatives=negatives,
            lambda_words=weight,
            tokens="words",
            seed=seed,
        )
        for negatives in task.negatives
        if negatives == "random" or several
        for weight in task.lambda_words
    ]
    train, validation, test = (references[a:b] for a, b in itertools.pairwise(ends))
    classifier, _ = choose_classifier(lists(train), lists(validation), lists(test), trials, vectors)
    return Classified(classifier, len(train), test, [translations[reference][0] for reference in test])


def _classified(
    options: TrainOptions, task: Classification, pairs: PairList, vectors: "WordVectors | None"
) -> Outcome:
    """The accuracy of a classifier on references that it was not trained on, and their translations."""
    encoder = options.encoder
    assert isinstance(encoder, AveragingOptions | LstmOptions), encoder
    found = classify(pairs, encoder, options.epochs, options.seed, task, vectors)
    probabilities = found.classifier.reference_probability(found.translations)
    of_references = found.classifier.reference_probability(found.references)
    right = np.stack([of_references > 0.5, probabilities <= 0.5])
    accuracy, draws = 100 * right.mean(axis=1), np.random.default_rng(1)
    items = draws.integers(right.shape[1], size=(RESAMPLES, right.shape[1]))
    sets: dict[str, float | None] = {"references": accuracy[0], "translations": accuracy[1]}
    sets |= correlations(probabilities, found.translations, list(dict.fromkeys(pairs.references)))
    resampled = 100 * right.mean(axis=0)[items].mean(axis=1)
    return Outcome(float(accuracy.mean()), sets, resampled, found.trained_on)


def _datasets(training: PaperTraining) -> list:
    key = training.tests, training.tests_key
    return cached_model(key, training.datasets)


def _development(training: PaperTraining) -> list[StsDataset]:
    def read() -> list[StsDataset]:
        sets = read_development(training.dev, training.dev_sets)
        _check_unchanged(training.dev, sets, training.dev_key)
        return sets

    return cached_model((training.dev, training.dev_key), read)


def _vectors(training: PaperTraining) -> "WordVectors | None":
    path, hashed = training.options.vectors, training.vectors_hash
    return None if path is None else cached_model((path, hashed), lambda: planned_vectors(path, hashed))


def _trained(training: PaperTraining, samples: Sequence[PairList]) -> "SentenceEncoder":
    dev = _development(training) if training.stops else ()
    return train_in_turn(training.options, _vectors(training), samples, training.on_pairs, dev)


def train_in_turn(
    options: TrainOptions,
    vectors: "WordVectors | None",
    samples: Sequence[PairList],
    on_pairs: bool = True,
    dev: Sequence[StsDataset] = (),
) -> "SentenceEncoder":
    """An encoder that is trained with one thread on lists of pairs, one after the other.

    vectors: those that `options` name. on_pairs: False for an encoder with the pairs' words that is not
    trained. dev: sets on which the best quarter of an epoch is chosen.
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
            encoder = train_on(corpus, options, vectors, dev=dev)
            if number < len(samples) - 1:
                encoder.save(folder / "encoder")
                options, vectors = replace(options, vectors=None, start=str(folder / "encoder")), None
    return encoder
