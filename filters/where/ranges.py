"""Ranges of a score, as `where` conditions: its deciles, and the ranges that the papers compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import xxhash

from ...base.dataset_columns import decile_name
from ..cost import TranslationCost
from ..lengths import Length
from ..perplexity import Perplexity
from ..reference_probability import ReferenceProbability
from ..score import Score

_LOWER, _UPPER = (0.0, 0.1, 0.2, 0.3), (0.6, 0.7, 0.8, 0.9, 1.0)
_COSTS = tuple(tenths / 10 for tenths in range(2, 11))
_PERPLEXITIES = (25, 50, 75, 100, 150, 200)
_LENGTHS = (
    *((0, high) for high in (10, 15, 20, 30, 100)),
    *((10, high) for high in (20, 30, 100)),
    *((15, high) for high in (25, 30, 100)),
    *((20, high) for high in (30, 100)),
    (30, 100),
)
LONGEST = max(high for _, high in _LENGTHS)
"""The most tokens that a range of lengths of the papers has."""

_PROBABILITIES = tuple(tenths / 10 for tenths in range(10))


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


GRID = "grid-search"
"""In the key of a setting of a grid in place of a score; it is no name that a score can have."""


SettingValue = bool | int | float | str | None
"""The value of an option in a setting of a grid."""


def setting_range(number: int, values: Mapping[str, SettingValue]) -> ScoreRange:
    """A setting of a grid: all pairs, with other options of training. Its name depends on these alone.

    >>> setting_range(1, {"margin": 0.4, "encoder.dropout": 0.2}).label
    'margin 0.4, encoder.dropout 0.2'
    """
    label = ", ".join(f"{key} {'none' if value is None else value}" for key, value in values.items())
    name = xxhash.xxh3_64_hexdigest(json.dumps(values, sort_keys=True).encode())
    return ScoreRange(GRID, name, label, str(number), ALL_PAIRS.where)


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

    Overlaps, other shares and BLEU: every lower bound of 0, 0.1, 0.2, 0.3 with every upper bound of 0.6, 0.7,
    0.8, 0.9, 1.0 (section 5.7). Translation cost and perplexity: upper bounds; the reference classifier:
    lower bounds (section 5.6). Lengths: 14 ranges (section 5.5). Bounds belong to their range, as in the
    authors' code.

    >>> from paranmt.filters.lengths import ReferenceLength
    >>> [part.label for part in paper_ranges("length", ReferenceLength())][:6]
    ['0 to 10', '0 to 15', '0 to 20', '0 to 30', '0 to 100', '10 to 20']
    """
    if isinstance(measure, Length):
        return tuple(_between(column, low, high) for low, high in _LENGTHS)
    if isinstance(measure, ReferenceProbability):
        return tuple(_from(column, least) for least in _PROBABILITIES)
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


def _from(column: str, low: float) -> ScoreRange:
    tick = f"≥{low:g}".replace("0.", ".")
    return ScoreRange(column, f"from-{low:g}", f"{low:g} and more", tick, f"{column} >= {low:g}")


def _up_to(column: str, high: float) -> ScoreRange:
    return ScoreRange(column, f"to-{high:g}", f"up to {high:g}", f"≤{high:g}", f"{column} <= {high:g}")
