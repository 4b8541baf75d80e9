"""What a format of files with pairs says about itself, and what its reader yields."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...base.bounds import FINITE, PAIRS, SEED, check_numbers
from ...base.errors import InputError, RecipeError
from ...base.paths import FilePath
from ...base.streams import LineReader
from ..bitexts.readers.tsv import line_blocks

_LONGEST = 1 << 20  # bytes of a line that are read


@dataclass(frozen=True, kw_only=True)
class PairFileOptions:
    """Files of pairs of sentences or phrases that mean the same, and which of their pairs are wanted."""

    path: FilePath | tuple[FilePath, ...]
    """A file, or a list of files that are read one after another; plain or compressed."""
    format: Literal["auto", "ppdb", "lexical", "tsv", "nli", "parquet"] = "auto"
    """`ppdb` (fields between `|||`), `lexical` (a word and its synonyms on each line), `tsv` (columns between
    tabs), `nli` (SNLI's JSON lines, of which entailments are taken) or `parquet`. `auto` looks at each file;
    `lexical` must be named, because such a line looks like a sentence."""
    columns: tuple[int | str, int | str] | None = None
    """The two columns of a pair. tsv: numbers from 1, or names with `header`; by default 1 and 2. parquet:
    names, by default reference and translation. nli: keys, by default sentence1 and sentence2."""
    score: int | str | None = None
    """Where a pair's score is, for `minimum_score` and `maximum_score`. tsv: a column, by default the third.
    parquet: a column. ppdb: a feature, by default PPDB2.0Score."""
    minimum_score: float | None = None
    """Pairs with a lower score are left out."""
    maximum_score: float | None = None
    """Pairs with a higher score are left out."""
    header: bool = False
    """tsv: whether the first line names the columns."""
    sample_tokens: int | None = None
    """Take random pairs until they have this many tokens on both sides together (Revisiting recurrent
    networks, section 4.1.2); by default all pairs."""
    sample_seed: int = 1
    """The seed of this sample."""

    def __post_init__(self) -> None:
        for name in ("path", "columns"):
            if isinstance(value := getattr(self, name), list):
                object.__setattr__(self, name, tuple(value))
        if not self.paths:
            raise RecipeError("path must name at least one file")
        check_numbers(self, minimum_score=FINITE, maximum_score=FINITE, sample_tokens=PAIRS, sample_seed=SEED)
        if self.score is not None and not self.is_bounded:
            raise RecipeError("score has no effect without minimum_score or maximum_score: set one of them")

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of `path`."""
        return (self.path,) if isinstance(self.path, str) else self.path

    @property
    def is_bounded(self) -> bool:
        """Whether pairs are chosen by their score."""
        return self.minimum_score is not None or self.maximum_score is not None

    def wants(self, score: float) -> bool:
        """Whether a score is within the bounds; NaN never is if there are any."""
        low = -math.inf if self.minimum_score is None else self.minimum_score
        high = math.inf if self.maximum_score is None else self.maximum_score
        return low <= score <= high


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
class Block:
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

    read: Callable[[str, PairFileOptions], Iterator[Block]]
    takes: frozenset[str] = frozenset()


def read_lines(path: str, pairs_of: Callable[[str], Sequence[Pair]], start: int = 1) -> Iterator[Block]:
    """The pairs of each line. Blank lines are skipped, and malformed ones are counted.

    pairs_of: the pairs of one line; it raises `Unusable`. start: the first line with pairs. InputError if the
    first line that is not blank is malformed: the file has another format.
    """
    is_first = True
    with LineReader(path, _LONGEST) as reader:
        reader.read(start - 1)
        for number, lines in line_blocks(reader):
            block = Block()
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
    if len(line) > _LONGEST:
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
