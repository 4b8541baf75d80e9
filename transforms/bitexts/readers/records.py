"""How the raw records that a reader yields become pairs and rejects."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from ....base.dataset_columns import INGEST
from ..cleaning import CleanColumn, clean_column
from ..input_file import SIDES, InputFile
from .reader import Fault, RawBlock

PAIRS = pa.schema([column.field() for column in INGEST])
REJECTS = pa.schema(
    [
        pa.field("file", pa.string(), nullable=False),  # base name of the file with the bad side
        pa.field("record", pa.int64(), nullable=False),  # line, TMX unit or Parquet row, from 1
        pa.field("side", pa.string()),  # null if the whole record is malformed
        pa.field("reason", pa.string(), nullable=False),  # one of REASONS
        pa.field("detail", pa.string(), nullable=False),  # what was found; "" if the reason says enough
    ]
)
REASONS = ("empty_source", "empty_reference", "not_utf8", "too_long", "malformed", "score_out_of_bounds")
_TOO_LARGE = 3.4028236e38  # float32 has no larger number


class Batch(NamedTuple):
    """The records of a part: each is either a pair or a reject.

    pairs: `PAIRS`. rejects: `REJECTS`. scores: the scores that came with the pairs, a column each, and their
    `pair_id`; None if the input has none. cleaned: how often something was repaired or skipped:
    `<side>_control_lines` (lines with control characters, including those of rejected records),
    the same for `entity`, `mojibake` and `invisible`; `control_characters`, `entities` and
    `invisible_characters`; `document_boundaries` (empty lines of a CzEng 2.0 export).
    """

    pairs: pa.Table
    rejects: pa.Table
    cleaned: dict[str, int]
    scores: pa.Table | None = None


def raw_limit(max_characters: int) -> int:
    """The number of bytes after which a reader stops reading a raw line.

    A character has at most 4 bytes in UTF-8, and several characters may combine into one; the rest is for
    whitespace around the sentence.
    """
    return 16 * max_characters + 4_096


def batches(
    file: InputFile, blocks: Iterator[RawBlock], max_characters: int, part_rows: int
) -> Iterator[Batch]:
    """Join and cut a file's blocks into batches of `part_rows` records; the last one may be shorter."""
    cleaned: list[Batch] = []
    rows = 0
    for block in blocks:
        start = 0
        while True:
            if rows == part_rows and start < len(block.records):
                yield _joined(cleaned)
                cleaned, rows = [], 0
            piece = block[start : start + part_rows - rows]
            cleaned.append(clean_block(file, piece, max_characters))
            start += len(piece.records)
            rows += len(piece.records)
            if start >= len(block.records):
                break
    if rows:
        yield _joined(cleaned)


def clean_block(file: InputFile, block: RawBlock, max_characters: int) -> Batch:
    """The pairs and rejects of a block.

    A record with several faults is rejected for the first, in the order source, reference, translation. An
    empty translation becomes null, and so does an empty score, NaN or an infinity. A translation that is not
    UTF-8 or is too long is a reject, because the pair came with a translation that cannot be used; so is a
    score that is not a number, or out of bounds.
    """
    limit = raw_limit(max_characters)
    sides = block.sides[: len(file.sides)]
    columns = [clean_column(lines, max_characters, limit, file.cleaning) for lines in sides]
    faults = dict(block.faults)
    for side, column in zip(file.sides, columns, strict=True):
        for index, (reason, detail) in column.faults.items():
            faults.setdefault(index, Fault(side, reason, detail))
        if side != "translation" and not all(column.texts):
            for index, text in enumerate(column.texts):
                if not text:
                    faults.setdefault(index, Fault(side, f"empty_{side}", ""))
    numbers = _numbers(file, block, faults)
    pairs = _pairs(file, block, columns, faults)
    scores = _scores(pairs, numbers, faults) if numbers else None
    return Batch(pairs, _rejects(file, block, faults), _counts(file, block, columns), scores)


