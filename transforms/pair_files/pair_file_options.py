"""Which files of pairs to read, and which of their pairs to take."""

import math
from dataclasses import dataclass
from typing import Annotated

from ...base.bounds import Finite, Numbers, Pairs, Seed
from ...base.errors import RecipeError
from ...base.names import NameIn
from ...base.paths import FilePath
from .formats import FORMATS

_FORMAT = NameIn(FORMATS, "auto")


@dataclass(frozen=True, kw_only=True)
class PairFileOptions(Numbers):
    """Files of pairs of sentences or phrases that mean the same, and which of their pairs are wanted."""

    path: FilePath | tuple[FilePath, ...]
    """A file, or a list of files that are read one after another; plain or compressed."""
    format: Annotated[str, _FORMAT] = "auto"
    """The format: `ppdb` (fields between `|||`), `lexical` (a word and its synonyms on each line), `tsv`
    (columns between tabs), `nli` (SNLI's JSON lines, of which entailments are taken) or `parquet`; by
    default each file shows it. `lexical` must be named, because such a line looks like a sentence."""
    columns: tuple[int | str, int | str] | None = None
    """The two columns of a pair. tsv: numbers from 1, or names with `header`; by default 1 and 2. parquet:
    names, by default reference and translation. nli: keys, by default sentence1 and sentence2, or
    premise and hypothesis."""
    score: int | str | None = None
    """Where a pair's score is, for `minimum_score` and `maximum_score`. tsv: a column, by default the third.
    parquet: a column. ppdb: a feature, by default PPDB2.0Score."""
    minimum_score: Finite | None = None
    """Pairs with a lower score are left out; by default none."""
    maximum_score: Finite | None = None
    """Pairs with a higher score are left out; by default none."""
    header: bool = False
    """tsv: whether the first line names the columns."""
    sample_tokens: Pairs | None = None
    """Take random pairs until they have this many tokens on both sides together (Revisiting recurrent
    networks, section 4.1.2); by default all pairs."""
    sample_seed: Seed = 1
    """The seed of this sample."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.paths:
            raise RecipeError("path must name at least one file")
        _FORMAT.check("format", self.format)
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
