"""The bitexts of a recipe: the options of an entry, the files that it names, and their hashes."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import xxhash

from ...base.bounds import Bounds, Finite, Numbers
from ...base.errors import InputError
from ...base.names import NameIn
from ...base.paths import FilePath, PathMark
from ...base.streams import COMPRESSIONS, file_system, reaching
from ...models.translation.language_codes import code_of_name
from ..storage.file_hashes import HashCache
from .cleaning import NO_CLEANING, Cleaning
from .input_file import SIDES, InputFile, Side
from .readers import READERS
from .readers.reader import Place, Reader

_FORMAT = NameIn(READERS)
_FIELDS = ", ".join((*SIDES, "scores"))
_CORPUS = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
# A corpus is a folder in the folders of stages, beside our own files and folders. Their names start with an
# underscore, or are these.
_RESERVED = frozenset(("run.json", "cuts.json"))
LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")
_WILDCARD = re.compile(r"[*?\[]")

Paths = str | tuple[str, ...]
_IsPath = PathMark(only_if=("path", None))
FilesOrColumn = Annotated[str | int | tuple[str, ...] | None, _IsPath]
ScorePlace = Annotated[str | int | tuple[str, ...], _IsPath]


@dataclass(frozen=True)
class BitextInput(Numbers):
    """One bitext. A path is a file, a list of files, or a glob (its files in natural order), on disk or any
    fsspec URL.

    The defaults of source and reference depend on the format. tsv: columns 1 and 2. czeng: columns 3 and 4 if
    a file has the four columns of CzEng 1.6 and 1.7 (id, score, Czech, English), columns 5 and 6 if it has
    the six of CzEng 2.0. parquet: the columns `source` and `reference`; dots in a name lead into structs.
    tmx: the two languages; cs also finds cs-CZ.
    """

    corpus: str
    """Its name, unique in the recipe: at most 64 lowercase letters, digits, dots, hyphens and underscores,
    beginning with a letter or a digit."""
    format: Annotated[str, _FORMAT]
    """moses has one file per side; tsv, czeng, tmx and parquet have all sides in one file. Files may be
    compressed: .gz, .bz2, .xz or .zst."""
    source_language: str | None = None
    """The language code of the source, for example cs. An entry without it has pairs without a source, of
    which it says where `reference` and `translation` are."""
    path: FilePath | tuple[FilePath, ...] | None = None
    """The files, for every format except moses."""
    source: FilesOrColumn = None
    """moses: the files of the source. Other formats: where it is in `path`: the number of a column, counted
    from 1, a column's name, or a TMX language."""
    reference: FilesOrColumn = None
    """The same for the English side."""
    translation: FilesOrColumn = None
    """The same for existing translations, which are used instead of new ones; by default there are none."""
    scores: Mapping[str, ScorePlace] = field(default_factory=dict)
    """Numbers that come with the pairs: the name of a score and where it is, as for the sides; tmx has none.
    Each is a score of the release, `given`; missing numbers are null. By default there are none."""
    minimum_score: Finite | None = None
    """Pairs with a lower score, or without one, are rejected; for an entry with one score."""
    maximum_score: Finite | None = None
    """Pairs with a higher score, or without one, are rejected; for an entry with one score."""
    reference_language: str = "en"
    """The language code of the references, into which the sources are translated; by default
    `translate.target_language`, or `en`. For a model with several languages, any code or its own: `cs`,
    `ces`, `ces_Latn`, or `srp_Cyrl` for its token `>>srp_Cyrl<<`."""
    model: FilePath | tuple[FilePath, ...] | None = None
    """The model that translates this input, as `translate.model` names one; by default that one."""
    domain: str | None = None
    """The subject of the text, as a column of the release."""
    licence: str | None = None
    """The licence of the text, as a column of the release."""
    header: bool = False
    """tsv: whether the first line has the names of the columns."""
    columns: Annotated[int, Bounds(1, 10_000, is_whole=True)] | None = None
    """tsv and czeng: how many columns each line has; by default as many as the first line."""
    clean: Cleaning = NO_CLEANING
    """What is cleaned in the text, besides control characters; by default nothing."""

    def __post_init__(self) -> None:
        scores = {
            name: place if isinstance(place, str | int) else tuple(place)
            for name, place in sorted(self.scores.items())
        }
        object.__setattr__(self, "scores", scores)
        super().__post_init__()
        if not _CORPUS.fullmatch(self.corpus):
            raise ValueError(
                "corpus: expected at most 64 lowercase letters, digits, dots, hyphens and underscores, "
                f"beginning with a letter or a digit, got {self.corpus[:80]!r}"
            )
        if self.corpus in _RESERVED:
            raise ValueError(
                f"corpus: {self.corpus!r} is reserved for a file of paranmt; choose another name"
            )
        _FORMAT.check("format", self.format)
        for name in ("source_language", "reference_language"):
            code = getattr(self, name)
            if code is not None and not LANGUAGE.fullmatch(code):
                meant = code_of_name(code)
                hint = "" if meant is None else f"; did you mean {meant}?"
                raise ValueError(f"{name}: expected a language code such as cs or pt-BR, got {code!r}{hint}")
        if self.source_language is None and (
            self.source is not None or self.reference is None or self.translation is None
        ):
            raise ValueError(
                "source_language: expected the language code of the source, such as cs; only entries with "
                "`reference` and `translation`, but without `source`, have none"
            )
        for key in ("minimum_score", "maximum_score"):
            if getattr(self, key) is not None and len(self.scores) != 1:
                raise ValueError(
                    f"{key}: expected one score in `scores`, got {len(self.scores)}; with several, choose "
                    "pairs in `select`"
                )
        if self._reader.places == "files":
            self._check_files()
        else:
            self._check_path()

    def _check_files(self) -> None:
        if self.path is not None:
            raise ValueError(
                f"path: a {self.format} bitext has none; give its files as `source` and `reference`"
            )
        for key, value in self.places.items():
            if isinstance(value, int) or not value or not all(_as_tuple(value)):
                what = "this side" if key in SIDES else "this score"
                raise ValueError(f"{key}: expected the file, files or glob of {what}, got {value!r}")
        if self.header or self.columns is not None:
            key = "header" if self.header else "columns"
            raise ValueError(f"{key}: the files of a {self.format} bitext have no columns; leave it out")

    def _check_path(self) -> None:
        if not self.path or not all(_as_tuple(self.path)):
            raise ValueError(f"path: expected the file, files or glob of this bitext, got {self.path!r}")
        keys, defaults = self._reader.keys, self._reader.default_places
        if self.header and "header" not in keys:
            raise ValueError(
                f"header: only {_formats_with('header')} files have one, not {self.format} files"
            )
        if self.columns is not None and ("columns" not in keys or self.columns < 2):
            raise ValueError(
                f"columns: expected 2 or more, for {_formats_with('columns')}, "
                f"got {self.columns} for {self.format}"
            )
        is_half = (self.source is None) != (self.reference is None)
        if defaults == (None, None) and self.source_language is not None and is_half:
            raise ValueError("source, reference: give both columns or neither")
        if self.scores and self._reader.places == "languages":
            raise ValueError(f"scores: {self.format} files have none; leave it out")
        places = [place for place in self.fields if place is not None]
        for place in places:
            self._check_field(place)
        if len(set(places)) < len(places):
            raise ValueError(f"{_FIELDS}: expected a different place for each, got {places}")

    def _check_field(self, field: object) -> None:
        places = self._reader.places
        if places != "columns" or (self.header and isinstance(field, str)):
            expected = "a language code" if places == "languages" else "a column's name"
            if not isinstance(field, str) or not field:
                raise ValueError(f"{_FIELDS}: expected {expected}, got {field!r}")
        elif not isinstance(field, int) or isinstance(field, bool) or field < 1:
            hint = "; names need `header: true`" if "header" in self._reader.keys else ""
            raise ValueError(
                f"{_FIELDS}: expected the number of a column, counted from 1, got {field!r}{hint}"
            )
        elif self.columns is not None and field > self.columns:
            raise ValueError(f"{_FIELDS}: there is no column {field}, because `columns` is {self.columns}")

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides that its files have, in the order of `SIDES`."""
        has = {"source": self.source_language, "reference": True, "translation": self.translation}
        return tuple(side for side in SIDES if has[side] is not None)

    @property
    def places(self) -> dict[str, FilesOrColumn]:
        """Where the entry says that each side and each score is; None stands for the format's default."""
        return {**{side: getattr(self, side) for side in self.sides}, **self.scores}

    @property
    def fields(self) -> tuple[int | str | None, ...]:
        """Where each of the `sides`, then each of the `scores`, is in `path`; empty for moses."""
        reader = self._reader
        if reader.places == "files":
            return ()
        languages = (self.source_language, self.reference_language)
        own = languages if reader.places == "languages" else reader.default_places
        defaults: dict[str, Place] = dict(zip(SIDES, (*own, None), strict=True))
        places = [defaults[key] if place is None else place for key, place in self.places.items()]
        for place in places:
            if isinstance(place, tuple):
                raise ValueError(f"{_FIELDS}: {self.format} takes one place for each, got {list(place)}")
        return tuple(place for place in places if not isinstance(place, tuple))

    @property
    def _reader(self) -> Reader:
        return READERS[self.format]


