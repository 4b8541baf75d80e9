"""Every score: its table of cases by hand, its documentation, and how a recipe gives its parameters."""

import dataclasses
import importlib
import inspect
import math
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError

from paranmt.base.errors import ModelError
from paranmt.filters import SCORES, language
from paranmt.filters.contamination import EvaluationSets, SetSentences
from paranmt.filters.phrases import Phrases
from paranmt.filters.score import Score
from paranmt.filters.statistics import NgramCounts, word_frequencies
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


TEN = "one two three four five six seven eight nine ten"
SETS = [
    SetSentences("a", "a.txt", ["A dog runs.", TEN], np.array([1, 2], np.int32)),
    SetSentences("b", "b.txt", ["a DOG runs"], np.array([1], np.int32)),
]


def _frequencies() -> NgramCounts:
    return word_frequencies([pa.array(["a a b c"])])


def _words() -> Phrases:
    return Phrases.of(["damn", "Bloody hell", "hell"])


MODELS: dict[str | None, Callable[[], object]] = {
    None: lambda: None,
    "language_model": _Tenths,
    "encoder": _Letters,
    "evaluation_sets": lambda: EvaluationSets(SETS, n=8, share=0.5),
    "word_list": _words,
    "word_frequencies": _frequencies,
    "classifier": _Shortness,
}
# The parameters that have no default.
NEEDED: dict[str, dict] = {
    "contamination": {"sets": [{"name": "a", "path": "data/a"}, {"name": "b", "path": "data/b"}]},
    "profanity": {"words": "words.txt"},
}

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
    "length_ratio": [
        (
            {},
            [
                ("a b c d", "a b", 0.5),
                ("a b", "a b.", 1.5),
                ("", "a b", 2.0),
                ("a", "", 0.0),
                ("", "", 0.0),
                (None, "a", None),
                ("a", None, None),
            ],
        ),
        (SPLIT, [("a b.", "a b .", 1.5)]),
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
    "reference_repetition": [
        (
            {},
            [
                ("the man and the other man", 2 / 6),
                ("the the the", 2 / 3),
                ("the cat, the dog,", 0.25),  # signs are shorter than three characters
                ("to be or not to be", 0.0),
                ("The the", 0.0),  # case is kept
                ("éáí ab éáí", 0.5),
                ("", 0.0),
                (None, None),
            ],
        ),
        ({"n": 3}, [("a b c a b c", 0.25), ("a a a a a", 2 / 3), ("a b", 0.0), ("", 0.0), (None, None)]),
        (SPLIT, [("ab. ab.", 0.5)]),
    ],
    "translation_repetition": [({}, [("the the", 0.5), (None, None)])],
    # Of four tokens, half are a; one that is not there counts as if it occurred once.
    "reference_idf": [
        (
            {},
            [
                ("a", math.log(2)),
                ("A b", 1.5 * math.log(2)),
                ("c x", math.log(4)),
                ("a!", 1.5 * math.log(2)),
                ("", None),
                (" ", None),
                (None, None),
            ],
        ),
        (SPLIT, [("a!", math.log(4)), ("a !", 1.5 * math.log(2))]),
        ({"frequencies": "words.txt"}, [("a", math.log(2))]),
    ],
    "translation_idf": [({}, [("a a b", math.log(4) - 2 / 3 * math.log(2)), ("", None), (None, None)])],
    "number_consistency": [
        (
            {},
            [
                ("He paid 1,000 dollars.", "He paid 1000 dollars.", 1.0),
                ("in 1950 and 1960", "in 1950", 0.5),
                ("in 1950", "in 1950 and 1960", 0.5),
                ("5 5", "5", 0.5),
                ("2.50", "2.5", 1.0),
                ("2.05", "2.5", 0.0),
                ("007", "7", 1.0),
                ("٤٢", "42", 1.0),
                ("two dogs", "2 dogs", 1.0),
                ("Twenty-one", "21", 1.0),
                ("someone", "one", 1.0),
                ("a", "b", 1.0),
                ("", "", 1.0),
                ("", "3", 0.0),
                (None, "3", None),
                ("3", None, None),
            ],
        ),
        ({"number_words": False}, [("two dogs", "2 dogs", 0.0), ("two 3", "3", 1.0)]),
    ],
    "negation_consistency": [
        (
            {},
            [
                ("I didn't go.", "I did NOT go.", 1.0),
                ("I didn\u2019t go.", "I never went.", 1.0),
                ("I went.", "I cannot go.", 0.0),
                ("No, I won't.", "I won't.", 0.5),
                ("a note", "nothing", 0.0),
                ("a", "b", 1.0),
                ("", "", 1.0),
                (None, "no", None),
                ("no", None, None),
            ],
        ),
        (SPLIT, [("I did n't go .", "I did not go .", 1.0)]),
    ],
    "copy_grade": [
        (
            {},
            [
                ("Two dogs.", "Two dogs.", 2),
                ("Two dogs.", "two  dogs!", 1),
                ("Two dogs.", "two cats", 0),
                ("?", "!", 0),
                ("", "", 2),
                ("", "a", 0),
                (None, "a", None),
                ("a", None, None),
            ],
        )
    ],
    "source_length": [({}, [("Dva psi.", 3), ("", 0), (None, None)])],
    "source_language_probability": [({}, [("", 1 / 142), (None, None)])],
    "source_copy_grade": [({}, [("Praha", "Prague", 0), ("Praha.", "praha", 1), (None, "a", None)])],
    "character_similarity": [
        (
            {},
            [
                ("kitten", "sitting", 8 / 13),  # ittn
                ("abc", "abc", 1.0),
                ("abc", "xyz", 0.0),
                ("e\u0301", "\u00e9", 1.0),
                ("ab", "ba", 0.5),
                ("", "", 1.0),
                ("a", "", 0.0),
                (None, "a", None),
                ("a", None, None),
            ],
        )
    ],
    "longest_common_subsequence": [
        (
            {},
            [
                ("a b c d", "d a x c", 0.5),
                (MAT, MAT, 1.0),
                ("a b c", "c b a", 1 / 3),
                ("a b", "x a y b z", 1.0),
                ("", "a", 0.0),
                ("", "", 0.0),
                (None, "a", None),
                ("a", None, None),
            ],
        ),
        (SPLIT, [("rain.", "rain .", 0.0)]),
    ],
    "character_set_share": [
        (
            {},
            [
                ("Žluťoučký kůň, 1950!", 1.0),
                ("abжд", 0.5),
                ("日本", 0.0),
                ("1950", 1.0),
                ("", 1.0),
                (None, None),
            ],
        ),
        ({"script": "Cyrillic", "side": "reference"}, [("abжд", 0.5), ("ж", 1.0), (None, None)]),
    ],
    "profanity": [
        (
            {},
            [
                ("Damn, DAMN it.", 2),
                ("bloody hell, what the hell", 2),  # the phrase and the word in it are one
                ("a shell", 0),
                ("", 0),
                (None, None),
            ],
        ),
        ({"side": "reference"}, [("damn", 1)]),
    ],
    "reference_language": [
        (
            {},
            [
                ("The two dogs are running along the beach.", "en"),
                ("Dva psi běží po pláži k moři.", "cs"),
                ("Die zwei Hunde laufen am Strand entlang.", "de"),
                ("", None),
                ("1950!", None),
                (None, None),
            ],
        )
    ],
    "translation_language": [({}, [("Il pleut depuis trois jours.", "fr"), ("", None), (None, None)])],
    # Without letters all 142 classes of the identifier are equally likely.
    "reference_language_probability": [({}, [("", 1 / 142), ("123", 1 / 142), (None, None)])],
    "translation_language_probability": [
        ({"language": "cs"}, [("", 1 / 142), (None, None)]),
        ({"language": "likeliest"}, [("", 2 / 142), (None, None)]),  # Serbian is two of the classes
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
        (
            {"encoder": {"path": "models/labse"}, "sides": ["source", "translation"]},
            [("a", "aa", 1.0), ("aaab", "abbb", 0.6), (None, "a", None), ("a", None, None)],
        ),
    ],
    "contamination": [
        (
            {},
            [
                ("A dog runs.", "x", 3),
                ("x", " a DOG runs ", 3),
                ("A dog runs", "x", 2),
                ("a dog, runs!", "A dog runs.", 3),
                ("A dog runs far.", "dog runs", 0),  # shorter than the n-grams: only as a whole
                (TEN, "x", 3),
                # The sentence has three n-grams of eight words, so two of them are enough, and one is not.
                ("x", "Two, three four five six seven eight nine ten!", 1),
                ("three four five six seven eight nine ten", "x", 0),
                ("", "", 0),
                (None, "A dog runs.", None),
                ("A dog runs.", None, None),
            ],
        ),
    ],
    "reference_probability": [
        ({}, [("a", 0.5), ("abc", 0.25), ("", 1.0), (None, None)]),
        ({"side": "reference"}, [("a", 0.5), (None, None)]),
    ],
    "given": [({}, [(0.25, 0.25), (-3.0, -3.0), (None, None)])],
}


