"""The charts of the report: where each bar, line and label is. `chart.svg.jinja` draws them."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..stages.histogram import Histogram, nice_step

WIDTH, HEIGHT = 760, 232
LEFT, RIGHT, TOP, BOTTOM = 52, 746, 22, 192  # the edges of the plot inside the chart

SCATTER_WIDTH, SCATTER_HEIGHT = 230, 170
SCATTER_LEFT, SCATTER_RIGHT, SCATTER_TOP, SCATTER_BOTTOM = 34, 222, 22, 140

FILLS = 9  # colours of bars in style.css
_WIDEST_BAR = 34.0  # with the space behind it
_FILLED = 0.84  # the share of a group's place that its bars take
_CHARACTER = 6.5  # the width of a character of a label

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
class Whisker:
    """An interval: a vertical line at x from `low` to `high`."""

    x: float
    low: float
    high: float


@dataclass(frozen=True)
class Chart:
    """Everything that is drawn, in units of a view box of WIDTH by HEIGHT.

    description: for readers who cannot see the chart. lines: (x, y) points by series. cuts: where deciles
    start, with `bands` behind every other decile and the labels `deciles` above. grouped: bars by series.
    whiskers: intervals, of these bars or around the (x, y) `points`; margins: others behind them. level: the
    height of a line across.
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
    level: float | None = None
    grouped: Mapping[str, Sequence[Rectangle]] = field(default_factory=dict)
    whiskers: Sequence[Whisker] = ()
    margins: Sequence[Whisker] = ()


@dataclass(frozen=True)
class Scatter:
    """The points of a scatter plot in a view box of SCATTER_WIDTH by SCATTER_HEIGHT, whole numbers."""

    title: str
    points: Sequence[tuple[int, int]]
    x_ticks: Sequence[Label]
    y_ticks: Sequence[Label]


def shade(correlation: float | None) -> str:
    """The class of style.css for a correlation: `plus` or `minus` and its size in fifths; none below 0.1.

    >>> shade(0.95), shade(-0.3), shade(0.05), shade(None)
    ('plus5', 'minus2', '', '')
    """
    if correlation is None or abs(correlation) < 0.1:
        return ""
    return f"{'plus' if correlation > 0 else 'minus'}{min(5, int(5 * abs(correlation)) + 1)}"


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
    points: Sequence[tuple[str, float, float, float]],
    x_label: str,
    y_label: str,
    description: str,
    margins: Sequence[float | None] = (),
) -> Chart:
    """Values side by side with their intervals, and a line at 0.

    points: for each a text for the axis, the value, and the low and the high end of its interval. margins: of
    each value another, half the width of an interval around it, or None.
    """
    width = (RIGHT - LEFT) / len(points)
    around = [
        (value - margin, value + margin) if margin is not None else (value, value)
        for (_, value, _, _), margin in itertools.zip_longest(points, margins)
    ]
    ys = [0.0, *(y for _, *heights in points for y in heights), *itertools.chain(*around)]
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
            Whisker(x, up.at(below), up.at(above)) for x, (_, _, below, above) in zip(xs, points, strict=True)
        ],
        margins=[
            Whisker(x, up.at(below), up.at(above))
            for x, (below, above) in zip(xs, around, strict=True)
            if below < above
        ],
        level=up.at(0),
    )


def bars_chart(
    values: Mapping[str, Sequence[tuple[float, float | None, float | None] | None]],
    groups: Sequence[str],
    label: str,
) -> Chart:
    """Bars side by side for each group: those of each series, as (value, low, high) or None for no bar.

    groups: their names, below the bars. label: what the values are.
    """
    numbers = [n for series in values.values() for bar in series if bar for n in bar if n is not None]
    low, high = min(0.0, *numbers), max(0.0, *numbers)
    step = nice_step((high - low) / 4 or 1)
    up = _Axis(step * math.floor(low / step), step * math.ceil(high / step), BOTTOM, TOP)
    # Few groups stand side by side at the left, where a phone shows them without scrolling.
    enough = max(_WIDEST_BAR * len(values) / _FILLED, _CHARACTER * max(map(len, groups))) + 20
    across = min((RIGHT - LEFT) / len(groups), enough)
    width = min(_WIDEST_BAR, _FILLED * across / len(values))
    grouped: dict[str, list[Rectangle]] = {}
    whiskers = []
    for index, (name, series) in enumerate(values.items()):
        for place, bar in enumerate(series):
            if bar is None:
                continue
            value, bottom, top = bar
            x = LEFT + across * (place + 0.5) + width * (index - len(values) / 2)
            ends = sorted((up.at(value), up.at(0)))
            grouped.setdefault(name, []).append(Rectangle(x, ends[0], 0.88 * width, ends[1] - ends[0]))
            if bottom is not None and top is not None:
                whiskers.append(Whisker(x + 0.44 * width, up.at(bottom), up.at(top)))
    return Chart(
        x_label="",
        title=label,
        description=f"Bars of {', '.join(values)} for {', '.join(groups)}.",
        x_ticks=[Label(LEFT + across * (place + 0.5), name) for place, name in enumerate(groups)],
        y_ticks=up.labels(_steps(up.low, up.high, step)),
        grouped=grouped,
        whiskers=whiskers,
    )


def scatter_plot(points: Sequence[tuple[float, float]], title: str, whole_ends: bool = True) -> Scatter:
    """Points (x, y), at least one; the axes end at the outermost points.

    whole_ends: whether the axis across ends at whole numbers beyond them.
    """
    xs, ys = zip(*points, strict=True)
    first, last = min(xs), max(xs)
    if whole_ends:
        first, last = math.floor(first), math.ceil(last)
    across = _Axis(first, last, SCATTER_LEFT, SCATTER_RIGHT)
    up = _Axis(min(ys), max(ys), SCATTER_BOTTOM, SCATTER_TOP)
    places = [(round(across.at(x)), round(up.at(y))) for x, y in points]
    return Scatter(
        title,
        list(dict.fromkeys(places)),
        across.labels(_steps(across.low, across.high, nice_step((across.high - across.low) / 5))),
        up.labels(_steps(up.low, up.high, nice_step((up.high - up.low) / 3))),
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
