"""SentEval's transfer tasks: how well a logistic regression on sentence vectors does other tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...base.bounds import Seed
from ...base.errors import InputError
from ...base.paths import FilePath
from ..encoders.chosen_on import chosen_note, pairs_chosen_on
from ..encoders.encodes import Encodes
from ..sts.correlation import comparable, pearson, spearman
from .bootstrap import Estimate, estimate, resampled_pearson
from .evaluation import Evaluation
from .logistic import fit, probabilities
from .table import Column, Row, Table, Value
from .transfer_data import Item, TransferTask, read_transfer

FOLDS = 10
STRENGTHS = tuple(2.0**power for power in range(-2, 4))
FOLDS_STRENGTHS = tuple(2.0**power for power in range(-1, 6))  # TREC and MRPC
Optimiser = Literal["lbfgs", "adam"]
MEAN_OF = ("MR", "CR", "SUBJ", "MPQA", "SST-2", "TREC", "MRPC")
AVERAGED = (*MEAN_OF, "SICK-E")
"""The tasks of InferSent's averages of development accuracies."""

_Z = 1.959964  # of a 95 % interval
_COLUMNS = (
    Column(name="task", type="text", meaning="the transfer task"),
    Column(name="measure", type="text", meaning="what the result is"),
    Column(name="train", type="count", meaning="items to train and to choose on"),
    Column(name="test", type="count", meaning="items to test on"),
    Column(
        name="dev", type="number", meaning="the result on the items on which the regularisation is chosen"
    ),
    Column(name="result", type="number", meaning="accuracy in %, or Pearson's r times 100", maximum=100.0),
    Column(name="low", type="number", meaning="the lower end of the result's 95 % interval over the items"),
    Column(name="high", type="number", meaning="its upper end"),
    Column(name="f1", type="number", title="F1", meaning="F1 of the class 1 in %, for MRPC"),
    Column(name="spearman", type="number", title="Spearman", meaning="Spearman's ρ times 100"),
)


@dataclass(frozen=True, kw_only=True)
class Transfer(Evaluation):
    """Logistic regressions on fixed sentence vectors, by SentEval's protocol; docs/evaluation.md compares.

    `mean of 7` is the mean accuracy on MR, CR, SUBJ, MPQA, SST-2, TREC and MRPC, if all of them are there.
    `macro average` and `micro average` are of the accuracies on the development items of these and SICK-E:
    the plain mean, and the one in which each task counts by these items (InferSent, table 3).
    """

    kind: Literal["transfer"] = "transfer"
    data: FilePath
    """The folder of the data: files of MR, CR, SUBJ, MPQA, SST, TREC, MRPC, SICK or the STS Benchmark."""
    seed: Seed = 1111
    """Decides the folds of cross-validation, and Adam's batches. 1111 is SentEval's seed, but the folds are
    not its folds."""
    optimiser: Optimiser = "lbfgs"
    """How the regressions are fitted: `lbfgs` finds the exact minimum; `adam` has batches of 64 and stops
    early, as in InferSent, section 4."""

    version: ClassVar[int] = 3

    def evaluate(self, encoder: Encodes) -> Table:
        """A row for each task; without figures if it is absent from the data."""
        tasks = read_transfer(self.data)
        rows = [_row(encoder, task, self.seed, self.optimiser) for task in tasks]
        results = {str(row.values["task"]): row.values["result"] for row in rows}
        accuracies = [results[name] for name in MEAN_OF]
        values = [accuracy for accuracy in accuracies if isinstance(accuracy, float)]
        means: list[Row] = []
        if len(values) == len(MEAN_OF):
            means.append(
                _filled("mean of 7", {"measure": "accuracy", "result": float(np.mean(values)) / 100})
            )
        developed = [row for row in rows if isinstance(row.values["dev"], float)]
        if {str(row.values["task"]) for row in developed}.issuperset(AVERAGED):
            averages = development_averages(tasks, rows)
            means += [
                _filled(name, {"measure": "accuracy", "dev": dev / 100}) for name, dev in averages.items()
            ]
        return Table(
            caption="A logistic regression on the sentence vectors, on SentEval's transfer tasks.",
            columns=_COLUMNS,
            main="result",
            rows=rows,
            averages=tuple(means),
        )


