"""The classifier of references and translations: its network, its training, and the stage that trains it."""

import json
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import torch
from runs import Silent, load

from paranmt.base.dataset_columns import CANDIDATES
from paranmt.base.errors import ModelError, RecipeError
from paranmt.filters.reference_probability import ClassifierSpec, Negatives
from paranmt.filters.score import HoldOut
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vectors import WordVectors
from paranmt.models.encoders.vocabulary import Vocabulary
from paranmt.models.training.classifier import (
    CandidateLists,
    ClassifierOptions,
    SentenceClassifier,
    _Classifying,
    _start,
    choose_classifier,
    highest,
    train_classifier,
)
from paranmt.models.training.heads import Head, HeadShape
from paranmt.pipeline.running.run import run
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.model_kinds.classifiers import TrainClassifier, accuracy_in_words, split
from paranmt.transforms.model_kinds.model_kind import PartFiles
from paranmt.transforms.storage.dataset import part_file, write_part
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.trainings.held_out import read_held_out

WORDS = [f"w{i}" for i in range(40)]
OPTIONS = ClassifierOptions("avg", 16, 60, "random", 1e-6, "words", seed=3)


def sentences(n: int, marker: str, seed: int, longest: int = 7) -> list[str]:
    """Random words with a marker among them."""
    generator = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        words = list(generator.choice(WORDS, generator.integers(2, longest)))
        words.insert(int(generator.integers(len(words) + 1)), marker)
        texts.append(" ".join(words))
    return texts


def examples(n: int, seed: int) -> CandidateLists:
    """References have `quite`; the first candidate has `quite` as well, and the second `very`."""
    candidates = [
        text
        for both in zip(sentences(n, "quite", seed + 1), sentences(n, "very", seed + 2), strict=True)
        for text in both
    ]
    starts = np.arange(0, 2 * n + 1, 2)
    return CandidateLists(pa.array(sentences(n, "quite", seed)), pa.array(candidates), starts)


def plain(n: int, seed: int) -> CandidateLists:
    """Separable: references have `quite`, translations `very`."""
    references, translations = sentences(n, "quite", seed), sentences(n, "very", seed + 1)
    return CandidateLists(pa.array(references), pa.array(translations), np.arange(n + 1))


def test_an_average_by_hand() -> None:
    """The logits are the mean of the words' vectors; the empty sentence has those of the zero vector."""
    encoder = AveragingOptions(dimension=2).build({"words": 3}, "words")
    shape = HeadShape(
        objective="classification",
        dimension=2,
        hidden=(),
        activation="none",
        outputs=("translation", "reference"),
    )
    head = Head(shape)
    with torch.no_grad():
        encoder.get_parameter("embedding.weight").copy_(torch.tensor([[9.0, 9.0], [1.0, 2.0], [3.0, -2.0]]))
        head.get_parameter("layers.0.weight").copy_(torch.eye(2))
        head.get_parameter("layers.0.bias").copy_(torch.tensor([0.0, 1.0]))
    classifier = SentenceClassifier(SentenceEncoder(encoder, Vocabulary(["a", "b"])), head)
    # The logits are (2, 0 + 1), (1, 2 + 1) and (0, 0 + 1).
    expected = [1 / (1 + np.exp(difference)) for difference in (1, -2, -1)]
    assert classifier.reference_probability(["a b", "a", ""]) == pytest.approx(expected)


