"""Tab-separated pairs, with an optional score: also para-nmt-50m.txt (reference, translation, cosine)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.errors import InputError
from ...base.streams import LineReader
from .pair_format import Pair, PairBlock, PairFormat, Unusable, number_of, read_lines

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions


def read_tsv(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """The pairs of two columns; nothing is quoted or escaped.

    A line with more or fewer columns than the first is malformed: if a sentence contains a tab, we can only
    guess which column is which.
    """
    with LineReader(path, 1 << 20) as reader:
        first = (reader.read(1) or [b""])[0].decode("utf-8", "replace").split("\t")
    wanted: list[int | str] = [*(options.columns or (1, 2))]
    if options.is_bounded:
        wanted.append(3 if options.score is None else options.score)
    places = [_place(path, column, first, options.header) for column in wanted]

    def pairs_of(line: str) -> list[Pair]:
        columns = line.split("\t")
        if len(columns) != len(first):
            raise Unusable(f"expected {len(first)} columns between tabs, as in the first line")
        sides = columns[places[0]], columns[places[1]]
        if not options.is_bounded:
            return [Pair(*sides)]
        return [Pair(*sides, number_of(columns[places[2]], f"the score in column {places[2] + 1}"))]

    return read_lines(path, pairs_of, 2 if options.header else 1)


def _place(path: str, column: int | str, first: list[str], header: bool) -> int:
    """The index of a column that is given by its number from 1 or by its name."""
    names = [name.strip() for name in first]
    if header and isinstance(column, str) and names.count(column) == 1:
        return names.index(column)
    if isinstance(column, int) and 1 <= column <= len(first):
        return column - 1
    there = ", ".join(names) if header else f"{len(first)} columns between tabs"
    raise InputError(f"{path}: there is no column {column!r}; the first line has: {there[:300]}")


TSV = PairFormat(read_tsv, frozenset(("columns", "score", "minimum_score", "maximum_score", "header")))
