"""Bitexts for tests: files of every format, and a file read as one batch."""

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from paranmt.transforms.bitexts.input_file import InputFile
from paranmt.transforms.bitexts.inputs import BitextInput, input_files
from paranmt.transforms.bitexts.readers import PAIRS, REASONS, REJECTS, Batch, read_records

COMPRESS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    # With checksums, as the program zstd writes them.
    ".zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}


def file_of(folder: Path, entry: dict[str, Any]) -> InputFile:
    (file,) = input_files(BitextInput(**{"corpus": "c", "source_language": "cs", **entry}), str(folder))
    return file


def moses(folder: Path, source: bytes, reference: bytes, translation: bytes | None = None) -> InputFile:
    sides = {"source": source, "reference": reference, "translation": translation}
    given = {side: data for side, data in sides.items() if data is not None}
    for side, data in given.items():
        (folder / side).write_bytes(data)
    return file_of(folder, {"format": "moses", **{side: side for side in given}})


def single(folder: Path, format: str, data: bytes, name: str = "file", **entry: Any) -> InputFile:
    (folder / name).write_bytes(data)
    return file_of(folder, {"format": format, "path": name, **entry})


def read(file: InputFile, max_characters: int = 100, part_rows: int = 1_000) -> Batch:
    """All of a file as one batch, with what holds of every batch checked."""
    found = list(read_records(file, max_characters, part_rows))
    for batch in found:
        assert batch.pairs.schema.equals(PAIRS) and batch.rejects.schema.equals(REJECTS)
        assert batch.pairs.num_rows + batch.rejects.num_rows <= part_rows
        assert set(batch.rejects["reason"].to_pylist()) <= set(REASONS)
    for batch in found[:-1]:
        assert batch.pairs.num_rows + batch.rejects.num_rows == part_rows
    cleaned = {
        name: sum(batch.cleaned.get(name, 0) for batch in found) for batch in found for name in batch.cleaned
    }
    return Batch(
        pa.concat_tables([batch.pairs for batch in found] or [PAIRS.empty_table()]),
        pa.concat_tables([batch.rejects for batch in found] or [REJECTS.empty_table()]),
        cleaned,
        pa.concat_tables([batch.scores for batch in found]) if found and file.scores else None,
    )


def texts(batch: Batch) -> list[tuple[str, ...]]:
    rows = batch.pairs.to_pylist()
    return [
        (row["pair_id"].rpartition(":")[2], row["source"], row["reference"], row["translation"])
        for row in rows
    ]


def faults(batch: Batch) -> list[tuple[Any, ...]]:
    return [tuple(row.values())[1:] for row in batch.rejects.to_pylist()]


def unit(*segments: tuple[str, str]) -> str:
    return (
        "<tu>" + "".join(f'<tuv xml:lang="{tag}"><seg>{text}</seg></tuv>' for tag, text in segments) + "</tu>"
    )


def tmx(*units: str, start: str = '<?xml version="1.0" encoding="UTF-8"?>') -> bytes:
    header = '<header srclang="cs" segtype="sentence"/>'
    return f'{start}<tmx version="1.4">{header}<body>{"".join(units)}</body></tmx>'.encode()


def parquet(folder: Path, table: pa.Table, **entry: Any) -> InputFile:
    pq.write_table(table, folder / "file.parquet", row_group_size=entry.pop("row_group_size", None))
    return file_of(folder, {"format": "parquet", "path": "file.parquet", **entry})
