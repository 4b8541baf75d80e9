"""Where two encoders disagree about how similar two sentences are, and which of them people agree with.

Revisiting recurrent networks, section 5.1.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ...base.errors import InputError
from ...models.encoders.encodes import Encodes
from ...models.evaluation.sts import ScoredSet, Sts
from ...models.evaluation.table import Column, Row, Table, Value
from ...models.sts.sts_data import read_sts
from ...tokens.definition import tokenize

Scale = Literal["range", "fit"]
Side = Literal["over", "under"]

HIGHEST = 5.0
_SICK_LOWEST = 1.0  # SICK's scores are 1 to 5
_SHARES, _LENGTHS, _GAPS, _GOLD = (0.2, 0.4, 0.6, 0.8), (5, 10, 20), (0, 2, 5), (1, 2, 3, 4)


@dataclass(frozen=True)
class ComparedPair:
    """A pair of sentences with the similarity from 0 to 5 that people gave it, and the encoders' by name."""

    dataset: str
    left: str
    right: str
    gold: float
    predicted: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Disagreements:
    """Two encoders' similarities of the same pairs, from 0 to 5 as people's are.

    names: the encoders. gold: (pairs,). predicted: (2, pairs). tolerance: an error of at most this is right.
    """

    names: tuple[str, str]
    datasets: Sequence[str]
    left: Sequence[str]
    right: Sequence[str]
    gold: np.ndarray
    predicted: np.ndarray
    tolerance: float

    @cached_property
    def errors(self) -> np.ndarray:
        """(2, pairs): positive where an encoder finds a pair more similar than people do."""
        return self.predicted - self.gold

    def pair(self, number: int) -> ComparedPair:
        """One of the pairs."""
        predicted = zip(self.names, self.predicted[:, number].tolist(), strict=True)
        return ComparedPair(
            self.datasets[number],
            self.left[number],
            self.right[number],
            float(self.gold[number]),
            dict(predicted),
        )

    def worst(self, encoder: int, side: Side, count: int) -> list[ComparedPair]:
        """The pairs that one encoder gets wrong and the other right, by how much worse it is.

        side: whether it finds them more similar than people do (`over`) or less (`under`).
        """
        own, other = self.errors[encoder], np.abs(self.errors[1 - encoder])
        is_wrong = own > self.tolerance if side == "over" else own < -self.tolerance
        chosen = np.flatnonzero(is_wrong & (other <= self.tolerance))
        order = np.argsort(other[chosen] - np.abs(own[chosen]), kind="stable")
        return [self.pair(int(number)) for number in chosen[order][:count]]

    def table(self) -> Table:
        """How often each encoder is right, too high and too low, over all pairs and by what they are like."""
        lengths = [[len(_words(text)) for text in side] for side in (self.left, self.right)]
        short, long = np.min(lengths, axis=0), np.max(lengths, axis=0)
        rows = [self._row("all pairs", "", np.ones(len(self.gold), bool))]
        for name, values, bounds in (
            ("shared words", self._shared(), _SHARES),
            ("words, the mean of both", (short + long) / 2, _LENGTHS),
            ("words, the difference", long - short, _GAPS),
            ("people's score", self.gold, _GOLD),
        ):
            for low, high in zip((None, *bounds), (*bounds, None), strict=True):
                has_it = (values > (-np.inf if low is None else low)) & (
                    values <= (np.inf if high is None else high)
                )
                if has_it.any():
                    rows.append(self._row(name, _interval(low, high), has_it))
        return Table(
            caption=f"Errors of {self.names[0]} (A) and {self.names[1]} (B) on {len(self.gold):,} pairs. A "
            f"similarity from 0 to 5 is right if it differs from people's by at most {self.tolerance:g}.",
            columns=_COLUMNS,
            main="only_first",
            group="property",
            rows=rows,
        )

    def _row(self, name: str, label: str, has_it: np.ndarray) -> Row:
        errors = self.errors[:, has_it]
        right = np.abs(errors) <= self.tolerance
        values: dict[str, Value] = {
            "property": name,
            "value": label,
            "pairs": int(has_it.sum()),
            "only_first": _percent(right[0] & ~right[1]),
            "only_second": _percent(right[1] & ~right[0]),
        }
        for number, which in enumerate(("first", "second")):
            values[f"{which}_over"] = _percent(errors[number] > self.tolerance)
            values[f"{which}_under"] = _percent(errors[number] < -self.tolerance)
            values[f"{which}_error"] = float(errors[number].mean())
        return Row(values)

    def _shared(self) -> np.ndarray:
        """The share of the shorter side's words that the other side has too, (pairs,); 0 without words."""
        shares = []
        for pair in zip(self.left, self.right, strict=True):
            left, right = (Counter(_words(text)) for text in pair)
            shares.append((left & right).total() / max(1, min(left.total(), right.total())))
        return np.array(shares)


