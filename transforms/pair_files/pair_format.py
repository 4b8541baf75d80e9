"""What a format of files with pairs says about itself, and what its reader yields."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ...base.errors import InputError
from ...base.streams import LineReader
from ..bitexts.readers.tsv import line_blocks

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions

LONGEST = 1 << 20
"""Bytes of a line that are read."""


class Pair(NamedTuple):
    """The two sides of a pair, and its score if pairs are chosen by it."""

    first: str
    second: str
    score: float | None = None


class Unusable(Exception):
    """A record without a pair: malformed, or of a kind that is not wanted."""

    def __init__(self, reason: str, is_malformed: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.is_malformed = reason, is_malformed


@dataclass
class PairBlock:
    """The pairs of consecutive records.

    left_out: how many other records there were, by reason. places: the first record for each reason.
    """

    pairs: list[Pair] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    places: dict[str, str] = field(default_factory=dict)

    def leave_out(self, reason: str, place: str, count: int = 1) -> None:
        """Count records without a pair."""
        self.left_out[reason] += count
        self.places.setdefault(reason, place)


@dataclass(frozen=True)
class PairFormat:
    """A format of files of pairs.

    read: the blocks of a file. takes: the options beside path and format that it knows.
    """

    read: Callable[[str, "PairFileOptions"], Iterator[PairBlock]]
    takes: frozenset[str] = frozenset()


def read_lines(path: str, pairs_of: Callable[[str], Sequence[Pair]], start: int = 1) -> Iterator[PairBlock]:
    """The pairs of each line. Blank lines are skipped, and malformed ones are counted.

    pairs_of: the pairs of one line; it raises `Unusable`. start: the first line with pairs. InputError if the
    first line that is not blank is malformed: the file has another format.
    """
    is_first = True
    with LineReader(path, LONGEST) as reader:
        reader.read(start - 1)
        for number, lines in line_blocks(reader):
            block = PairBlock()
            for place, line in enumerate(lines, number):
                if not line.strip():
                    continue
                try:
                    block.pairs += pairs_of(_decoded(line))
                except Unusable as error:
                    if is_first and error.is_malformed:
                        raise InputError(f"{path}, line {place}: {error.reason}: {_shown(line)}") from None
                    block.leave_out(error.reason, f"{path}, line {place:,}")
                is_first = False
            yield block


def _decoded(line: bytes) -> str:
    if len(line) > LONGEST:
        raise Unusable("the line is too long")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise Unusable("the line is not UTF-8") from None


def _shown(line: bytes) -> str:
    return repr(line[:80].decode("utf-8", "replace"))


def number_of(text: str, what: str) -> float:
    """A score; `Unusable` if it is not a number."""
    try:
        return float(text)
    except ValueError:
        raise Unusable(f"expected a number as {what}") from None
