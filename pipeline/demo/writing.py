"""Writes the demo's files: four corpora in three formats, a model, a test bitext, STS files, a recipe."""

import gzip
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

PAIRS = 7_000
"""The pairs of the bitext. Rows that `ingest` rejects come on top of them."""

# The files of each corpus, by their names in the recipe. Beside this module they are uncompressed.
_CORPORA = {
    "captions": ("captions.cs.gz", "captions.en.gz"),
    "kitchen": ("kitchen.tsv",),
    "travel": ("travel.czeng.gz",),
    "phrasebook": ("phrasebook.cs.gz", "phrasebook.en.gz", "phrasebook.translation.en.gz"),
}
_COPIED = ("recipe.yaml", "test.cs", "test.en")
_STS = tuple(
    f"STS.{kind}.{domain}.txt" for domain in ("captions", "kitchen", "travel") for kind in ("input", "gs")
) + ("STS.scores.txt",)
_MODEL = "model"

_TOO_LONG = 2_500  # characters; by default ingest rejects sides of more than 2,000

# Rows that ingest rejects, like those of real corpora: their index among the captions, source, reference.
_BROKEN: tuple[tuple[int, bytes, bytes], ...] = (
    (137, "Věta, která ztratila překlad.".encode(), b""),
    (791, b"Pes " * (_TOO_LONG // 4), b"A dog, a dog, a dog."),
    (1216, "Kočka spí pod stromem.".encode("cp1250"), b"A cat is sleeping under a tree."),
    (1649, "Stejná řada dlouhých slov.".encode(), b"Words " * (_TOO_LONG // 6 + 1)),
    (2593, b"", b"A line that lost its source."),
    (2775, b"   ", b"Nothing but spaces on the other side."),
)


def write_demo(folder: Path) -> None:
    """Write the demo's input files, its translation model and its recipe into an empty folder."""
    (folder / "sts").mkdir(parents=True)
    for corpus, names in _CORPORA.items():
        rows = list(zip(*(_lines(name.removesuffix(".gz")) for name in names), strict=True))
        if corpus == "captions":
            rows = _with_broken_rows(rows)
        for name, lines in zip(names, zip(*rows, strict=True), strict=True):
            _write_lines(folder / name, lines)
    here = resources.files(__package__)
    for name in _COPIED:
        (folder / name).write_bytes((here / name).read_bytes())
    for name in _STS:
        (folder / "sts" / name).write_bytes((here / name).read_bytes())
    if (here / _MODEL).is_dir():  # not while it is trained again
        (folder / _MODEL).mkdir()
        for file in (here / _MODEL).iterdir():
            (folder / _MODEL / file.name).write_bytes(file.read_bytes())


def is_demo(folder: Path) -> bool:
    """Whether `write_demo` wrote into a folder, in which a user may have changed files since."""
    names = [name for files in _CORPORA.values() for name in files]
    return all((folder / name).is_file() for name in (*names, *_COPIED, *(f"sts/{name}" for name in _STS)))


def _lines(name: str) -> list[bytes]:
    return (resources.files(__package__) / name).read_bytes().splitlines()


def _with_broken_rows(captions: Sequence[tuple[bytes, ...]]) -> list[tuple[bytes, ...]]:
    """The captions with the broken rows, and with a control character in every thousandth reference."""
    rows = list(captions)
    for index in range(3, len(rows), 1_000):
        source, reference = rows[index]
        rows[index] = (source, reference.replace(b" ", b"\x0b", 1))
    for index, source, reference in _BROKEN:
        rows.insert(index, (source, reference))
    return rows


def _write_lines(file: Path, lines: Sequence[bytes]) -> None:
    content = b"".join(line + b"\n" for line in lines)
    # Without the time of writing, the same lines always give the same bytes.
    file.write_bytes(gzip.compress(content, mtime=0) if file.suffix == ".gz" else content)
