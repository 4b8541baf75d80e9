"""Files that belong together line by line: simplifications, translations, captions of the same images."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ...base.errors import InputError
from ...models.evaluation.sentences import SetFile, file_lines, list_files, without_compression
from ..bitexts.cleaning import Cleaning, clean_texts
from .ppdb import with_brackets

_SIMPLIFIED = {
    ".orig": r"\.simp\.\d+",  # ASSET
    ".norm": r"\.(?:simp|turk\.\d+)",  # TurkCorpus
    ".src": r"\.dst",  # WikiLarge and WikiSmall
}
"""The endings of files of sentences, and those of the files of their simplifications."""

_CLEANING = Cleaning(entities=True)  # translators and collectors of captions left `&quot;` and `&amp;`


@dataclass(frozen=True)
class AlignedFiles:
    """A file of sentences, and those with other versions of each sentence on the same line.

    name: what the names of the files have in common. named_brackets: whether the texts have the Penn
    Treebank's names of brackets, as corpora of simplifications do.
    """

    name: str
    files: tuple[SetFile, ...]
    named_brackets: bool = False

    def lines(self) -> Iterator[tuple[str, ...]]:
        """The texts of each line, cleaned as after `ingest` with `entities`.

        InputError for files of different lengths.
        """
        ended = object()
        columns = map(file_lines, self.files)
        for lines in itertools.zip_longest(*columns, fillvalue=ended):
            texts = [line for line in lines if isinstance(line, str)]
            if len(texts) < len(lines):
                raise InputError(self._lengths())
            cleaned = clean_texts(texts, _CLEANING).texts
            yield tuple(map(with_brackets, cleaned) if self.named_brackets else cleaned)

    def _lengths(self) -> str:
        sizes = ", ".join(f"{file.name} {sum(1 for _ in file_lines(file)):,}" for file in self.files)
        first = self.files[0]
        return f"{first.url}: expected files with as many lines as each other, got {sizes}"


Layout = Callable[[Mapping[str, SetFile]], Iterator[AlignedFiles]]
"""Finds the files that belong together among those of a folder, given by their names without compression."""


def aligned_files(path: str, *layouts: Layout) -> list[AlignedFiles]:
    """The files of a folder that belong together in one of some layouts, in the order of their names."""
    files = {without_compression(file.name): file for file in list_files(path) if file.is_read}
    found = [aligned for layout in layouts for aligned in layout(files)]
    return sorted(found, key=lambda aligned: aligned.files[0].name)


def simplifications(files: Mapping[str, SetFile]) -> Iterator[AlignedFiles]:
    """NAME.orig with NAME.simp.N, NAME.norm with NAME.simp and NAME.turk.N, NAME.src with NAME.dst."""
    for name in files:
        for ending, others in _SIMPLIFIED.items():
            if name.endswith(ending):
                stem = name.removesuffix(ending)
                versions = _matching(files, re.escape(stem) + others)
                if versions:
                    yield AlignedFiles(stem, (files[name], *versions), named_brackets=True)


def translations(files: Mapping[str, SetFile]) -> Iterator[AlignedFiles]:
    """References NAME.en with the translations of each system, NAME.SYSTEM.en, in any language."""
    for name in files:
        stem, _, language = name.rpartition(".")
        systems = _matching(files, rf"{re.escape(stem)}\.[^./]*[^./\d][^./]*\.{re.escape(language)}")
        if stem and systems:
            yield AlignedFiles(stem, (files[name], *systems))


def captions(files: Mapping[str, SetFile]) -> Iterator[AlignedFiles]:
    """NAME.1.en, NAME.2.en …, in the order of their numbers, in any language."""
    sets: dict[tuple[str, str], list[tuple[int, SetFile]]] = {}
    for name, file in files.items():
        match = re.fullmatch(r"(.+)\.(\d+)\.([^./\d]+)", name)
        if match is not None:
            sets.setdefault((match[1], match[3]), []).append((int(match[2]), file))
    for (stem, _), versions in sets.items():
        if len(versions) > 1:
            ordered = sorted(versions, key=lambda version: version[0])
            yield AlignedFiles(stem, tuple(file for _, file in ordered))


def _matching(files: Mapping[str, SetFile], pattern: str) -> list[SetFile]:
    compiled = re.compile(pattern)
    return [file for name, file in files.items() if compiled.fullmatch(name)]
