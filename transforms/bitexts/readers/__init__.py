"""Reads bitexts: one module per format, which turns a file into blocks of raw records.

To add a format, write a module with a `Reader`, and add a word to `READERS`. Reading a recipe imports these
modules, so they import what is heavy inside the functions that need it.
"""

from collections.abc import Iterator, Mapping, Sequence

from ....base.errors import InputError
from ..input_file import InputFile
from .czeng import CZENG
from .lines import LONGEST
from .moses import MOSES
from .parquet import PARQUET
from .reader import Reader, Row
from .records import PAIRS, REASONS, REJECTS, Batch, batches, raw_limit
from .tmx import TMX
from .tsv import TSV

__all__ = ["PAIRS", "READERS", "REASONS", "REJECTS", "Batch", "raw_record", "raw_rows", "read_records"]

READERS: dict[str, Reader] = {
    "moses": MOSES,
    "tsv": TSV,
    "czeng": CZENG,
    "tmx": TMX,
    "parquet": PARQUET,
}


def read_records(file: InputFile, max_characters: int, part_rows: int) -> Iterator[Batch]:
    """The pairs and rejects of each `part_rows` consecutive records of a file, in order.

    max_characters: the most characters of a side after cleaning; a record with a longer side is rejected.
    The last batch may be shorter; a file without records has none. Memory use depends on `part_rows` and
    `max_characters`, not on the size of the file. If the file itself is damaged, raises InputError, which
    names the file and the record reached.
    """
    blocks = READERS[file.format].read(file, raw_limit(max_characters))
    return batches(file, blocks, max_characters, part_rows)


def raw_rows(file: InputFile, numbers: Sequence[int]) -> Mapping[int, Row]:
    """The rows with these ascending numbers, from 1, before any cleaning; fewer if the file has fewer."""
    reader = READERS[file.format]
    if reader.rows is not None:
        return reader.rows(file, numbers)
    wanted = frozenset(numbers)
    found: dict[int, Row] = {}
    for block in reader.read(file, LONGEST):
        for index, record in enumerate(block.records):
            if record in wanted:
                found[record] = tuple(side[index] for side in block.sides)
        if block.records and block.records[-1] >= numbers[-1]:
            break
    return found


def raw_record(file: InputFile, record: int) -> dict[str, bytes]:
    """The raw bytes of a record, before any cleaning; reads the file from its start.

    Moses, TMX, Parquet: by side or score. TSV, CzEng: the line, as `line`.
    """
    if record < 1:
        raise InputError(f"{file.paths[0]}: records are counted from 1, got {record}")
    number = record - file.header  # a header is counted as a record, but is not a row
    row = raw_rows(file, [number]).get(number)
    if row is None:
        raise InputError(f"{file.paths[0]}: there is no record {record:,}")
    return dict(zip(("line",) if len(row) == 1 else file.places, row, strict=True))
