import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from bitexts import COMPRESS

from paranmt.base.errors import ModelError
from paranmt.base.streams import LONGEST_LINE
from paranmt.models.encoders import vectors as vectors_module
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vectors import read_vectors

_GLOVE = "the 1 2\ncat 3 -4.5\n"


@pytest.mark.parametrize(
    "text", [_GLOVE, "2 2\n" + _GLOVE, _GLOVE.replace("\n", " \n"), _GLOVE.replace("\n", "\r\n")]
)
@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz"])
def test_formats(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    vectors = read_vectors(str(path))
    assert vectors.words == ["the", "cat"]
    assert vectors.matrix.tolist() == [[1.0, 2.0], [3.0, -4.5]]
    assert vectors.matrix.dtype == np.float32
    assert vectors.unknown.tolist() == [2.0, -1.25]  # the mean: no row is for unknown words
    assert vectors.dimension == 2


@pytest.mark.parametrize("name", ["UUUNKKK", "<unk>"])
def test_the_row_for_unknown_words_is_not_a_word(tmp_path: Path, name: str) -> None:
    path = tmp_path / "v.txt"
    path.write_text(f"the 1 2\n{name} 7 8\ncat 3 4\n", encoding="utf-8")
    vectors = read_vectors(str(path))
    assert vectors.words == ["the", "cat"]
    assert vectors.unknown.tolist() == [7.0, 8.0]


def test_words_with_spaces_and_repeated_words(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("the 1 2\n. . . 3 4\nthe 9 9\n", encoding="utf-8")
    vectors = read_vectors(str(path))
    assert vectors.words == ["the", ". . ."]
    assert vectors.matrix.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no word vectors"),
        (b"the 1 2\ncat 3\n", "line 2: expected a word and 2 numbers"),
        (b"the 1 2\ncat 3 x\n", "line 2: expected 2 numbers after the word, got '3 x'"),
        (b"the 1 2\n\n", "line 2"),
        (b"word\n", "line 1: expected a word and its numbers"),
        (b"3 2\nthe 1 2\ncat 3 4\n", "says 3 words, but it has 2"),
        (b"the 1 2\ncat 3 nan\n", "'cat' is not finite"),
        (b"the 1 2\n\xff\xfe 3 4\n", "not UTF-8"),
    ],
)
def test_malformed_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_vectors(str(path))


