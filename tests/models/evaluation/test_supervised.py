from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
import torch

from paranmt.base.errors import InputError, RecipeError
from paranmt.models.evaluation import relatedness
from paranmt.models.evaluation.relatedness import EncodedPairs, Networks, predict
from paranmt.models.evaluation.supervised import Supervised, read_tasks, split
from paranmt.models.sts.sts_data import StsDataset
from paranmt.models.training.heads import sparse_targets

SICK, STS = np.arange(1, 6), np.arange(0, 6)


@pytest.mark.parametrize(
    ("gold", "levels", "target"),
    [
        (3.6, SICK, [0, 0, 0.4, 0.6, 0]),
        (1.0, SICK, [1, 0, 0, 0, 0]),
        (5.0, SICK, [0, 0, 0, 0, 1]),
        (4.25, SICK, [0, 0, 0, 0.75, 0.25]),
        (3.6, STS, [0, 0, 0, 0.4, 0.6, 0]),
        (0.0, STS, [1, 0, 0, 0, 0, 0]),
        (0.2, STS, [0.8, 0.2, 0, 0, 0, 0]),
    ],
)
def test_sparse_targets(gold: float, levels: np.ndarray, target: list[float]) -> None:
    (row,) = sparse_targets(np.array([gold]), levels)
    assert row == pytest.approx(target)
    assert row @ levels == pytest.approx(gold)


def started(features: torch.Tensor, targets: torch.Tensor, levels: np.ndarray, seed: int) -> Networks:
    """Networks before their training, which dev pairs are not needed for."""
    return Networks(features, targets, features, np.zeros(len(features)), levels, seed)


def test_the_loss_of_equal_probabilities() -> None:
    """KL((0, 0, 0.4, 0.6, 0) ‖ uniform) = 0.4 ln 0.4 + 0.6 ln 0.6 + ln 5; and ln 5 for a whole score."""
    targets = torch.tensor([[0, 0, 0.4, 0.6, 0], [0, 1, 0, 0, 0]], dtype=torch.float64)
    networks = started(torch.ones(2, 2, dtype=torch.float64), targets, SICK, 1)
    for numbers in networks.parameters:
        numbers.detach().zero_()
    with torch.no_grad():
        losses, none = networks.losses(torch.ones(2, 2, dtype=torch.float64), targets)
        networks.parameters[1][3, 0, 0] = 2.0
        same, penalties = networks.losses(torch.zeros(2, 2, dtype=torch.float64), targets)
    assert losses.numpy() == pytest.approx([(0.936426 + 1.609438) / 2] * 4, abs=1e-6)
    # The last network has one number, 2; its penalty is 0.005 · 4. Its probabilities are still equal.
    assert same.numpy() == pytest.approx(losses.numpy(), abs=1e-6) and not none.any()
    assert penalties.numpy() == pytest.approx([0, 0, 0, 0.02], abs=1e-6)
    assert networks.scores(torch.ones(1, 2, dtype=torch.float64))[:, 0] == pytest.approx([3.0] * 4)


def test_the_loss_without_torch() -> None:
    random = np.random.default_rng(3)
    features, targets = random.standard_normal((7, 8)), sparse_targets(random.uniform(0, 5, 7), STS)
    networks = started(torch.from_numpy(features), torch.from_numpy(targets), STS, 3)
    first, first_bias, second, second_bias = (numbers.detach().numpy() for numbers in networks.parameters)
    for index, penalty in enumerate((5e-6, 5e-5, 5e-4, 5e-3)):
        hidden = 1 / (1 + np.exp(-(features @ first[index] + first_bias[index])))
        outputs = np.exp(hidden @ second[index] + second_bias[index])
        probabilities = outputs / outputs.sum(axis=1, keepdims=True)
        divergence = scipy.stats.entropy(targets, probabilities, axis=1).mean()
        squares = sum(float((part[index] ** 2).sum()) for part in (first, first_bias, second, second_bias))
        tensors = torch.from_numpy(features), torch.from_numpy(targets)
        loss = sum(part[index].item() for part in networks.losses(*tensors))
        assert loss == pytest.approx(divergence + penalty * squares, rel=1e-9)
        scores = networks.scores(tensors[0])[index]
        assert scores == pytest.approx(probabilities @ np.arange(6), abs=1e-8)


