"""Translation retrieval, with tables worked by hand."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from paranmt.base.errors import InputError
from paranmt.models.evaluation.translation_retrieval import TranslationRetrieval, read_aligned

# The cosines of a, b and c with x, y and z are
#   1   0   .6
#   0   1   .8
#   .8  .6  .96
VECTORS = {"a": [2, 0], "b": [0, 1], "c": [0.8, 0.6], "x": [3, 0], "y": [0, 1], "z": [0.6, 0.8]}


class Known:
    """Encodes the letters of `VECTORS`; other sentences have the vector zero."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array([VECTORS.get(text, [0, 0]) for text in sentences], np.float32)


def write(folder: Path, name: str, letters: str) -> None:
    (folder / name).write_text("".join(f"{letter}\n" for letter in letters))


def found(folder: Path) -> list[tuple[object, ...]]:
    table = TranslationRetrieval(data=str(folder)).evaluate(Known())
    return [tuple(row.values.values()) for row in (*table.rows, *table.averages)]


def test_the_table(tmp_path: Path) -> None:
    """In the first set everything is found, in the second one only a and x: b is nearest to y, and c to z.

    By the product in place of the cosine, c would be nearest to x (2.4) in the first set.
    """
    write(tmp_path, "one.ces-eng.ces", "abc")
    write(tmp_path, "one.ces-eng.eng", "xyz")
    write(tmp_path, "two.deu-eng.deu", "abc")
    (tmp_path / "two.deu-eng.eng.gz").write_bytes(gzip.compress(b"x\r\nz\r\ny"))
    write(tmp_path, "README.md", "x")
    rows = found(tmp_path)
    third = pytest.approx(100 / 3)
    assert rows[:2] == [
        ("one.ces-eng", "ces to eng", 3, 100, 100, 100),
        ("one.ces-eng", "eng to ces", 3, 100, 100, 100),
    ]
    assert [row[:4] for row in rows[2:]] == [
        ("two.deu-eng", "deu to eng", 3, third),
        ("two.deu-eng", "eng to deu", 3, third),
        (None, "mean", None, pytest.approx(200 / 3)),
    ]
    # Of 27 resamples of three sentences 8 are without a, and one has a three times: 3.7 %.
    assert rows[2][4:] == (0, 100)


def test_the_directions_differ(tmp_path: Path) -> None:
    """c is nearer to x (.8) than to y (.6), and y is nearer to c (.6) than to a (0)."""
    write(tmp_path, "s.cs-en.cs", "ac")
    write(tmp_path, "s.cs-en.en", "xy")
    assert [row[1:4] for row in found(tmp_path)] == [
        ("cs to en", 2, 50),
        ("en to cs", 2, 100),
        ("mean", None, 75),
    ]


def test_ties_are_wrong_unless_the_texts_are_equal(tmp_path: Path) -> None:
    write(tmp_path, "s.cs-en.cs", "pq")  # zero vectors: every answer is as near as the other
    write(tmp_path, "s.cs-en.en", "xy")
    assert [row[3] for row in found(tmp_path)] == [0, 0, 0]
    write(tmp_path, "s.cs-en.cs", "aba")  # the first line again
    write(tmp_path, "s.cs-en.en", "xyx")
    assert [row[3] for row in found(tmp_path)] == [100, 100, 100]


def test_resamples_are_paired(tmp_path: Path) -> None:
    """Another encoder meets the same resamples, and each row has its own."""
    write(tmp_path, "s.cs-en.cs", "ac")
    write(tmp_path, "s.cs-en.en", "xy")
    one, two = (TranslationRetrieval(data=str(tmp_path)).measure(Known()) for _ in range(2))
    assert set(one.resampled) == {("s.cs-en", "cs to en"), ("s.cs-en", "en to cs"), (None, "mean")}
    for key, samples in one.resampled.items():
        assert samples.shape == (2_000,) and np.array_equal(samples, two.resampled[key])


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.cs-en.cs": "a"}, r"has no a.cs-en.en, but the other side of it"),
        ({"a.cs-en.cs": "ab", "a.cs-en.en": "x"}, "both sides of a.cs-en, got 2 of cs and 1 of en"),
        ({"a.cs-en.cs": "", "a.cs-en.en": ""}, "got 0 of cs and 0 of en"),
        (
            {"a.cs-en.cs": "a ", "a.cs-en.en": "xy"},
            r"a.cs-en.cs, line 2: expected a sentence; remove the line",
        ),
        ({"a.cs": "a", "a.en": "x"}, "expected files such as tatoeba.ces-eng.ces and tatoeba.ces-eng.eng"),
        ({"a.en-en.en": "a"}, "has no aligned sentences"),
        ({"a.cs-en.fr": "a"}, "has no aligned sentences"),
    ],
)
def test_wrong_files(files: dict[str, str], told: str, tmp_path: Path) -> None:
    for name, letters in files.items():
        write(tmp_path, name, letters)
    with pytest.raises(InputError, match=told):
        read_aligned(str(tmp_path))