@pytest.mark.parametrize("type", ["avg", "lstm"])
def test_a_separable_corpus_is_learnt_and_the_same_seed_gives_the_same_classifier(
    type: str, tmp_path: Path
) -> None:
    options = replace(OPTIONS, type=type, epochs=60 if type == "avg" else 25)
    classifier, accuracy = train_classifier(plain(400, 1), plain(50, 9), options)
    assert accuracy.pairs == 50
    assert min(accuracy.references_right, accuracy.translations_right) >= 48
    classifier.save(tmp_path / "one", accuracy)
    again, _ = train_classifier(plain(400, 1), plain(50, 9), options)
    again.save(tmp_path / "two", accuracy)
    for name in ("model.safetensors", "head.safetensors", "vocabulary.txt", "config.json", "accuracy.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    texts = ["w1 quite w2", "w1 very w2", "", "unheard of"]
    probabilities = classifier.reference_probability(texts)
    assert probabilities[0] > 0.7 and probabilities[1] < 0.3
    loaded = SentenceClassifier.load(tmp_path / "one")
    assert loaded.reference_probability(texts).tolist() == probabilities.tolist()


def test_a_word_has_a_row_if_it_occurs_with_two_references() -> None:
    """However often it occurs among the candidates of one reference, or with copies of that reference."""
    references = ["one fox", "One fox", "one hen"]
    candidates = ["a fox", "a fox red", "the fox", "the old hen", "a hen"]
    data = CandidateLists(pa.array(references), pa.array(candidates), np.array([0, 2, 3, 5]))
    classifier, _ = train_classifier(data, data, replace(OPTIONS, epochs=1))
    assert classifier.encoder.vocabularies["words"].entries == ["a", "one", "the"]


def table(classifier: SentenceClassifier) -> np.ndarray:
    """The vectors of its words."""
    return classifier.encoder.encoder.get_parameter("embedding.weight").detach().numpy()


def test_vectors_to_start_from() -> None:
    """Words of the file alone have a row; one that training never sees stays where the file has it."""
    matrix = np.linspace(-1, 1, 4 * 16, dtype=np.float32).reshape(4, 16)
    vectors = WordVectors(["quite", "unseen", "very"], matrix[:3], unknown=matrix[3])
    classifier, accuracy = train_classifier(plain(200, 1), plain(20, 9), OPTIONS, vectors)
    assert accuracy.references_right == accuracy.translations_right == 20
    assert classifier.encoder.vocabularies["words"].entries == vectors.words
    unknown, quite, unseen, very = (
        classifier.encoder.encoder.get_parameter("embedding.weight").detach().numpy()
    )
    assert unseen.tolist() == matrix[1].tolist()
    for row, start in ((unknown, matrix[3]), (quite, matrix[0]), (very, matrix[2])):
        assert 0 < np.abs(row - start).max() < 0.5
    with pytest.raises(
        RecipeError, match="dimension is 8, but that of its vectors is 16: set dimension to 16"
    ):
        train_classifier(plain(5, 1), plain(5, 9), replace(OPTIONS, dimension=8), vectors)


def test_no_pair_to_test_with_is_no_accuracy_and_none_to_train_on_an_error() -> None:
    nothing = CandidateLists(pa.array([], pa.string()), pa.array([], pa.string()), np.zeros(1, np.int64))
    _, accuracy = train_classifier(plain(5, 1), nothing, replace(OPTIONS, epochs=1))
    assert accuracy.pairs == 0
    with pytest.raises(ModelError, match="no translations to train a classifier on"):
        train_classifier(nothing, plain(5, 1), OPTIONS)


def test_the_hardest_candidates_are_those_like_references() -> None:
    """A classifier that sees all candidates learns `very`; with the hardest ones, only `quite` is left."""
    data, test = examples(300, 1), plain(50, 9)
    _, random = train_classifier(data, test, OPTIONS)
    _, hardest = train_classifier(data, test, replace(OPTIONS, negatives="hardest"))
    assert random.translations_right == 50
    assert hardest.references_right + hardest.translations_right < 80
    values = np.array([0.5, 0.9, 0.9, 0.1, 0.3])
    assert highest(values, np.array([0, 3, 5])).tolist() == [1, 4]


def test_lambda_is_the_weight_of_the_squares() -> None:
    """Two words and a weight of 0.1: 0.1 · 2 · 16 · 0.5² more."""
    values = np.full((2, 16), 0.5, np.float32)
    data = CandidateLists(pa.array(["quite"]), pa.array(["very"]), np.arange(2))
    options = replace(OPTIONS, lambda_words=0.1)
    vocabulary = Vocabulary(["quite", "very"], "words", options.tokens)
    encoder, head = _start(vocabulary, options, WordVectors(vocabulary.entries, values, values[0]))
    loss, penalised, _ = _Classifying(encoder, head, data, options).loss(np.arange(2), 0, 0)
    assert (penalised - loss).item() == pytest.approx(0.8)


def test_lambda_shrinks_the_vectors_of_a_batchs_words() -> None:
    """With a weight that outdoes the data every step of Adam moves a number by 0.001 toward zero."""
    vectors = WordVectors(
        ["quite", "unseen"], np.full((2, 16), 0.5, np.float32), np.full(16, 0.5, np.float32)
    )
    data = CandidateLists(pa.array(["quite"]), pa.array(["odd"]), np.arange(2))
    for weight in (1e6, 0.0):
        options = replace(OPTIONS, lambda_words=weight, epochs=10)
        classifier, _ = train_classifier(data, data, options, vectors)
        unknown, quite, unseen = table(classifier)
        assert (unseen == 0.5).all()
        shrunk = [np.allclose(row, 0.49, atol=1e-4) for row in (unknown, quite)]
        assert shrunk == [weight > 0] * 2


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "is not the folder of a classifier"),
        (lambda folder: (folder / "head.json").unlink(), "is not the folder of a classifier"),
        (lambda folder: (folder / "config.json").write_text("{}"), "expected the format"),
        (lambda folder: (folder / "head.json").write_text("["), "is damaged"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 50), "is damaged"),
        (lambda folder: (folder / "vocabulary.txt").write_text("a\n"), "is damaged"),
    ],
)
def test_a_damaged_folder(tmp_path: Path, damage: object, message: str) -> None:
    classifier, _ = train_classifier(plain(20, 1), plain(2, 9), replace(OPTIONS, epochs=1))
    classifier.save(tmp_path / "c")
    damage(tmp_path / "c")  # type: ignore[operator]
    with pytest.raises(ModelError, match=message):
        SentenceClassifier.load(tmp_path / "c")