def input_files(entry: BitextInput, base: str = "") -> list[InputFile]:
    """The files of an entry, in order: lists as given, globs in natural order (file.2 before file.10).

    base: the recipe's folder (or URL), from which relative paths start. Raises InputError if a path or glob
    finds no file, if the sides have different numbers of files, or if two files of the corpus have the same
    name, because their pairs would have the same `pair_id`.
    """
    if READERS[entry.format].places == "files":
        files = {key: _find(entry, key, patterns, base) for key, patterns in entry.places.items()}
        _check_sides(entry, files)
        groups = list(zip(*files.values(), strict=True))
    else:
        groups = [(path,) for path in _find(entry, "path", entry.path, base)]
    names = Counter(os.path.basename(paths[0]) for paths in groups)
    name, count = names.most_common(1)[0]
    if count > 1:
        same = ", ".join(paths[0] for paths in groups if os.path.basename(paths[0]) == name)
        raise InputError(
            f"corpus {entry.corpus}: {count} files are called {name} ({same}); the id of a pair "
            "contains the name of its file: rename one, or put each in a corpus of its own"
        )
    return [
        InputFile(
            corpus=entry.corpus,
            name=os.path.basename(paths[0]),
            format=entry.format,
            paths=paths,
            sides=entry.sides,
            fields=entry.fields,
            header=entry.header,
            columns=entry.columns,
            cleaning=entry.clean,
            scores=tuple(entry.scores),
            minimum_score=entry.minimum_score,
            maximum_score=entry.maximum_score,
        )
        for paths in groups
    ]