def development_averages(tasks: Sequence[TransferTask], rows: Sequence[Row]) -> dict[str, float]:
    """InferSent's averages of the development accuracies (in %) of those of its tasks that are there."""
    found = [
        (row.values["dev"], len(task.dev or task.train))
        for task, row in zip(tasks, rows, strict=True)
        if task.name in AVERAGED
    ]
    accuracies = [dev for dev, _ in found if isinstance(dev, float)]
    weights = [items for dev, items in found if isinstance(dev, float)]
    if not accuracies:
        return {}
    micro = float(np.average(accuracies, weights=weights))
    return {"macro average": float(np.mean(accuracies)), "micro average": micro}


@dataclass(frozen=True)
class TaskPart:
    """The features (items, dimension) of a part of a task, and the class or the score of each item."""

    features: np.ndarray
    labels: np.ndarray


def nested_accuracy(
    part: TaskPart, classes: int, seed: int, optimiser: Optimiser = "lbfgs"
) -> tuple[float, np.ndarray]:
    """Nested cross-validation: accuracy on the inner folds at the best strength, and each item's class.

    Ten stratified folds are the test items in turn. Ten stratified folds of the other items choose the
    strength of the regularisation with which these are then trained on.
    """
    random = np.random.default_rng(seed)
    outer = stratified_folds(part.labels, random)
    train = outer[:, None] != np.arange(FOLDS)
    inner = np.full(train.shape, -1)
    for fold in range(FOLDS):
        inner[train[:, fold], fold] = stratified_folds(part.labels[train[:, fold]], random)
    dev = inner[:, :, None] == np.arange(FOLDS)
    chosen = (train[:, :, None] & ~dev).reshape(len(train), -1)
    regressions = _Regressions(optimiser, STRENGTHS, seed)
    accuracies = _accuracies(part, classes, chosen, dev.reshape(len(train), -1), regressions)
    by_outer = accuracies.reshape(-1, FOLDS, FOLDS).mean(axis=2)
    predicted = np.zeros(len(train), dtype=np.int64)
    for index in np.unique(best := by_outer.argmax(axis=0)):
        folds = np.flatnonzero(best == index)
        targets = np.eye(classes)[part.labels]
        weights = regressions.fit(part, targets, train[:, folds], regressions.strengths[index])
        answers = probabilities(part.features, weights).argmax(axis=2)
        for column, rows in enumerate((outer[:, None] == folds).T):
            predicted[rows] = answers[rows, column]
    return float(by_outer.max(axis=0).mean()), predicted


def folds_accuracy(
    train: TaskPart, test: TaskPart, classes: int, seed: int, optimiser: Optimiser = "lbfgs"
) -> tuple[float, np.ndarray]:
    """Ten stratified folds of the train items choose the strength; the class of each test item follows."""
    folds = stratified_folds(train.labels, np.random.default_rng(seed))
    dev = folds[:, None] == np.arange(FOLDS)
    regressions = _Regressions(optimiser, FOLDS_STRENGTHS, seed)
    accuracies = _accuracies(train, classes, ~dev, dev, regressions).mean(axis=1)
    best = regressions.strengths[accuracies.argmax()]
    weights = regressions.fit(train, np.eye(classes)[train.labels], _all(train), best)
    return float(accuracies.max()), probabilities(test.features, weights)[:, 0].argmax(axis=1)


def split_accuracy(
    train: TaskPart,
    dev: TaskPart,
    test: TaskPart,
    classes: int,
    seed: int = 1,
    optimiser: Optimiser = "lbfgs",
) -> tuple[float, np.ndarray]:
    """The dev items choose the strength; the class of each test item follows."""
    best, answers, weights = -1.0, np.empty(0), None
    regressions, targets = _Regressions(optimiser, STRENGTHS, seed), np.eye(classes)[train.labels]
    for strength in regressions.strengths:
        weights = regressions.fit(train, targets, _all(train), strength, weights)
        accuracy = float((probabilities(dev.features, weights)[:, 0].argmax(axis=1) == dev.labels).mean())
        if accuracy > best:
            best, answers = accuracy, probabilities(test.features, weights)[:, 0].argmax(axis=1)
    return best, answers