@pytest.mark.parametrize("part", ["encoder", "head"])
def test_a_classifier_with_nan(tmp_path: Path, part: str) -> None:
    classifier, _ = train_classifier(plain(20, 1), plain(2, 9), replace(OPTIONS, epochs=1))
    network = classifier.head if part == "head" else classifier.encoder.encoder
    next(network.parameters()).data[0] = np.nan
    classifier.save(tmp_path / "c")
    with pytest.raises(ModelError, match="not finite"):
        SentenceClassifier.load(tmp_path / "c")


def test_a_folder_with_another_head(tmp_path: Path) -> None:
    """Such as that of an encoder trained to label sentences."""
    classifier, _ = train_classifier(plain(20, 1), plain(2, 9), replace(OPTIONS, epochs=1))
    shape = replace(classifier.head.shape, outputs=("bad", "good"))
    SentenceClassifier(classifier.encoder, Head(shape)).save(tmp_path / "c")
    with pytest.raises(ModelError, match="not the folder of a classifier: its head"):
        SentenceClassifier.load(tmp_path / "c")


def two_parts(workspace: Workspace) -> list[PartFiles]:
    """600 pairs with two candidates each, and the same pairs with one translation each."""
    data, files = examples(600, 1), []
    lists = [
        [
            {"text": text, "log_prob": -1.0, "n_tokens": 2}
            for text in data.candidates[2 * i : 2 * i + 2].to_pylist()
        ]
        for i in range(600)
    ]
    translations = pa.array([ranked[0]["text"] for ranked in lists])
    for part, candidates in (("a/a-0", True), ("b/b-0", False)):
        ids = [f"{part}:{i}" for i in range(600)]
        columns = {"pair_id": ids, "translation": translations}
        if candidates:
            columns["candidates"] = pa.array(lists, CANDIDATES.type)
        write_part(workspace, "ingest", part, "k", pa.table({"pair_id": ids, "reference": data.references}))
        write_part(workspace, "translate", part, "k", pa.table(columns))
        files.append(
            (("ingest", part_file("ingest", part, "k")), ("candidates", part_file("translate", part, "k")))
        )
    return files


