from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import torch

from paranmt.base.errors import InputError
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation import logistic_adam, transfer
from paranmt.models.evaluation.logistic import fit, probabilities
from paranmt.models.evaluation.logistic_adam import Regressions, fit_by_adam
from paranmt.models.evaluation.transfer import TaskPart, Transfer
from paranmt.models.evaluation.transfer_data import TransferTask, read_transfer


class Letters:
    """Encodes a sentence as its counts of a, b and c."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([[text.count(letter) for letter in "abc"] for text in sentences], dtype=np.float32)


def blobs(n: int, classes: int, noise: float = 1.5, seed: int = 1) -> TaskPart:
    random = np.random.default_rng(seed)
    labels = random.integers(classes, size=n)
    return TaskPart(
        random.standard_normal((classes, 6))[labels] + noise * random.standard_normal((n, 6)), labels
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_the_fit_is_the_minimum(classes: int) -> None:
    """Against SciPy's minimiser on the objective as the docstring states it."""
    part, strength = blobs(60, classes), 0.5
    chosen = np.stack([np.arange(60) % 3 != 0, np.ones(60, dtype=bool)], axis=1)
    weights = fit(part.features, np.eye(classes)[part.labels], chosen, strength)
    free = 1 if classes == 2 else classes

    def objective(flat: np.ndarray, rows: np.ndarray) -> float:
        scores = part.features[rows] @ flat.reshape(free, 7)[:, :6].T + flat.reshape(free, 7)[:, 6]
        scores = np.concatenate([np.zeros((len(scores), classes - free)), scores], axis=1)
        right = scores[np.arange(len(scores)), part.labels[rows]]
        losses = np.log(np.exp(scores).sum(axis=1)) - right
        return float(strength * losses.sum() + 0.5 * (flat.reshape(free, 7)[:, :6] ** 2).sum())

    for problem in range(2):
        rows = np.flatnonzero(chosen[:, problem])
        ours = weights[problem, classes - free :].ravel()
        best = scipy.optimize.minimize(objective, np.zeros(free * 7), args=(rows,), options={"gtol": 1e-7})
        assert objective(ours, rows) == pytest.approx(best.fun, rel=1e-6)
        assert weights[problem][:, :6] == pytest.approx(
            np.concatenate([np.zeros((classes - free, 6)), best.x.reshape(free, 7)[:, :6]]), abs=2e-3
        )


def test_probabilities_and_a_start() -> None:
    part = blobs(80, 3)
    targets, everything = np.eye(3)[part.labels], np.ones((80, 1), dtype=bool)
    weights = fit(part.features, targets, everything, 1.0)
    found = probabilities(part.features, weights)
    assert found.shape == (80, 1, 3)
    assert found.sum(axis=2) == pytest.approx(1)
    # At the minimum the biases make the mean probability of a class its share.
    assert found[:, 0].mean(axis=0) == pytest.approx(targets.mean(axis=0), abs=1e-4)
    again = fit(part.features, targets, everything, 1.0, fit(part.features, targets, everything, 8.0))
    assert again == pytest.approx(weights, abs=1e-3)


def test_adams_loss_by_hand() -> None:
    """Two classes, two problems; with weights of 1 for class 1 the logits are 0 and x + 1."""
    features, targets = np.array([[1.0], [-1.0], [3.0]]), np.eye(2)[[1, 0, 0]]
    train = np.array([[True, True], [True, False], [False, False]])
    regressions = Regressions(features, targets, train, ~train, 0.1, np.random.default_rng(1))
    loss, penalised, _ = regressions.loss(np.arange(3), 0, 0)
    assert loss.item() == pytest.approx(2 * np.log(2)) and penalised.item() == pytest.approx(loss.item())
    held_out = regressions.quality()
    assert held_out == pytest.approx(-np.log(2), abs=5e-4)
    with torch.no_grad():
        regressions.updates.parameters["weights"][:, 1] = 1
    loss, penalised, _ = regressions.loss(np.arange(3), 0, 0)
    # Problem 0 has the mean of ln(1 + e⁻²) and ln 2, problem 1 the first alone; each has weights 1 and 1.
    first = np.log1p(np.exp(-2))
    assert loss.item() == pytest.approx((first + np.log(2)) / 2 + first)
    assert (penalised - loss).item() == pytest.approx(0.1 * 4)
    # ln(1 + e⁴), and the mean of that and ln 2: both are worse on what is held out, so the zeros stay.
    assert regressions.quality() == held_out and not regressions.best.any()


