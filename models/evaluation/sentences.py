"""The sentences of an evaluation set, whatever its layout, so that a corpus can be compared with them."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from fsspec.implementations.local import LocalFileSystem

from ...base.documents import parse_json
from ...base.errors import InputError
from ...base.streams import COMPRESSIONS, exists, file_system, files_below, numbered_lines, reaching

MIN_WORDS = 3
"""The fewest words with a letter that make a field a sentence."""

_FIRST_LETTER = re.compile(r"(?<!\w)[\d_]*[^\W\d_]")  # of a word; the time is linear
_LABEL = re.compile(
    r"(?:\d+|__label__\S+)\s+(?=\S)"
)  # before a sentence, as SST's and fastText's files have it
_NO_SENTENCES = re.compile(
    r"readme|licen[cs]e|changelog|\.(?:md|html?|rtf|pdf|docx?|pl|py|sh|zip|tar|arrow)$", re.IGNORECASE
)


@dataclass(frozen=True)
class SetFile:
    """A file of an evaluation set; `name` is its path inside the set's folder."""

    name: str
    url: str

    @property
    def is_read(self) -> bool:
        """Whether the file can have sentences, by its name: not a description, a licence or a program."""
        return _NO_SENTENCES.search(PurePosixPath(self.name).name) is None


def list_files(path: str) -> list[SetFile]:
    """The files of a set, in the order of their names: one file, or all files in a folder and those below it.

    Folders that are links are read like others. Hidden files are left out. InputError if there is nothing at
    the path.
    """
    filesystem, root = file_system(path)
    with reaching(path):
        if not exists(filesystem, root):
            raise InputError(f"there is no evaluation set {path}; correct the path")
        if filesystem.isfile(root):
            files = {PurePosixPath(root).name: root}
        else:
            files = {file[len(root.rstrip("/")) + 1 :]: file for file in files_below(filesystem, root)}
    is_local = isinstance(filesystem, LocalFileSystem)
    return [
        SetFile(name, file if is_local else filesystem.unstrip_protocol(file))
        for name, file in sorted(files.items())
        if not any(part.startswith(".") for part in PurePosixPath(name).parts)
    ]


def file_lines(file: SetFile) -> Iterator[str]:
    """The lines of a file, which may be compressed, as text."""
    return (decoded(line) for _, line in numbered_lines(file.url))


def without_compression(name: str) -> str:
    """A file's name without the ending of a compression."""
    return str(PurePosixPath(name).with_suffix("")) if PurePosixPath(name).suffix in COMPRESSIONS else name


def read_sentences(file: SetFile) -> Iterator[tuple[int, str]]:
    """The sentences of a file, which may be compressed, each with the number of its line, from 1.

    A line is cut into fields: a line of JSON into its strings at any depth, a line with tabs at the tabs, a
    line of a `.csv` file by the rules of CSV. A field with at least three words that have a letter is a
    sentence, so labels, scores and ids are left out. If a field starts with a number or a label of fastText,
    what follows it is a sentence too. Lines that are not UTF-8 are read as Windows-1252.
    """
    is_csv = ending(file.name) == ".csv"
    for number, line in numbered_lines(file.url):
        for field in _fields(decoded(line), is_csv):
            label = _LABEL.match(field)
            for text in (field, *([field[label.end() :]] if label else [])):
                if is_sentence(text):
                    yield number, text.strip()


def is_sentence(text: str) -> bool:
    """Whether a text has at least three words that have a letter."""
    return next(islice(_FIRST_LETTER.finditer(text), MIN_WORDS - 1, None), None) is not None


def decoded(line: bytes) -> str:
    """A line as UTF-8 or, if it is not UTF-8, as Windows-1252."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("windows-1252", "replace")


def ending(name: str) -> str:
    """The ending of a file's name, in lower case, without that of its compression."""
    path = PurePosixPath(name.lower())
    return PurePosixPath(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def _fields(line: str, is_csv: bool) -> list[str]:
    if line.lstrip()[:1] in ("{", "["):
        try:
            return list(_strings(parse_json(line)))
        except (ValueError, RecursionError):
            pass  # a sentence may start with a bracket
    if "\t" in line or not is_csv:
        return line.split("\t")  # without quoting, as in the STS Benchmark's .csv files
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return [line]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)