def test_training_in_a_workspace(tmp_path: Path) -> None:
    """Held-out pairs are trained on, with all their candidates; other corpora have one translation a pair."""
    workspace = Workspace(str(tmp_path / "work"))
    files = two_parts(workspace)
    spec = ClassifierSpec(
        train_on=100_000,
        share=0.25,
        dimension=8,
        epochs=1,
        negatives=("hardest", "random"),
        lambda_words=(0, 1),
    )
    hold_out = HoldOut(125_000, spec.share, None)
    work = TrainClassifier("_built/model/x", tuple(files), spec, hold_out, "words", 5, 6)
    folder = tmp_path / "folder"
    folder.mkdir()
    counts = work.make(workspace, Task("", "k", ()), folder, tmp_path)
    held_out = read_held_out(folder)
    assert held_out is not None and counts["held_out"] == held_out.pairs and counts["in_all"] == 1_200
    assert 280 <= held_out.pairs <= 300, "a quarter of 1,200 pairs; each reference is there twice"
    tested, validated = counts["tested: pairs"], counts["validation: pairs"]
    assert 25 <= tested <= 30 and 25 <= validated <= 32
    assert counts["pairs"] + tested + validated == held_out.pairs
    accuracy = json.loads((folder / "accuracy.json").read_text())
    assert {f"tested: {name}": count for name, count in accuracy["test"].items()}.items() <= counts.items()
    trials = accuracy["trials"]
    assert len(trials) == counts["validation: settings"] == 4
    chosen = trials[accuracy["chosen"]]
    assert chosen["right"] == max(trial["right"] for trial in trials)
    name = f"validation: negatives {chosen['negatives']}, lambda_words {chosen['lambda_words']}"
    assert counts[name] == chosen["right"]
    assert counts["with several candidates"] == counts["pairs"] / 2
    assert accuracy_in_words(counts).endswith(
        f"; {counts['pairs'] // 2} pairs had several candidates for `hardest`"
    )


@pytest.mark.parametrize("negatives", ["hardest", ("random", "hardest")])
def test_the_hardest_of_one_candidate_is_not_trained_again(
    negatives: Negatives | tuple[Negatives, ...], tmp_path: Path
) -> None:
    workspace = Workspace(str(tmp_path / "work"))
    spec = ClassifierSpec(share=0.25, dimension=8, epochs=1, negatives=negatives, lambda_words=(0, 1))
    files = tuple(two_parts(workspace)[1:])
    work = TrainClassifier("_built/model/x", files, spec, HoldOut(1_000, spec.share, None), "words", 5, 6)
    folder = tmp_path / "folder"
    folder.mkdir()
    counts = work.make(workspace, Task("", "k", ()), folder, tmp_path)
    trials = json.loads((folder / "accuracy.json").read_text())["trials"]
    assert [(trial["negatives"], trial["lambda_words"]) for trial in trials] == [("random", 0), ("random", 1)]
    assert counts["validation: settings"] == 2 and counts["with several candidates"] == 0
    same = "; no pair had several candidates, so `hardest` was the same as `random`"
    assert accuracy_in_words(counts).endswith(same)
    assert accuracy_in_words({"tested: pairs": 0, "with several candidates": 0}) == same[2:]