def disagreements(
    encoders: Mapping[str, Encodes],
    data: str,
    only: Sequence[str] = (),
    scale: Scale = "range",
    tolerance: float = 1.0,
) -> Disagreements:
    """Two encoders on the sets of pairs in a folder, as `Sts` reads it.

    only: the sets, by year or name (`2014`, `images`, `2014 images`); by default all. scale: `range` maps an
    encoder's lowest cosine on these pairs to 0 and its highest to 5; `fit` takes the line through its cosines
    that is nearest to people's scores, cut to 0 to 5. InputError if there are no such sets.
    """
    sets = [(dataset.year, dataset.name) for dataset in read_sts(data)]  # without the parts of the Benchmark
    scored = [
        [part for part in Sts(data=data).score(encoder) if part.key in sets and len(part.gold)]
        for encoder in encoders.values()
    ]
    names = [f"{year or ''} {name}".strip() for year, name in (part.key for part in scored[0])]
    kept = [
        number
        for number, (name, part) in enumerate(zip(names, scored[0], strict=True))
        if not only or {name, part.dataset.name, str(part.dataset.year)} & set(only)
    ]
    if not kept:
        raise InputError(f"{data} has no set {' or '.join(only)}; there are: {', '.join(names)}")
    chosen = [scored[0][number] for number in kept]
    gold = np.concatenate([_gold(part) for part in chosen])
    cosines = [np.concatenate([parts[number].cosines for number in kept]) for parts in scored]
    first, second = encoders
    return Disagreements(
        names=(first, second),
        datasets=[names[number] for number, part in zip(kept, chosen, strict=True) for _ in part.gold],
        left=[text for part in chosen for text in part.dataset.left],
        right=[text for part in chosen for text in part.dataset.right],
        gold=gold,
        predicted=np.stack([_scaled(values, gold, scale) for values in cosines]),
        tolerance=tolerance,
    )


def _gold(part: ScoredSet) -> np.ndarray:
    lowest = _SICK_LOWEST if part.dataset.name.startswith("SICK") else 0.0
    return HIGHEST * (part.gold - lowest) / (HIGHEST - lowest)


def _scaled(cosines: np.ndarray, gold: np.ndarray, scale: Scale) -> np.ndarray:
    if np.ptp(cosines) == 0:
        raise InputError("an encoder finds all pairs equally similar, so there is nothing to compare")
    if scale == "range":
        return HIGHEST * (cosines - cosines.min()) / np.ptp(cosines)
    slope, height = np.polyfit(cosines, gold, 1)
    return np.clip(slope * cosines + height, 0.0, HIGHEST)


def _words(text: str) -> list[str]:
    return tokenize(text.lower())


def _percent(values: np.ndarray) -> float:
    return 100 * float(values.mean())


def _interval(low: float | None, high: float | None) -> str:
    """The values from `low`, exclusive, to `high`, inclusive.

    >>> _interval(None, 5), _interval(5, 10), _interval(20, None)
    ('up to 5', 'over 5 to 10', 'over 20')
    """
    if low is None:
        return f"up to {high:g}"
    return f"over {low:g}" if high is None else f"over {low:g} to {high:g}"


def _columns_of(letter: str, which: str) -> list[Column]:
    return [
        Column(
            name=f"{which}_over",
            type="number",
            title=f"{letter} over %",
            meaning="pairs that it finds too similar",
        ),
        Column(
            name=f"{which}_under",
            type="number",
            title=f"{letter} under %",
            meaning="pairs that it finds too different",
        ),
        Column(
            name=f"{which}_error", type="number", title=f"{letter} error", meaning="its mean error", digits=2
        ),
    ]


_COLUMNS = (
    Column(name="property", type="text", meaning="what the pairs have in common"),
    Column(name="value", type="text", meaning="its values"),
    Column(name="pairs", type="count", meaning="the pairs with these values"),
    Column(
        name="only_first", type="number", title="only A right %", meaning="pairs for which only A is right"
    ),
    Column(
        name="only_second", type="number", title="only B right %", meaning="pairs for which only B is right"
    ),
    *_columns_of("A", "first"),
    *_columns_of("B", "second"),
)
