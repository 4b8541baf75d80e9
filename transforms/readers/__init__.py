"""Reads bitexts: one module per format, which turns a file into blocks of raw records.

To add a format, write a module with a function like `read_moses`, and add a word to `READERS` and one to
`inputs.Format`.
"""

from collections.abc import Callable, Iterator

from ...errors import InputError
from ...streams import LineReader
from ..inputs import Format, InputFile
from .czeng import read_czeng
from .moses import read_moses
from .parquet import read_parquet
from .records import PAIRS, REASONS, REJECTS, Batch, RawBlock, batches, raw_limit
from .tmx import read_tmx
from .tsv import read_tsv

__all__ = ["PAIRS", "READERS", "REASONS", "REJECTS", "Batch", "raw_record", "read_records"]

READERS: dict[Format, Callable[[InputFile, int], Iterator[RawBlock]]] = {
    "moses": read_moses,
    "tsv": read_tsv,
    "czeng": read_czeng,
    "tmx": read_tmx,
    "parquet": read_parquet,
}

_WHOLE = 1 << 30  # the most bytes of a raw record


def read_records(file: InputFile, max_characters: int, part_rows: int) -> Iterator[Batch]:
    """The pairs and rejects of each `part_rows` consecutive records of a file, in order.

    max_characters: the most characters of a side after cleaning; a record with a longer side is rejected.
    The last batch may be shorter; a file without records has none. Memory use depends on `part_rows` and
    `max_characters`, not on the size of the file. If the file itself is damaged, raises InputError, which
    names the file and the record reached.
    """
    blocks = READERS[file.format](file, raw_limit(max_characters))
    return batches(file, blocks, max_characters, part_rows)


def raw_record(file: InputFile, record: int) -> dict[str, bytes]:
    """The raw bytes of a record, before any cleaning; reads the file from its start.

    Moses, TMX, Parquet: by side. TSV, CzEng: the line, as `line`.
    """
    if record < 1:
        raise InputError(f"{file.paths[0]}: records are counted from 1, got {record}")
    if file.format in ("tsv", "czeng"):
        with LineReader(file.paths[0], _WHOLE) as lines:
            while found := lines.read(1_000, 1 << 24):
                if record <= lines.lines_read:
                    return {"line": found[record - lines.lines_read - 1]}
    else:
        for block in READERS[file.format](file, _WHOLE):
            if record <= block.records[-1]:
                index = record - block.records[0]
                return {side: column[index] for side, column in zip(file.sides, block.sides, strict=True)}
    raise InputError(f"{file.paths[0]}: there is no record {record:,}")
