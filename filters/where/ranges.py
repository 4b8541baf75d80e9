"""Ranges of a score, as `where` conditions: its deciles, and the ranges that the papers compared."""

from dataclasses import dataclass

from ...base.dataset_columns import decile_name
from ..cost import TranslationCost
from ..lengths import Length
from ..perplexity import Perplexity
from ..score import Score

_LOWER, _UPPER = (0.0, 0.1, 0.2, 0.3), (0.6, 0.7, 0.8, 0.9, 1.0)
_COSTS = tuple(tenths / 10 for tenths in range(2, 11))
_PERPLEXITIES = (25, 50, 75, 100, 150, 200)
_LENGTHS = ((0, 10), (10, 20), (20, 30))


@dataclass(frozen=True)
class ScoreRange:
    """Some of a score's values.

    score: its column; empty for the range of all pairs. name: names the range among those of the score; part
    of file names. label, tick: what tables and the axes of charts call it. where: an SQL condition that is
    true for the pairs in the range. by_decile: whether it reads the score's decile instead of the score.
    """

    score: str
    name: str
    label: str
    tick: str
    where: str
    by_decile: bool = False

    @property
    def key(self) -> str:
        """The name of the range among those of all scores.

        >>> decile_ranges("perplexity")[2].key
        'perplexity/decile-3'
        """
        return f"{self.score}/{self.name}" if self.score else self.name


ALL_PAIRS = ScoreRange("", "all-pairs", "random sample", "all pairs", "true")


def decile_ranges(column: str) -> tuple[ScoreRange, ...]:
    """The ten deciles of a score.

    >>> decile_ranges("perplexity")[2].where
    'perplexity_decile = 3'
    """
    return tuple(
        ScoreRange(
            column,
            f"decile-{decile}",
            f"decile {decile}",
            str(decile),
            f"{decile_name(column)} = {decile}",
            True,
        )
        for decile in range(1, 11)
    )


def paper_ranges(column: str, measure: Score) -> tuple[ScoreRange, ...]:
    """The ranges of Wieting et al. 2017 for a measure like theirs; none for measures unlike theirs.

    Shares, BLEU and probabilities: every lower bound of 0, 0.1, 0.2, 0.3 with every upper bound of 0.6, 0.7,
    0.8, 0.9, 1.0 (section 5.7). Translation cost and perplexity: upper bounds (section 5.6). Lengths: the
    ranges of table 5. Bounds belong to their range, as in the authors' code.

    >>> from paranmt.filters.lengths import ReferenceLength
    >>> [part.label for part in paper_ranges("length", ReferenceLength())]
    ['0 to 10', '10 to 20', '20 to 30', '30 and more']
    """
    if isinstance(measure, Length):
        between = [_between(column, low, high) for low, high in _LENGTHS]
        return (*between, ScoreRange(column, "from-30", "30 and more", "≥30", f"{column} >= 30"))
    if isinstance(measure, TranslationCost):
        return tuple(_up_to(column, cost) for cost in _COSTS)
    if isinstance(measure, Perplexity):
        caps = [_up_to(column, cap) for cap in _PERPLEXITIES]
        return (*caps, ScoreRange(column, "any", "any", "any", f"{column} is not null"))
    if measure.unit.endswith(", 0 to 1"):
        return tuple(_between(column, low, high) for low in _LOWER for high in _UPPER)
    return ()


def _between(column: str, low: float, high: float) -> ScoreRange:
    a, b = f"{low:g}", f"{high:g}"
    tick = f"{a}–{b}".replace("0.", ".")
    return ScoreRange(column, f"{a}-to-{b}", f"{a} to {b}", tick, f"{column} between {a} and {b}")


def _up_to(column: str, high: float) -> ScoreRange:
    return ScoreRange(column, f"to-{high:g}", f"up to {high:g}", f"≤{high:g}", f"{column} <= {high:g}")
