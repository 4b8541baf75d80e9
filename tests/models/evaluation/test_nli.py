"""The evaluation of natural language inference, and training under a head as a stage and as a command."""

import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from head_data import write_sick

from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.any_encoder import CountingEncoder, FunctionEncoder
from paranmt.models.evaluation.nli import Nli
from paranmt.models.evaluation.supervised import Supervised
from paranmt.models.training.fine_tuning import fine_tune
from paranmt.models.training.head_options import ClassificationOptions, NliOptions


class Words:
    """The vector of a sentence counts three words in it."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([[s.split().count(w) for w in ("yes", "no", "so")] for s in sentences], np.float32)


def write(path: Path, n: int, labels: Sequence[str] = ("entailment", "contradiction", "neutral")) -> str:
    words = ("yes", "no", "so")
    rows = [
        {
            "sentence1": words[i % 3],
            "sentence2": words[i // 3 % 3],
            "gold_label": labels[(i % 3 + i // 3) % 3],
        }
        for i in range(n)
    ]
    rows.append({"sentence1": "a", "sentence2": "b", "gold_label": "-"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {part: write(tmp_path / f"{part}.jsonl", 90) for part in ("train", "dev")}


def test_a_head_on_fixed_vectors(tmp_path: Path, files: dict[str, str]) -> None:
    data = write(tmp_path / "test.jsonl", 18)
    measured = Nli(data=data, **files).measure(Words())
    (average,), rows = measured.table.averages, measured.table.rows
    assert [row.values["label"] for row in rows] == ["entailment", "neutral", "contradiction"]
    assert [row.values["examples"] for row in rows] == [6, 6, 6]
    assert average.values["accuracy"] == 100.0 == average.values["dev_accuracy"]
    counts = {name: average.values[name] for name in ("examples", "unlabelled", "train", "dev")}
    assert counts == {"examples": 18, "unlabelled": 1, "train": 90, "dev": 90}
    assert average.values["majority"] == pytest.approx(100 / 3)
    assert Nli(data=data, **files).measure(CountingEncoder(Words())).table == measured.table


def test_accuracy_and_its_interval(tmp_path: Path, files: dict[str, str]) -> None:
    """Half of the test labels are wrong: 50 %, and the interval of 18 even draws is about ± 2 · 11.8."""
    rows = Path(write(tmp_path / "test.jsonl", 18)).read_text().splitlines()
    turned = {"entailment": "neutral", "neutral": "contradiction", "contradiction": "entailment"}
    for number in range(9):
        row = json.loads(rows[number])
        rows[number] = json.dumps({**row, "gold_label": turned[row["gold_label"]]})
    (tmp_path / "test.jsonl").write_text("\n".join(rows))
    measured = Nli(data=str(tmp_path / "test.jsonl"), **files).measure(Words())
    values = measured.table.averages[0].values
    assert values["accuracy"] == 50.0
    assert values["low"] == pytest.approx(27.8, abs=0.1) and values["high"] == pytest.approx(72.2, abs=0.1)
    assert measured.resampled[(None, "all")].std() == pytest.approx(100 * (0.25 / 18) ** 0.5, rel=0.05)
    assert values["low"] == pytest.approx(np.quantile(measured.resampled[(None, "all")], 0.025))


def trained(folder: Path, files: dict[str, str]) -> Path:
    options = NliOptions(
        examples=files["train"], dev=files["dev"], optimiser="adam", learning_rate=0.02, epochs=15,
        activation="tanh", hidden=(20,), scale_features=True, device="cpu",
        encoder=AveragingOptions(dimension=5),
    )  # fmt: skip
    fine_tune(options, folder, folder.with_name("scratch"))
    return folder


def test_the_own_head_of_an_encoder(tmp_path: Path, files: dict[str, str]) -> None:
    encoder = SentenceEncoder.load(trained(tmp_path / "model", files))
    numbers = write(tmp_path / "numbers.jsonl", 18, ("0", "2", "1"))
    tables = [Nli(data=data).evaluate(encoder) for data in (write(tmp_path / "test.jsonl", 18), numbers)]
    assert tables[0].averages[0].values["accuracy"] > 80 and tables[0].averages[0].values["train"] is None
    assert tables[1].averages == tables[0].averages, "0, 1 and 2 are entailment, neutral and contradiction"


def test_encoders_without_a_head_for_it(tmp_path: Path, files: dict[str, str]) -> None:
    data = write(tmp_path / "test.jsonl", 6)
    with pytest.raises(ModelError, match="trained with objective: nli; give `train` and `dev`"):
        Nli(data=data).evaluate(Words())
    encoder = SentenceEncoder.load(trained(tmp_path / "model", files))
    encoder.save(tmp_path / "bare")
    with pytest.raises(ModelError, match="has no head"):
        Nli(data=data).evaluate(SentenceEncoder.load(tmp_path / "bare"))
    (tmp_path / "labels.tsv").write_text("yes\t+\nno\t-\n")
    labels = str(tmp_path / "labels.tsv")
    options = ClassificationOptions(examples=labels, dev=labels, epochs=1, device="cpu")
    fine_tune(options, tmp_path / "labelling", tmp_path / "scratch")
    with pytest.raises(ModelError, match="has a head for classification, not for nli"):
        Nli(data=data).evaluate(SentenceEncoder.load(tmp_path / "labelling"))
    with pytest.raises(RecipeError, match="train and dev belong together"):
        Nli(data=data, train="t")


@pytest.fixture
def sick(tmp_path: Path) -> str:
    folder = tmp_path / "sick"
    folder.mkdir()
    for part, n in (("train", 90), ("trial", 18), ("test_annotated", 27)):
        write_sick(folder, part, n)
    return str(folder)


@pytest.mark.parametrize("setting", ["random", "universal"])
def test_fine_tuning_in_the_evaluation(tmp_path: Path, sick: str, setting: str) -> None:
    (tmp_path / "v.txt").write_text("red 1 0 0 0\nblue 0 1 0 0\ngreen 0 0 1 0\ncar 0 0 0 1\n")
    encoder = SentenceEncoder.from_vectors(str(tmp_path / "v.txt"))
    before = encoder.encode(["the red car"])
    kind = Supervised(data=sick, setting=setting, epochs=8, learning_rate=0.05)  # type: ignore[arg-type]
    measured = kind.measure(CountingEncoder(encoder))
    (row,) = measured.table.rows
    assert row.values["pearson"] > 95 and row.values["lambda_words"] in (0.0, 1e-5, 1e-3, 1e-1)
    assert "penalty" not in row.values and row.values["lambda_encoder"] == 0.0, "an average has no others"
    assert np.array_equal(encoder.encode(["the red car"]), before), "the encoder itself is not changed"
    assert kind.measure(encoder).table == measured.table
    fixed = Supervised(data=sick).evaluate(encoder)
    assert "lambda_words" not in fixed.rows[0].values and fixed.rows[0].values["penalty"] is not None


def test_the_random_start_is_not_the_encoders(sick: str, tmp_path: Path) -> None:
    """With nothing learned, predictions of `universal` depend on the encoder; those of `random` do not."""
    results: dict[str, list[object]] = {"random": [], "universal": []}
    for number in (1.0, -2.0):
        (tmp_path / "v.txt").write_text(f"red {number} 0.1\nblue 0.3 {number}\ngreen 1 1\n")
        encoder = SentenceEncoder.from_vectors(str(tmp_path / "v.txt"))
        for setting, rows in results.items():
            kind = Supervised(data=sick, setting=setting, epochs=1, learning_rate=1e-9)  # type: ignore[arg-type]
            rows.append(kind.evaluate(encoder).rows[0].values["mse"])
    assert results["random"][0] == results["random"][1] and results["universal"][0] != results["universal"][1]
    options = {"data": sick, "epochs": 1, "learning_rate": 1e-9, "lambda_words": (0.0,)}
    from_file = Supervised(setting="random", vectors=str(tmp_path / "v.txt"), **options).evaluate(encoder)  # type: ignore[arg-type]
    universal = Supervised(setting="universal", **options).evaluate(encoder)  # type: ignore[arg-type]
    assert from_file.rows[0].values["mse"] == universal.rows[0].values["mse"], (
        "all its vectors are the file's"
    )


def test_sets_without_parts_are_trained_on_together(tmp_path: Path) -> None:
    folder = tmp_path / "STS2014-gold"
    folder.mkdir()
    for name, turn in (("images", 0), ("headlines", 5)):
        pairs = [(i % 3, i // 3 % 3) for i in range(60)]
        texts = [f"{'abc'[x]} {i}\t{'abc'[y]} {i}\n" for i, (x, y) in enumerate(pairs)]
        (folder / f"STS.input.{name}.txt").write_text("".join(texts))
        golds = [f"{abs(turn - (5 if x == y else 0))}\n" for x, y in pairs]
        (folder / f"STS.gs.{name}.txt").write_text("".join(golds))
    (tmp_path / "v.txt").write_text("a 1 0 0\nb 0 1 0\nc 0 0 1\n")
    encoder = SentenceEncoder.from_vectors(str(tmp_path / "v.txt"))
    kind = Supervised(data=str(tmp_path), setting="universal", epochs=2, lambda_words=(0.0,))
    rows = kind.evaluate(encoder).rows
    choices = [[row.values[name] for name in ("epochs", "dev_pearson")] for row in rows]
    assert choices[0] == choices[1], "the sets contradict each other, and have one network"
    pearsons = [row.values["pearson"] for row in rows]
    assert pearsons[0] * pearsons[1] < 0  # type: ignore[operator]


def test_a_loss_of_fine_tuning_that_is_not_finite(tmp_path: Path, sick: str) -> None:
    (tmp_path / "v.txt").write_text("red 1 0\nblue 0 1\n")
    encoder = SentenceEncoder.from_vectors(str(tmp_path / "v.txt"))
    kind = Supervised(data=sick, setting="universal", learning_rate=1e38, lambda_words=(0.0,))
    with pytest.raises(ModelError, match=r"^a loss of epoch 1 is \w+: set a lower learning_rate$") as caught:
        kind.evaluate(encoder)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value), "workers send it"


def test_encoders_that_cannot_be_fine_tuned(sick: str) -> None:
    function = FunctionEncoder(lambda texts: np.ones((len(texts), 2)), "mine:encode")
    for encoder in (function, CountingEncoder(function)):
        with pytest.raises(ModelError, match="cannot be fine-tuned: set `setting` to fixed"):
            Supervised(data=sick, setting="random").evaluate(encoder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vectors": "v"}, "vectors are for the setting random"),
        ({"batch": 7}, "batch is for encoders that are trained"),
        ({"setting": "universal", "vectors": "v"}, "vectors are for the setting random"),
        ({"lambda_words": ()}, "lambda_words must be a list of weights"),
        ({"lambda_encoder": (-1.0,)}, "lambda_encoder must be at least 0"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
    ],
)
def test_options_that_make_no_sense(changes: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Supervised(data="d", **changes)  # type: ignore[arg-type]