def test_truncated_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "v.txt.gz"
    path.write_bytes(gzip.compress(_GLOVE.encode() * 1000)[:-20])
    with pytest.raises(ModelError, match="cannot be read to its end"):
        read_vectors(str(path))
    with pytest.raises(ModelError, match="there is no word-vector file"):
        read_vectors(str(tmp_path / "none.txt"))


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESS if suffix])
def test_damaged_archives(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"v.txt{suffix}"
    packed = COMPRESS[suffix](_GLOVE.encode() * 1000)
    for content in (packed[: len(packed) // 2], b"the 1 2\n"):
        path.write_bytes(content)
        with pytest.raises(ModelError, match="cannot be read to its end|expected a .* file, as it is named"):
            read_vectors(str(path))


@pytest.mark.parametrize("name", ["v.zip", "v.txt"])
def test_the_error_says_that_zip_archives_are_not_supported(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("v.txt", _GLOVE)
    with pytest.raises(ModelError, match=f"{name}: a zip archive is not supported"):
        read_vectors(str(tmp_path / name))


def test_averages_of_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("2 2\nthe 1 0\ncat 0 1\n", encoding="utf-8")
    encoder = SentenceEncoder.from_vectors(str(path))
    # The unknown word has the mean (0.5, 0.5) and counts: (1.5, 1.5) / 3.
    assert encoder.encode(["The CAT meowed", "cat", ""]).tolist() == [[0.5, 0.5], [0.0, 1.0], [0.0, 0.0]]


def test_real_files(shared: Path) -> None:
    folder = shared / "data/word-vectors"
    glove = read_vectors(str(folder / "glove.6B.50d.top9163.txt.gz"))
    assert (len(glove.words), glove.dimension, glove.words[:3]) == (9163, 50, ["the", ",", "."])
    google = read_vectors(str(folder / "word2vec-googlenews.300d.top1000.txt.gz"))
    assert (len(google.words), google.dimension) == (1000, 300)


# The 1 2, CAT 3 -4.5: little-endian floats by hand, after each a line end, as word2vec writes it.
_ONE, _TWO, _THREE, _LAST = b"\x00\x00\x80\x3f", b"\x00\x00\x00\x40", b"\x00\x00\x40\x40", b"\x00\x00\x90\xc0"
_ROWS = b"the " + _ONE + _TWO + b"\ncaf\xc3\xa9 " + _THREE + _LAST + b"\n"


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("content", [_ROWS, _ROWS[:-1], _ROWS.replace(b"\ncaf", b"caf")])
def test_binary_files(tmp_path: Path, content: bytes, ending: str) -> None:
    path = tmp_path / f"v.bin{ending}"
    path.write_bytes(COMPRESS[ending](b"2 2\n" + content))
    vectors = read_vectors(str(path))
    assert vectors.words == ["the", "café"]
    assert vectors.matrix.tolist() == [[1.0, 2.0], [3.0, -4.5]]
    assert vectors.matrix.dtype == np.float32
    assert vectors.unknown.tolist() == [2.0, -1.25]


def test_binary_files_in_several_members(tmp_path: Path) -> None:
    (tmp_path / "v.bin.gz").write_bytes(gzip.compress(b"2 2\n") + gzip.compress(_ROWS))
    assert read_vectors(str(tmp_path / "v.bin.gz")).words == ["the", "café"]


def test_binary_files_of_many_blocks_are_those_of_text(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).normal(size=(9_000, 60)).astype(np.float32)
    words = [f"w{row}" for row in range(9_000)]
    binary = b"".join(
        f"{word} ".encode() + row.astype("<f4").tobytes() + b"\n"
        for word, row in zip(words, numbers, strict=True)
    )
    (tmp_path / "v.bin").write_bytes(b"9000 60\n" + binary)
    read = read_vectors(str(tmp_path / "v.bin"))
    assert read.words == words
    assert np.array_equal(read.matrix, numbers)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"3 2\n" + _ROWS, "says 3 words of 2 numbers, but it ends after 2"),
        (b"2 2\n" + _ROWS[:-3], "it ends after 1: it is cut off"),
        (b"1 2\n" + _ROWS, "says 1 words, but it has more"),
        (b"2 2\n" + _ROWS + b"xx", "ends with 2 other bytes"),
        (b"2 2\n" + _ROWS.replace(b"caf\xc3\xa9", b"the"), r"repeats the word 'the' \(words 1 and 2\)"),
        (b"2 1\n" + _ROWS, "word 2: expected a word in UTF-8"),
        (b"2 3\n" + _ROWS, "it is cut off or damaged"),
        (b"99999999999 2\n" + _ROWS, "ends after 2"),  # takes no memory for what the header announces
        (b"2 99999999999\n" + _ROWS, "ends after 0"),
        (b"0 2\n" + _ROWS, "it is damaged"),
        (b"2 2\n" + _ROWS.replace(_LAST, b"\x00\x00\xc0\x7f"), "'café' is not finite"),
        (b"1 1\n\x01" + b"x" * 2_000, "no word ends within 1,000 bytes"),
        (b"\x00\x01\xff\xfe", "nor word2vec's binary format"),
    ],
)
def test_damaged_binary_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_vectors(str(path))


def test_a_line_without_an_end(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt.gz"
    file.write_bytes(gzip.compress(b"a 1 2\nb" + b" 1" * LONGEST_LINE, 1))
    with pytest.raises(ModelError, match="line 2 has more than 1,048,576 bytes"):
        read_vectors(str(file))


@pytest.mark.parametrize(
    "content", [b"a 1 2\n" * 10, b"10 2\n" + b"".join(b"%d \0\0\0\0\0\0\0\0" % i for i in range(10))]
)
def test_more_vectors_than_any_file_has(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_MOST_BYTES", 9 * 8)
    file = tmp_path / "vectors"
    file.write_bytes(content)
    with pytest.raises(ModelError, match="its vectors take more than 72 bytes"):
        read_vectors(str(file))
