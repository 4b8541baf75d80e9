"""Word-vector files: GloVe's and word2vec's text format, and word2vec's binary one, plain or compressed."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ...base.errors import InputError, ModelError
from ...base.streams import LONGEST_LINE, exists, file_system, numbered_lines, open_stream, reaching, reading

# PARAGRAM's row for unknown words, and the row of some GloVe files.
UNKNOWN_WORDS = ("UUUNKKK", "<unk>")

_HEADER = re.compile(rb"(\d+) (\d+) ?\r?\n")
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_SNIFFED = 4_096  # bytes; text has no control characters, and floats have them all the time
_BLOCK = 1 << 20
_LONGEST_WORD = 1_000  # bytes
_MOST_BYTES = 1 << 34  # of all vectors, four times those of the largest files that are published


@dataclass(frozen=True)
class WordVectors:
    """Words with their vectors, in the file's order.

    matrix: (words, dimension) float32. unknown: (dimension,) float32, the vector of all other words.
    """

    words: list[str]
    matrix: np.ndarray
    unknown: np.ndarray

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[1])


def read_vectors(path: str) -> WordVectors:
    """Reads `word v1 … vd` lines, after an optional `count d` line, or word2vec's binary files, in which each
    word and a space are followed by d float32. A file named .gz, .bz2, .xz or .zst is decompressed.

    `unknown` is the row `UUUNKKK` (PARAGRAM) or `<unk>` of the file, which is then not a word. In a file
    without such a row it is the mean of all vectors, the least surprising place for an unknown word. A word
    may contain spaces. ModelError if a line is malformed (it names the first), if numbers of dimensions
    differ, if the count in the header is wrong, if the file is truncated, or if a binary file repeats a word.
    """
    with _opened(path) as stream:
        start = stream.read(_SNIFFED)
        header = _HEADER.match(start)
        if header and _NOT_TEXT.search(start):
            rest = start[header.end() :]
            return _with_unknown(path, *_read_binary(path, rest, stream, int(header[1]), int(header[2])))
    return _read_text(path)


def _read_binary(
    path: str, buffer: bytes, stream: io.BufferedReader, count: int, dimension: int
) -> tuple[list[str], np.ndarray]:
    """The words and vectors of word2vec's binary format after its header: in `buffer`, then in the stream."""
    if not count or not dimension:
        raise ModelError(f"the first line of {path} says {count} words of {dimension} numbers: it is damaged")
    rows: dict[str, int] = {}
    values = bytearray()  # grows with what is read, because a damaged header may announce anything
    size, place = 4 * dimension, 0
    while True:
        space = buffer.find(b" ", place)
        if space < 0 and len(buffer) - place > _LONGEST_WORD:
            raise _damaged(path, len(rows), "no word ends within 1,000 bytes")
        if space < 0 or space + 1 + size > len(buffer):
            block = stream.read(_BLOCK)
            if not block:
                break
            buffer, place = buffer[place:] + block, 0
            continue
        word = _decoded(path, buffer[place:space].lstrip(b"\n"), len(rows))
        if word in rows:
            raise ModelError(
                f"{path} repeats the word {word!r} (words {rows[word] + 1:,} and {len(rows) + 1:,})"
            )
        if len(rows) == count:
            raise ModelError(f"the first line of {path} says {count:,} words, but it has more: it is damaged")
        rows[word] = len(rows)
        values += buffer[space + 1 : space + 1 + size]
        if len(values) > _MOST_BYTES:
            raise _too_large(path)
        place = space + 1 + size
    rest = buffer[place:].strip(b"\n")
    if len(rows) < count or rest:
        raise ModelError(
            f"{path} says {count:,} words of {dimension:,} numbers, but it ends "
            + (f"after {len(rows):,}" if len(rows) < count else f"with {len(rest):,} other bytes")
            + ": it is cut off or damaged; fetch it again"
        )
    return [*rows], np.frombuffer(values, dtype="<f4").reshape(-1, dimension).astype(np.float32, copy=False)


