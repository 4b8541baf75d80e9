"""The summary of a release: the numbers and texts that its card, its metadata and the report show."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import pyarrow as pa
from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from ...base.bounds import COUNT, SEED, Bounds
from ...base.dataset_columns import DatasetColumn
from ...base.keys import digest
from ...transforms.storage.release_files import ROWS_PER_FILE, FileInfo

_NAMES = re.compile(
    r"data/train-[0-9]+-of-[0-9]+\.parquet|contamination/[a-z][a-z0-9_]*\.(?:json|parquet)"
    r"|README\.md|(?:croissant|manifest)\.json"
)


def is_release_file(name: str) -> bool:
    """Whether a path below a release's folder is one that a file of a release can have."""
    return _NAMES.fullmatch(name) is not None


def _file_name(name: str) -> str:
    if not is_release_file(name):
        raise ValueError(f"it names {name!r}, which no file of a release is called")
    return name


Count = Annotated[int, Field(ge=0, lt=1 << 63)]
FileName = Annotated[str, AfterValidator(_file_name)]

# JSON has no infinities: they become the strings "inf" and "-inf".
Cut = Annotated[
    float,
    Field(allow_inf_nan=True),
    BeforeValidator(lambda value: float(value) if value in ("inf", "-inf") else value),
    PlainSerializer(lambda value: str(value) if math.isinf(value) else float(value)),
]


@dataclass(frozen=True)
class OtherFile:
    """A file of a release without pairs: its size, and its SHA-256 in hexadecimal."""

    bytes: Count
    sha256: str


