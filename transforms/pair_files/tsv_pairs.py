"""Tab-separated pairs, with an optional score: also para-nmt-50m.txt (reference, translation, cosine)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.streams import LineReader
from ..bitexts.readers.tsv import layout_of
from .pair_format import LONGEST, Pair, PairBlock, PairFormat, Unusable, number_of, read_lines

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions


def read_tsv(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """The pairs of two columns; nothing is quoted or escaped.

    A line with more or fewer columns than the first is malformed: if a sentence contains a tab, we can only
    guess which column is which.
    """
    with LineReader(path, LONGEST) as reader:
        first_line = (reader.read(1) or [b""])[0]
    wanted = [*zip(("first sentence", "second sentence"), options.columns or (1, 2), strict=True)]
    if options.is_bounded:
        wanted.append(("score", 3 if options.score is None else options.score))
    layout = layout_of(path, wanted, first_line, options.header)

    def pairs_of(line: str) -> list[Pair]:
        columns = line.split("\t")
        if len(columns) != layout.columns:
            raise Unusable(f"expected {layout.columns} columns between tabs, as in the first line")
        first, second, *score = layout.places
        scores = [number_of(columns[place], f"the score in column {place + 1}") for place in score]
        return [Pair(columns[first], columns[second], *scores)]

    return read_lines(path, pairs_of, 2 if options.header else 1)


TSV = PairFormat(read_tsv, frozenset(("columns", "score", "minimum_score", "maximum_score", "header")))
