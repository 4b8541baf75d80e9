"""Draws a small bitext from a big one, in the same formats, so that it can be run as a bitext itself.

The rows come from all over the big bitext, by seeded hash. The cost of translation depends on the length of
sentences, and the start of a file does not have the same lengths as the whole.
"""

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..hashing import derive_seed
from ..streams import COMPRESSIONS, open_raw, open_stream, reading
from .file_hashes import HashCache
from .inputs import SIDES, BitextInput, InputFile, check_line_counts
from .readers import READERS
from .workspace import Workspace

_CHUNK = 1 << 20
_LONGEST = 1 << 24  # bytes of a line that are kept; longer lines are rejected anyway
_SIZES = (1, 3, 2)  # parts of different sizes separate a part's fixed cost from its pairs' cost


@dataclass(frozen=True)
class Counted:
    """An input file and its number of rows; in CzEng and TMX files, some rows may not be records."""

    file: InputFile
    rows: int


@dataclass(frozen=True)
class SamplePart:
    """The rows that become one part: for each, the position of its file in the input, and its record."""

    corpus: str
    rows: tuple[tuple[int, int], ...]


def count_rows(file: InputFile, cache: HashCache) -> int:
    """The number of rows of an input file: from its lines, Parquet's metadata, or the ends of TMX units."""
    if file.format == "moses":
        return check_line_counts(file, cache) or 0
    path = file.paths[0]
    if file.format == "parquet":
        with open_raw(path) as raw, reading(path):
            return int(pq.ParquetFile(raw).metadata.num_rows)
    if file.format == "tmx":
        return _occurrences(path, b"</tu>")
    return max(0, (cache.file_hash(path, count_lines=True).lines or 0) - file.header)


def choose_rows(files: Sequence[Counted], wanted: int, seed: int) -> list[np.ndarray]:
    """For each file, the records that are drawn, ascending, from 1: the `wanted` smallest hashes overall.

    Each record of the bitext is equally likely. The choice depends only on the names of corpora and files,
    the numbers of records, and the seed.
    """
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for position, counted in enumerate(files):
        name = f"{counted.file.corpus}/{counted.file.name}"
        for first in range(1, counted.rows + 1, _CHUNK):
            records = np.arange(first, min(first + _CHUNK, counted.rows + 1), dtype=np.int64)
            hashes = _mixed(records, derive_seed(seed, name))
            least = np.argsort(hashes, kind="stable")[:wanted]
            kept.append((hashes[least], np.full(len(least), position), records[least]))
    if not kept:
        return [np.empty(0, np.int64) for _ in files]
    hashes, positions, records = (np.concatenate(column) for column in zip(*kept, strict=True))
    chosen = np.lexsort((records, positions, hashes))[:wanted]
    return [np.sort(records[chosen][positions[chosen] == position]) for position in range(len(files))]


def cut_into_parts(
    files: Sequence[Counted], chosen: Sequence[np.ndarray], parts: int, seed: int
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
    files: Sequence[Counted],
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
        position: _rows_of(files[position].file, sorted(records)) for position, records in wanted.items()
    }
    entries = {entry.corpus: entry for entry in bitext}
    return [
        _write_part(workspace, number, part, entries[part.corpus], files, texts)
        for number, part in enumerate(parts)
    ]


Rows = Mapping[int, tuple[bytes, ...]]
"""For each record, the raw bytes of each side; for tsv and czeng, only the line."""


def _rows_of(file: InputFile, records: Sequence[int]) -> Rows:
    if file.format == "moses":
        sides = [_lines(path, records) for path in file.paths]
        return {record: tuple(side[record] for side in sides) for record in records if record in sides[0]}
    if file.format in ("tsv", "czeng"):
        # A header is line 1, but not a record.
        lines = _lines(file.paths[0], [record + file.header for record in records])
        return {number - file.header: (line,) for number, line in lines.items()}
    return _records(file, records)


