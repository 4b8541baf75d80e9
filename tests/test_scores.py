"""Every score: its table of cases by hand, its documentation, and how a recipe gives its parameters."""

import dataclasses
import importlib
import inspect
import math
import pickle
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError

from paranmt.filters import SCORES
from paranmt.filters.score import Score
from paranmt.transforms.model_kinds import MODEL_KINDS


class _Tenths:
    """A language model in which every token has probability 1/10 and the end of a sentence 1/100."""

    def log10_prob(self, sentences: Sequence[bytes]) -> np.ndarray:
        return np.array([-len(tokens.split()) - 2.0 for tokens in sentences])


class _Letters:
    """An encoder that counts the letters a and b."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        counts = [[text.count("a"), text.count("b")] for text in sentences]
        return np.array(counts, dtype=np.float32).reshape(-1, 2)


class _Shortness:
    """A classifier that takes short sentences for references."""

    def reference_probability(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([1 / (1 + len(text)) for text in sentences])


MODELS = {None: None, "language_model": _Tenths(), "encoder": _Letters(), "classifier": _Shortness()}

MAT = "the cat sat on the mat"
LEGACY = {"counting": "legacy"}
SPLIT = {"tokens": "whitespace"}

# For each score its parameters and rows of (columns it reads ..., value).
CASES: dict[str, list[tuple[dict, list[tuple]]]] = {
    "translation_cost": [
        (
            {},
            [
                (-3.0, 4, 0.75),
                (-0.5, 1, 0.5),
                (0.0, 3, 0.0),
                (None, 4, None),
                (-3.0, None, None),
                (None, None, None),
                (-3.0, 0, None),  # cannot be: there is always the end symbol
            ],
        )
    ],
    "perplexity": [
        (
            {},
            [
                # 10 ** ((2 + tokens) / (1 + tokens)): a full stop is a token of its own
                ("a", 10**1.5),
                ("a a.", 10**1.25),
                ("", 100.0),
                (None, None),
            ],
        ),
        (SPLIT, [("a a.", 10 ** (4 / 3))]),
        ({"side": "reference"}, [("a", 10**1.5), (None, None)]),
        ({"lm": {"path": "news.arpa"}}, [("a", 10**1.5)]),
    ],
    "reference_length": [
        (
            {},
            [
                ("It didn't rain.", 6),
                ("", 0),
                (" ", 0),
                (None, None),
                ("Zápotocký přišel", 2),
                ("e\u0301", 1),
            ],
        ),
        (SPLIT, [("It did n't rain .", 5), ("It didn't rain.", 3), ("", 0), (None, None)]),
    ],
    "translation_length": [
        ({}, [("$ 5!", 3), ("", 0), (None, None)]),
        (SPLIT, [("$ 5!", 2), ("", 0)]),
    ],
    "unigram_overlap": [
        (
            {},
            [
                ("a b c d", "a b c e", 0.75),
                ("a b", "b c d", 0.5),
                ("the the the", "the cat sat down", 1 / 3),
                ("the the cat", "the the the", 2 / 3),
                ("a A", "a a", 0.5),  # case is kept
                ("a b", "b a", 1.0),
                ("", "a", 0.0),
                ("a", "", 0.0),
                ("", "", 0.0),
                (None, "a", None),
                ("a", None, None),
            ],
        ),
        (
            LEGACY,
            [
                ("the the the", "the cat sat down", 1.0),
                ("the cat sat down", "the the the", 1.0),
                ("the the cat", "the dog ran", 2 / 3),  # as many on both sides: the reference's are counted
                ("the dog ran", "the the cat", 1 / 3),
                ("", "the", 0.0),
            ],
        ),
        (SPLIT, [("did n't", "did n't go", 1.0), ("rain.", "rain .", 0.0)]),
    ],
    "bigram_overlap": [
        (
            {},
            [
                ("a b c d", "a b c e", 2 / 3),
                ("a b a b", "a b a c", 2 / 3),  # "a b" is there once in the translation
                ("a b a b", "a b x a b y", 2 / 3),
                ("a b", "b a", 0.0),
                ("a", "a", 0.0),  # no bigrams
                ("a", "a b c", 0.0),
                (None, None, None),
            ],
        ),
        (LEGACY, [("a b a b", "a b c d e", 2 / 3), ("a", "a", 0.0)]),
    ],
    "trigram_overlap": [
        (
            {},
            [
                ("a b c d", "a b c e", 0.5),
                ("a b c", "a b c", 1.0),
                ("a a a a", "a a a x x", 0.5),
                ("a b", "a b", 0.0),
                (None, "a b c", None),
            ],
        ),
        (LEGACY, [("a a a a", "a a a x x", 1.0)]),
    ],
    "sentence_bleu": [
        (
            {},
            [
                # 6/6, 4/5, 3/4 and 2/3 with penalty exp(1 - 7/5)
                (MAT, "the cat sat on mat", math.exp(-2 / 5) * 0.4**0.25),
                (MAT, "the cat sat on mat", 0.5331),
                (MAT, MAT, 0.8465),
                ("a b c d e", "a b c d e", math.exp(-1 / 5)),
                # longer by one: no penalty; 4/5 (3 of 4 + 1), 3/4, 2/3, 1/2
                ("a b c", "a b c d", 0.2**0.25),
                # "the" is matched twice, not seven times: 3/8; no n-gram more: 1/7, 1/6, 1/5
                ("the cat is on the mat", "the the the the the the the", (3 / 8 / 7 / 6 / 5) ** 0.25),
                ("a", "a", math.exp(-1)),
                ("a b", "", 0.0),
                ("", "", 0.0),
                ("", "a", 0.5**0.25),
                (None, "a", None),
                ("a", None, None),
            ],
        ),
        (
            {"brevity": "shorter_only"},
            [(MAT, MAT, 1.0), (MAT, "the cat sat on mat", 0.5331), ("a", "a", 1.0), ("a", "", 0.0)],
        ),
        (SPLIT, [("a.", "a .", math.exp(1 - 2 / 2) * (1 / 3 / 2) ** 0.25)]),
    ],
    "paraphrase_similarity": [
        (
            {},
            [
                ("a", "a a a", 1.0),
                ("aaab", "abbb", 0.6),  # (3, 1) and (1, 3)
                ("a", "b", 0.0),
                ("a", "x", 0.0),  # the zero vector
                ("", "", 0.0),
                (None, "a", None),
                ("a", None, None),
            ],
        ),
        ({"vectors": "glove.txt"}, [("a", "a", 1.0)]),
    ],
    "reference_probability": [
        ({}, [("a", 0.5), ("abc", 0.25), ("", 1.0), (None, None)]),
        ({"side": "reference"}, [("a", 0.5), (None, None)]),
    ],
}


def _score(name: str, parameters: dict) -> Score:
    adapter = TypeAdapter(SCORES[name] | None, config=ConfigDict(extra="forbid"))
    return adapter.validate_python(parameters)


def _pairs(score: Score, rows: list[tuple]) -> pa.Table:
    reads = score.reads
    types = {"translation_log_prob": pa.float32(), "translation_tokens": pa.int32()}
    columns = zip(*(row[: len(reads)] for row in rows), strict=True)
    return pa.table(
        {
            column: pa.array(values, types.get(column, pa.string()))
            for column, values in zip(reads, columns, strict=True)
        }
    )


@pytest.mark.parametrize(
    ("name", "parameters", "rows"),
    [
        pytest.param(name, *case, id=f"{name}-{i}")
        for name, cases in CASES.items()
        for i, case in enumerate(cases)
    ],
)
def test_values(name: str, parameters: dict, rows: list[tuple]) -> None:
    score = _score(name, parameters)
    pairs = _pairs(score, rows)
    values = score.measure(pairs, MODELS[score.model_kind])
    assert isinstance(values, pa.Array) and values.type == score.dtype
    expected = [row[-1] for row in rows]
    tolerance = 5e-5 if name == "sentence_bleu" else 1e-6
    for row, value, wanted in zip(rows, values.to_pylist(), expected, strict=True):
        assert value == (None if wanted is None else pytest.approx(wanted, rel=tolerance)), row
    # The chunks of a table change nothing, nor do rows that are not there.
    parts = pa.concat_tables([pairs.slice(0, 1), pairs.slice(1)])
    assert score.measure(parts, MODELS[score.model_kind]).equals(values)
    assert len(score.measure(pairs.slice(0, 0), MODELS[score.model_kind])) == 0


def test_a_cost_of_zero_is_not_negative() -> None:
    cost = SCORES["translation_cost"]()
    assert math.copysign(1, cost.measure(_pairs(cost, [(0.0, 3)]))[0].as_py()) == 1


@pytest.mark.parametrize("name", SCORES)
def test_every_score_is_documented(name: str) -> None:
    kind = SCORES[name]
    assert name in CASES
    assert kind.unit and isinstance(kind.version, int) and isinstance(kind.higher_is_better, bool)
    assert kind.dtype in (pa.float32(), pa.int32())
    what = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    assert "section" in what and len(what.split()) > 15, "the quantity, its direction and where it comes from"
    assert importlib.import_module(kind.__module__).__doc__


@pytest.mark.parametrize("name", SCORES)
def test_every_score_is_read_from_a_recipe_and_written_back(name: str) -> None:
    score = _score(name, {})
    assert score == SCORES[name]()
    assert _score(name, dataclasses.asdict(score)) == score
    assert pickle.loads(pickle.dumps(score)) == score
    assert hash(score) == hash(SCORES[name]())
    for wrong in ("unit", "version", "n", "tokenz"):
        with pytest.raises(ValidationError, match="Unexpected keyword argument"):
            _score(name, {wrong: 1})


@pytest.mark.parametrize("name", SCORES)
def test_a_model_is_given_or_trained_where_one_is_needed(name: str) -> None:
    score = SCORES[name]()
    assert score.files() == ()
    assert (score.trained_on() is None) == (score.model_kind is None)
    if score.model_kind is not None:
        assert score.model_kind in MODEL_KINDS
        with pytest.raises(TypeError, match="needs"):
            score.measure(_pairs(score, CASES[name][0][1]), None)


@pytest.mark.parametrize(
    ("name", "parameters", "reads"),
    [
        ("translation_cost", {}, ("translation_log_prob", "translation_tokens")),
        ("perplexity", {}, ("translation",)),
        ("perplexity", {"side": "reference"}, ("reference",)),
        ("reference_length", {}, ("reference",)),
        ("translation_length", {}, ("translation",)),
        ("trigram_overlap", {}, ("reference", "translation")),
    ],
)
def test_a_score_reads_what_it_measures_and_no_more(name: str, parameters: dict, reads: tuple) -> None:
    assert _score(name, parameters).reads == reads


@pytest.mark.parametrize(
    ("name", "parameters", "files", "trained_on"),
    [
        ("perplexity", {}, (), 40_000),
        ("perplexity", {"lm": {"train_on": 9, "order": 5}}, (), 9),
        ("perplexity", {"lm": {"path": "news.arpa"}}, ("news.arpa",), None),
        ("paraphrase_similarity", {}, (), 1_000_000),
        ("paraphrase_similarity", {"encoder": {}}, (), 1_000_000),
        ("paraphrase_similarity", {"encoder": {"train_on": 9, "epochs": 1}}, (), 9),
        ("paraphrase_similarity", {"encoder": {"path": "models/avg"}}, ("models/avg",), None),
        ("paraphrase_similarity", {"vectors": "glove.txt.gz"}, ("glove.txt.gz",), None),
        ("reference_probability", {}, (), 40_000),
        ("reference_probability", {"classifier": {"train_on": 9, "type": "lstm"}}, (), 9),
        ("reference_probability", {"classifier": {"path": "models/c"}}, ("models/c",), None),
    ],
)
def test_files_and_training(
    name: str, parameters: dict, files: tuple[str, ...], trained_on: int | None
) -> None:
    score = _score(name, parameters)
    assert (score.files(), score.trained_on()) == (files, trained_on)


@pytest.mark.parametrize(
    ("name", "parameters", "place", "message"),
    [
        ("unigram_overlap", {"tokens": "characters"}, ("tokens",), "'words' or 'whitespace'"),
        ("trigram_overlap", {"counting": "set"}, ("counting",), "'clipped' or 'legacy'"),
        ("sentence_bleu", {"brevity": "none"}, ("brevity",), "'paper' or 'shorter_only'"),
        ("perplexity", {"lm": {"train_onn": 3}}, ("lm", "train_onn"), "Unexpected"),
        ("perplexity", {"lm": {}}, ("lm",), "expected either path"),
        ("perplexity", {"lm": {"path": "a", "train_on": 3}}, ("lm",), "expected either path"),
        ("perplexity", {"lm": {"train_on": 0}}, ("lm",), "got 0"),
        ("perplexity", {"lm": {"train_on": 9, "order": 1}}, ("lm",), "order from 2 to 6, got 1"),
        ("perplexity", {"lm": {"path": "a", "order": 4}}, ("lm",), "leave order out"),
        ("perplexity", {"side": "source"}, ("side",), "'translation' or 'reference'"),
        ("paraphrase_similarity", {"encoder": {"type": "bert"}}, ("encoder", "type"), "'avg'"),
        ("paraphrase_similarity", {"encoder": {"dimension": 0}}, ("encoder",), "dimension of at least 1"),
        (
            "paraphrase_similarity",
            {"encoder": {"path": "a", "epochs": 3}},
            ("encoder",),
            "leave out either epochs or path",
        ),
        ("reference_probability", {"classifier": {"epochs": 0}}, ("classifier",), "epochs of at least 1"),
        ("reference_probability", {"classifier": {"lambda_words": -1}}, ("classifier",), "got -1"),
        (
            "reference_probability",
            {"classifier": {"path": "a", "type": "lstm"}},
            ("classifier",),
            "leave out",
        ),
        (
            "reference_probability",
            {"classifier": {"path": "a"}, "tokens": "whitespace"},
            (),
            "leave tokens out",
        ),
        ("paraphrase_similarity", {"encoder": {}, "vectors": "a"}, (), "got both"),
        ("paraphrase_similarity", {"encoder": {"path": "a"}, "tokens": "whitespace"}, (), "leave tokens out"),
    ],
)
def test_wrong_parameters(name: str, parameters: dict, place: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        _score(name, parameters)
    (error,) = [each for each in raised.value.errors() if message in each["msg"]]
    assert error["loc"] == place
