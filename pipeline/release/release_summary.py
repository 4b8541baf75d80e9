"""The summary of a release: the numbers and texts that its card, its metadata and the report show."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from ...base.columns import Column
from ...transforms.storage.release_files import FileInfo
from ..keys import digest

FORMAT = "paranmt release"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class OtherFile:
    """A file of a release without pairs: its size, and its SHA-256 in hexadecimal."""

    bytes: int
    sha256: str


def other_file(content: bytes) -> OtherFile:
    """What is listed of a file with this content."""
    return OtherFile(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class CleaningCounts:
    """One step of cleaning an input, rejected rows included.

    step: what it did, in words. lines: by side, how many lines it changed. changes: how many characters or
    entities; None if it changes whole lines.
    """

    step: str
    lines: Mapping[str, int]
    changes: int | None = None


@dataclass(frozen=True)
class CorpusSummary:
    """One input corpus. rejects: rows that could not become pairs, by reason. cleaned: in order."""

    corpus: str
    source_language: str
    rows_in: int
    pairs: int
    rejects: Mapping[str, int] = field(default_factory=dict)
    domain: str | None = None
    licence: str | None = None
    cleaned: Sequence[CleaningCounts] = ()


@dataclass(frozen=True)
class TranslationCounts:
    """The number of pairs with each `translation_status`."""

    translated: int = 0
    existing: int = 0
    failed: int = 0
    out_of_bounds: int = 0


@dataclass(frozen=True)
class ClauseCounts:
    """What one clause of a selection drops on its own: pairs for which it is false, and those with null."""

    clause: str
    dropped: int
    null: int = 0


@dataclass(frozen=True)
class SelectionSummary:
    """One selection: how many pairs `where` is true for (`passed`) or null for, and how many are selected.

    `sample`: the most that the recipe asks for; None for all that pass.
    """

    name: str
    where: str
    passed: int
    null: int
    selected: int
    sample: int | None = None
    clauses: Sequence[ClauseCounts] = ()


@dataclass(frozen=True)
class ScoreSummary:
    """One score. `cuts`: the lowest values of deciles 2 to 10; `n`, `nulls`: pairs with and without it.

    values: of a score without deciles, how many pairs have each value, the most frequent first.
    """

    name: str
    doc: str
    unit: str
    higher_is_better: bool | None
    n: int
    nulls: int
    cuts: Sequence[float] = ()
    values: Mapping[str, int] = field(default_factory=dict)

    @property
    def direction(self) -> str:
        """Which end is better, in words; empty if neither is."""
        if self.higher_is_better is None:
            return ""
        return "higher is better" if self.higher_is_better else "lower is better"


@dataclass(frozen=True)
class ModelSummary:
    """A model that the run used: its role (`translate`, a score's name …), its name, a hash of its files.

    The hash of an encoder that is trained on the release is that of what it is trained from.
    """

    role: str
    name: str
    hash: str
    licence: str | None = None


@dataclass(frozen=True)
class SetSummary:
    """An evaluation set, a hash of its files, and how many pairs match it, by kind, closest first."""

    name: str
    hash: str
    pairs: Mapping[str, int]


@dataclass(frozen=True)
class ContaminationSummary:
    """A comparison of all pairs with evaluation sets.

    n, share: the words of an n-gram, and the share of a sentence's n-grams that make a match. compared: pairs
    with the score. pairs: how many of them match any set, by kind, closest first.
    """

    score: str
    n: int
    share: float
    compared: int
    pairs: Mapping[str, int]
    sets: Sequence[SetSummary]


@dataclass(frozen=True)
class VersionCounts:
    """Versions of packages, and how many parts of a stage were made with them."""

    versions: Mapping[str, str]
    parts: int


@dataclass(frozen=True)
class CutSummary:
    """The larger release that a release was cut from: its name, pairs, the SHA-256 of its manifest.json, and
    the condition that the pairs of the smaller one meet.
    """

    name: str
    pairs: int
    manifest_sha256: str
    where: str


@dataclass(frozen=True)
class ReleaseSummary:
    """A release, before its card and metadata are written.

    files: by path below the release's folder, in order. recipe: with defaults filled in. made_of: what the
    release depends on, whose hash `recipe_hash` each pair has. packages: the versions with which the release
    was written. computed_with: versions by stage. cut_from: the releases that it was cut from, the first one
    first; then `rows_in` of a corpus are its pairs in the last of them. url, date_published (ISO 8601):
    appear only if given.
    """

    name: str
    corpora: Sequence[CorpusSummary]
    translation: TranslationCounts
    columns: Sequence[Column]
    files: Mapping[str, FileInfo]
    scores: Sequence[ScoreSummary]
    primary_score: str
    selections: Sequence[SelectionSummary]
    recipe: Mapping[str, object]
    made_of: Mapping[str, object] = field(default_factory=dict)
    models: Sequence[ModelSummary] = ()
    contamination: Sequence[ContaminationSummary] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    computed_with: Mapping[str, Sequence[VersionCounts]] = field(default_factory=dict)
    cut_from: Sequence[CutSummary] = ()
    url: str | None = None
    date_published: str | None = None

    @property
    def pairs(self) -> int:
        """Pairs in all files."""
        return sum(file.rows for file in self.files.values())

    @property
    def recipe_hash(self) -> str:
        """The hash of `made_of`."""
        return digest(self.made_of)

    @property
    def licences(self) -> list[str]:
        """The licences stated for the corpora, each once, in the order of the recipe."""
        return list(dict.fromkeys(corpus.licence for corpus in self.corpora if corpus.licence))

    @property
    def languages(self) -> list[str]:
        """English, then the source languages of the corpora, each once, in the order of the recipe."""
        return list(dict.fromkeys(["en", *(corpus.source_language for corpus in self.corpora)]))

    @property
    def primary(self) -> ScoreSummary:
        """The score that orders the files."""
        for score in self.scores:
            if score.name == self.primary_score:
                return score
        names = ", ".join(score.name for score in self.scores)
        raise ValueError(f"no primary score {self.primary_score!r}; there are: {names}")


def rejects_by_reason(corpora: Sequence[CorpusSummary]) -> dict[str, int]:
    """Rejects of all corpora, the most frequent reason first."""
    total: Counter[str] = Counter()
    for corpus in corpora:
        total.update(corpus.rejects)
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def type_name(type_: pa.DataType) -> str:
    """The name of a column's type: Arrow's, except that Arrow's `float` is called `float32`."""
    return re.sub(r"\bfloat\b", "float32", str(type_))