def _decoded(path: str, word: bytes, number: int) -> str:
    try:
        text = word.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if not text or _NOT_TEXT.search(word):
        raise _damaged(path, number, f"expected a word in UTF-8, got {word[:40]!r}")
    return text


def _too_large(path: str) -> ModelError:
    return ModelError(f"{path}: its vectors take more than {_MOST_BYTES:,} bytes: is it the right file?")


def _damaged(path: str, number: int, what: str) -> ModelError:
    return ModelError(f"{path}, word {number + 1:,}: {what}; the file is damaged, or its first line is")


def _read_text(path: str) -> WordVectors:
    words: list[str] = []
    values = bytearray()
    dimension = announced = 0
    for number, line in enumerate(_lines(path), start=1):
        fields = line.rstrip(" ").split(" ")
        if number == 1:
            if len(fields) == 2 and all(field.isdigit() for field in fields):
                announced, dimension = int(fields[0]), int(fields[1])
                continue
            dimension = len(fields) - 1
        word = " ".join(fields[:-dimension]) if dimension else ""
        if not word:
            raise ModelError(
                f"{path}, line {number}: expected a word and {dimension or 'its'} numbers, "
                f"got {line[:60]!r}; word vectors must be text with one word a line"
            )
        values += _numbers(fields[-dimension:], path, number).tobytes()
        words.append(word)
        if len(values) > _MOST_BYTES:
            raise _too_large(path)
    if not words:
        raise ModelError(f"{path} contains no word vectors")
    if announced and announced != len(words):
        raise ModelError(
            f"the first line of {path} says {announced} words, but it has {len(words)}: it may be cut off"
        )
    return _with_unknown(path, words, np.frombuffer(values, dtype=np.float32).reshape(-1, dimension))


@contextmanager
def _opened(path: str) -> Iterator[io.BufferedReader]:
    """The decompressed file; ModelError if it does not exist or is damaged."""
    try:
        fs, place = file_system(path)
        with reaching(path):
            is_there = exists(fs, place)
        if not is_there:
            raise ModelError(f"there is no word-vector file {path}")
        with open_stream(path) as stream, reading(path):
            yield stream
    except InputError as error:
        raise ModelError(str(error)) from error


def _lines(path: str) -> Iterator[str]:
    try:
        for number, line in numbered_lines(path):
            if len(line) > LONGEST_LINE:
                raise ModelError(f"{path}: line {number:,} has more than {LONGEST_LINE:,} bytes")
            yield line.decode("utf-8")
    except InputError as error:
        raise ModelError(str(error)) from error
    except UnicodeDecodeError as error:
        raise ModelError(
            f"{path} is not UTF-8 text ({error.reason}), nor word2vec's binary format, whose first line is "
            "the number of words and that of their numbers"
        ) from None


def _numbers(fields: list[str], path: str, number: int) -> np.ndarray:
    try:
        return np.array(fields, dtype=np.float32)
    except ValueError:
        raise ModelError(
            f"{path}, line {number}: expected {len(fields)} numbers after the word, "
            f"got {' '.join(fields)[:60]!r}"
        ) from None


def _with_unknown(path: str, words: list[str], matrix: np.ndarray) -> WordVectors:
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        raise ModelError(f"{path}: the vector of {words[int(np.argmin(finite))]!r} is not finite")
    first: dict[str, int] = {}
    for index, word in enumerate(words):
        first.setdefault(word, index)  # a repeated word keeps its first vector
    named = next((first.pop(word) for word in UNKNOWN_WORDS if word in first), None)
    unknown = matrix[named] if named is not None else matrix.mean(axis=0, dtype=np.float64).astype(np.float32)
    if named is not None or len(first) != len(words):
        matrix = matrix[list(first.values())]
    return WordVectors(list(first), matrix, unknown)