def _score(name: str, parameters: dict) -> Score:
    adapter = TypeAdapter(SCORES[name] | None, config=ConfigDict(extra="forbid"))
    return adapter.validate_python({**NEEDED.get(name, {}), **parameters})


def _pairs(score: Score, rows: list[tuple]) -> pa.Table:
    reads = score.reads
    types = {"translation_log_prob": pa.float32(), "translation_tokens": pa.int32(), "given": pa.float32()}
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
    model = MODELS[score.model_kind]()
    values = score.measure(pairs, model)
    assert isinstance(values, pa.Array) and values.type == score.dtype
    expected = [row[-1] for row in rows]
    tolerance = 5e-5 if name == "sentence_bleu" else 1e-6
    for row, value, wanted in zip(rows, values.to_pylist(), expected, strict=True):
        is_exact = wanted is None or isinstance(wanted, str)
        assert value == (wanted if is_exact else pytest.approx(wanted, rel=tolerance)), row
    # The chunks of a table change nothing, nor do rows that are not there.
    parts = pa.concat_tables([pairs.slice(0, 1), pairs.slice(1)])
    assert score.measure(parts, model).equals(values)
    assert len(score.measure(pairs.slice(0, 0), model)) == 0


def test_a_cost_of_zero_is_not_negative() -> None:
    cost = SCORES["translation_cost"]()
    assert math.copysign(1, cost.measure(_pairs(cost, [(0.0, 3)]))[0].as_py()) == 1


