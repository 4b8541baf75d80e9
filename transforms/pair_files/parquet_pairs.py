"""Parquet files with two columns of sentences."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from ...base.arrow_types import is_text
from ...base.errors import InputError
from ...base.streams import open_raw, reading
from ..storage.sealed_parquet import open_input
from .pair_format import Pair, PairBlock, PairFormat

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions

_ROWS = 1_000


def read_parquet(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """The pairs of two columns. Rows without one of the sides, or without a score, are left out."""
    sides = [str(name) for name in options.columns or ("reference", "translation")]
    if options.is_bounded and options.score is None:
        raise InputError(f"{path}: set `score` to the column by which pairs are chosen")
    names = [*sides, str(options.score)] if options.is_bounded else sides
    with open_raw(path) as raw:
        with reading(path):
            file = open_input(raw)
            _check(path, file.schema_arrow, sides, names[2:])
            batches = file.iter_batches(_ROWS, columns=names, use_threads=False)
        row = 0
        while True:
            with reading(path, partial("after row {:,}".format, row)):
                batch = next(batches, None)
                if batch is None:
                    return
                batch.validate(full=True)  # texts may have bytes that are not UTF-8
                texts = [batch.column(name).cast(pa.string()).to_pylist() for name in sides]
                scores = batch.column(names[2]).to_pylist() if names[2:] else [None] * len(batch)
            block = PairBlock()
            for index, (first, second, score) in enumerate(zip(*texts, scores, strict=True), row + 1):
                if first is None or second is None or (options.is_bounded and score is None):
                    block.leave_out("a column is null", f"{path}, row {index:,}")
                else:
                    block.pairs.append(Pair(first, second, score if score is None else float(score)))
            yield block
            row += len(batch)


def _check(path: str, schema: pa.Schema, sides: list[str], scores: list[str]) -> None:
    for name in (*sides, *scores):
        if schema.names.count(name) != 1:
            raise InputError(
                f"{path}: expected one column {name!r}; there are: {', '.join(schema.names)[:300]} (set "
                f"`{'score' if name in scores else 'columns'}`)"
            )
        kind = schema.field(name).type
        value = kind.value_type if pa.types.is_dictionary(kind) else kind
        is_number = pa.types.is_floating(value) or pa.types.is_integer(value)
        if not (is_number if name in scores else is_text(value)):
            wanted = "numbers" if name in scores else "text"
            raise InputError(
                f"{path}: expected a column of {wanted}, got {name!r} with values of type {kind}"
            )


PARQUET = PairFormat(read_parquet, frozenset(("columns", "score", "minimum_score", "maximum_score")))
