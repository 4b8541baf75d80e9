"""Supervised relatedness: how well a network trained on sentence vectors predicts people's scores."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import xxhash

from ...base.bounds import Count, NotNegative, Positive, Seed, Share
from ...base.errors import InputError, RecipeError
from ...base.paths import FilePath
from ..encoders.chosen_on import chosen_note, pairs_chosen_on
from ..encoders.encodes import Encodes
from ..sts.correlation import pearson, spearman
from ..sts.sts_data import StsDataset, read_sts, scores_of
from ..training.head_options import RelatednessOptions
from .bootstrap import estimate, resampled_pearson
from .evaluation import Evaluation, Measured
from .fine_tuned import trainable, tuned_scores
from .table import Column, Row, Table, Value

if TYPE_CHECKING:
    from ..encoders.sentence_encoder import SentenceEncoder
    from .relatedness import EncodedPairs

TRAIN, DEV = 0.4, 0.1  # the shares of a dataset that has no parts of its own; the rest is for the test
MIN_PAIRS = 50

# The train, dev and test parts of the datasets that have them, by the names of `read_sts`.
_FIXED = {"SICK": ("SICK-train", "SICK-trial", "SICK"), "STSB": ("STSB-train", "STSB-dev", "STSB-test")}
_BENCHMARK_PARTS = ("STSB captions", "STSB non-captions")
_LEVELS = {"SICK": (1, 5)}
_STS_LEVELS = (0, 5)
_OF_FINE_TUNING = ("lambda_words", "lambda_encoder", "epochs", "batch", "learning_rate", "scramble")
_PENALTIES = {"random": ((0.0, 1e-5), (0.0,)), "universal": ((1e-5, 1e-3, 1e-1), (1e-6, 1e-4, 1e-2))}
_CAPTIONS = {
    "fixed": "Correlation of the scores that a network (Tai et al. 2015) on the sentence vectors was "
    "trained to predict with {scores}, times 100.",
    "random": "Correlation of the scores that an encoder of this type, trained from a random start together "
    "with a network (Tai et al. 2015), predicts with {scores}, times 100.",
    "universal": "Correlation of the scores that the encoder, trained further together with a network (Tai "
    "et al. 2015), predicts with {scores}, times 100.",
}
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
    Column(
        name="lambda_words",
        type="number",
        title="λ words",
        meaning="the chosen weight of the distance of the embeddings from their start",
        digits=8,
    ),
    Column(
        name="lambda_encoder",
        type="number",
        title="λ encoder",
        meaning="that of the encoder's other parameters: of their distance, or from random of their size",
        digits=8,
    ),
    Column(name="epochs", type="count", meaning="the chosen number of epochs"),
    Column(name="dev_pearson", type="number", title="dev Pearson", meaning="Pearson's r on dev, times 100"),
)


@dataclass(frozen=True, kw_only=True)
class Supervised(Evaluation):
    """The relatedness of two sentences, predicted from their vectors as by Tai et al. 2015.

    SICK and the STS Benchmark have train, dev and test parts. Every other test set is split into 40 % to
    train on, 10 % to choose on and 50 % to test on. The Benchmark's captions, and its other pairs, are also
    trained, chosen and tested on alone under the setting `fixed` (ParaNMT, table 12). docs/evaluation.md has
    the definitions.
    """

    kind: Literal["supervised"] = "supervised"
    data: FilePath
    """The folder of the data: files of SICK, of SemEval's STS tasks or of the STS Benchmark."""
    seed: Seed = 1
    """Decides the split of the sets without parts, the first weights, and the order of the train pairs."""
    setting: Literal["fixed", "random", "universal"] = "fixed"
    """What is trained: a network on the `fixed` vectors alone, or the encoder too, which starts at `random`
    or from its own parameters, with a penalty on the distance from them (`universal`)."""
    vectors: FilePath | None = None
    """For `random`: a file of word vectors to start from, as in the papers; by default they are random."""
    lambda_words: tuple[NotNegative, ...] | None = None
    """The weights of ‖W − W_start‖² over the embeddings to choose from on dev; by default [0, 1e-5] for
    `random`, as in the paper, and [1e-5, 1e-3, 1e-1] for `universal`."""
    lambda_encoder: tuple[NotNegative, ...] | None = None
    """The same for the encoder's other parameters: by default [0] for `random`, for which it is their size
    that counts, and [1e-6, 1e-4, 1e-2] for `universal` if the encoder has any."""
    epochs: Count = 10
    """The most epochs of fine-tuning; the best one on dev is taken."""
    batch: Count = 25
    """Pairs in a mini-batch of fine-tuning."""
    learning_rate: Positive = 1e-3
    """Adam's learning rate in fine-tuning."""
    scramble: Share = 0.0
    """The share of train pairs whose words are shuffled in fine-tuning, drawn again each time."""

    version: ClassVar[int] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("lambda_words", "lambda_encoder"):
            if getattr(self, name) == ():
                raise RecipeError(f"{name} must be a list of weights, not an empty one")
        for option in fields(self):
            if self.setting == "fixed" and option.name in _OF_FINE_TUNING:
                if getattr(self, option.name) != option.default:
                    raise RecipeError(
                        f"{option.name} is for encoders that are trained: set setting to random or universal"
                    )
        if self.vectors is not None and self.setting != "random":
            raise RecipeError("vectors are for the setting random: set setting to random, or leave them out")

    def evaluate(self, encoder: Encodes) -> Table:
        """A row for each test set; without figures if a part of it is absent from the data."""
        return self.measure(encoder).table

    def measure(self, encoder: Encodes) -> Measured:
        """The table with the predicted scores, the scores that people gave, and resamples of Pearson's r."""
        tasks = read_tasks(self.data, self.seed)
        if self.setting == "fixed":
            tasks = [part for task in tasks for part in (task, *_benchmark_parts(task))]
        results = self._fixed(encoder, tasks) if self.setting == "fixed" else self._tuned(encoder, tasks)
        if self.setting != "random":  # which has nothing of the encoder's weights
            results = [_noted(encoder, result) for result in results]
        means = _means([result for result in results if not result.task.absent])
        left_out = ("lambda_words", "lambda_encoder") if self.setting == "fixed" else ("penalty",)
        columns = [column for column in _COLUMNS if column.name not in left_out]
        table = Table(
            caption=_CAPTIONS[self.setting].format(scores=scores_of(self.data)),
            columns=columns,
            main="pearson",
            group="year",
            rows=[_cut(result.row, columns) for result in results],
            averages=[_cut(row, columns) for row, _ in means],
        )
        resampled = [(result.row, result.resampled) for result in results if result.points] + means
        return Measured(
            table,
            {table.key(row): samples for row, samples in resampled},
            {table.key(result.row): result.points for result in results if result.points},
            {"": [table.key(result.row) for result in results if result.task.name not in _BENCHMARK_PARTS]},
        )

    def _fixed(self, encoder: Encodes, tasks: Sequence["SupervisedTask"]) -> list["_Result"]:
        from .relatedness import predict  # imports torch, which planning does without

        # Sets share sentences: each is encoded once.
        texts = (text for task in tasks for part in task.parts for text in (*part.left, *part.right))
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        vectors = encoder.encode(list(rows))
        results = []
        for task in tasks:
            if task.absent:
                results.append(_absent(task))
                continue
            train, dev, test = [_pairs(vectors, rows, part) for part in task.parts]
            found = predict(train, dev, test, np.arange(task.levels[0], task.levels[1] + 1), self.seed)
            choices: dict[str, Value] = {"penalty": found.penalty, "epochs": found.epochs}
            results.append(_result(task, found.scores, {**choices, "dev_pearson": _percent(found.dev)}))
        return results

    def _tuned(self, encoder: Encodes, tasks: Sequence["SupervisedTask"]) -> list["_Result"]:
        """The sets without parts of their own are trained on together, as in the paper."""
        own = trainable(encoder)
        shared = RelatednessOptions(
            examples=(),
            dev=(),
            seed=self.seed,
            vectors=self.vectors,
            epochs=self.epochs,
            batch=self.batch,
            learning_rate=self.learning_rate,
            scramble=self.scramble,
        )
        pools: dict[str, list[SupervisedTask]] = {}
        for task in tasks:
            if not task.absent:
                pools.setdefault(task.name if task.year is None and task.name in _FIXED else "", []).append(
                    task
                )
        results = {id(task): _absent(task) for task in tasks if task.absent}
        for pool in pools.values():
            train, dev, tests = ([task.parts[part] for task in pool] for part in range(3))
            options = replace(shared, levels=pool[0].levels)
            is_universal = self.setting == "universal"
            tuned = tuned_scores(own, train, dev, tests, options, self._weights(own), is_universal)
            choices: dict[str, Value] = {
                "lambda_words": tuned.lambda_words,
                "lambda_encoder": tuned.lambda_encoder,
                "epochs": tuned.epochs,
                "dev_pearson": _percent(tuned.dev),
            }
            for task, scores in zip(pool, tuned.scores, strict=True):
                results[id(task)] = _result(task, scores, choices)
        return [results[id(task)] for task in tasks]

    def _weights(self, encoder: "SentenceEncoder") -> list[tuple[float, float]]:
        """The λ to choose from, of the embeddings and of the rest, with the defaults of the setting."""
        words, others = _PENALTIES[self.setting]
        if all(name in encoder.encoder.tables for name, _ in encoder.encoder.named_parameters()):
            others = (0.0,)
        given = (self.lambda_words or words, self.lambda_encoder or others)
        return list(itertools.product(*given))


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
    tasks = tasks_of(read_sts(data), seed)
    if not tasks:
        raise InputError(
            f"{data} holds no test set to train for: expected files STS.input.NAME.txt and STS.gs.NAME.txt, "
            "SICK_train.txt, SICK_trial.txt and SICK_test_annotated.txt, or the STS Benchmark's three files"
        )
    return tasks


