"""Lists of synonyms: on each line a word, then its synonyms, between spaces or tabs."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .pair_format import Pair, PairBlock, PairFormat, Unusable, read_lines

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions

_BETWEEN = re.compile("[ \t]")


def read_lexical(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """A pair of the first word of a line and each other word.

    So are several files made from PPDB's lexical part: pairs of words, and heads with all their synonyms.
    Many have each pair in both directions, and variants of numbers (360.00 and 360); all are kept.
    """

    def pairs_of(line: str) -> list[Pair]:
        # Not line.split(): a word may hold another space of Unicode, or be a control character.
        word, *synonyms = [word for word in _BETWEEN.split(line) if word]
        if not synonyms:
            raise Unusable("expected a word and its synonyms")
        return [Pair(word, synonym) for synonym in synonyms]

    return read_lines(path, pairs_of)


LEXICAL = PairFormat(read_lexical)
