"""The demo's files: a bitext of four corpora in three formats, a test bitext, and STS files."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .drawing import DOMAINS, GRADES, Use, draw_meanings, graded_pair, two_renderings
from .meanings import Meaning

TEST_PAIRS = 300
STS_PAIRS_OF_A_GRADE = 25

# Shares of the pairs, in percent.
_SHARES = {"captions": 40, "kitchen": 22, "travel": 24, "phrasebook": 14}
_DUPLICATES = 0.01  # of the captions
_OVER_LONG = 2_500  # characters: more than ingest takes by default

# Rows as real corpora have them, that cannot become pairs; put among the captions as (source, reference).
_BROKEN: tuple[tuple[bytes, bytes], ...] = (
    (b"", b"A line that lost its source."),
    ("Věta, která ztratila překlad.".encode(), b""),
    (b"   ", b"Nothing but spaces on the other side."),
    (("Pes " * (_OVER_LONG // 4)).encode(), b"A dog, a dog, a dog."),
    ("Stejná řada dlouhých slov.".encode(), ("Words " * (_OVER_LONG // 6 + 1)).encode()),
    ("Kočka spí pod stromem.".encode("cp1250"), b"A cat is sleeping under a tree."),
)


@dataclass(frozen=True)
class DemoFiles:
    """What `write_demo` wrote.

    folder: holds all of it. test_source, test_reference: held-out pairs, a line a sentence. sts: the
    folder of graded English sentence pairs in SemEval's layout. pairs: what ingest makes of the
    bitext; rejects: rows it must reject; control_lines: references in which it replaces a control character.
    """

    folder: Path
    test_source: Path
    test_reference: Path
    sts: Path
    pairs: int
    rejects: int
    control_lines: int


@dataclass(frozen=True)
class _Row:
    source: bytes
    reference: bytes
    translation: bytes = b""


def write_demo(folder: Path, seed: int = 1, pairs: int = 7_000) -> DemoFiles:
    """Write the demo's input files into `folder`; the same bytes for the same seed and number of pairs.

    No meaning of the test bitext or the STS files is in the bitext. `demo_recipe` has their names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    choose = Random(seed)
    counts = {corpus: pairs * share // 100 for corpus, share in _SHARES.items()}
    counts["captions"] += pairs - sum(counts.values())
    rows = {name: _rows(name, count, seed, choose) for name, count in counts.items()}
    captions, control_lines = _as_found(rows["captions"], choose)
    _write_moses(folder, "captions", captions)
    _write_lines(folder / "kitchen.tsv", [row.source + b"\t" + row.reference for row in rows["kitchen"]])
    _write_lines(folder / "travel.czeng.gz", _czeng_lines(rows["travel"]))
    _write_moses(folder, "phrasebook", rows["phrasebook"])
    translations = [row.translation for row in rows["phrasebook"]]
    _write_lines(folder / "phrasebook.translation.en.gz", translations)
    test = _rows("test", TEST_PAIRS, seed, choose)
    _write_lines(folder / "test.cs", [row.source for row in test])
    _write_lines(folder / "test.en", [row.reference for row in test])
    _write_sts(folder / "sts", seed, choose)
    return DemoFiles(
        folder,
        folder / "test.cs",
        folder / "test.en",
        folder / "sts",
        pairs=len(captions) - len(_BROKEN) + sum(len(rows[name]) for name in rows if name != "captions"),
        rejects=len(_BROKEN),
        control_lines=control_lines,
    )


def _rows(corpus: str, count: int, seed: int, choose: Random) -> list[_Row]:
    """The corpus of one domain, or of all where the name is none."""
    frames = DOMAINS.get(corpus) or tuple(frame for frames in DOMAINS.values() for frame in frames)
    use: Use = "test" if corpus == "test" else "bitext"
    return [_row(meaning, choose) for meaning in draw_meanings(frames, use, count, seed, choose)]


def _row(meaning: Meaning, choose: Random) -> _Row:
    reference, translation = two_renderings(meaning, choose)
    return _Row(meaning.czech().encode(), reference.encode(), translation.encode())


def _as_found(rows: Sequence[_Row], choose: Random) -> tuple[list[_Row], int]:
    """The rows with the dirt of corpora as one finds them: duplicates, broken rows, control characters.

    As many rows as there were, and the broken ones; and the number of those with control characters.
    """
    duplicates = int(len(rows) * _DUPLICATES)
    found = list(rows[: len(rows) - duplicates])
    found += [choose.choice(found) for _ in range(duplicates)]
    dirty = range(3, len(found), 1_000)
    for index in dirty:
        found[index] = _Row(found[index].source, found[index].reference.replace(b" ", b"\x0b", 1))
    for source, reference in _BROKEN:
        found.insert(choose.randrange(len(found)), _Row(source, reference))
    return found, len(dirty)


def _czeng_lines(rows: Sequence[_Row]) -> list[bytes]:
    """CzEng's four columns: id, filter score, Czech, English."""
    return [
        b"\t".join((f"travel-b{index // 100}-{index:05d}".encode(), b"0.99", row.source, row.reference))
        for index, row in enumerate(rows)
    ]


def _write_moses(folder: Path, corpus: str, rows: Sequence[_Row]) -> None:
    _write_lines(folder / f"{corpus}.cs.gz", [row.source for row in rows])
    _write_lines(folder / f"{corpus}.en.gz", [row.reference for row in rows])


def _write_lines(file: Path, lines: Sequence[bytes]) -> None:
    content = b"".join(line + b"\n" for line in lines)
    # Without the time of writing the same lines are the same bytes.
    file.write_bytes(gzip.compress(content, mtime=0) if file.suffix == ".gz" else content)


def _write_sts(folder: Path, seed: int, choose: Random) -> None:
    """A pair of files a domain, as in SemEval: two sentences between a tab, and a score from 0 to 5."""
    folder.mkdir(exist_ok=True)
    for domain in DOMAINS:
        grades = list(GRADES) * STS_PAIRS_OF_A_GRADE
        choose.shuffle(grades)
        lines = [_sts_line(domain, grade, seed, choose) for grade in grades]
        _write_lines(folder / f"STS.input.{domain}.txt", lines)
        _write_lines(folder / f"STS.gs.{domain}.txt", [f"{grade:.3f}".encode() for grade in grades])


def _sts_line(domain: str, grade: int, seed: int, choose: Random) -> bytes:
    meaning, other = graded_pair(domain, grade, seed, choose)
    if grade == max(GRADES):
        left, right = two_renderings(meaning, choose)
    else:
        left, right = meaning.english(choose), other.english(choose)
    return f"{left}\t{right}".encode()