def tasks_of(datasets: Sequence[StsDataset], seed: int) -> list[SupervisedTask]:
    """The test sets among some datasets, as `read_tasks` gives those of a folder."""
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


def _benchmark_parts(task: SupervisedTask) -> list[SupervisedTask]:
    """The captions of the Benchmark and its other pairs, if each of its parts has both."""
    if task.name != "STSB" or task.absent:
        return []
    captions, others = zip(*(part.by_genre() for part in task.parts), strict=True)
    if not all(part.gold for part in (*captions, *others)):
        return []
    parts = zip(_BENCHMARK_PARTS, (captions, others), strict=True)
    return [replace(task, name=name, parts=part) for name, part in parts]


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


def _absent(task: SupervisedTask) -> _Result:
    return _Result(task, _filled({"year": task.year, "dataset": task.name}, task.absent))


def _result(task: SupervisedTask, scores: np.ndarray, choices: Mapping[str, Value]) -> _Result:
    """A row for the predicted scores of the test part."""
    train, dev, test = task.parts
    gold = np.array(test.gold, dtype=np.float64)
    r = pearson(scores, gold)
    samples = resampled_pearson(scores, gold)
    interval = estimate(r, samples)
    values: dict[str, Value] = {
        "year": task.year,
        "dataset": task.name,
        "train": len(train.gold),
        "dev": len(dev.gold),
        "test": len(test.gold),
        **choices,
        "pearson": _percent(r),
        "low": _percent(interval.low),
        "high": _percent(interval.high),
        "spearman": _percent(spearman(scores, gold)),
        "mse": float(np.mean((scores - gold) ** 2)),
    }
    if r is None:
        return _Result(task, _filled(values, "no correlation: the scores are all alike"))
    return _Result(task, _filled(values), (scores, gold), 100 * samples)