def other_file(content: bytes) -> OtherFile:
    """What is listed of a file with this content."""
    return OtherFile(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class ColumnSummary:
    """A column of the release. type: as `type_name` names it."""

    name: str
    type: str
    unit: str
    meaning: str


def described(columns: Sequence[DatasetColumn]) -> list[ColumnSummary]:
    """What a release says of its columns."""
    return [ColumnSummary(each.name, type_name(each.type), each.unit, each.meaning) for each in columns]


@dataclass(frozen=True)
class CleaningCounts:
    """One step of cleaning an input, rejected rows included.

    step: what it did, in words. lines: by side, how many lines it changed. changes: how many characters or
    entities; None if it changes whole lines.
    """

    step: str
    lines: Mapping[str, Count]
    changes: Count | None = None


@dataclass(frozen=True)
class CorpusSummary:
    """One input corpus. rejects: rows that could not become pairs, by reason. cleaned: in order.

    further: the pairs beyond the first one of a row, if several translations of a row are kept.
    """

    corpus: str
    source_language: str | None
    rows_in: Count
    pairs: Count
    rejects: Mapping[str, Count] = field(default_factory=dict)
    domain: str | None = None
    licence: str | None = None
    cleaned: Sequence[CleaningCounts] = ()
    further: Count = 0


@dataclass(frozen=True)
class TranslationCounts:
    """The number of pairs with each `translation_status`."""

    translated: Count = 0
    existing: Count = 0
    failed: Count = 0
    not_wanted: Count = 0
    out_of_bounds: Count = 0


@dataclass(frozen=True)
class ClauseCounts:
    """What one clause of a selection drops on its own: pairs for which it is false, and those with null."""

    clause: str
    dropped: Count
    null: Count = 0


@dataclass(frozen=True)
class SelectionSummary:
    """One selection: how many pairs `where` is true for (`passed`) or null for, and how many are selected.

    `sample`: the most that the recipe asks for; None for all that pass.
    """

    name: str
    where: str
    passed: Count
    null: Count
    selected: Count
    sample: Count | None = None
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
    n: Count
    nulls: Count
    cuts: Sequence[Cut] = ()
    values: Mapping[str, Count] = field(default_factory=dict)

    @property
    def direction(self) -> str:
        """Which end is better, in words; empty if neither is."""
        if self.higher_is_better is None:
            return ""
        return "higher is better" if self.higher_is_better else "lower is better"


@dataclass(frozen=True)
class ExamplePair:
    """A pair that the card shows. value: of the primary score; decile: its decile."""

    reference: str
    translation: str
    value: Cut | None
    decile: Count | None


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
    pairs: Mapping[str, Count]


@dataclass(frozen=True)
class ContaminationSummary:
    """A comparison of all pairs with evaluation sets.

    n, share: the words of an n-gram, and the share of a sentence's n-grams that make a match. compared: pairs
    with the score. pairs: how many of them match any set, by kind, closest first.
    """

    score: str
    n: Count
    share: float
    compared: Count
    pairs: Mapping[str, Count]
    sets: Sequence[SetSummary]


StageSummary = CorpusSummary | TranslationCounts | ScoreSummary | SelectionSummary | ContaminationSummary
"""What a stage says of its results."""


@dataclass(frozen=True)
class VersionCounts:
    """Versions of packages, and how many parts of a stage were made with them."""

    versions: Mapping[str, str]
    parts: Count


@dataclass(frozen=True)
class CutSummary:
    """The larger release that a release was cut from: its name, pairs, the SHA-256 of its manifest.json, and
    the condition that the pairs of the smaller one meet.
    """

    name: str
    pairs: Count
    manifest_sha256: str
    where: str


@dataclass(frozen=True)
class MergedSummary:
    """A release that another one has the pairs of: its manifest, and the SHA-256 of its manifest.json.

    left_out: pairs that the merged release lacks, because a release before this one has their pair_id.
    """

    manifest: "ReleaseSummary"
    manifest_sha256: str
    left_out: Count = 0


@dataclass(frozen=True)
class ReleaseSummary:
    """What is known of a release: the content of its `manifest.json`, from which its card is written too.

    files: those with pairs, by path below the release's folder, in order. other_files: all the others but the
    manifest itself. recipe: with defaults filled in. made_of: what the
    release depends on, whose hash `recipe_hash` each pair has. packages: the versions with which the release
    was written. computed_with: versions by stage. cut_from: the releases that it was cut from, the first one
    first; then `rows_in` of a corpus are its pairs in the last of them. merged_from: the releases that it was
    merged from; then `rows_in` are the pairs in them, `made_of` lists their `recipe_hash`, and each pair
    keeps its own. examples: a few pairs drawn at random, of the first selection if there is one. url,
    date_published (ISO 8601): appear only if given.
    """

    name: str
    corpora: Sequence[CorpusSummary]
    translation: TranslationCounts
    columns: Sequence[ColumnSummary]
    files: Mapping[FileName, FileInfo]
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
    merged_from: Sequence[MergedSummary] = ()
    other_files: Mapping[FileName, OtherFile] = field(default_factory=dict)
    description: str | None = None
    authors: Sequence[str] = ()
    examples: Sequence[ExamplePair] = ()
    url: str | None = None
    date_published: str | None = None

    @property
    def pairs(self) -> int:
        """Pairs in all files."""
        return sum(file.rows for file in self.files.values())

    @property
    def all_files(self) -> dict[str, FileInfo | OtherFile]:
        """Every file but the manifest itself, those with pairs first."""
        return {**self.files, **self.other_files}

    @property
    def seed(self) -> int:
        """The seed of the recipe."""
        return _whole_number(self.recipe, "seed", SEED)

    @property
    def rows_per_file(self) -> int:
        """How many pairs the recipe asks for in a file."""
        options = self.recipe.get("release")
        return _whole_number(
            {"rows_per_file": ROWS_PER_FILE, **(options if isinstance(options, dict) else {})},
            "rows_per_file",
            COUNT,
        )

    @property
    def keep(self) -> int:
        """How many translations of a row the recipe keeps at most."""
        options = self.recipe.get("choose")
        return _whole_number({"keep": 1, **(options if isinstance(options, dict) else {})}, "keep", COUNT)

    @property
    def recipe_hash(self) -> str:
        """The hash of `made_of`."""
        return digest(self.made_of)

    @property
    def origins(self) -> "list[ReleaseSummary]":
        """The releases of the runs that made the pairs: this one, unless it was merged from others."""
        return [origin for each in self.merged_from for origin in each.manifest.origins] or [self]

    @property
    def translation_model_hashes(self) -> list[str]:
        """The hashes of the models that translated the pairs."""
        return [model.hash for model in self.models if model.role == "translate"]

    @property
    def licences(self) -> list[str]:
        """The licences stated for the corpora, each once, in the order of the recipe."""
        return list(dict.fromkeys(corpus.licence for corpus in self.corpora if corpus.licence))

    @property
    def languages(self) -> list[str]:
        """English, then the source languages of the corpora, each once, in the order of the recipe."""
        sources = (corpus.source_language for corpus in self.corpora if corpus.source_language)
        return list(dict.fromkeys(["en", *sources]))

    @property
    def primary(self) -> ScoreSummary:
        """The score that orders the files."""
        for score in self.scores:
            if score.name == self.primary_score:
                return score
        names = ", ".join(score.name for score in self.scores)
        raise ValueError(f"no primary score {self.primary_score!r}; there are: {names}")


def _whole_number(values: Mapping[str, object], name: str, bounds: Bounds) -> int:
    number = values.get(name)
    if (problem := bounds.problem(number)) is not None:
        raise ValueError(f"recipe: {name} must be {problem}")
    assert isinstance(number, int), "of whole numbers"
    return number


def rejects_by_reason(corpora: Sequence[CorpusSummary]) -> dict[str, int]:
    """Rejects of all corpora, the most frequent reason first."""
    total: Counter[str] = Counter()
    for corpus in corpora:
        total.update(corpus.rejects)
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def type_name(type_: pa.DataType) -> str:
    """The name of a column's type: Arrow's, except that Arrow's `float` is called `float32`.

    The values of a list are its elements, as they are in a file: Arrow has another name for them in memory.

    >>> type_name(pa.list_(pa.float32()))
    'list<element: float32>'
    """
    return re.sub(r"\bfloat\b", "float32", str(type_).replace("list<item: ", "list<element: "))
