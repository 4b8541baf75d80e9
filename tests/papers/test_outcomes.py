"""Tables whose outcome is not the mean over the sets of semantic similarity."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import ok

from paranmt.base.errors import InputError
from paranmt.models.encoders.encoder_kinds import AveragingOptions, LstmOptions
from paranmt.models.encoders.vectors import read_vectors
from paranmt.models.evaluation import relatedness
from paranmt.models.evaluation.nli import Nli
from paranmt.models.evaluation.sts import Sts
from paranmt.models.evaluation.supervised import Supervised
from paranmt.models.evaluation.transfer import Transfer
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions
from paranmt.papers.evaluations import Figure, evaluated
from paranmt.papers.inference import LabelledPairs, train_on_inference
from paranmt.papers.pair_statistics import correlations, differences
from paranmt.papers.paper_data import DataFiles
from paranmt.papers.paper_table import (
    INFERENCE_PARTS,
    Distance,
    Greater,
    Inference,
    PaperTable,
    RoleSample,
    System,
    options,
    with_dimension,
)
from paranmt.papers.paper_tables import TABLES
from paranmt.papers.table_results import Reproduction
from paranmt.papers.training_samples import Samples
from paranmt.papers.trainings import Outcome, PaperTraining, of_figures, run_training, write_sample
from paranmt.transforms.storage.dataset import part_file, read_columns, write_part
from paranmt.transforms.storage.workspace import Workspace

WORDS = ("red", "blue", "green", "small", "old")


class Letters:
    """Encodes a sentence as its counts of a, b and c."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([[text.count(letter) for letter in "abc"] for text in sentences], dtype=np.float32)