def _lines(path: str, numbers: Sequence[int]) -> dict[int, bytes]:
    """The lines with these ascending numbers, from 1, without line ends; fewer if the file is shorter."""
    found: dict[int, bytes] = {}
    left = iter(numbers)
    next_one = next(left, None)
    before, rest = 0, b""
    with open_stream(path) as stream, reading(path, lambda: f"after line {before:,}"):
        while next_one is not None:
            chunk = stream.read(_CHUNK)
            data = rest + chunk
            count = data.count(b"\n")
            if not chunk and rest:
                count, data = 1, rest + b"\n"
            if next_one <= before + count:
                lines = data.split(b"\n")
                while next_one is not None and next_one <= before + count:
                    found[next_one] = lines[next_one - before - 1][:_LONGEST]
                    next_one = next(left, None)
            before += count
            if not chunk:
                break
            rest = data[data.rfind(b"\n") + 1 :][:_LONGEST]
    if 1 in found:
        found[1] = found[1].removeprefix(b"\xef\xbb\xbf")
    return found


def _records(file: InputFile, records: Sequence[int]) -> Rows:
    """The rows as the format's own reader finds them."""
    found: dict[int, tuple[bytes, ...]] = {}
    wanted = np.asarray(records)
    for block in READERS[file.format](file, _LONGEST):
        numbers = np.asarray(block.records)
        for index in np.flatnonzero(np.isin(numbers, wanted)):
            found[int(numbers[index])] = tuple(side[int(index)] for side in block.sides)
        if len(numbers) and numbers[-1] >= wanted[-1]:
            break
    return found


def _write_part(
    workspace: Workspace,
    number: int,
    part: SamplePart,
    entry: BitextInput,
    files: Sequence[Counted],
    texts: Mapping[int, Rows],
) -> BitextInput:
    rows = [texts[position][record] for position, record in part.rows if record in texts[position]]
    like = files[part.rows[0][0]].file
    stem = f"bitext/{part.corpus}/{number:04d}"

    def put(name: str, like: str, content: bytes) -> str:
        compression = _compression(like)
        name += compression
        workspace.write_bytes(name, _COMPRESS[compression](content))
        return f"{workspace.url.rstrip('/')}/{name}" if "://" in workspace.url else workspace.path(name)

    if entry.format == "moses":
        names = [f"{stem}.{side}" for side in SIDES[: len(like.paths)]]
        sides = [
            put(name, path, _lined(row[place] for row in rows))
            for place, (name, path) in enumerate(zip(names, like.paths, strict=True))
        ]
        source, reference, *translation = sides
        return replace(
            entry, source=source, reference=reference, translation=translation[0] if translation else None
        )
    path = like.paths[0]
    if entry.format == "parquet":
        table = pa.table(
            {
                side: pa.array([row[place] for row in rows], pa.binary())
                for place, side in enumerate(like.sides)
            }
        )
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        return replace(
            entry,
            path=put(f"{stem}.parquet", "", sink.getvalue().to_pybytes()),
            source="source",
            reference="reference",
            translation="translation" if len(like.sides) > 2 else None,
        )
    if entry.format == "tmx":
        return replace(entry, path=put(f"{stem}.tmx", path, _tmx(like, rows)))
    first = _lines(path, [1]).get(1, b"")
    columns = entry.columns or (first.count(b"\t") + 1 if first.strip() else None)
    content = _lined([*([first] if entry.header else []), *(row[0] for row in rows)])
    return replace(entry, path=put(f"{stem}.tsv", path, content), columns=columns)


def _lined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _tmx(file: InputFile, rows: Sequence[tuple[bytes, ...]]) -> bytes:
    def side(language: object, text: bytes) -> str:
        return f"<tuv xml:lang={quoteattr(str(language))}><seg>{escape(text.decode())}</seg></tuv>"

    units = (
        "<tu>" + "".join(side(field, text) for field, text in zip(file.fields, row, strict=True)) + "</tu>\n"
        for row in rows
    )
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header/><body>\n'
    return (start + "".join(units) + "</body></tmx>\n").encode()


def _occurrences(path: str, what: bytes) -> int:
    count, tail = 0, b""
    with open_stream(path) as stream, reading(path):
        while chunk := stream.read(_CHUNK):
            data = tail + chunk
            count += data.count(what)
            tail = data[-(len(what) - 1) :]
    return count


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


def _mixed(values: np.ndarray, seed: int) -> np.ndarray:
    """splitmix64 (Steele, Lea and Flood 2014) of each value, starting from a seed; uint64."""
    with np.errstate(over="ignore"):
        mixed = values.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
