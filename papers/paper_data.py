"""The user's data: which files have which role, and the training pairs that they hold.

The layouts are those in which the data is public, and tab-separated pairs for everything else.
"""

import html
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..base.documents import read_document
from ..base.errors import InputError, RecipeError
from ..models.evaluation.sentences import SetFile, file_lines, list_files, without_compression
from ..models.sts.sts_data import read_sts
from ..models.training.examples import read_examples
from ..pipeline.recipe.document import MAX_BYTES, read_yaml
from ..transforms.pair_files.ppdb import BRACKETS
from .paper_table import ROLES, TESTS, TRANSFER

FILE = "data.yaml"
VECTORS = "vectors"

Pair = tuple[str, ...]
"""Two sentences; for natural language inference also their label."""
Group = tuple[str, list[Pair]]
"""Pairs that share a sentence or an image, and the name of the group: the sentence, or file and line."""


@dataclass(frozen=True)
class DataFiles:
    """The files or folders of each role. tests, transfer: of the evaluation. vectors: a file to start from.

    corpora: for each role whose data has names, the files or folders of each name.
    """

    roles: Mapping[str, Sequence[str]]
    tests: Sequence[str]
    vectors: str | None = None
    corpora: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    transfer: Sequence[str] = ()

    @cached_property
    def benchmark(self) -> tuple[str, ...]:
        """The folders of the evaluation that hold the test part of the STS Benchmark."""
        return tuple(
            folder
            for folder in self.tests
            if any(dataset.name == "STSB-test" and dataset.gold for dataset in read_sts(folder))
        )

    @classmethod
    def read(cls, data: Path) -> "DataFiles":
        """What a YAML file names, `data.yaml` in a folder, or else the folder's subfolders by role.

        RecipeError for a role that does not exist, and without data for the evaluation.
        """
        names = [*ROLES, TESTS, TRANSFER, VECTORS]
        file = data / FILE if (data / FILE).is_file() else data
        if not file.exists():
            raise InputError(f"there is no {data}; correct the path of the data")
        corpora: dict[str, dict[str, list[str]]] = {}
        if file.is_dir():
            paths: dict[str, list[str]] = {
                name: [str(data / name)] for name in names if (data / name).exists()
            }
        else:
            try:
                text = read_document(file, MAX_BYTES).decode("utf-8")
            except ValueError as error:
                raise InputError(f"{file} cannot be read: {error}") from None
            content = read_yaml(text, str(file)).data
            if not isinstance(content, dict):
                raise RecipeError(f"{file}: expected roles with paths, such as `sts: data/sts-semeval`")
            if unknown := content.keys() - set(names):
                raise RecipeError(
                    f"{file}: no role {', '.join(sorted(unknown))}; there are: {', '.join(names)}"
                )
            corpora = {
                role: {str(name): _paths(file, role, paths) for name, paths in value.items()}
                for role, value in content.items()
                if role in ROLES and isinstance(value, dict)
            }
            paths = {
                name: [path for named in corpora[name].values() for path in named]
                if name in corpora
                else _paths(file, name, value)
                for name, value in content.items()
            }
        if TESTS not in paths and TRANSFER not in paths:
            raise RecipeError(
                f"{data} names no data for the evaluation: add the role `{TESTS}`, or `{TRANSFER}` for the "
                "tables with transfer tasks"
            )
        vectors = paths.pop(VECTORS, [None])[0]
        return cls(paths, paths.pop(TESTS, []), vectors, corpora, paths.pop(TRANSFER, []))


def _paths(file: Path, name: str, value: object) -> list[str]:
    paths = value if isinstance(value, list) else [value]
    if not paths or not all(isinstance(path, str) for path in paths):
        raise RecipeError(f"{file}: {name}: expected a path or a list of paths")
    return [path if "://" in path else str(file.parent / path) for path in map(str, paths)]


def read_groups(role: str, paths: Sequence[str]) -> Iterator[Group]:
    """The pairs of a role, in groups; InputError if there are none, or if a file lacks lines."""
    reader, layout = _READERS[role]
    is_empty = True
    for path in paths:
        files = {file.name: file for file in list_files(path) if file.is_read}
        for group in itertools.chain(reader(files), () if reader in _OF_LINES else _tabbed(files)):
            is_empty = False
            yield group
    if is_empty:
        raise InputError(f"{', '.join(paths)}: no pairs of the role {role}: expected {layout}")


def _simplifications(files: Mapping[str, SetFile]) -> Iterator[Group]:
    for name in files:
        for ending, others in _SIMPLIFIED.items():
            stem = without_compression(name).removesuffix(ending)
            if stem == without_compression(name):
                continue
            versions = [
                other
                for other in files
                if re.fullmatch(re.escape(stem) + others, without_compression(other)) is not None
            ]
            yield from _aligned(files[name], [files[other] for other in versions])