def write(file: Path, *lines: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labelled pairs, reviews, questions, the STS Benchmark and translations."""
    folder = tmp_path_factory.mktemp("data")
    for part, n in (("SNLI", 40), ("dev", 12), ("test", 15)):
        pairs = (f"the {WORDS[i % 5]} dog runs {part} {i}\ta {WORDS[i % 3]} dog\t{i % 3}" for i in range(n))
        write(folder / f"{part}.tsv", *pairs)
    for name, letter in (("pos", "a"), ("neg", "b")):
        write(folder / "reviews" / f"custrev.{name}", *(letter * (n % 7 + 1) for n in range(20)))
    questions = [f"{'AB'[n % 2]}:x {'ab'[n % 2 if n % 5 else 0] * (n % 4 + 1)}" for n in range(30)]
    write(folder / "questions" / "TREC.train", *questions)
    write(folder / "questions" / "TREC.test", *questions[:10])
    for part, n in (("train", 30), ("dev", 20), ("test", 24)):
        rows = (
            f"main-{'captions' if i % 2 else 'news'}\tx\t2015\t{i}\t{i % 6}\t{'a' * (i % 6 + 1)} c\t"
            f"{'a' * 4}{'b' * (i * 7 % 5)} c"
            for i in range(n)
        )
        write(folder / "benchmark" / f"sts-{part}.csv", *rows)
    write(
        folder / "pairs.tsv",
        *(f"{WORDS[i % 5]} {i} {'a' * (i % 6 + 1)}\t{i} {'b' * (i % 5)} c" for i in range(60)),
    )
    write(
        folder / "data.yaml",
        "nli: {SNLI: SNLI.tsv, dev: dev.tsv, test: test.tsv}",
        "transfer: [reviews, questions]",
        "sts: benchmark",
        "translations: pairs.tsv",
    )
    return folder


def held_out(data: Path) -> tuple[Samples, list[LabelledPairs]]:
    samples = Samples(DataFiles.read(data))
    parts = [samples.everything(part) for part in (RoleSample(role="nli", corpus="SNLI"), *INFERENCE_PARTS)]
    return samples, [part for part in parts if isinstance(part, LabelledPairs)]


def training(data: Path, *, is_frozen: bool = False) -> PaperTraining:
    common = options(AveragingOptions(dimension=8), epochs=2)
    tests = (str(data / "reviews"),)
    return PaperTraining(common, tests, None, other=Inference(is_frozen=is_frozen), evaluations=("nli",))


# --- data


def test_labelled_pairs_keep_their_order_and_labels(data: Path, tmp_path: Path) -> None:
    samples, (train, dev, test) = held_out(data)
    assert [len(part.labels) for part in (train, dev, test)] == [40, 12, 15]
    assert (test.references[4], test.translations[4], test.labels[4]) == (
        "the old dog runs test 4", "a blue dog", "1"
    )  # fmt: skip
    drawn = samples.sample(RoleSample(role="nli", corpus="SNLI"), 20, 1)
    assert isinstance(drawn, LabelledPairs)
    labels = dict(zip(train.references, train.labels, strict=True))
    assert [labels[text] for text in drawn.references] == list(drawn.labels)
    assert replace(test, labels=test.labels[::-1]).key != test.key
    workspace = Workspace(str(tmp_path))
    write_sample(workspace, test)
    (file,) = (tmp_path / "samples").rglob("*.parquet")
    stored = read_columns(workspace, str(file.relative_to(tmp_path)))
    assert stored["label"].to_pylist() == list(test.labels)


def test_groups_that_share_a_sentence_with_a_transfer_task_are_left_out(data: Path, tmp_path: Path) -> None:
    write(tmp_path / "data.yaml", f"nli: {data / 'SNLI.tsv'}", "transfer: reviews")
    write(tmp_path / "reviews" / "custrev.pos", "The red dog runs, SNLI 0!", "a red dog too")
    write(tmp_path / "reviews" / "custrev.neg", "a")
    role = Samples(DataFiles.read(tmp_path)).role("nli")
    assert (role.left_out, len(role.pairs)) == (1, 39)
    assert "the red dog runs SNLI 0" not in {pair[0] for pair in role.pairs}


def test_a_table_without_its_evaluation_is_not_run(data: Path, tmp_path: Path) -> None:
    write(tmp_path / "data.yaml", f"nli: {{SNLI: {data / 'SNLI.tsv'}}}", f"transfer: {data / 'reviews'}")
    shown = ("--output", tmp_path / "out", "--show", "--markdown")
    text = ok("reproduce", "i-table-3", "--data", tmp_path, *shown)
    assert text.count("the data names no corpus dev of `nli` and the data names no corpus test") == 28
    text = ok("reproduce", "p-table-11", "--data", tmp_path, *shown)
    assert "the data has no `translations`" in text and "the data has no `sts`" in text
    write(tmp_path / "data.yaml", f"translations: {data / 'SNLI.tsv'}", f"transfer: {data / 'reviews'}")
    text = ok("reproduce", "p-table-9", "--data", tmp_path, *shown)
    assert text.count("not run: `sts` has no STS Benchmark") == 11


# --- training


def test_accuracies_are_those_of_the_head_that_was_trained(data: Path, tmp_path: Path) -> None:
    _, parts = held_out(data)
    wanted = training(data)
    outcome = run_training(wanted, parts)
    assert outcome.sets.keys() == {"NLI dev", "NLI test"} and outcome.pairs == 40
    encoder = train_on_inference(wanted.options, Inference(), parts[0], parts[1], None, tmp_path)
    for name, part in zip(("dev", "test"), parts[1:], strict=True):
        (row,) = Nli(data=part.write(tmp_path / f"{name}-again.jsonl")).evaluate(encoder).averages
        figure = outcome.figure(f"NLI {name}")
        assert figure.mean == row.values["accuracy"]
        assert np.quantile(figure.resampled, 0.975) == pytest.approx(row.values["high"], abs=1e-4)


def test_a_frozen_encoder_is_not_trained(data: Path, tmp_path: Path) -> None:
    _, (train, dev, _) = held_out(data)
    vectors = []
    for number, (task, epochs) in enumerate(((True, 1), (True, 3), (False, 1))):
        folder = tmp_path / str(number)
        folder.mkdir()
        how = options(LstmOptions(dimension=4, peepholes=False), epochs=epochs)
        encoder = train_on_inference(how, Inference(is_frozen=task), train, dev, None, folder)
        vectors.append(encoder.encode(["the red dog"]))
    assert np.array_equal(vectors[0], vectors[1]) and not np.allclose(vectors[0], vectors[2])
    assert run_training(training(data, is_frozen=True), held_out(data)[1]).pairs == 0


@pytest.mark.parametrize(
    ("name", "kind"), [("GloVe BOW", "avg"), ("GloVe Positional Encoding", "positional")]
)
def test_rows_of_given_vectors_are_means_of_these_vectors_alone(
    data: Path, tmp_path: Path, name: str, kind: str
) -> None:
    """No tags beside the words, which would be random vectors in each mean (InferSent, table 4)."""
    write(tmp_path / "glove.txt", "the 1 2", "red 3 -1", "dog 0.5 4", "unk 0 1")
    (system,) = (system for system in TABLES["i-table-4"].systems if system.name == name)
    how = replace(with_dimension(system.options, 2), vectors=str(tmp_path / "glove.txt"), epochs=1)
    _, (train, dev, _) = held_out(data)
    (tmp_path / "out").mkdir()
    assert isinstance(system.task, Inference) and system.task.is_frozen
    encoder = train_on_inference(how, system.task, train, dev, read_vectors(how.vectors), tmp_path / "out")
    one, two, three = np.array([[1, 2], [3, -1], [0.5, 4]])
    # Positional: the weights of word j of 3 are (1 − j/3) − (k/2)(1 − 2j/3) for the numbers k = 1, 2.
    weights = np.ones((3, 2)) if kind == "avg" else np.array([[1 / 2, 1 / 3], [1 / 2, 2 / 3], [1 / 2, 1]])
    mean = (weights * [one, two, three]).mean(axis=0)
    assert encoder.encode(["The red dog"])[0] == pytest.approx(mean, rel=1e-5)


def test_tests_that_changed_since_the_run_began_are_an_error(data: Path) -> None:
    _, parts = held_out(data)
    with pytest.raises(InputError, match="changed since the plan was made"):
        run_training(replace(training(data), tests_key="another"), parts)


# --- figures


def test_figures_are_the_rows_of_the_evaluations(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relatedness, "EPOCHS", 2)
    encoder, folders = Letters(), [str(data / name) for name in ("reviews", "questions")]
    transfer = evaluated(("transfer",), encoder, folders, {}, tmp_path)  # type: ignore[arg-type]
    rows = {
        row.values["task"]: row.values
        for folder in folders
        for row in Transfer(data=folder, optimiser="adam").evaluate(encoder).rows
        if not row.note
    }
    assert transfer.keys() == {"CR", "TREC", "macro average", "micro average", "mean accuracy"}
    assert transfer["CR"].value == rows["CR"]["result"] == 100
    assert rows["TREC"]["dev"] < 100 and transfer["TREC"].value == rows["TREC"]["result"]
    assert transfer["macro average"].value == pytest.approx((100 + rows["TREC"]["dev"]) / 2)
    assert transfer["micro average"].value == pytest.approx((40 * 100 + 30 * rows["TREC"]["dev"]) / 70)
    assert transfer["mean accuracy"].value == pytest.approx((100 + rows["TREC"]["result"]) / 2)

    folder = str(data / "benchmark")
    figures = evaluated(("sts", "supervised"), encoder, [folder], {}, tmp_path)  # type: ignore[arg-type]
    for kind, names in (
        (Sts, ("STSB-test", "STSB-test captions", "STSB-test non-captions")),
        (Supervised, ("STSB", "STSB captions", "STSB non-captions")),
    ):
        measured = kind(data=folder).measure(encoder)
        values = {row.values["dataset"]: row.values["pearson"] for row in measured.table.rows}
        for name in names:
            figure = figures[f"{name}, trained" if kind is Supervised else name]
            assert figure.value == values[name] is not None
            assert np.array_equal(figure.resampled, measured.resampled[None, name])


def outcome(**values: float) -> Outcome:
    return Outcome(None, dict(values), np.empty(0), 10, of_sets={"x": np.array([values.get("x", 0.0)] * 9)})


def test_an_outcome_keeps_its_figures_in_a_file(data: Path, tmp_path: Path) -> None:
    figures = {"x": Figure(50.0, np.array([49.0, 51.0])), "y": Figure(3.0, np.empty(0))}
    workspace = Workspace(str(tmp_path))
    write_part(workspace, "trainings", "avg", "k", of_figures(figures, 7).to_table())
    again = Outcome.read(workspace, part_file("trainings", "avg", "k"))
    assert (again.mean, again.pairs, again.sets) == (None, 7, {"x": 50.0, "y": 3.0})
    assert again.figure("x").mean == 50.0 and again.figure("x").resampled.tolist() == [49.0, 51.0]
    assert again.figure("y").mean == 3.0 and not again.figure("y").resampled.size


def test_a_claim_without_an_interval_over_the_items_is_about_the_seeds() -> None:
    left, right = (
        {seed: outcome(y=base + seed / 10).figure("y") for seed in range(3)} for base in (5.0, 2.0)
    )
    systems = tuple(System(name=name, source=RoleSample(role="nli"), options=TrainOptions()) for name in "ab")
    claim = Greater(claim="a > b", left=("", "a"), right=("", "b"), paper=1.5)
    table = PaperTable(name="t", paper="p", number=1, title="t", systems=systems, claims=(claim,))
    result = Reproduction(table, {("", "a"): left, ("", "b"): right}, {}, ())
    row = result.claims.rows[0].values
    assert (row["paper"], row["low"], row["verdict"]) == (1.5, None, "holds")
    assert row["ours"] == pytest.approx(3.0)
    assert result.systems.rows[0].values["low"] is None


def test_an_average_is_the_mean_of_its_rows_seed_by_seed() -> None:
    """(60 + 80) / 2 = 70 and (64 + 90) / 2 = 77; seed 3 has only one of the two rows."""
    table = TABLES["a-table-6"]
    average = table.averages[0]
    assert (average.group, average.name, average.paper) == ("Avg.", "GRAN", 83.5)
    samples = np.array([0.0, 1.0])
    outcomes = {
        ("STS", "GRAN"): {
            1: Outcome(60.0, {}, samples + 60, 10),
            2: Outcome(64.0, {}, samples + 64, 10),
            3: Outcome(1.0, {}, samples, 10),
        },
        ("SICK", "GRAN"): {1: Outcome(80.0, {}, samples + 80, 30), 2: Outcome(90.0, {}, samples + 90, 30)},
        ("STS", "GRAN-2"): {1: Outcome(60.0, {}, samples, 10)},
    }
    result = Reproduction(table, outcomes, {("SICK", "GRAN-2"): "there is no SICK"}, ())
    rows = {(row.values["group"], row.values["system"]): row for row in result.systems.rows}
    values = rows["Avg.", "GRAN"].values
    assert (values["ours"], values["median"], values["seeds"], values["pairs"]) == (73.5, 73.5, 2, 20)
    # On the resamples the means over both seeds are 73.5 and 74.5.
    assert 73.5 <= values["low"] < values["high"] <= 74.5  # type: ignore[operator]
    assert rows["STS", "GRAN"].values["ours"] == pytest.approx((60 + 64 + 1) / 3)
    assert rows["Avg.", "GRAN-2"].note == "not run: there is no SICK"
    assert rows["Avg.", "GRAN-3"].note == "not run: no seed is finished"


@pytest.mark.parametrize(("name", "count"), [("a-table-5", 18), ("a-table-6", 5)])
def test_the_papers_averages_are_the_means_of_its_figures(name: str, count: int) -> None:
    """Rounded half up, as 74.65 to 74.7."""
    papers = {system.key: system.paper or 0.0 for system in TABLES[name].systems}
    averages = TABLES[name].averages
    assert len(averages) == count
    for average in averages:
        tenths = sum(round(10 * papers[key]) for key in average.of)
        assert average.paper == (tenths + 1) // 2 / 10, average


def test_distances_over_the_sets() -> None:
    """|1 − 2|, |2 − 4| and |3 − 6| have the mean 2, and the sets' results are in proportion.

    The last set is not one of the papers' 22.
    """
    systems = tuple(System(name=name, source=RoleSample(role="nli"), options=TrainOptions()) for name in "ab")
    pair = Distance(left=("", "a"), right=("", "b"), paper=2.5)
    table = PaperTable(
        name="t", paper="p", number=1, title="t", systems=systems, claims=(), distances=(pair,)
    )
    names = ("MSRpar 2012", "MSRvid 2012", "Twitter", "SICK-trial")
    left, right = (
        outcome(**dict(zip(names, values, strict=True))) for values in ([1, 2, 3, 9], [2, 4, 6, 0])
    )
    result = Reproduction(table, {("", "a"): {1: left, 2: left}, ("", "b"): {1: right, 2: right}}, {}, ())
    row = result.distances.rows[0].values
    assert (row["systems"], row["paper"], row["ours"], row["over_seeds"]) == ("a / b", 2.5, 2.0, 0.0)
    assert row["correlation"] == pytest.approx(100)
    assert result.to_json()["distances"]["rows"]


# --- the papers' tables


def test_encoders_have_the_papers_dimensions() -> None:
    dimensions = {
        system.name: system.options.encoder.build({"words": 1}, "words").dimension
        for system in TABLES["i-table-3"].systems[:7]
        if system.name != "GRU"  # with 67 million weights
    }
    assert dimensions == dict.fromkeys(dimensions, 4096) | {"LSTM": 2048}
    sizes = {
        (system.group, int(system.name)): system.options.encoder.build({"words": 1}, "words").dimension
        for system in TABLES["i-figure-5"].systems
        if int(system.name) < 2048
    }
    assert len(sizes) == 14 and all(size == wanted for (_, wanted), size in sizes.items())


def test_rows_of_a_table_share_their_trainings(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relatedness, "EPOCHS", 2)
    arguments = ("--pairs", 40, "--dimension", 4, "--seeds", 1, "--epochs", 1, "--workers", 1)
    common = ("--data", data, "--output", tmp_path, *arguments, "--markdown")
    text = ok("reproduce", "i-table-3", *common, "--only", "NLI test, HConvNet")
    written = json.loads((tmp_path / "i-table-3.json").read_text())["trainings"]
    means = {entry["group"]: entry["mean"] for entry in written}
    assert len(list((tmp_path / "trainings").glob("*.parquet"))) == 1
    assert means == {group: written[0]["sets"][group] for group in means} and len(means) == 4
    assert f"| NLI test | HConvNet | 83.4 | {means['NLI test']:.1f} |" in text
    assert "transfer tasks: CR, TREC; not there: MR, SUBJ" in text
    assert "4 dimensions, from random vectors\n" in text
    text = ok("reproduce", "i-table-4", *common, "--only", "BiLSTM-Max (un")
    assert "| BiLSTM-Max (untrained) | CR | 81.3 |" in text
    assert text.count("the data names no corpus AllNLI of `nli`") == 1
    text = ok("reproduce", "p-table-12", *common, "--only", "Tr. (All), Trigram")
    written = json.loads((tmp_path / "p-table-12.json").read_text())["trainings"]
    sets = {"Tr. (Cap.)": "STSB captions, trained", "Cos. (No Cap.)": "STSB-test non-captions"}
    figures = {entry["group"]: entry["mean"] for entry in written}
    assert {group: written[0]["sets"][name] for group, name in sets.items()}.items() <= figures.items()
    assert len(figures) == 6 and f"| 79.9 | {figures['Cos. (All)']:.1f} |" in text


# --- statistics


def test_differences_by_hand() -> None:
    """Eight words and four trigrams in the references; one of each, repeated, in the translations."""
    pairs = PairList(["the dog runs far", "one cat sat here"], ["bee bee bee bee", "bee bee"])
    found = differences(pairs)
    assert found["entropy of unigrams"] == pytest.approx(np.log(8))
    assert found["entropy of trigrams"] == pytest.approx(np.log(4))
    assert found["repetition of unigrams"] == pytest.approx(-100 * 4 / 6)
    assert found["repetition of trigrams"] == pytest.approx(-100 / 2)


def test_correlations_by_hand() -> None:
    """The probability falls with the length and with the frequency of the words."""
    sentences = ["rare", "often often", "often often often", "often often often often"]
    found = correlations(np.array([0.9, 0.5, 0.4, 0.1]), sentences, ["rare often often often often"])
    assert found["length"] == pytest.approx(-100) and found["unigram repetition"] == pytest.approx(-100)
    ranks_of_idf = [4, 2, 2, 2]
    assert found["idf"] == pytest.approx(100 * np.corrcoef([4, 3, 2, 1], ranks_of_idf)[0, 1])
    assert correlations(np.array([0.9, 0.5]), ["a b", "c d"], ["a"])["length"] is None


def test_statistics_of_a_corpus(data: Path, tmp_path: Path) -> None:
    common = ("--data", data, "--output", tmp_path, "--pairs", 40, "--seeds", 2, "--workers", 1)
    text = ok("reproduce", "e-table-9", *common, "--markdown")
    samples = Samples(DataFiles.read(data))
    drawn = [samples.sample(RoleSample(role="translations"), 40, seed) for seed in (1, 2)]
    mean = np.mean([differences(pairs)["entropy of trigrams"] for pairs in drawn])
    assert f"| All | entropy of trigrams | 0.74 | {mean:.2f} |".replace("-", "−") in text
    assert "not run: the data names no corpus CS, CC of `translations`" in text and "epochs" not in text