def test_features_are_scaled_by_the_train_pairs() -> None:
    train = EncodedPairs(np.array([[3.0, 1.0]]), np.array([[1.0, 1.0]]), np.array([2.0]))
    # u · v is (3, 1) with the root mean square √5, and |u − v| is (2, 0) with √2.
    scales = relatedness._scales(train)
    assert scales == pytest.approx((5**0.5, 2**0.5))
    other = EncodedPairs(np.array([[1.0, -2.0]]), np.array([[2.0, 2.0]]), np.array([2.0]))
    features = relatedness._features(other, scales)
    assert features[0] == pytest.approx([2 / 5**0.5, -4 / 5**0.5, 1 / 2**0.5, 4 / 2**0.5])
    zero = EncodedPairs(np.zeros((1, 2)), np.zeros((1, 2)), np.array([2.0]))
    assert relatedness._scales(zero) == (1.0, 1.0)


def pairs(n: int, seed: int) -> EncodedPairs:
    """Random vectors, and scores from 0 to 5 that grow with the number of equal signs."""
    random = np.random.default_rng(seed)
    left, right = random.choice([-1.0, 1.0], size=(2, n, 5))
    return EncodedPairs(left, right, (left == right).sum(axis=1).astype(np.float64))


def test_a_relation_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relatedness, "EPOCHS", 25)
    found = predict(pairs(400, 1), pairs(60, 2), test := pairs(200, 3), STS, seed=1)
    assert scipy.stats.pearsonr(found.scores, test.gold).statistic > 0.97
    assert np.mean((found.scores - test.gold) ** 2) < 0.8, "the variance of the scores is 1.25"
    assert found.scores.min() >= 0 and found.scores.max() <= 5


def test_what_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice is the best on dev, among networks that are the same as if each were trained alone."""
    monkeypatch.setattr(relatedness, "EPOCHS", 6)
    train, dev, test = pairs(80, 1), pairs(20, 2), pairs(20, 3)
    together = predict(train, dev, test, STS, seed=5)
    alone = []
    for penalty in relatedness.PENALTIES:
        with monkeypatch.context() as patch:
            patch.setattr(relatedness, "PENALTIES", (penalty,))
            alone.append(predict(train, dev, test, STS, seed=5))
    best = max(alone, key=lambda found: found.dev or -2)
    assert (together.penalty, together.epochs) == (best.penalty, best.epochs)
    assert together.dev == pytest.approx(best.dev) and together.scores == pytest.approx(best.scores, abs=1e-6)
    # The choice depends on dev: its scores turned round choose another network.
    turned = predict(train, EncodedPairs(dev.left, dev.right, 5 - dev.gold), test, STS, seed=5)
    assert (turned.penalty, turned.epochs) != (together.penalty, together.epochs)


def test_predictions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relatedness, "EPOCHS", 4)
    train, dev, test = pairs(60, 1), pairs(20, 2), pairs(20, 3)
    found = predict(train, dev, test, STS, seed=1)
    blind = predict(train, dev, EncodedPairs(test.left, test.right, 5 - test.gold), STS, seed=1)
    assert np.array_equal(found.scores, blind.scores), "the test scores are not used, and seeds decide"
    large = [EncodedPairs(1024 * part.left, 1024 * part.right, part.gold) for part in (train, dev, test)]
    assert np.array_equal(predict(*large, STS, seed=1).scores, found.scores), "a vector's unit is no matter"
    assert not np.array_equal(predict(train, dev, test, STS, seed=2).scores, found.scores)


def test_nothing_to_choose_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a correlation on dev, the choice is the smallest penalty and the fewest epochs.

    Equal pairs have equal scores, although matrix products differ by the row.
    """
    monkeypatch.setattr(relatedness, "EPOCHS", 3)
    dev = EncodedPairs(np.ones((7, 5)), np.ones((7, 5)), np.arange(7) % 4.0)
    found = predict(pairs(30, 1), dev, pairs(30, 2), STS, seed=1)
    assert (found.dev, found.penalty, found.epochs) == (None, 5e-6, 1)