def _numbers(file: InputFile, block: RawBlock, faults: dict[int, Fault]) -> dict[str, list[float | None]]:
    """The scores of each record, by name; adds the faults of records whose scores cannot be used."""
    is_bounded = (file.minimum_score, file.maximum_score) != (None, None)
    low = -math.inf if file.minimum_score is None else file.minimum_score
    high = math.inf if file.maximum_score is None else file.maximum_score
    found: dict[str, list[float | None]] = {}
    for name, cells in zip(file.scores, block.sides[len(file.sides) :], strict=True):
        found[name] = [None] * len(cells)
        for index, cell in enumerate(cells):
            try:
                value = found[name][index] = _finite(cell)
            except ValueError:
                detail = f"{name}: expected a number, got {cell[:80].decode('utf-8', 'replace')!r}"
                faults.setdefault(index, Fault(None, "malformed", detail))
                continue
            if is_bounded and (value is None or not low <= value <= high):
                detail = f"{name} is {'null' if value is None else format(value, '.9g')}"
                faults.setdefault(index, Fault(None, "score_out_of_bounds", detail))
    return found


def _finite(cell: bytes) -> float | None:
    """The number in a cell; None if it is empty, NaN or infinite in float32."""
    if not cell.strip():
        return None
    value = float(cell)
    return value if abs(value) < _TOO_LARGE else None


def _scores(pairs: pa.Table, numbers: dict[str, list[float | None]], faults: dict[int, Fault]) -> pa.Table:
    kept = {
        name: [value for index, value in enumerate(values) if index not in faults] if faults else values
        for name, values in numbers.items()
    }
    columns = {name: pa.array(values, pa.float32()) for name, values in kept.items()}
    return pa.table({"pair_id": pairs["pair_id"], **columns})


def _pairs(
    file: InputFile, block: RawBlock, columns: list[CleanColumn], faults: dict[int, Fault]
) -> pa.Table:
    prefix = file.pair_id(0)[:-1]
    pair_ids: list[str] = [f"{prefix}{record}" for record in block.records]
    # Only a translation may be empty; a record without a source or a reference is a reject.
    found = {
        side: [text or None for text in column.texts]
        for side, column in zip(file.sides, columns, strict=True)
    }
    texts = [found.get(side) or [None] * len(pair_ids) for side in SIDES]
    if faults:
        rows = [index for index in range(len(pair_ids)) if index not in faults]
        pair_ids = [pair_ids[index] for index in rows]
        texts = [[column[index] for index in rows] for column in texts]
    arrays = [pa.array(column, pa.string()) for column in (pair_ids, *texts)]
    return pa.Table.from_arrays(arrays, schema=PAIRS)


def _rejects(file: InputFile, block: RawBlock, faults: dict[int, Fault]) -> pa.Table:
    rows = [
        (file.file_of(fault.side), block.records[index], fault.side, fault.reason, fault.detail)
        for index, fault in sorted(faults.items())
    ]
    return pa.Table.from_pylist([dict(zip(REJECTS.names, row, strict=True)) for row in rows], schema=REJECTS)


def _counts(file: InputFile, block: RawBlock, columns: list[CleanColumn]) -> dict[str, int]:
    counts = Counter(block.skipped)
    for side, column in zip(file.sides, columns, strict=True):
        counts.update({f"{side}_{kind}_lines": count for kind, count in column.lines.items()})
        counts["control_characters"] += column.changes["control"]
        counts["entities"] += column.changes["entity"]
        counts["invisible_characters"] += column.changes["invisible"]
    return dict(+counts)


def _joined(pieces: list[Batch]) -> Batch:
    cleaned: Counter[str] = Counter()
    for piece in pieces:
        cleaned.update(piece.cleaned)
    scores = [piece.scores for piece in pieces if piece.scores is not None]
    return Batch(
        pa.concat_tables([piece.pairs for piece in pieces]).combine_chunks(),
        pa.concat_tables([piece.rejects for piece in pieces]).combine_chunks(),
        dict(sorted(cleaned.items())),
        pa.concat_tables(scores).combine_chunks() if scores else None,
    )
