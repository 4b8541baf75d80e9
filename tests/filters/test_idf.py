"""Frequencies of words for the average IDF: from files of the user, and from a whole run."""

import gzip
import math
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import recipe_text
from runs import go, load

from paranmt.base.errors import ModelError
from paranmt.filters.idf import ReferenceIdf, TranslationIdf
from paranmt.filters.statistics import word_frequencies
from paranmt.tokens.definition import tokenize
from paranmt.transforms.model_kinds import MODEL_KINDS
from paranmt.transforms.model_kinds.word_frequencies import read_frequencies


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("A a b\nc\n", "a a b c"),
        ("a\t2\nb 1\n\nc   1\n", "a a b c"),
        ("The 1\na 2\nthe 3", "the the the the a a"),
        ("don't 2", "don ' t don ' t"),
        ("\ufeffa 0\nb 1", "b"),
        ("b b 1\na 2\n", "b b 1 a 2"),
    ],
)
def test_a_file_is_a_text_or_a_table(tmp_path: Path, content: str, text: str) -> None:
    for path in (tmp_path / "words.txt", tmp_path / "words.txt.gz"):
        path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
        found, expected = read_frequencies(str(path)), word_frequencies([pa.array([text])])
        keys, _ = expected.items()
        assert found.total == expected.total
        assert found.counts_of(keys).tolist() == expected.counts_of(keys).tolist()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "expected a text in UTF-8"),
        (b"\xff\n \n", "expected a text in UTF-8"),
        (b"a 2\nb\nc 1\n", "on line 2, as on the first line, got 'b'"),
        (b"a 2\n\nb c 1\n", "on line 3, as on the first line, got 'b c 1'"),
        (b"a 2\nb -1\n", "got 'b -1'"),
    ],
)
def test_what_is_neither_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "words.txt").write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_frequencies(str(tmp_path / "words.txt"))


def test_the_tokens_of_a_file_are_those_of_the_score(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("don't do")
    score = ReferenceIdf(frequencies="words.txt", tokens="whitespace")
    model = MODEL_KINDS["word_frequencies"].load([tmp_path / "words.txt"], score)
    assert score.measure(pa.table({"reference": ["DON'T"]}), model).to_pylist() == [
        pytest.approx(math.log(2))
    ]


def test_a_run_counts_all_references(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a 3\ndog 1\n")
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 120, "second": 30}),
        "scores={translation_idf: {}, given: {score: reference_idf, frequencies: words.txt}, length: {score: "
        "reference_length}}",
        *("select={}", "train={}", "evaluate={}", "release={}", "duplicates={keep: length}"),
    )
    assert recipe.scores["translation_idf"] == TranslationIdf()
    go(recipe, last="release")
    release = pq.read_table(tmp_path / "work/release/data")
    tokens = [tokenize(text.lower()) for text in release["reference"].to_pylist()]
    counts = Counter(word for sentence in tokens for word in sentence)
    for value, text in zip(
        release["translation_idf"].to_pylist(), release["translation"].to_pylist(), strict=True
    ):
        words = tokenize(text.lower())
        expected = sum(math.log(counts.total() / max(counts[word], 1)) for word in words) / len(words)
        assert value == pytest.approx(expected, rel=1e-6)
    for value, words in zip(release["given"].to_pylist(), tokens, strict=True):
        expected = sum(math.log(4 / (3 if word == "a" else 1)) for word in words) / len(words)
        assert value == pytest.approx(expected, rel=1e-6)
    assert not any(release["held_out"].to_pylist())
    card = (tmp_path / "work/release/README.md").read_text()
    assert "frequencies of words trained on 150 pairs of this corpus" in card