@pytest.mark.parametrize("name", SCORES)
def test_every_score_is_documented(name: str) -> None:
    kind = SCORES[name]
    assert name in CASES, f"add a table of cases for {name} to CASES in this file"
    assert kind.unit and isinstance(kind.version, int) and kind.higher_is_better in (True, False, None)
    assert kind.dtype in (pa.float32(), pa.int32(), pa.string())
    if kind.dtype == pa.string():
        assert kind.higher_is_better is None and not kind.has_deciles
    what = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    assert len(what.split()) > 15, "the quantity, its direction and the value of the empty sentence"
    assert "section" in what or "Not from a paper." in " ".join(what.split())
    assert importlib.import_module(kind.__module__).__doc__


@pytest.mark.parametrize("name", SCORES)
def test_every_score_is_read_from_a_recipe_and_written_back(name: str) -> None:
    score = _score(name, {})
    assert name in NEEDED or score == SCORES[name]()
    assert _score(name, dataclasses.asdict(score)) == score
    assert pickle.loads(pickle.dumps(score)) == score
    assert hash(score) == hash(_score(name, {}))
    for wrong in ("unit", "version", "dtype", "tokenz"):
        with pytest.raises(ValidationError, match="Unexpected keyword argument"):
            _score(name, {wrong: 1})


