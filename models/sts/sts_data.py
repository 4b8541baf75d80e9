"""Files of the semantic textual similarity tasks, as SemEval published them."""

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import PurePosixPath
from typing import Any, Literal

import fsspec
from fsspec.implementations.local import LocalFileSystem

from ...base.errors import InputError
from ...base.streams import exists, file_system, files_below, lines_in_memory, reaching, utf8_lines
from .set_lists import DevSets

_SCORES = "STS.scores.txt"
_SEMEVAL = re.compile(r"STS(?P<year>20\d\d)?\.(?P<kind>input|gs)\.(?P<name>.+)\.txt(?:\.gz)?")
_YEAR = re.compile(r"20([12]\d)|STS(1[2-7])(?!\d)", re.IGNORECASE)
_TRACK = re.compile(r"track\d[ab]?\.(?P<left>[a-z]{2})-(?P<right>[a-z]{2})")
_VOTES = re.compile(r"\((\d), \d\)")
_LICENSED = (2013, "SMT")
_Year = tuple[PurePosixPath, int | str | None]

_CAPTIONS = "main-captions"  # a genre of the STS Benchmark

Language = Literal["ar", "en", "es", "tr"]

# The tracks of STS 2017 (Cer et al. 2017).
TRACKS = (
    "track1.ar-ar",
    "track2.ar-en",
    "track3.es-es",
    "track4a.es-en",
    "track4b.es-en",
    "track5.en-en",
    "track6.tr-en",
)