class Silent:
    def run(self) -> None:
        pass


@pytest.mark.parametrize(("problems", "batch"), [(1, 64), (2, 128)])
def test_adam_has_64_items_of_a_problem_in_a_batch(
    problems: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    courses = []
    monkeypatch.setattr(logistic_adam, "HeadLoop", lambda learner, course: courses.append(course) or Silent())
    part, chosen = blobs(400, 2), np.arange(400)[:, None] % problems == np.arange(problems)
    fit_by_adam(part.features, np.eye(2)[part.labels], chosen, 1e-4, seed=1)
    assert (courses[0].batch, courses[0].learning_rate, courses[0].patience) == (batch, 1e-3, 5)


def test_adam_comes_near_the_minimum() -> None:
    """Mean cross-entropy + λ‖w‖² of all problems, as at the minimum of `fit`: λ = 1 / (2 · C · items)."""
    part, penalty = blobs(600, 3), 5e-3
    targets, chosen = np.eye(3)[part.labels], np.arange(600)[:, None] % 3 != np.arange(3)
    exact = fit(part.features, targets, chosen, 1 / (2 * penalty * 400))
    ours = fit_by_adam(part.features, targets, chosen, penalty, seed=1)
    assert ours.shape == exact.shape and ours.dtype == np.float64
    difference = probabilities(part.features, ours) - probabilities(part.features, exact)
    assert np.abs(difference).mean() < 0.03
    again = fit_by_adam(part.features, targets, chosen, penalty, seed=1)
    assert np.array_equal(ours, again)


def test_folds_are_stratified() -> None:
    labels = np.array([0] * 25 + [1] * 75)
    folds = transfer.stratified_folds(labels, np.random.default_rng(1))
    assert np.bincount(folds).tolist() == [10] * 10
    ones = [int(labels[folds == fold].sum()) for fold in range(10)]
    assert set(ones) <= {7, 8}
    assert not np.array_equal(folds, transfer.stratified_folds(labels, np.random.default_rng(2)))


def test_a_score_between_two_is_a_share_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    targets: list[np.ndarray] = []
    real = transfer.fit
    monkeypatch.setattr(transfer, "fit", lambda x, y, *rest: targets.append(y) or real(x, y, *rest))
    part = TaskPart(np.arange(6.0)[:, None], np.array([1, 1.5, 3.6, 4, 5, 2]))
    best, answers = transfer.split_scores(part, part, part, (1, 5))
    assert targets[0].tolist() == [
        pytest.approx(row)
        for row in (
            [1, 0, 0, 0, 0],
            [0.5, 0.5, 0, 0, 0],
            [0, 0, 0.4, 0.6, 0],
            [0, 0, 0, 1, 0],
            [0, 0, 0, 0, 1],
            [0, 1, 0, 0, 0],
        )
    ]
    assert 0 < best <= 1 and ((answers >= 1) & (answers <= 5)).all()


def sklearn_model(strength: float) -> Any:
    linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
    return linear.LogisticRegression(C=strength, max_iter=2_000)


@pytest.mark.parametrize("classes", [2, 4])
def test_scikit_learn_agrees_on_the_same_folds(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "FOLDS", 5)
    monkeypatch.setattr(transfer, "STRENGTHS", (0.02, 0.5, 8.0))
    part = blobs(200, classes)
    dev, predicted = transfer.nested_accuracy(part, classes, 7)
    random = np.random.default_rng(7)
    outer = transfer.stratified_folds(part.labels, random)
    right, best_devs = 0, []
    for fold in range(transfer.FOLDS):
        x, y = part.features[outer != fold], part.labels[outer != fold]
        inner = transfer.stratified_folds(y, random)
        means = [
            np.mean(
                [
                    sklearn_model(c).fit(x[inner != k], y[inner != k]).score(x[inner == k], y[inner == k])
                    for k in range(transfer.FOLDS)
                ]
            )
            for c in transfer.STRENGTHS
        ]
        best_devs.append(max(means))
        model = sklearn_model(transfer.STRENGTHS[int(np.argmax(means))]).fit(x, y)
        right += int((model.predict(part.features[outer == fold]) == part.labels[outer == fold]).sum())
    assert (predicted == part.labels).mean() == pytest.approx(right / 200, abs=0.01)
    assert dev == pytest.approx(np.mean(best_devs), abs=0.01)


@pytest.mark.parametrize(
    ("name", "folder"),
    [("TREC", "senteval-transfer"), ("MRPC", "msrp"), ("SST-2 sentences", "senteval-transfer")],
)
def test_scikit_learn_agrees_on_real_sentences(
    shared: Path, name: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same protocol with its classifier: folds or the dev part choose the strength for the test part."""
    monkeypatch.setattr(transfer, "FOLDS", 3)
    monkeypatch.setattr(transfer, "STRENGTHS", (0.25, 8.0))
    monkeypatch.setattr(transfer, "FOLDS_STRENGTHS", (0.5, 8.0))
    encoder = SentenceEncoder.from_vectors(str(shared / "data/word-vectors/glove.6B.50d.top9163.txt.gz"))
    (task,) = [task for task in read_transfer(str(shared / "data" / folder)) if task.name == name]
    task = replace(task, train=task.train[:: max(1, len(task.train) // 2000)])  # scikit-learn is slow
    labels = sorted({str(label) for _, label in task.train})
    train, dev, test = (transfer._part(encoder, items, labels) for items in (task.train, task.dev, task.test))
    if task.scheme == "folds":
        best, predicted = transfer.folds_accuracy(train, test, len(labels), 7)
        folds = transfer.stratified_folds(train.labels, np.random.default_rng(7))
        splits, strengths = [folds == fold for fold in range(3)], transfer.FOLDS_STRENGTHS
        parts = [
            ((train.features[~dev], train.labels[~dev]), (train.features[dev], train.labels[dev]))
            for dev in splits
        ]
    else:
        best, predicted = transfer.split_accuracy(train, dev, test, len(labels))
        parts, strengths = [((train.features, train.labels), (dev.features, dev.labels))], transfer.STRENGTHS
    means = [
        np.mean([sklearn_model(c).fit(*fitted).score(*held) for fitted, held in parts]) for c in strengths
    ]
    theirs = sklearn_model(strengths[int(np.argmax(means))]).fit(train.features, train.labels)
    assert best == pytest.approx(max(means), abs=0.01)
    accuracy = (predicted == test.labels).mean()
    assert accuracy == pytest.approx(theirs.score(test.features, test.labels), abs=0.01)
    assert accuracy > np.bincount(test.labels).max() / len(test.labels), (
        "it learned more than the commonest class"
    )


def write(path: Path, lines: Sequence[str], encoding: str = "utf-8") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))


def tasks_of(folder: Path) -> dict[str, TransferTask]:
    return {task.name: task for task in read_transfer(str(folder))}


def test_files(tmp_path: Path) -> None:
    write(tmp_path / "raw/rt-polarity.pos", ["naïve , but… good", "", "a"], "cp1252")
    write(tmp_path / "raw/rt-polarity.neg", ["bad"])
    for part in ("train", "dev", "test"):
        write(tmp_path / f"SST/binary/sentiment-{part}", ["good film .\t1", "a \t 0"])
        write(tmp_path / f"SST/fine/sentiment-{part}", ["good film .\t4"])
        write(tmp_path / f"stsa.binary.{part}", ["0 2 films"])
    write(tmp_path / "TREC/train_5500.label", ["ENTY:cremat What is caf\xe9 ?"], "latin-1")
    write(tmp_path / "TREC/TREC_10.label", ["ENTY:cremat What ?"])
    head = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String"
    for part in ("train", "test"):
        write(tmp_path / f"msr_paraphrase_{part}.txt", [head, '1\t2\t3\tHe said "yes\tShe did\r'])
    for part in ("train", "trial", "test_annotated"):
        write(tmp_path / f"SICK_{part}.txt", ["pair_ID\tA\tB\ts\te", "1\ta\tb\t4.5\tNEUTRAL\r"])
    tasks = tasks_of(tmp_path)
    assert tasks["MR"].train == [
        (("naïve , but… good",), "positive"), (("a",), "positive"), (("bad",), "negative")
    ]  # fmt: skip
    assert tasks["SST-2"].dev == [(("good film .",), "1"), (("a",), "0")]
    assert tasks["SST-5"].dev == [(("good film .",), "4")]
    assert tasks["SST-2 sentences"].test == [(("2 films",), "0")]
    assert tasks["TREC"].train == [(("What is café ?",), "ENTY")]
    assert tasks["MRPC"].test == [(('He said "yes', "She did"), "1")]
    assert tasks["SICK-E"].train == [(("a", "b"), "NEUTRAL")]
    assert tasks["SICK-R"].train == [(("a", "b"), 4.5)]
    assert {name: task.absent for name, task in tasks.items() if task.absent} == {
        "CR": "absent", "SUBJ": "absent", "MPQA": "absent", "STS-B": "absent"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "TREC.test").unlink(), "holds no transfer task"),
        (lambda folder: write(folder / "TREC.train.txt", ["A:b c"]), "are the same data: keep one"),
        (lambda folder: write(folder / "TREC.train", ["A b c"]), "expected CLASS:subclass and a question"),
        (lambda folder: write(folder / "TREC.train", []), r"TREC\.train has no items of TREC"),
        (lambda folder: write(folder / "TREC.test", [" "]), r"TREC\.test has no items of TREC"),
        (lambda folder: write(folder / "TREC.test", ["Z:b c"]), "TREC: no item to train on has the class Z"),
    ],
)
def test_wrong_files(tmp_path: Path, change: Callable[[Path], None], message: str) -> None:
    write(tmp_path / "TREC.train", ["A:b c", "B:b c"])
    write(tmp_path / "TREC.test", ["A:b c"])
    assert not tasks_of(tmp_path)["TREC"].absent
    change(tmp_path)
    with pytest.raises(InputError, match=message):
        read_transfer(str(tmp_path))


def test_a_task_with_half_of_its_files(tmp_path: Path) -> None:
    write(tmp_path / "custrev.pos", ["a"])
    write(tmp_path / "TREC.train", ["A:b c"])
    write(tmp_path / "TREC.test", ["A:b c"])
    assert tasks_of(tmp_path)["CR"].absent == "absent: there is no negative file"


def test_the_table(tmp_path: Path) -> None:
    """Sentences of a against sentences of b: all right, by letters."""
    random = np.random.default_rng(1)
    for name, letter in (("pos", "a"), ("neg", "b")):
        write(tmp_path / f"custrev.{name}", [letter * n for n in random.integers(1, 9, size=40)])
    table = Transfer(data=str(tmp_path)).evaluate(Letters())
    rows = {row.values["task"]: row for row in table.rows}
    assert {row.note for name, row in rows.items() if name != "CR"} == {"absent"}
    cr = rows["CR"].values
    assert (cr["measure"], cr["train"], cr["test"], cr["dev"], cr["result"]) == (
        "accuracy", 80, 80, 100.0, 100.0
    )  # fmt: skip
    # Wilson's interval of 80 of 80: 1 / (1 + 1.96² / 80).
    assert (cr["low"], cr["high"]) == (pytest.approx(95.42, abs=0.01), pytest.approx(100))
    assert table.averages == ()
    again = Transfer(data=str(tmp_path)).evaluate(Letters())
    assert again.to_json() == table.to_json()


def test_averages_of_the_development_accuracies(monkeypatch: pytest.MonkeyPatch) -> None:
    """InferSent, table 3: by tasks, and by their development items (all items where there are folds)."""
    item = (("a",), "x")
    sizes = {"MR": 40, "CR": 20, "SUBJ": 40, "MPQA": 60, "TREC": 30, "MRPC": 10}
    tasks = [TransferTask(name, "nested", [item] * size) for name, size in sizes.items()]
    tasks += [TransferTask(name, "split", [item] * 70, [item] * 5, [item]) for name in ("SST-2", "SICK-E")]
    dev = {task.name: 50.0 + place for place, task in enumerate(tasks)}
    rows = {task.name: transfer._filled(task.name, {"dev": dev[task.name] / 100}) for task in tasks}
    monkeypatch.setattr(transfer, "read_transfer", lambda data: tasks)
    monkeypatch.setattr(transfer, "_row", lambda encoder, task, *others: rows[task.name])
    averages = {
        row.values["task"]: row.values["dev"] for row in Transfer(data="a").evaluate(Letters()).averages
    }
    weights = [*sizes.values(), 5, 5]
    assert averages["macro average"] == pytest.approx(np.mean([*dev.values()]))
    assert averages["micro average"] == pytest.approx(np.average([*dev.values()], weights=weights))
    rows["MR"] = transfer._filled("MR", {}, "absent")
    assert Transfer(data="a").evaluate(Letters()).averages == ()


def test_pairs_with_classes_have_four_features_and_those_with_scores_two() -> None:
    items = [(("aab", "abbb"), "x"), (("c", "a"), "y")]
    classes = transfer._part(Letters(), items, ["x", "y"])
    assert classes.features.tolist() == [
        [2, 1, 0, 1, 3, 0, 1, 2, 0, 2, 3, 0],
        [0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0],
    ]
    assert classes.labels.tolist() == [0, 1]
    scores = transfer._part(Letters(), [(("aab", "abbb"), 2.5)], None)
    assert (scores.features.tolist(), scores.labels.tolist()) == ([[1, 2, 0, 2, 3, 0]], [2.5])


def test_every_scheme_by_adam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every task of the papers: sentences of a against sentences of b; for scores, the more a the higher.

    TREC has three subclasses of each class; MRPC's pairs with two sentences of a are paraphrases.
    """
    monkeypatch.setattr(logistic_adam, "EPOCHS", 5)
    classes = {"rt-polarity": ("pos", "neg"), "custrev": ("pos", "neg"), "mpqa": ("pos", "neg")}
    for name, endings in {**classes, "subj": ("subjective", "objective")}.items():
        for ending, letter in zip(endings, "ab", strict=True):
            write(tmp_path / f"{name}.{ending}", [letter * n for n in range(1, 41)])
    for part in ("train", "test"):
        questions = [f"{'AB'[n % 2]}:{'xyz'[n % 3]} {'ab'[n % 2] * n}" for n in range(1, 41)]
        write(tmp_path / f"TREC.{part}", questions)
        pairs = [f"{n % 2}\t1\t2\t{'a' * n}\t{'ba'[n % 2] * n}" for n in range(1, 41)]
        write(tmp_path / f"msr_paraphrase_{part}.txt", ["Quality\t1\t2\tA\tB", *pairs])
    for part in ("train", "dev", "test"):
        write(tmp_path / f"sentiment-{part}", [f"{'ab'[n % 2] * n}\t{n % 2}" for n in range(1, 41)])
    for part in ("train", "trial", "test_annotated"):
        rows = [f"{n}\t{'a' * (n % 5)}\ta\t{1 + n % 5}\t{'NY'[n % 5 > 0]}" for n in range(40)]
        write(tmp_path / f"SICK_{part}.txt", ["pair_ID\tA\tB\ts\te", *rows])
    table = Transfer(data=str(tmp_path), optimiser="adam").evaluate(Letters())
    results = {row.values["task"]: row.values["result"] for row in table.rows if not row.note}
    certain = ["MR", "CR", "SUBJ", "MPQA", "SST-2", "TREC"]
    assert list(results) == [*certain, "MRPC", "SICK-E", "SICK-R"]
    assert [results[name] for name in certain] == [100] * len(certain)
    assert results["MRPC"] > 90 and results["SICK-R"] > 90


def test_too_few_items_for_folds(tmp_path: Path) -> None:
    for name in ("pos", "neg"):
        write(tmp_path / f"custrev.{name}", ["a"] * 9)
    with pytest.raises(InputError, match="CR has 18 items to train on: expected at least 20"):
        Transfer(data=str(tmp_path)).evaluate(Letters())


def test_a_file_of_one_class_is_empty(tmp_path: Path) -> None:
    write(tmp_path / "rt-polarity.pos", ["a"] * 20)
    write(tmp_path / "rt-polarity.neg", [])
    with pytest.raises(InputError, match=r"rt-polarity\.neg has no items of MR"):
        read_transfer(str(tmp_path))


def test_all_items_have_one_class(tmp_path: Path) -> None:
    for part in ("train", "dev", "test"):
        write(tmp_path / f"stsa.binary.{part}", ["1 a", "1 b"])
    with pytest.raises(InputError, match="SST-2 sentences: expected items of several classes .* got only 1"):
        Transfer(data=str(tmp_path)).evaluate(Letters())


def test_scores_without_a_correlation(tmp_path: Path) -> None:
    for part in ("train", "dev", "test"):
        write(tmp_path / f"sts-{part}.csv", [f"g\tf\ty\t{n}\t2.0\ta\tb" for n in range(3)])
    (row,) = [
        row for row in Transfer(data=str(tmp_path)).evaluate(Letters()).rows if not row.note == "absent"
    ]
    assert [row.values[name] for name in ("result", "low", "high", "dev", "spearman")] == [None] * 5
    assert row.note == "no correlation: scores are all alike"


def test_f1() -> None:
    """Two of three found are right, two of four are found: 2 · 2 / (3 + 4)."""
    predicted, gold = np.array([1, 1, 1, 0, 0, 0]) == 1, np.array([1, 1, 0, 1, 1, 0]) == 1
    assert transfer._f1(predicted, gold) == pytest.approx(4 / 7)