def dataset(n: int, name: str = "images") -> StsDataset:
    texts = [tuple(f"{side} {number}" for number in range(n)) for side in "ab"]
    return StsDataset(name, 2014, *texts, tuple(number % 6 for number in range(n)))


def test_split() -> None:
    whole = dataset(375)
    train, dev, test = split(whole, 1).parts
    assert [len(part.gold) for part in (train, dev, test)] == [150, 38, 187]
    assert sorted([*train.left, *dev.left, *test.left]) == sorted(whole.left)
    assert all(part.left[0].split()[1] == part.right[0].split()[1] for part in (train, dev, test))
    backwards = StsDataset("images", 2014, whole.left[::-1], whole.right[::-1], (0,) * 375)
    assert set(split(backwards, 1).parts[0].left) == set(train.left), "neither order nor scores play a part"
    assert set(split(whole, 2).parts[0].left) != set(train.left)
    with pytest.raises(InputError, match="images has 49 pairs with a score: expected at least 50 to split"):
        split(dataset(49), 1)


class Digits:
    """Encodes a sentence as the counts of its digits."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        self.sentences += sentences
        return np.array([[text.count(d) for d in "0123456789"] for text in sentences], dtype=np.float32)


def write_sick(folder: Path, part: str, n: int, score: str = "", end: str = "\n") -> None:
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"]
    # The more digits are equal, the higher the score.
    for number in range(n):
        left, right = f"{number:03}", f"{number * 7 % 1000:03}"
        equal = sum(a == b for a, b in zip(left, right, strict=True))
        lines.append(f"{number}\t{left}\t{right}\t{score or 1.2 + equal}\tNEUTRAL")
    (folder / f"SICK_{part}.txt").write_bytes("".join(f"{line}{end}" for line in lines).encode())


def write_sts(folder: Path, name: str, n: int) -> None:
    folder.mkdir(exist_ok=True)
    rows = [(f"{number}", f"{number * 7 % 100}", abs(number - number * 7 % 100) % 6) for number in range(n)]
    (folder / f"STS.input.{name}.txt").write_text("".join(f"{left}\t{right}\n" for left, right, _ in rows))
    (folder / f"STS.gs.{name}.txt").write_text("".join(f"{gold}\n" for _, _, gold in rows))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_sick(tmp_path, "train", 80)
    write_sick(tmp_path, "trial", 20)
    write_sick(tmp_path, "test_annotated", 60, end="\r\n")
    for name in ("images", "headlines"):
        write_sts(tmp_path / "STS2014-gold", name, 60)
    write_sts(tmp_path / "STS2012-train", "MSRvid", 60)
    (tmp_path / "STS2013-gold").mkdir()
    (tmp_path / "STS2013-gold" / "STS.gs.SMT.txt").write_text("1\n")
    write_sts(tmp_path / "STS2013-gold", "FNWN", 60)
    tweet = "1\tt\ta b\tc d\t4\t-\t-\n"
    (tmp_path / "test.data").write_text(tweet * 2)
    return tmp_path


def test_the_table(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relatedness, "EPOCHS", 3)
    measured = Supervised(data=str(data)).measure(encoder := Digits())
    table = measured.table
    assert len(encoder.sentences) == len(set(encoder.sentences)), "each sentence is encoded once"
    sizes = [
        tuple(row.values[name] for name in ("year", "dataset", "train", "dev", "test")) for row in table.rows
    ]
    assert sizes == [
        ("2013", "FNWN", 24, 6, 30),
        ("2013", "SMT", None, None, None),
        ("2014", "headlines", 24, 6, 30),
        ("2014", "images", 24, 6, 30),
        (None, "SICK", 80, 20, 60),
    ]
    assert table.rows[1].note.startswith("unavailable (licensed)")
    sick = table.rows[-1].values
    scores, gold = measured.points[(None, "SICK")]
    assert sick["pearson"] == pytest.approx(100 * scipy.stats.pearsonr(scores, gold).statistic)
    assert sick["spearman"] == pytest.approx(100 * scipy.stats.spearmanr(scores, gold).statistic)
    assert sick["mse"] == pytest.approx(((scores - gold) ** 2).mean())
    assert gold.min() == 1.2 and scores.min() > 1, "SICK has no class 0"
    assert sick["low"] < sick["pearson"] < sick["high"]
    assert sick["low"] == pytest.approx(np.nanquantile(measured.resampled[(None, "SICK")], 0.025))
    (mean,) = table.averages
    pearsons = [row.values["pearson"] for row in table.rows[2:4]]
    assert (mean.values["year"], mean.values["dataset"]) == ("2014", "mean of 2")
    assert mean.values["pearson"] == pytest.approx(sum(pearsons) / 2) and mean.values["test"] == 60
    assert Supervised(data=str(data)).evaluate(Digits()).to_json() == table.to_json()


def test_the_benchmark_with_and_without_captions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is trained and chosen on its own genres, too (ParaNMT, table 12)."""
    monkeypatch.setattr(relatedness, "EPOCHS", 3)
    for part, n in (("train", 60), ("dev", 30), ("test", 40)):
        rows = [
            f"{'main-news' if number % 4 else 'main-captions'}\tx\t2015\t{number}\t{number % 6}\t{number}"
            f"\t{number * 7 % 100}"
            for number in range(n)
        ]
        (tmp_path / f"sts-{part}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    measured = Supervised(data=str(tmp_path)).measure(Digits())
    names = ("dataset", "train", "dev", "test")
    assert [tuple(row.values[name] for name in names) for row in measured.table.rows] == [
        ("STSB", 60, 30, 40),
        ("STSB captions", 15, 8, 10),
        ("STSB non-captions", 45, 22, 30),
    ]
    scores, gold = measured.points[(None, "STSB captions")]
    assert gold.tolist() == [number % 6 for number in range(0, 40, 4)]
    captions = measured.table.rows[1].values
    assert captions["pearson"] == pytest.approx(100 * scipy.stats.pearsonr(scores, gold).statistic)
    assert not np.allclose(scores, measured.points[(None, "STSB")][0][::4]), "another network"


def test_an_encoder_whose_vectors_are_all_alike(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relatedness, "EPOCHS", 2)
    monkeypatch.setattr(Digits, "encode", lambda self, sentences: np.zeros((len(sentences), 3), np.float32))
    measured = Supervised(data=str(data)).measure(Digits())
    row = measured.table.rows[-1]
    assert (row.values["pearson"], row.note) == (None, "no correlation: the scores are all alike")
    assert not measured.points and not measured.resampled and not measured.table.averages


def test_absent_parts_and_wrong_scores(tmp_path: Path) -> None:
    write_sick(tmp_path, "trial", 20)
    (task,) = read_tasks(str(tmp_path), 1)
    assert (task.name, task.absent) == ("SICK", "absent: there is no SICK-train, SICK")
    for part in ("train", "test_annotated"):
        write_sick(tmp_path, part, 20, score="0.5")
    with pytest.raises(InputError, match=r"SICK-train: expected scores from 1 to 5, got 0.5 for '000'"):
        read_tasks(str(tmp_path), 1)
    for file in tmp_path.iterdir():
        file.unlink()
    (tmp_path / "test.data").write_text("1\tt\ta b\tc d\t4\t-\t-\n")
    with pytest.raises(InputError, match="holds no test set to train for"):
        read_tasks(str(tmp_path), 1)
    with pytest.raises(RecipeError, match="seed must be at least 0, not -1"):
        Supervised(data=str(tmp_path), seed=-1)


def test_real_parts(shared: Path) -> None:
    tasks = {task.name: task for task in read_tasks(str(shared / "data/sick2014"), 1)}
    assert [len(part.gold) for part in tasks["SICK"].parts] == [4500, 500, 4927]
    assert tasks["SICK"].levels == (1, 5)
    tasks = {f"{task.year} {task.name}": task for task in read_tasks(str(shared / "data/sts-semeval"), 1)}
    assert [len(part.gold) for part in tasks["2013 FNWN"].parts] == [76, 18, 95]
    assert not [name for name in tasks if "train" in name]
    assert tasks["2014 images"].levels == (0, 5)