def digests(file: InputFile, cache: HashCache) -> tuple[str, ...]:
    """The hash of each of the input's files as stored, in the order of `paths`.

    The lines of moses files are counted in the same pass, for `check_line_counts`.
    """
    count_lines = READERS[file.format].places == "files"
    return tuple(cache.file_hash(path, count_lines=count_lines).digest for path in file.paths)


def fingerprint(file: InputFile, hashes: Sequence[str]) -> str:
    """xxh3-128 (hex) of everything in `file` that determines its rows.

    That is the bytes of its files, whose `digests` are `hashes`; the names of the corpus and the file, which
    are in `pair_id`; the format and its parameters; what is cleaned. The location of the files does not
    matter.
    """
    hashed = xxhash.xxh3_128()
    for digest in hashes:
        hashed.update(digest.encode())
    parameters = (file.corpus, file.name, file.format, file.sides, file.fields, file.header, file.columns)
    hashed.update(repr(parameters).encode())
    if file.cleaning != NO_CLEANING:
        hashed.update(repr(file.cleaning).encode())
    if file.scores:
        hashed.update(repr((file.scores, file.minimum_score, file.maximum_score)).encode())
    return str(hashed.hexdigest())


def check_line_counts(file: InputFile, cache: HashCache) -> int | None:
    """The number of lines of a moses file; InputError if its sides differ; None for other formats."""
    if READERS[file.format].places != "files":
        return None
    counts = [cache.file_hash(path, count_lines=True).lines for path in file.paths]
    for path, count in zip(file.paths[1:], counts[1:], strict=True):
        if count != counts[0]:
            raise InputError(
                f"corpus {file.corpus}: the sides have different numbers of lines: {file.paths[0]} has "
                f"{counts[0]:,}, {path} has {count:,}; line n of each must be the same sentence"
            )
    return counts[0]