def split_scores(
    train: TaskPart,
    dev: TaskPart,
    test: TaskPart,
    scores: tuple[int, int],
    seed: int = 1,
    optimiser: Optimiser = "lbfgs",
) -> tuple[float | None, np.ndarray]:
    """The dev items choose the strength by Pearson's r; the predicted score of each test item follows.

    If there is no correlation with any strength, r is None and the strength the first. A score between two
    whole ones is a share of each (Tai et al. 2015), which the classes of a logistic regression are fitted to.
    The predicted score is the expected one.
    """
    levels = np.arange(scores[0], scores[1] + 1)
    targets = np.clip(1 - np.abs(train.labels[:, None] - levels), 0, 1)
    best: float | None = None
    answers, weights = None, None
    regressions = _Regressions(optimiser, STRENGTHS, seed)
    for strength in regressions.strengths:
        weights = regressions.fit(train, targets, _all(train), strength, weights)
        r = pearson(probabilities(dev.features, weights)[:, 0] @ levels, dev.labels)
        if answers is None or comparable(r) > comparable(best):
            best, answers = r, probabilities(test.features, weights)[:, 0] @ levels
    assert answers is not None, "there are strengths"
    return best, answers


def stratified_folds(labels: np.ndarray, random: "np.random.Generator") -> np.ndarray:
    """A fold of each item, 0 to 9: equally large ones, in which each class has its share."""
    folds = np.empty(len(labels), dtype=np.int64)
    order = np.concatenate(
        [random.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    )
    folds[order] = np.arange(len(order)) % FOLDS
    return folds


class _Regressions:
    """How regressions are fitted, and the strengths of the regularisation to choose from.

    lbfgs_strengths: those of `logistic.fit`; Adam's are weights of the penalty, as of `fit_by_adam`.
    """

    def __init__(self, optimiser: Optimiser, lbfgs_strengths: Sequence[float], seed: int) -> None:
        self._by_adam, self._seed, self.strengths = optimiser == "adam", seed, lbfgs_strengths
        if self._by_adam:
            from .logistic_adam import PENALTIES  # imports torch, which planning does without

            self.strengths = PENALTIES

    def fit(
        self,
        part: TaskPart,
        targets: np.ndarray,
        chosen: np.ndarray,
        strength: float,
        start: np.ndarray | None = None,
    ) -> np.ndarray:
        """The weights (problems, classes, dimension + 1). start: weights that save time, for `lbfgs`."""
        if not self._by_adam:
            return fit(part.features, targets, chosen, strength, start)
        from .logistic_adam import fit_by_adam

        return fit_by_adam(part.features, targets, chosen, strength, self._seed)


def _accuracies(
    part: TaskPart, classes: int, chosen: np.ndarray, dev: np.ndarray, regressions: _Regressions
) -> np.ndarray:
    """The accuracy (strengths, problems) on each problem's dev items, trained on its chosen ones."""
    targets, weights, rows = np.eye(classes)[part.labels], None, []
    for strength in regressions.strengths:
        weights = regressions.fit(part, targets, chosen, strength, weights)
        right = probabilities(part.features, weights).argmax(axis=2) == part.labels[:, None]
        rows.append((right & dev).sum(axis=0) / dev.sum(axis=0))
    return np.array(rows)


def _all(part: TaskPart) -> np.ndarray:
    return np.ones((len(part.labels), 1), dtype=bool)


def _row(encoder: Encodes, task: TransferTask, seed: int, optimiser: Optimiser) -> Row:
    if task.absent:
        return _filled(task.name, {}, task.absent)
    if task.scheme != "split" and len(task.train) < 2 * FOLDS:
        raise InputError(
            f"{task.name} has {len(task.train)} items to train on: expected at least {2 * FOLDS}"
        )
    labels = sorted({str(label) for _, label in task.train})
    if not task.scores and len(labels) < 2:
        raise InputError(f"{task.name}: expected items of several classes to train on, got only {labels[0]}")
    parts = [
        _part(encoder, items, None if task.scores else labels) for items in (task.train, task.dev, task.test)
    ]
    train, dev, test = parts
    sizes: dict[str, Value] = {"train": len(task.train), "test": len(task.test) or len(task.train)}
    if task.scores:
        r_dev, answers = split_scores(train, dev, test, task.scores, seed, optimiser)
        r, rho = pearson(answers, test.labels), spearman(answers, test.labels)
        interval = estimate(r, resampled_pearson(answers, test.labels))
        extra: dict[str, Value] = {"measure": "Pearson's r", "dev": r_dev, "spearman": rho}
        note = "no correlation: scores are all alike" if r is None else _chosen(encoder, task)
        return _filled(task.name, {**sizes, **extra, **_ends(interval)}, note)
    if task.scheme == "nested":
        best, answers = nested_accuracy(train, len(labels), seed, optimiser)
        test = train
    elif task.scheme == "folds":
        best, answers = folds_accuracy(train, test, len(labels), seed, optimiser)
    else:
        best, answers = split_accuracy(train, dev, test, len(labels), seed, optimiser)
    f1 = _f1(answers == 1, test.labels == 1) if task.name == "MRPC" else None
    interval = _wilson(int((answers == test.labels).sum()), len(answers))
    extra = {"measure": "accuracy", "dev": best, "f1": f1}
    return _filled(task.name, {**sizes, **extra, **_ends(interval)}, _chosen(encoder, task))


def _chosen(encoder: Encodes, task: TransferTask) -> str:
    """A note if the encoder was chosen on test pairs of the task."""
    pairs = [sentences for sentences, _ in task.test if len(sentences) == 2]
    if not pairs:
        return ""
    left, right = zip(*pairs, strict=True)
    return chosen_note(pairs_chosen_on(encoder, left, right), len(pairs))


def _part(encoder: Encodes, items: Sequence[Item], classes: Sequence[str] | None) -> TaskPart:
    """The features and the labels as numbers.

    Of one sentence its vector; of two sentences u and v, where there are classes, u, v, |u − v| and u · v, as
    for natural language inference (InferSent, section 4), and for scores |u − v| and u · v (Tai et al. 2015).
    """
    if not items:
        return TaskPart(np.empty((0, 0)), np.empty(0))
    sides = [encoder.encode(list(side)) for side in zip(*(sentences for sentences, _ in items), strict=True)]
    if len(sides) == 2:
        matched = [np.abs(sides[0] - sides[1]), sides[0] * sides[1]]
        sides = matched if classes is None else [*sides, *matched]
    labels = [label if classes is None else classes.index(str(label)) for _, label in items]
    return TaskPart(np.hstack(sides), np.array(labels))


def _f1(predicted: np.ndarray, gold: np.ndarray) -> float:
    both = int((predicted & gold).sum())
    return 2 * both / max(1, int(predicted.sum()) + int(gold.sum()))


def _wilson(right: int, n: int) -> Estimate:
    """Wilson's 95 % interval of a share."""
    share, z = right / n, _Z**2 / n
    middle, half = (share + z / 2) / (1 + z), (z * share * (1 - share) + z**2 / 4) ** 0.5 / (1 + z)
    return Estimate(share, middle - half, middle + half)


def _ends(interval: Estimate) -> dict[str, Value]:
    return {"result": interval.value, "low": interval.low, "high": interval.high}


def _filled(task: str, values: Mapping[str, Value], note: str = "") -> Row:
    """A row; shares and correlations become numbers out of 100."""
    row = {column.name: values.get(column.name) for column in _COLUMNS}
    percent = {name: 100 * value for name, value in row.items() if isinstance(value, float)}
    return Row({**row, **percent, "task": task}, note)
