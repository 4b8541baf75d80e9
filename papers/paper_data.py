"""The user's data: which files have which role, and the training pairs that they hold.

The layouts are those in which the data is public, and tab-separated pairs for everything else.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import itemgetter
from pathlib import Path

from ..base.documents import read_document
from ..base.errors import InputError, RecipeError
from ..models.evaluation.sentences import list_files, without_compression
from ..models.sts.sts_data import read_sts
from ..models.training.examples import read_examples
from ..pipeline.recipe.document import MAX_BYTES, read_yaml
from ..transforms.pair_files import PairFileOptions, PairFiles
from ..transforms.pair_files.aligned_files import (
    Layout,
    aligned_files,
    captions,
    simplifications,
    translations,
)
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
    """The pairs of a role, in groups; InputError if there are none, or if a file lacks lines.

    Lines without a pair are counted in the log.
    """
    read, layout = _READERS[role]
    is_empty = True
    for path in paths:
        for group in read(path):
            is_empty = False
            yield group
    if is_empty:
        raise InputError(f"{', '.join(paths)}: no pairs of the role {role}: expected {layout}")


def _versions(path: str, layout: Layout) -> Iterator[Group]:
    """Each sentence with its versions on the same line, then the pairs of tab-separated files."""
    for aligned in aligned_files(path, layout):
        for text, *others in aligned.lines():
            if text and any(others):
                yield text, [(text, other) for other in others if other]
    yield from _listed(path, "tsv")


def _captions(path: str) -> Iterator[Group]:
    """The captions of each image in twos, then the pairs of tab-separated files."""
    for aligned in aligned_files(path, captions):
        for number, texts in enumerate(aligned.lines(), start=1):
            yield f"{aligned.name}:{number}", [*itertools.combinations(filter(None, texts), 2)]
    yield from _listed(path, "tsv")


def _listed(path: str, format: str) -> Iterator[Group]:
    """The pairs of the files of a format: of `.tsv` those with this ending, of other formats all files."""
    for url in _urls(path):
        if format == "tsv" and not without_compression(url).endswith(".tsv"):
            continue
        files = PairFiles(PairFileOptions(path=url, format=format))
        rows = (pair for sides in files for pair in zip(*sides, strict=True) if all(pair))
        for first, pairs in itertools.groupby(rows, key=itemgetter(0)):
            yield first, [*pairs]
        files.log_left_out()


def _inference(path: str) -> Iterator[Group]:
    for url in _urls(path):
        examples = read_examples([url], "nli")
        for premise, hypothesis, label in zip(*examples.sides, examples.answers, strict=True):
            yield premise, [(premise, hypothesis, label)]


def _urls(path: str) -> list[str]:
    return [file.url for file in list_files(path) if file.is_read]


_READERS: dict[str, tuple[Callable[[str], Iterator[Group]], str]] = {
    "simplification": (
        partial(_versions, layout=simplifications),
        "NAME.orig with NAME.simp.N (ASSET), NAME.norm with NAME.turk.N (TurkCorpus), NAME.src with NAME.dst "
        "(WikiLarge), or NAME.tsv with two columns",
    ),
    "translations": (
        partial(_versions, layout=translations),
        "references NAME.en with translations NAME.SYSTEM.en, or NAME.tsv with two columns",
    ),
    "captions": (_captions, "captions NAME.1.en, NAME.2.en, …, or NAME.tsv with two columns"),
    "ppdb": (
        partial(_listed, format="ppdb"),
        "lines `category ||| phrase ||| paraphrase ||| …`, as PPDB has them",
    ),
    "ppdb_lexical": (partial(_listed, format="lexical"), "lines of a word and its paraphrases"),
    "nli": (_inference, "JSON lines of SNLI, or a premise, a hypothesis and a label with tabs between"),
}
assert _READERS.keys() == ROLES.keys()
