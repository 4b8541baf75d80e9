"""CzEng's plain-text exports: tab-separated, the sentence pair's id first, then scores, Czech, English.

CzEng 1.6 and 1.7 have four columns (id, filter score, Czech, English); 1.7 is 1.6 without the blocks that
its authors list, which their script removes before we read it. CzEng 2.0 has six columns (id, adequacy,
Czech and English language scores, Czech, English) and an empty line between documents.
"""

from collections.abc import Iterator
from dataclasses import replace

from ....base.errors import InputError
from ....base.streams import LineReader
from ..input_file import InputFile
from .lines import count_lines, line_rows, write_lines
from .reader import RawBlock, Reader
from .tsv import Layout, line_blocks, line_limit, numbered, split_columns

_SIDES_BY_COLUMNS = {4: (3, 4), 6: (5, 6)}


def read_czeng(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Blocks of lines; a record is a line that is not empty, and has the number of this line.

    The first such line shows the version. limit: the most bytes of a column that are read.
    """
    layout: Layout | None = None
    with LineReader(file.paths[0], line_limit(limit)) as reader:
        for first, lines in line_blocks(reader):
            kept = {record: line for record, line in enumerate(lines, first) if line.strip(b" ")}
            skipped = {"document_boundaries": len(lines) - len(kept)} if len(kept) < len(lines) else {}
            records = list(kept)
            if kept and layout is None:
                layout = _layout(file, kept[records[0]], records[0])
            if layout is None:
                yield RawBlock([], ([],) * len(file.sides), {}, skipped)
                continue
            block = split_columns(list(kept.values()), records, layout, line_limit(limit))
            yield RawBlock(block.records, block.sides, block.faults, skipped)


def _layout(file: InputFile, line: bytes, record: int) -> Layout:
    if file.fields[0] is not None:
        return numbered(file, line, record)
    columns = file.columns or line.count(b"\t") + 1
    if columns not in _SIDES_BY_COLUMNS:
        raise InputError(
            f"{file.paths[0]}: line {record:,} has {columns} columns separated by tabs; expected 4 (CzEng "
            "1.6, 1.7) or 6 (CzEng 2.0): set `source` and `reference` to the right columns or, if only this "
            "line is wrong, `columns` to their number"
        )
    source, reference = _SIDES_BY_COLUMNS[columns]
    return numbered(replace(file, fields=(source, reference, *file.fields[2:])), line, record)


CZENG = Reader(
    read=read_czeng,
    write=write_lines,
    default_places=(None, None),
    keys=frozenset(("columns",)),
    count=count_lines,
    rows=line_rows,
)