def _noted(encoder: Encodes, result: _Result) -> _Result:
    """The result with a note if the encoder was chosen on test pairs."""
    if result.points is None:
        return result
    test = result.task.parts[2]
    chosen = pairs_chosen_on(encoder, test.left, test.right)
    return replace(result, row=replace(result.row, note=chosen_note(chosen, len(test.gold))))


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
        chosen = [str(result.row.values["dataset"]) for result in sets if result.row.note]
        note = f"no test: the encoder was chosen on pairs of {', '.join(chosen)}" if chosen else ""
        means.append((_filled({**names, **counts, **averaged, **ends}, note), samples))
    return means


def _pairs(vectors: np.ndarray, rows: Mapping[str, int], part: StsDataset) -> "EncodedPairs":
    """The pairs of a part. rows: the row of `vectors` that belongs to a sentence."""
    from .relatedness import EncodedPairs

    left, right = (vectors[[rows[text] for text in side]] for side in (part.left, part.right))
    return EncodedPairs(left, right, np.array(part.gold, dtype=np.float64))


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _cut(row: Row, columns: Sequence[Column]) -> Row:
    return Row({column.name: row.values[column.name] for column in columns}, row.note)


def _filled(values: Mapping[str, Value], note: str = "") -> Row:
    return Row({column.name: values.get(column.name) for column in _COLUMNS}, note)