@dataclass(frozen=True)
class StsDataset:
    """Sentence pairs with a gold score each, 0 to 5; or the reason why there are none (`unavailable`).

    year: as in the head of a table: 2012 or "2012-train", None if no folder's name contains it. years and
    genres: those of each pair, if a dataset mixes them (the Benchmark).
    """

    name: str
    year: int | str | None
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    gold: tuple[float, ...] = ()
    unavailable: str | None = None
    years: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its name with its year: `MSRvid of 2012-train`."""
        return self.name if self.year is None else f"{self.name} of {self.year}"

    def subset(self, suffix: str, kept: Sequence[bool]) -> "StsDataset":
        """The pairs that are kept, under a longer name."""
        return replace(self._kept(kept), name=f"{self.name} {suffix}")

    def by_genre(self) -> list["StsDataset"]:
        """The captions of the STS Benchmark, and its other pairs."""
        captions = [genre == _CAPTIONS for genre in self.genres]
        return [
            self.subset("captions", captions),
            self.subset("non-captions", [not is_caption for is_caption in captions]),
        ]

    def without(self, sentences: AbstractSet[str]) -> "StsDataset":
        """The pairs without any of these sentences, under the same name."""
        return self._kept([sentences.isdisjoint(pair) for pair in zip(self.left, self.right, strict=True)])

    def _kept(self, kept: Sequence[bool]) -> "StsDataset":
        columns = ("left", "right", "gold", "years", "genres")
        chosen: dict[str, Any] = {name: tuple(compress(getattr(self, name), kept)) for name in columns}
        return replace(self, **chosen)


def scores_of(data: str) -> str:
    """Where the scores of a folder's datasets come from, in words that follow "with".

    That is the first line of its file `STS.scores.txt`. Without one, people gave them, as those of SemEval.
    """
    filesystem, root = file_system(data)
    path = f"{root.rstrip('/')}/{_SCORES}"
    with reaching(data):
        if not filesystem.isfile(path):
            return "the scores that people gave"
        lines = [line.strip() for line in _lines(filesystem, path)]
    if not lines or not lines[0]:
        raise InputError(f"{path} is empty; say in its first line who gave the scores, or remove it")
    return lines[0]


def read_sts(
    data: str,
    wanted: Callable[[PurePosixPath], bool] = lambda path: True,
    languages: Collection[str] = ("en",),
) -> list[StsDataset]:
    """All datasets of a folder or fsspec URL: one year, a folder of years, or any folders below it.

    Datasets are the files `STS.input.NAME.txt` with their `STS.gs.NAME.txt` or with scores as a third column,
    by year and name; the STS Benchmark (`sts-test.csv`); SICK (`SICK_test_annotated.txt`); Twitter
    (`test.data`, `dev.data` and `train.data` of PIT-2015, without the debatable pairs); STS-Hard
    (`hard-pos.txt`, `hard-neg.txt`). `ALL` files repeat the others and are ignored. Lines with a blank gold
    score were never scored and are skipped. The SMT set of 2013 is licensed, and its published input is
    incomplete: unless it is complete here, it is unavailable. InputError for any other file without its
    partner, for partners with different numbers of lines, for a dataset without a pair, and for one that
    occurs twice.

    wanted: says of each path whether the file may be opened. languages: the tracks of 2017 in other languages
    are left out.
    """
    filesystem, root = file_system(data)
    with reaching(data):
        if not exists(filesystem, root):
            raise InputError(f"there is no STS folder {data}; correct the path")
        paths = [path for path in files_below(filesystem, root) if wanted(PurePosixPath(path))]
    files: dict[_Year, dict[str, list[tuple[str, str]]]] = {}
    datasets = []
    for path in paths:
        file = PurePosixPath(path)
        match = _SEMEVAL.fullmatch(file.name)
        if match is not None and match["name"] != "ALL":
            # The inputs and the gold scores of a year may lie in folders beside each other, as those of 2017.
            year = _year_of(file.parent) or (int(match["year"]) if match["year"] else None)
            place = file.parent if year is None else _outside(file.parent)
            kinds = files.setdefault((place, year), {"input": [], "gs": []})
            kinds[match["kind"]].append((match["name"], path))
        datasets += [
            reader(file.name, path, _lines(filesystem, path))
            for name, reader in _TABLES.items()
            if re.fullmatch(name, file.name)
        ]
    for (_, year), kinds in files.items():
        inputs, golds = (
            [file for file in kinds[kind] if is_in(file[0], languages)] for kind in ("input", "gs")
        )
        datasets += _read_year(filesystem, year, _by_name(inputs), _by_name(golds))
    if not datasets:
        tracks = sorted({name for kinds in files.values() for file in kinds.values() for name, _ in file})
        if tracks:
            raise InputError(
                f"{data} holds only {', '.join(tracks)}, and languages is {', '.join(languages)}: name all "
                "languages that the encoder reads"
            )
        raise InputError(
            f"{data} holds no STS data: expected files STS.input.NAME.txt and STS.gs.NAME.txt, in it or in "
            "folders of years, or the STS Benchmark's sts-train.csv, sts-dev.csv, sts-test.csv"
        )
    datasets.sort(key=lambda dataset: (dataset.year is None, str(dataset.year), dataset.name))
    for dataset, following in itertools.pairwise(datasets):
        if (dataset.year, dataset.name) == (following.year, following.name):
            raise InputError(f"{data} holds {dataset.label} twice: evaluate one folder at a time")
    return datasets


def _by_name(files: list[tuple[str, str]]) -> dict[str, str]:
    by_name: dict[str, str] = {}
    for name, path in files:
        if name in by_name:
            raise InputError(f"{path} and {by_name[name]} are the same dataset: keep one of them")
        by_name[name] = path
    return by_name


def _read_year(
    filesystem: fsspec.AbstractFileSystem,
    year: int | str | None,
    inputs: dict[str, str],
    golds: dict[str, str],
) -> list[StsDataset]:
    datasets = []
    unpaired = dict(golds)
    for name, path in inputs.items():
        # The name of a gold file may go on after the dataset's name.
        matches = [name] if name in golds else [other for other in golds if other.startswith(f"{name}.")]
        if len(matches) > 1:
            listed = ", ".join(golds[match] for match in matches)
            raise InputError(f"{path} has several files of gold scores: keep one of {listed}")
        gold = unpaired.pop(matches[0], None) if matches else None
        datasets.append(_read_dataset(filesystem, name, year, path, gold))
    for name, path in unpaired.items():
        if (year, name) == _LICENSED:
            datasets.append(
                StsDataset(name, year, unavailable="unavailable (licensed): its input is missing")
            )
        else:
            raise InputError(f"{path} has no sentences: expected STS.input.{name}.txt beside it")
    return datasets


def is_in(name: str, languages: Collection[str]) -> bool:
    """Whether a dataset is no track of STS 2017, or one whose sides are in these languages.

    >>> is_in("track4a.es-en", ["en"]), is_in("track5.en-en", ["en"]), is_in("images", ["es"])
    (False, True, True)
    """
    track = _TRACK.match(name)
    return track is None or {track["left"], track["right"]} <= set(languages)


def is_development(path: PurePosixPath, sets: DevSets = "standard") -> bool:
    """Whether a file is of these development sets, judged by its name and folder.

    `standard`: the train part of STS 2012 and SICK's trial part. `sts2016`, `sts2017`: all sets of the year.
    No set of 2012 to 2015 but the train part of 2012 is ever a development set.

    >>> is_development(PurePosixPath("STS2012-train/STS.gs.MSRvid.txt"))
    True
    >>> is_development(PurePosixPath("STS2012-gold/STS.gs.MSRvid.txt"))
    False
    """
    if match := _SEMEVAL.fullmatch(path.name):
        year = _year_of(path.parent) or (int(match["year"]) if match["year"] else None)
        return year == {"standard": "2012-train", "sts2016": 2016, "sts2017": 2017}[sets]
    return sets == "standard" and path.name in ("SICK_trial.txt", "SICK_trial.txt.gz")


def _year_of(folder: PurePosixPath) -> int | str | None:
    for name in (folder.name, folder.parent.name):
        if year := _YEAR.search(name):
            part = next((part for part in ("train", "trial") if part in name.lower()), None)
            number = 2000 + int(year[1] or year[2])
            return f"{number}-{part}" if part else number
    return None


def _outside(folder: PurePosixPath) -> PurePosixPath:
    """The folder that contains the folder of a year."""
    return folder.parent if _YEAR.search(folder.name) else folder.parent.parent


def _read_dataset(
    filesystem: fsspec.AbstractFileSystem,
    name: str,
    year: int | str | None,
    input_path: str,
    gold_path: str | None,
) -> StsDataset:
    lines = [line.split("\t") for line in _lines(filesystem, input_path)]
    if gold_path is not None:
        golds = _lines(filesystem, gold_path)
    elif any(len(fields) == 3 for fields in lines):
        # As the authors of ParaNMT hand on STS 2017. Without a score a line has two fields.
        golds = [fields[2] if len(fields) == 3 else "" for fields in lines]
    else:
        raise InputError(
            f"{input_path} has no gold scores: expected STS.gs.{name}.txt beside it, or a third column"
        )
    if len(lines) != len(golds):
        counts = f"{input_path} has {len(lines)} lines and {gold_path} {len(golds)}"
        if (year, name) == _LICENSED and len(lines) < len(golds):
            missing = f"its input has {len(lines)} of {len(golds)} lines"
            return StsDataset(name, year, unavailable=f"unavailable (licensed): {missing}")
        raise InputError(f"{counts}: expected a gold score, or a blank line, for each pair")
    left, right, scores = [], [], []
    for number, (fields, gold) in enumerate(zip(lines, golds, strict=True), start=1):
        if not gold.strip():
            continue
        if len(fields) < 2:  # in 2016 two more columns, of sources, follow; they must not be used
            where = f"{input_path}, line {number}"
            raise InputError(f"{where}: expected two sentences with a tab between, got {fields[0][:60]!r}")
        left.append(fields[0])
        right.append(fields[1])
        scores.append(_score(gold, f"{gold_path or input_path}, line {number}"))
    _check_pairs(gold_path or input_path, len(scores))
    return StsDataset(name.removeprefix("surprise."), year, tuple(left), tuple(right), tuple(scores))


def _check_pairs(path: str, count: int) -> None:
    if not count:
        raise InputError(f"{path} has no pair with a score: fetch it again, or take it out of the folder")


def _read_benchmark(file: str, path: str, lines: list[str]) -> StsDataset:
    # Genre, file, year, id, score, two sentences; two columns on licences follow in some rows.
    rows = list(_rows(path, lines, 7))
    name = f"STSB-{file.removeprefix('sts-').split('.')[0]}"
    dataset = _table(name, path, rows, (4, 5, 6))
    return replace(dataset, years=tuple(row[2] for row in rows), genres=tuple(row[0] for row in rows))


def _read_sick(file: str, path: str, lines: list[str]) -> StsDataset:
    # A header, then id, two sentences, relatedness from 1 to 5, entailment.
    part = file.removeprefix("SICK_").split(".")[0]
    name = "SICK" if part == "test_annotated" else f"SICK-{part}"
    return _table(name, path, list(_rows(path, lines, 5))[1:], (3, 1, 2))


def _read_twitter(file: str, path: str, lines: list[str]) -> StsDataset:
    # Topic's id and name, two sentences, a label, two tagged sentences. A label is an expert's score from 0
    # to 5, of which 3 is debatable; in the development sets it is "(votes for, votes against)" of five
    # people, of which two for and three against are debatable.
    rows = []
    for row in _rows(path, lines, 5):
        votes = _VOTES.fullmatch(row[4].strip())
        score = votes[1] if votes else row[4].strip()
        if score != ("2" if votes else "3"):
            rows.append([*row[:4], score])
    part = file.split(".")[0]
    return _table("Twitter" if part == "test" else f"Twitter-{part}", path, rows, (4, 2, 3))


def _read_hard(file: str, path: str, lines: list[str]) -> StsDataset:
    # Two sentences and a score.
    sign = "+" if file.startswith("hard-pos") else "-"
    return _table(f"STS-Hard{sign}", path, list(_rows(path, lines, 3)), (2, 0, 1))


_TABLES: dict[str, Callable[[str, str, list[str]], StsDataset]] = {
    r"sts-(train|dev|test)\.(csv|tsv)(\.gz)?": _read_benchmark,
    r"SICK_(train|trial|test_annotated)\.txt(\.gz)?": _read_sick,
    r"(train|dev|test)\.data(\.gz)?": _read_twitter,
    r"hard-(pos|neg)\.txt(\.gz)?": _read_hard,
}


def _rows(path: str, lines: list[str], columns: int) -> Iterator[list[str]]:
    for number, line in enumerate(lines, start=1):
        row = line.split("\t")  # there is no quoting: a quote is a character of a sentence
        if len(row) < columns:
            raise InputError(
                f"{path}, line {number}: expected {columns} columns with tabs between, got {line[:60]!r}"
            )
        yield row


def _table(name: str, path: str, rows: list[list[str]], columns: tuple[int, int, int]) -> StsDataset:
    score, left, right = columns
    _check_pairs(path, len(rows))
    return StsDataset(
        name,
        None,
        tuple(row[left] for row in rows),
        tuple(row[right] for row in rows),
        tuple(_score(row[score], f"{path}, {' '.join(row)[:40]!r}") for row in rows),
    )


def _lines(filesystem: fsspec.AbstractFileSystem, path: str) -> list[str]:
    url = path if isinstance(filesystem, LocalFileSystem) else filesystem.unstrip_protocol(path)
    return [text for _, text in utf8_lines(path, enumerate(lines_in_memory(url), start=1))]


def _score(text: str, where: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not 0 <= score <= 5:
        raise InputError(f"{where}: expected a score from 0 to 5, got {text.strip()!r}")
    return score
