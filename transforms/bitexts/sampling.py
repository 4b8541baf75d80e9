"""Draws a small bitext from a big one, in the same formats, so that it can be run as a bitext itself.

The rows come from all over the big bitext, by seeded hash. The cost of translation depends on the length of
sentences, and the start of a file does not have the same lengths as the whole.
"""

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ...base.hashing import derive_seed, mixed
from ...base.streams import COMPRESSIONS
from ..storage.file_hashes import HashCache
from ..storage.workspace import Workspace
from .input_file import InputFile
from .inputs import BitextInput
from .readers import READERS, raw_rows
from .readers.lines import LONGEST
from .readers.reader import Row

_CHUNK = 1 << 20
_SIZES = (1, 3, 2)  # parts of different sizes separate a part's fixed cost from its pairs' cost


@dataclass(frozen=True)
class CountedFile:
    """An input file and its number of rows; in CzEng and TMX files, some rows may not be records."""

    file: InputFile
    rows: int


@dataclass(frozen=True)
class SamplePart:
    """The rows that become one part: for each, the position of its file in the input, and its record."""

    corpus: str
    rows: tuple[tuple[int, int], ...]


def count_rows(file: InputFile, cache: HashCache) -> int:
    """The number of rows of an input file, by the fastest way that its format has."""
    reader = READERS[file.format]
    if reader.count is not None:
        return reader.count(file, cache)
    return sum(len(block.records) for block in reader.read(file, LONGEST))


def choose_rows(files: Sequence[CountedFile], wanted: int, seed: int) -> list[np.ndarray]:
    """For each file, the records that are drawn, ascending, from 1: the `wanted` smallest hashes overall.

    Each record of the bitext is equally likely. The choice depends only on the names of corpora and files,
    the numbers of records, and the seed.
    """
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for position, counted in enumerate(files):
        name = f"{counted.file.corpus}/{counted.file.name}"
        for first in range(1, counted.rows + 1, _CHUNK):
            records = np.arange(first, min(first + _CHUNK, counted.rows + 1), dtype=np.int64)
            hashes = mixed(records, derive_seed(seed, name))
            least = np.argsort(hashes, kind="stable")[:wanted]
            kept.append((hashes[least], np.full(len(least), position), records[least]))
    if not kept:
        return [np.empty(0, np.int64) for _ in files]
    hashes, positions, records = (np.concatenate(column) for column in zip(*kept, strict=True))
    chosen = np.lexsort((records, positions, hashes))[:wanted]
    return [np.sort(records[chosen][positions[chosen] == position]) for position in range(len(files))]


def cut_into_parts(
    files: Sequence[CountedFile], chosen: Sequence[np.ndarray], parts: int, seed: int
) -> list[SamplePart]:
    """Parts of three sizes, each with rows drawn from all chosen rows of one corpus.

    Corpora get parts in proportion to their rows, at least one each, and so about `parts` in total. The parts
    are ordered so that any number of the first ones are spread over the corpora.
    """
    by_corpus: dict[str, list[tuple[int, int]]] = {}
    for position, (counted, records) in enumerate(zip(files, chosen, strict=True)):
        rows = by_corpus.setdefault(counted.file.corpus, [])
        rows.extend((position, int(record)) for record in records)
    total = sum(map(len, by_corpus.values()))
    placed: list[tuple[float, int, SamplePart]] = []
    for corpus, rows in by_corpus.items():
        if not rows:
            continue
        order = np.random.default_rng(derive_seed(seed, f"parts/{corpus}")).permutation(len(rows))
        count = min(len(rows), max(1, round(parts * len(rows) / total)))
        sizes = np.array([_SIZES[number % len(_SIZES)] for number in range(count)], float)
        ends = np.rint(np.cumsum(sizes) / sizes.sum() * len(rows)).astype(int)
        for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if end > start:
                part = SamplePart(corpus, tuple(sorted(rows[index] for index in order[start:end])))
                placed.append(((number + 0.5) / count, len(placed), part))
    return [part for _, _, part in sorted(placed, key=lambda each: each[:2])]


def write_sample(
    workspace: Workspace,
    bitext: Sequence[BitextInput],
    files: Sequence[CountedFile],
    parts: Sequence[SamplePart],
) -> list[BitextInput]:
    """Write each part as a file (one per side for moses) in its corpus's format and compression.

    Returns a bitext with one file for each part, in the same order; its corpora keep their names and
    descriptions.
    """
    wanted: dict[int, list[int]] = {}
    for part in parts:
        for position, record in part.rows:
            wanted.setdefault(position, []).append(record)
    texts = {
        position: raw_rows(files[position].file, sorted(records)) for position, records in wanted.items()
    }
    entries = {entry.corpus: entry for entry in bitext}
    return [
        _write_part(workspace, number, part, entries[part.corpus], files, texts)
        for number, part in enumerate(parts)
    ]


def _write_part(
    workspace: Workspace,
    number: int,
    part: SamplePart,
    entry: BitextInput,
    files: Sequence[CountedFile],
    texts: Mapping[int, Mapping[int, Row]],
) -> BitextInput:
    rows = [texts[position][record] for position, record in part.rows if record in texts[position]]
    like = files[part.rows[0][0]].file
    reader = READERS[entry.format]
    sample = reader.write(like, rows)
    endings = like.places if reader.places == "files" else (entry.format,)
    paths: list[str] = []
    for ending, path, content in zip(endings, like.paths, sample.contents, strict=True):
        compression = _compression(path)
        name = f"bitext/{part.corpus}/{number:04d}.{ending}{compression}"
        workspace.write_bytes(name, _COMPRESS[compression](content))
        paths.append(
            f"{workspace.url.rstrip('/')}/{name}" if "://" in workspace.url else workspace.path(name)
        )
    if reader.places != "files":
        return replace(entry, path=paths[0], columns=sample.columns or entry.columns)
    placed = dict(zip(like.places, paths, strict=True))
    return replace(
        entry,
        source=placed.get("source"),
        reference=placed["reference"],
        translation=placed.get("translation"),
        scores={name: placed[name] for name in like.scores},
    )


def _zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


_COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _zstd,
}


def _compression(path: str) -> str:
    suffix = os.path.splitext(path)[1].lower()
    return suffix if suffix in COMPRESSIONS else ""