_SIMPLIFIED = {
    ".orig": r"\.simp\.\d+",  # ASSET
    ".norm": r"\.(?:simp|turk\.\d+)",  # TurkCorpus
    ".src": r"\.dst",  # WikiLarge and WikiSmall
}
"""The endings of files of sentences, and those of the files of their simplifications."""


def _translations(files: Mapping[str, SetFile]) -> Iterator[Group]:
    for name in files:
        stem, _, language = without_compression(name).rpartition(".")
        pattern = re.compile(re.escape(stem) + r"\.[^./]*[^./\d][^./]*\." + re.escape(language))
        systems = [
            file for other, file in files.items() if stem and pattern.fullmatch(without_compression(other))
        ]
        if systems:
            yield from _aligned(files[name], systems)


def _captions(files: Mapping[str, SetFile]) -> Iterator[Group]:
    sets: dict[tuple[str, str], list[SetFile]] = {}
    for name, file in files.items():
        match = re.fullmatch(r"(.+)\.\d+\.([^./\d]+)", without_compression(name))
        if match is not None:
            sets.setdefault((match[1], match[2]), []).append(file)
    for (stem, _), versions in sets.items():
        for number, captions in enumerate(_lines_of(versions), start=1):
            texts = [text for text in map(_clean, captions) if text]
            yield f"{stem}:{number}", [*itertools.combinations(texts, 2)]


def _phrases(files: Mapping[str, SetFile]) -> Iterator[Group]:
    for file in files.values():
        for line in file_lines(file):
            fields = [field.strip() for field in line.split("|||")]
            # PPDB 1 and 2 begin with the category; files without it have the two phrases alone.
            sides = fields[1:3] if len(fields) > 3 else fields[:2]
            if len(sides) < 2:
                raise InputError(f"{file.url}: expected phrases with ||| between them, got {line[:60]!r}")
            if all(sides):
                yield sides[0], [(sides[0], sides[1])]


def _words(files: Mapping[str, SetFile]) -> Iterator[Group]:
    for file in files.values():
        for line in file_lines(file):
            first, *others = line.split() or [""]
            if others:
                yield first, [(first, other) for other in others]


def _inference(files: Mapping[str, SetFile]) -> Iterator[Group]:
    for file in files.values():
        examples = read_examples([file.url], "nli")
        for premise, hypothesis, label in zip(*examples.sides, examples.answers, strict=True):
            yield premise, [(premise, hypothesis, label)]


def _tabbed(files: Mapping[str, SetFile]) -> Iterator[Group]:
    for name, file in files.items():
        if not without_compression(name).endswith(".tsv"):
            continue
        for number, line in enumerate(file_lines(file), start=1):
            sides = [_clean(side) for side in line.split("\t")]
            if len(sides) < 2:
                raise InputError(f"{file.url}, line {number}: expected two sentences with a tab between")
            if sides[0] and sides[1]:
                yield sides[0], [(sides[0], sides[1])]


_Reader = Callable[[Mapping[str, SetFile]], Iterator[Group]]
_READERS: dict[str, tuple[_Reader, str]] = {
    "simplification": (
        _simplifications,
        "NAME.orig with NAME.simp.N (ASSET), NAME.norm with NAME.turk.N (TurkCorpus), NAME.src with NAME.dst "
        "(WikiLarge), or NAME.tsv with two columns",
    ),
    "translations": (
        _translations,
        "references NAME.en with translations NAME.SYSTEM.en, or NAME.tsv with two columns",
    ),
    "captions": (_captions, "captions NAME.1.en, NAME.2.en, …, or NAME.tsv with two columns"),
    "ppdb": (_phrases, "lines `category ||| phrase ||| paraphrase ||| …`, as PPDB has them"),
    "ppdb_lexical": (_words, "lines of a word and its paraphrases"),
    "nli": (_inference, "JSON lines of SNLI, or a premise, a hypothesis and a label with tabs between"),
}
assert _READERS.keys() == ROLES.keys()
_OF_LINES = (_phrases, _words, _inference)


def _aligned(first: SetFile, others: Sequence[SetFile]) -> Iterator[Group]:
    """Each sentence of a file with the same line of the others, without empty lines."""
    for sentence, *versions in _lines_of([first, *others]):
        text = _clean(sentence)
        pairs: list[Pair] = [(text, version) for version in map(_clean, versions) if text and version]
        if pairs:
            yield text, pairs


def _lines_of(files: Sequence[SetFile]) -> Iterator[tuple[str, ...]]:
    end = object()
    for lines in itertools.zip_longest(*map(file_lines, files), fillvalue=end):
        texts = tuple(line for line in lines if isinstance(line, str))
        if len(texts) < len(lines):
            names = ", ".join(file.url for file in files)
            raise InputError(f"{names}: expected as many lines in each, but one ends early")
        yield texts


_BRACKET = re.compile("|".join(BRACKETS), re.IGNORECASE)


def _clean(text: str) -> str:
    """A sentence without the entities of HTML and the Penn Treebank's names of brackets."""
    return _BRACKET.sub(lambda match: BRACKETS[match[0].lower()], html.unescape(text)).strip()
