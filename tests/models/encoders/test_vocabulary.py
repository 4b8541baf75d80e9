from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranmt.base.errors import ModelError
from paranmt.models.encoders.row_index import RowIndex
from paranmt.models.encoders.vocabulary import UNKNOWN_ROW, Tags, Vocabulary, most_frequent, trigrams, words


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("", []),
        ("a", [" a "]),
        ("It is", [" it", "it ", "t i", " is", "is "]),
        ("it\t IS", [" it", "it ", "t i", " is", "is "]),
        ("no, no", [" no", "no ", "o ,", " , ", ", n", " no", "no "]),
    ],
)
def test_trigrams(sentence: str, expected: list[str]) -> None:
    assert trigrams(sentence) == expected


def test_words_are_lower_cased_after_tokenising() -> None:
    assert words("It DIDN'T.") == ["it", "didn", "'", "t", "."]
    assert words("It DID N'T .", "whitespace") == ["it", "did", "n't", "."]


def test_unknown_units_share_row_zero() -> None:
    vocabulary = Vocabulary(["rain", "it"])
    assert vocabulary.ids("It rains, rain") == [2, UNKNOWN_ROW, UNKNOWN_ROW, 1]
    assert len(vocabulary) == 3
    assert vocabulary.ids("") == []


def test_most_frequent_cuts_and_breaks_ties_by_code_point() -> None:
    counts = {"z": 5, "b": 3, "ä": 3, "a": 3, "once": 1}
    assert most_frequent(counts, 3) == ["z", "a", "b"]
    assert most_frequent(counts, 10, minimum_count=2) == ["z", "a", "b", "ä"]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1), unique=True))
def test_save_and_load(tmp_path_factory: pytest.TempPathFactory, entries: list[str]) -> None:
    path = tmp_path_factory.mktemp("vocabulary") / "vocabulary.txt"
    Vocabulary(entries, "trigrams").save(path)
    loaded = Vocabulary.load(path, "trigrams", "words")
    assert loaded.entries == entries
    assert len(loaded) == len(entries) + 1


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.txt"
    with pytest.raises(ModelError, match=r"has no vocabulary\.txt"):
        Vocabulary.load(path, "words", "words")
    path.write_bytes(b"one\n\xff\n")
    with pytest.raises(ModelError, match="not UTF-8"):
        Vocabulary.load(path, "words", "words")
    path.write_bytes(b"one\none\n")
    with pytest.raises(ModelError, match="must not repeat a unit; this one repeats 1"):
        Vocabulary.load(path, "words", "words")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("none", [[3, 0], [], [3]]),
        ("start", [[1, 3, 0], [], [1, 3]]),
        ("end", [[3, 0, 2], [], [3, 2]]),
        ("both", [[1, 3, 0, 2], [], [1, 3, 2]]),
    ],
)
def test_tags_mark_the_ends_of_sentences_that_have_words(tags: Tags, expected: list[list[int]]) -> None:
    vocabulary, sentences = Vocabulary(["<s>", "</s>", "rain"], tags=tags), ["rain falls", " ", "Rain"]
    assert [vocabulary.ids(sentence) for sentence in sentences] == expected
    ids = RowIndex(vocabulary).token_ids(pa.array(sentences))
    assert [ids.ids[a:b].tolist() for a, b in zip(ids.starts[:-1], ids.starts[1:], strict=True)] == expected


def test_trigrams_have_no_tags() -> None:
    assert Vocabulary([" ra"], "trigrams", tags="both").ids("rain") == [1, 0, 0, 0]
