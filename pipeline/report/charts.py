"""The charts of the report: where each bar, line and label is. `chart.svg.jinja` draws them."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .histogram import Histogram, nice_step

WIDTH, HEIGHT = 760, 232
LEFT, RIGHT, TOP, BOTTOM = 52, 746, 22, 192  # the edges of the plot inside the chart

_MAX_SERIES = 4


@dataclass(frozen=True)
class Rectangle:
    """A rectangle by its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Label:
    """A text at a position along an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn, in units of a view box of WIDTH by HEIGHT.

    description: for readers who cannot see the chart. lines: (x, y) points by series. cuts: where deciles
    start, with `bands` behind every other decile and the labels `deciles` above. whiskers: (x, low, high) of
    intervals around the (x, y) `points`. level: the height of a line across the plot.
    """

    x_label: str
    title: str
    description: str
    x_ticks: Sequence[Label]
    y_ticks: Sequence[Label]
    bars: Sequence[Rectangle] = ()
    bands: Sequence[Rectangle] = ()
    cuts: Sequence[float] = ()
    deciles: Sequence[Label] = ()
    lines: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    points: Sequence[tuple[float, float]] = ()
    whiskers: Sequence[tuple[float, float, float]] = ()
    level: float | None = None


def number(value: float | None) -> str:
    """A number for people: four digits, separated thousands, a real minus sign; a dash for None.

    >>> number(1234567.0), number(0.12345), number(-2), number(None)
    ('1,234,567', '0.1235', '−2', '–')
    """
    if value is None:
        return "–"
    text = f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return text.replace("-", "−")


def histogram_chart(histogram: Histogram, cuts: Sequence[float], label: str) -> Chart:
    """The bars of a histogram over the bands of its deciles. cuts: the lowest values of deciles 2 to 10."""
    across = _Axis(histogram.edges[0], histogram.edges[-1], LEFT, RIGHT, log=histogram.scale == "log")
    top = max(histogram.counts) or 1
    up = _Axis(0, top, BOTTOM, TOP)
    bars = []
    for (left, right), count in zip(itertools.pairwise(histogram.edges), histogram.counts, strict=True):
        x, width = across.at(left), across.at(right) - across.at(left)
        gap = min(1.0, width / 4)
        if count:
            bars.append(Rectangle(x + gap / 2, up.at(count), width - gap, BOTTOM - up.at(count)))
    places = [across.at(cut) for cut in cuts]
    deciles = list(enumerate(itertools.pairwise([LEFT, *places, RIGHT]), 1)) if cuts else []
    return Chart(
        x_label=f"{label} (logarithmic)" if across.log else label,
        title=label,
        description=f"Histogram of {histogram.n:,} values from {number(histogram.minimum)} to "
        f"{number(histogram.maximum)}, mean {number(histogram.mean)}.",
        x_ticks=across.labels(across.ticks()),
        y_ticks=[Label(up.at(n), _short(n)) for n in _steps(0, top, nice_step(max(top / 4, 1)))],
        bars=bars,
        bands=[
            Rectangle(left, TOP, right - left, BOTTOM - TOP)
            for decile, (left, right) in deciles
            if decile % 2 == 0 and right > left
        ],
        cuts=places,
        # A narrow decile has no room for its number.
        deciles=[
            Label((left + right) / 2, str(decile)) for decile, (left, right) in deciles if right - left >= 15
        ],
    )


def curves_chart(
    series: Mapping[str, Sequence[tuple[float, float]]], x_label: str, y_label: str, description: str
) -> Chart:
    """Named lines through (x, y) points, which differ in dashes as well as colours.

    At most four series, each with at least one point.
    """
    if not 1 <= len(series) <= _MAX_SERIES:
        raise ValueError(f"a chart has 1 to {_MAX_SERIES} series, not {len(series)}")
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    across = _Axis(min(xs), max(xs), LEFT, RIGHT)
    largest, spread = max(map(abs, ys)), max(ys) - min(ys)
    is_flat = spread <= max(1e-9 * largest, 1e-100)  # or its steps are lost in rounding
    step = nice_step((largest if is_flat else spread / 4) or 1)
    low, high = step * math.floor(min(ys) / step), step * math.ceil(max(ys) / step)
    up = _Axis(low, high, BOTTOM, TOP)
    return Chart(
        x_label=x_label,
        title=f"{y_label} by {x_label}",
        description=description,
        x_ticks=across.labels(across.ticks()),
        y_ticks=up.labels(_steps(low, high, step)),
        lines={name: [(across.at(x), up.at(y)) for x, y in points] for name, points in series.items()},
    )


def intervals_chart(
    points: Sequence[tuple[str, float, float, float]], x_label: str, y_label: str, description: str
) -> Chart:
    """Values side by side with their intervals, and a line at 0.

    points: for each a text for the axis, the value, and the low and the high end of its interval.
    """
    width = (RIGHT - LEFT) / len(points)
    ys = [0.0, *(y for _, *heights in points for y in heights)]
    step = nice_step((max(ys) - min(ys)) / 4 or 1)
    low, high = step * math.floor(min(ys) / step), step * math.ceil(max(ys) / step)
    up = _Axis(low, high, BOTTOM, TOP)
    xs = [LEFT + width * (place + 0.5) for place in range(len(points))]
    return Chart(
        x_label=x_label,
        title=f"{y_label} by {x_label}",
        description=description,
        x_ticks=[Label(x, tick) for x, (tick, *_) in zip(xs, points, strict=True)],
        y_ticks=up.labels(_steps(low, high, step)),
        points=[(x, up.at(value)) for x, (_, value, _, _) in zip(xs, points, strict=True)],
        whiskers=[
            (x, up.at(below), up.at(above)) for x, (_, _, below, above) in zip(xs, points, strict=True)
        ],
        level=up.at(0),
    )


class _Axis:
    """Maps values from `low` to `high` onto positions from `start` to `end`."""

    def __init__(self, low: float, high: float, start: float, end: float, log: bool = False) -> None:
        if low == high:
            half = max(0.5, 1e-3 * abs(low))
            low, high = low - half, high + half
        self.low, self.high, self.log, self.start, self.end = low, high, log, start, end

    def at(self, value: float) -> float:
        low, high = self.low, self.high
        value = min(max(value, low), high)
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def ticks(self) -> list[float]:
        if not self.log:
            return _steps(self.low, self.high, nice_step((self.high - self.low) / 9))
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        factors = (1, 2, 5) if len(powers) <= 5 else (1,)
        ticks = [factor * 10.0**power for power in powers for factor in factors]
        return [tick for tick in ticks if self.low <= tick <= self.high]

    def labels(self, values: Sequence[float]) -> list[Label]:
        return [Label(self.at(value), number(value)) for value in values]


def _steps(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [step * index for index in range(first, last + 1)]


def _short(count: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return f"{count:g}"