def _formats_with(key: str) -> str:
    return " or ".join(name for name, reader in READERS.items() if key in reader.keys)


def _find(entry: BitextInput, name: str, patterns: FilesOrColumn, base: str) -> list[str]:
    """The files that one key of an entry names."""
    files: list[str] = []
    assert isinstance(patterns, str | tuple), "the entry was checked"
    for pattern in _as_tuple(patterns):
        located = _located(pattern, base)
        try:
            fs, path = file_system(located)
            with reaching(located):
                paths = [located] if fs.isfile(path) else _matches(located)
                is_folder = not paths and fs.isdir(path)
        except InputError as error:
            raise InputError(f"corpus {entry.corpus}, {name}: {error}") from error
        if not paths:
            folder = "it is a folder: name its files, for example with a glob"
            advice = folder if is_folder else "correct the recipe's path"
            raise InputError(f"corpus {entry.corpus}, {name}: there is no file {located}; {advice}")
        files.extend(paths)
    return files


def _matches(pattern: str) -> list[str]:
    if not _WILDCARD.search(pattern):
        return []
    from natsort import natsorted  # takes as long to import as all else here, and few recipes have globs

    fs, path = file_system(pattern)
    matches = fs.glob(path, detail=True)
    files = natsorted(name for name, info in matches.items() if info["type"] == "file")
    return [fs.unstrip_protocol(name) if "://" in pattern else name for name in files]


def _check_sides(entry: BitextInput, files: dict[str, list[str]]) -> None:
    """InputError if the n-th files of all sides cannot belong together."""
    (first, first_paths), *others = files.items()
    for side, paths in others:
        if len(paths) != len(first_paths):
            raise InputError(
                f"corpus {entry.corpus}: the {first} has {len(first_paths)} files ({_shown(first_paths)}) "
                f"and the {side} {len(paths)} ({_shown(paths)}); both must have the same number of files"
            )
        if _is_glob(entry.places[first]) and _is_glob(entry.places[side]):
            for first_path, path in zip(first_paths, paths, strict=True):
                if _numbers(first_path) != _numbers(path):
                    raise InputError(
                        f"corpus {entry.corpus}: in natural order {first_path} would be paired with {path}, "
                        "but the numbers in their names differ; give both sides as lists of files"
                    )
    for group in zip(*files.values(), strict=True):
        if len(set(group)) < len(group):
            raise InputError(
                f"corpus {entry.corpus}: two sides have the same file ({', '.join(group)}); "
                "give each side its own file"
            )


def _located(path: str, base: str) -> str:
    """`path` in a form that a worker can open: a URL, or an absolute local path."""
    if "://" in path:
        return path
    if "://" in base and not os.path.isabs(path):
        return f"{base.rstrip('/')}/{path}"
    return os.path.abspath(os.path.join(base, path))


def _as_tuple(paths: Paths) -> tuple[str, ...]:
    return (paths,) if isinstance(paths, str) else tuple(paths)


def _is_glob(paths: object) -> bool:
    return isinstance(paths, str) and _WILDCARD.search(paths) is not None


def _numbers(path: str) -> list[int]:
    name, suffix = os.path.splitext(os.path.basename(path))
    return [int(number) for number in re.findall(r"\d+", name if suffix in COMPRESSIONS else name + suffix)]


def _shown(paths: Sequence[str]) -> str:
    return ", ".join(paths[:3]) + (", …" if len(paths) > 3 else "")