@pytest.mark.parametrize("name", SCORES)
def test_a_model_is_given_or_trained_where_one_is_needed(name: str) -> None:
    score = _score(name, {})
    assert bool(score.files()) == (name in NEEDED)
    assert (score.trained_on() is not None or bool(score.files())) == (score.model_kind is not None)
    if score.model_kind is not None:
        assert score.model_kind in MODEL_KINDS
        assert score.model_kind in MODELS, f"add a stand-in for the {score.model_kind} to MODELS in this file"
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
        ("character_set_share", {}, ("translation",)),
        ("character_set_share", {"side": "reference"}, ("reference",)),
        ("paraphrase_similarity", {}, ("reference", "translation")),
        (
            "paraphrase_similarity",
            {"vectors": "a", "sides": ["source", "reference"]},
            ("source", "reference"),
        ),
    ],
)
def test_a_score_reads_what_it_measures_and_no_more(name: str, parameters: dict, reads: tuple) -> None:
    assert _score(name, parameters).reads == reads


def test_the_documentation_names_other_sides_than_the_default_ones() -> None:
    labse = {"encoder": {"path": "models/labse"}, "sides": ["source", "translation"]}
    assert _score("paraphrase_similarity", labse).doc.endswith(
        "Measured here on the source and the translation."
    )
    assert _score("perplexity", {"side": "reference"}).doc.endswith("Measured here on the reference.")
    for name in SCORES:
        assert "Measured here" not in _score(name, {}).doc


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
        ("contamination", {}, ("data/a", "data/b"), None),
        ("profanity", {"words": "lists/en.txt"}, ("lists/en.txt",), None),
        ("reference_idf", {}, (), sys.maxsize),
        ("translation_idf", {"frequencies": "words.txt"}, ("words.txt",), None),
        ("reference_probability", {}, (), 40_000),
        ("reference_probability", {"classifier": {"train_on": 9, "type": "lstm"}}, (), 9),
        ("reference_probability", {"classifier": {"path": "models/c"}}, ("models/c",), None),
        ("reference_probability", {"classifier": {"vectors": "v.txt"}}, ("v.txt",), 40_000),
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
        ("reference_repetition", {"n": 2}, ("n",), "1 or 3"),
        ("character_set_share", {"script": "Han}|\\p{L"}, (), "a script in Unicode, such as Latin"),
        ("character_set_share", {"script": "latin"}, (), "a script in Unicode, such as Latin, got 'latin'"),
        (
            "reference_language_probability",
            {"language": "english"},
            (),
            "'english'; there are: likeliest, ace,",
        ),
        ("perplexity", {"lm": {"train_onn": 3}}, ("lm", "train_onn"), "Unexpected"),
        ("perplexity", {"lm": {}}, ("lm",), "expected either path"),
        ("perplexity", {"lm": {"path": "a", "train_on": 3}}, ("lm",), "expected either path"),
        ("perplexity", {"lm": {"train_on": 0}}, ("lm", "train_on"), "at least 1"),
        ("perplexity", {"lm": {"train_on": 9, "order": 1}}, ("lm", "order"), "at least 2"),
        ("perplexity", {"lm": {"path": "a", "order": 4}}, ("lm",), "leave out either order or path"),
        ("perplexity", {"lm": {"path": "a", "share": 0.3}}, ("lm",), "leave out either share or path"),
        ("perplexity", {"lm": {"train_on": 9, "share": 1}}, ("lm", "share"), "below 1"),
        ("perplexity", {"lm": {"train_on": 9, "share": 0}}, ("lm", "share"), "above 0"),
        (
            "perplexity",
            {"lm": {"train_on": 9, "group_by": "language"}},
            ("lm", "group_by"),
            "'corpus', 'domain' or 'source_language'",
        ),
        (
            "reference_probability",
            {"classifier": {"lambda_words": []}},
            ("classifier",),
            "expected at least one value of negatives and of lambda_words",
        ),
        ("perplexity", {"side": "source"}, ("side",), "'translation' or 'reference'"),
        ("paraphrase_similarity", {"encoder": {"train_on": 0}}, ("encoder", "train_on"), "at least 1"),
        (
            "paraphrase_similarity",
            {"encoder": {"path": "a", "epochs": 3}},
            ("encoder",),
            "leave out either epochs or path",
        ),
        (
            "reference_probability",
            {"classifier": {"epochs": 0}},
            ("classifier", "epochs"),
            "at least 1",
        ),
        (
            "reference_probability",
            {"classifier": {"lambda_words": -1}},
            ("classifier", "lambda_words"),
            "at least 0",
        ),
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
        ("paraphrase_similarity", {"sides": ["source", "reference"]}, (), "of one that knows both languages"),
        ("paraphrase_similarity", {"sides": ["reference", "reference"]}, (), "two different sides"),
        ("contamination", {"sets": []}, (), "at least one evaluation set"),
        ("contamination", {"sets": [{"name": "a", "path": path} for path in "xy"]}, (), "are called 'a'"),
        ("contamination", {"sets": [{"name": "a b", "path": "x"}]}, ("sets", 0), "'a b' is not a name"),
        ("contamination", {"n": 2}, ("n",), "at least 3"),
        ("contamination", {"share": 0.0}, ("share",), "above 0"),
        ("paraphrase_similarity", {"encoder": {"path": "a"}, "tokens": "whitespace"}, (), "leave tokens out"),
    ],
)
def test_wrong_parameters(name: str, parameters: dict, place: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        _score(name, parameters)
    (error,) = [each for each in raised.value.errors() if message in each["msg"]]
    assert error["loc"][: len(place)] == place  # pydantic adds the member of a union


def test_the_language_is_recognised() -> None:
    english = "The two dogs are running along the beach."
    texts = pa.array([english, "Dva psi běží po pláži k moři.", english.upper()])
    for code, expected in (("en", [True, False, True]), ("cs", [False, True, False])):
        score = _score("reference_language_probability", {"language": code})
        values = score.measure(pa.table({"reference": texts})).to_pylist()
        assert [value > 0.5 for value in values] == expected and all(0 <= value <= 1 for value in values)


def test_the_probability_of_the_likeliest_language_is_the_highest() -> None:
    pairs = pa.table({"reference": ["Dva psi běží po pláži k moři.", "The dogs run along the beach."]})
    labels = _score("reference_language", {}).measure(pairs).to_pylist()
    likeliest = _score("reference_language_probability", {"language": "likeliest"}).measure(pairs)
    for row, label in enumerate(labels):
        of_label = _score("reference_language_probability", {"language": label}).measure(pairs)
        assert likeliest[row] == of_label[row] and 0.5 < likeliest[row].as_py() <= 1


def test_the_languages_of_the_identifier_are_known() -> None:
    assert set(language._identifier().labels) == language.LANGUAGES


def test_a_list_of_words_is_read_from_its_file(tmp_path: Path) -> None:
    file, score, kind = tmp_path / "words.txt", _score("profanity", {}), MODEL_KINDS["word_list"]
    file.write_bytes("\ufeffdamn\r\n\r\nblóody hell \n".encode())
    words = kind.load([file], score)
    assert score.measure(pa.table({"translation": ["Damn the blóody hell", "hell"]}), words).to_pylist() == [
        2,
        0,
    ]
    for content, message in ((b"d\xffmn", "UTF-8"), (b"\n \n", "on each line, got none")):
        file.write_bytes(content)
        with pytest.raises(ModelError, match=message):
            kind.load([file], score)
    with pytest.raises(ModelError, match="expected a file"):
        kind.load([tmp_path], score)
