"""Supervised relatedness: how well a network trained on sentence vectors predicts people's scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import xxhash

from ...errors import InputError, RecipeError
from ...paths import FilePath
from .bootstrap import estimate, resampled_pearson
from .correlation import pearson, spearman
from .evaluation import Encodes, Evaluation, Measured
from .relatedness import Pairs, predict
from .sts_data import StsDataset, read_sts
from .table import Column, Row, Table, Value

TRAIN, DEV = 0.4, 0.1  # the shares of a dataset that has no parts of its own; the rest is for the test
MIN_PAIRS = 50

# The train, dev and test parts of the datasets that have them, by the names of `read_sts`.
_FIXED = {"SICK": ("SICK-train", "SICK-trial", "SICK"), "STSB": ("STSB-train", "STSB-dev", "STSB-test")}
_LEVELS = {"SICK": (1, 5)}
_STS_LEVELS = (0, 5)
_COLUMNS = (
    Column(name="year", type="text", meaning="the year of the SemEval task"),
    Column(name="dataset", type="text", title="test set", meaning="the set of pairs, or a mean of sets"),
    Column(name="train", type="count", meaning="pairs to train on"),
    Column(name="dev", type="count", meaning="pairs on which the penalty and the epochs are chosen"),
    Column(name="test", type="count", meaning="pairs to test on"),
    Column(name="pearson", type="number", title="Pearson", meaning="Pearson's r, times 100", maximum=100.0),
    Column(name="low", type="number", meaning="the lower end of Pearson's 95 % interval over the test pairs"),
    Column(name="high", type="number", meaning="its upper end"),
    Column(
        name="spearman", type="number", title="Spearman", meaning="Spearman's ρ, times 100", maximum=100.0
    ),
    Column(
        name="mse",
        type="number",
        title="MSE",
        meaning="the mean squared error of the predicted scores",
        digits=3,
    ),
    Column(name="penalty", type="number", meaning="the chosen weight of the L2 penalty", digits=5),
    Column(name="epochs", type="count", meaning="the chosen number of epochs"),
    Column(name="dev_pearson", type="number", title="dev Pearson", meaning="Pearson's r on dev, times 100"),
)


@dataclass(frozen=True, kw_only=True)
class Supervised(Evaluation):
    """The relatedness of two sentences, predicted from their fixed vectors as by Tai et al. 2015.

    SICK and the STS Benchmark have train, dev and test parts. Every other test set is split into 40 % to
    train on, 10 % to choose on and 50 % to test on. docs/evaluation.md has the definitions.
    """

    data: FilePath
    """The folder of the data: files of SICK, of SemEval's STS tasks or of the STS Benchmark."""
    seed: int = 1
    """Decides the split of the sets without parts, the first weights, and the order of the train pairs."""

    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise RecipeError(f"seed must be at least 0, not {self.seed}")

    def evaluate(self, encoder: Encodes) -> Table:
        """A row for each test set; without figures if a part of it is absent from the data."""
        return self.measure(encoder).table

    def measure(self, encoder: Encodes) -> Measured:
        """The table with the predicted scores, the scores that people gave, and resamples of Pearson's r."""
        tasks = read_tasks(self.data, self.seed)
        # Sets share sentences: each is encoded once.
        texts = (text for task in tasks for part in task.parts for text in (*part.left, *part.right))
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        vectors = encoder.encode(list(rows))
        results = [
            _result(task, [_pairs(vectors, rows, part) for part in task.parts], self.seed) for task in tasks
        ]
        means = _means([result for result in results if not result.task.absent])
        table = Table(
            caption="Correlation of the scores that a network (Tai et al. 2015) on the sentence vectors was "
            "trained to predict with those that people gave, times 100.",
            columns=_COLUMNS,
            main="pearson",
            group="year",
            rows=[result.row for result in results],
            averages=[row for row, _ in means],
        )
        resampled = [(result.row, result.resampled) for result in results if result.points] + means
        return Measured(
            table,
            {table.key(row): samples for row, samples in resampled},
            {table.key(result.row): result.points for result in results if result.points},
        )


@dataclass(frozen=True)
class SupervisedTask:
    """A test set. parts: its pairs to train, to choose and to test on. levels: the lowest and highest score.

    absent: why there are no pairs.
    """

    name: str
    year: str | None
    parts: tuple[StsDataset, ...] = ()
    levels: tuple[int, int] = _STS_LEVELS
    absent: str = ""


def read_tasks(data: str, seed: int) -> list[SupervisedTask]:
    """All test sets of a folder or fsspec URL, in the order of `read_sts`, then those that have parts.

    The train parts of STS 2012, of which there are test parts too, and Twitter, whose parts were scored on
    different scales, are no test sets. InputError as for `read_sts`, for a score outside a set's levels, for
    a set too small to split, and for a folder without any of these test sets.
    """
    datasets = read_sts(data)
    by_name = {dataset.name: dataset for dataset in datasets if dataset.year is None and dataset.gold}
    tasks = [
        split(dataset, seed)
        for dataset in datasets
        if not isinstance(dataset.year, str) and not dataset.name.startswith((*_FIXED, "Twitter"))
    ]
    for name, parts in _FIXED.items():
        missing = [part for part in parts if part not in by_name]
        if len(missing) == len(parts):
            continue
        absent = f"absent: there is no {', '.join(missing)}" if missing else ""
        present = () if missing else tuple(by_name[part] for part in parts)
        tasks.append(SupervisedTask(name, None, present, _LEVELS.get(name, _STS_LEVELS), absent))
    if not tasks:
        raise InputError(
            f"{data} holds no test set to train for: expected files STS.input.NAME.txt and STS.gs.NAME.txt, "
            "SICK_train.txt, SICK_trial.txt and SICK_test_annotated.txt, or the STS Benchmark's three files"
        )
    for task in tasks:
        _check(task)
    return tasks