def test_options_are_chosen_on_the_validation_set() -> None:
    """With a large weight all word vectors stay near zero, so nothing is learned."""
    trials = [replace(OPTIONS, lambda_words=weight, epochs=20) for weight in (1e3, 1e-6, 1e-6)]
    train, validation, test = plain(200, 1), plain(40, 5), plain(20, 9)
    classifier, accuracy = choose_classifier(train, validation, test, trials)
    assert [trial.lambda_words for trial in accuracy.trials] == [1e3, 1e-6, 1e-6]
    assert accuracy.chosen == 1, "the first of equal ones"
    alone, on_validation = train_classifier(train, validation, trials[1])
    assert accuracy.trials[1].right == on_validation.right > accuracy.trials[0].right
    assert accuracy.test == train_classifier(train, test, trials[1])[1]
    texts = test.references.to_pylist()
    assert np.array_equal(classifier.reference_probability(texts), alone.reference_probability(texts))
    _, accuracy = choose_classifier(train, plain(40, 5), test, trials[:1])
    assert accuracy.chosen == 0 and len(accuracy.trials) == 1


def test_the_choice_is_reported() -> None:
    counts = {"tested: pairs": 10, "tested: references_right": 9, "tested: translations_right": 8}
    counts |= {"validation: pairs": 50, "validation: negatives hardest, lambda_words 1e-06": 90}
    assert "settings" not in accuracy_in_words({**counts, "validation: settings": 1}), "there was no choice"
    assert accuracy_in_words({**counts, "validation: settings": 2}).endswith(
        "; of 2 settings, negatives hardest, lambda_words 1e-06 had the highest accuracy on 50 validation "
        "pairs (90.0 %)"
    )


def test_training_validation_and_test_pairs() -> None:
    """Copies of a reference are in the same set."""
    references = pa.chunked_array([[f"word{i} b" for i in range(500)] * 2])
    sets = np.array(split(references, 3))
    assert (sets.sum(axis=0) == 1).all()
    assert np.array_equal(sets[:, :500], sets[:, 500:])
    assert sets.sum(axis=1).tolist() == [800, 100, 100]


def test_a_release_with_reference_probabilities(tmp_path: Path) -> None:
    references, translations = sentences(1_500, "quite", 1), sentences(1_500, "very", 2)
    for side, texts in (("en", references), ("mt", translations), ("xx", references)):
        (tmp_path / f"a.{side}").write_text("".join(f"{text}\n" for text in texts))
    text = f"""
workspace: {tmp_path}/work
bitext: [{{corpus: a, format: moses, source: a.xx, reference: a.en, translation: a.mt, source_language: xx}}]
scores:
  reference_probability: {{classifier: {{dimension: 16, epochs: 150, vectors: v.txt}}}}
"""
    numbers = np.random.default_rng(1).normal(0, 0.05, (42, 16)).astype(str).tolist()
    lines = zip([*WORDS, "quite", "very"], numbers, strict=True)
    (tmp_path / "v.txt").write_text("".join(f"{word} {' '.join(row)}\n" for word, row in lines))
    run(load(tmp_path, text), LocalRunner(), Silent(), last="release")
    data = f"'{tmp_path}/work/release/data/*.parquet'"
    (row,) = duckdb.sql(
        f"select sum(held_out), bool_and(held_out = (reference_probability is null)) from {data}"
    ).fetchall()
    assert row == (150, True)
    card = (tmp_path / "work/release/README.md").read_text()
    assert "translations trained on 120 pairs of this corpus, accuracy 100.0 %" in card
    assert "v.txt" in card
    (vocabulary,) = (tmp_path / "work/_built/model/reference_probability").glob("*/vocabulary.txt")
    assert vocabulary.read_text().split() == [*WORDS, "quite", "very"]
    (tmp_path / "v.txt").write_text((tmp_path / "v.txt").read_text().replace("very ", "vary "))
    again = run(load(tmp_path, text), LocalRunner(), Silent(), last="model/reference_probability")
    assert again.computed == ("model/reference_probability",), "the key has the hash of the vectors"
