"""Word-vector files: GloVe's and word2vec's text format, plain or compressed."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...errors import InputError, ModelError
from ...streams import file_system, open_stream, reaching, reading

# PARAGRAM's row for unknown words, and the row of some GloVe files.
UNKNOWN_WORDS = ("UUUNKKK", "<unk>")


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
    """Reads `word v1 … vd` lines, after an optional `count d` line. A file named .gz, .bz2, .xz or .zst is
    decompressed.

    `unknown` is the row `UUUNKKK` (PARAGRAM) or `<unk>` of the file, which is then not a word. In a file
    without such a row it is the mean of all vectors, the least surprising place for an unknown word. A word
    may contain spaces. ModelError if a line is malformed (it names the first), if numbers of dimensions
    differ, if the count in the header is wrong, or if the file is truncated.
    """
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
    if not words:
        raise ModelError(f"{path} contains no word vectors")
    if announced and announced != len(words):
        raise ModelError(
            f"the first line of {path} says {announced} words, but it has {len(words)}: it may be cut off"
        )
    return _with_unknown(path, words, np.frombuffer(values, dtype=np.float32).reshape(-1, dimension))


def _lines(path: str) -> Iterator[str]:
    try:
        fs, place = file_system(path)
        with reaching(path):
            exists = fs.exists(place)
        if not exists:
            raise ModelError(f"there is no word-vector file {path}")
        with open_stream(path) as stream, reading(path):
            for line in io.TextIOWrapper(stream, encoding="utf-8", newline="\n"):
                yield line.rstrip("\r\n")
    except InputError as error:
        raise ModelError(str(error)) from error
    except UnicodeDecodeError as error:
        raise ModelError(
            f"{path} is not UTF-8 text ({error.reason}); binary word2vec files must be converted"
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