def split(dataset: StsDataset, seed: int) -> SupervisedTask:
    """40 % of the pairs to train on, 10 % to choose on, and the rest to test on, each in the file's order.

    Pairs are ranked by the seeded hash of their sentences, so the split does not depend on their order, and
    copies of a pair are beside each other. The scores play no part. InputError for fewer than 50 pairs.
    """
    year = None if dataset.year is None else str(dataset.year)
    if dataset.unavailable is not None:
        return SupervisedTask(dataset.name, year, absent=dataset.unavailable)
    n = len(dataset.gold)
    if n < MIN_PAIRS:
        raise InputError(f"{dataset.name} has {n} pairs with a score: expected at least {MIN_PAIRS} to split")
    hashes = [
        xxhash.xxh3_64_intdigest(f"{left}\t{right}".encode(), seed=seed)
        for left, right in zip(dataset.left, dataset.right, strict=True)
    ]
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(np.array(hashes, dtype=np.uint64), kind="stable")] = np.arange(n)
    ends = (0, round(TRAIN * n), round((TRAIN + DEV) * n), n)
    parts = tuple(
        dataset.subset(name, [low <= place < high for place in rank.tolist()])
        for name, low, high in zip(("train", "dev", "test"), ends[:-1], ends[1:], strict=True)
    )
    return SupervisedTask(dataset.name, year, parts)


def _check(task: SupervisedTask) -> None:
    """InputError for a score outside the levels."""
    for part in task.parts:
        for score, left in zip(part.gold, part.left, strict=True):
            if not task.levels[0] <= score <= task.levels[1]:
                low, high = task.levels
                raise InputError(
                    f"{part.name}: expected scores from {low} to {high}, got {score:g} for {left[:60]!r}"
                )


@dataclass(frozen=True, eq=False)
class _Result:
    """points: the predicted scores and the gold ones, (test pairs,) each; None if there is no correlation."""

    task: SupervisedTask
    row: Row
    points: tuple[np.ndarray, np.ndarray] | None = None
    resampled: np.ndarray = field(default_factory=lambda: np.empty(0))


def _result(task: SupervisedTask, parts: Sequence[Pairs], seed: int) -> _Result:
    names: dict[str, Value] = {"year": task.year, "dataset": task.name}
    if task.absent:
        return _Result(task, _filled(names, task.absent))
    train, dev, test = parts
    levels = np.arange(task.levels[0], task.levels[1] + 1)
    found = predict(train, dev, test, levels, seed)
    r = pearson(found.scores, test.gold)
    samples = resampled_pearson(found.scores, test.gold)
    interval = estimate(r, samples)
    values: dict[str, Value] = {
        "train": len(train.gold),
        "dev": len(dev.gold),
        "test": len(test.gold),
        "penalty": found.penalty,
        "epochs": found.epochs,
        "dev_pearson": _percent(found.dev),
        "pearson": _percent(r),
        "low": _percent(interval.low),
        "high": _percent(interval.high),
        "spearman": _percent(spearman(found.scores, test.gold)),
        "mse": float(np.mean((found.scores - test.gold) ** 2)),
    }
    if r is None:
        return _Result(task, _filled(names | values, "no correlation: the scores are all alike"))
    return _Result(task, _filled(names | values), (found.scores, test.gold), 100 * samples)


def _means(results: Sequence[_Result]) -> list[tuple[Row, np.ndarray]]:
    """The unweighted mean of each year's sets, with its resamples, unless one has no correlation."""
    means = []
    for year in dict.fromkeys(result.task.year for result in results):
        sets = [result for result in results if result.task.year == year]
        if year is None or len(sets) < 2 or not all(result.points for result in sets):
            continue
        samples = np.mean([result.resampled for result in sets], axis=0)
        averaged = {
            name: float(np.mean([result.row.values[name] for result in sets]))
            for name in ("pearson", "spearman", "mse")
        }
        interval = estimate(averaged["pearson"], samples)
        counts = {"test": sum(len(result.points[1]) for result in sets if result.points)}
        ends = {"low": interval.low, "high": interval.high}
        names = {"year": year, "dataset": f"mean of {len(sets)}"}
        means.append((_filled({**names, **counts, **averaged, **ends}), samples))
    return means


def _pairs(vectors: np.ndarray, rows: Mapping[str, int], part: StsDataset) -> Pairs:
    """The pairs of a part. rows: the row of `vectors` that belongs to a sentence."""
    left, right = (vectors[[rows[text] for text in side]] for side in (part.left, part.right))
    return Pairs(left, right, np.array(part.gold, dtype=np.float64))


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _filled(values: Mapping[str, Value], note: str = "") -> Row:
    return Row({column.name: values.get(column.name) for column in _COLUMNS}, note)
