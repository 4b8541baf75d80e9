"""The report's drawings, as inline SVG: shares, histograms with deciles, curves."""

import itertools
import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from .histogram import Histogram, nice_step
from .markup import Child, element

_WIDTH, _HEIGHT = 760, 232
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 22, 40
_MAX_SERIES = 4


def number(value: float | None) -> str:
    """A number for people: four digits, thousands apart, a real minus sign; a dash for none.

    >>> number(1234567.0), number(0.12345), number(-2), number(None)
    ('1,234,567', '0.1235', '−2', '–')
    """
    if value is None:
        return "–"
    text = f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"
    return text.replace("-", "−")


def share_bar(share: float, lost: bool = False) -> ET.Element:
    """A bar whose filled part is `share` (0 to 1) of its width; the number itself stands beside it."""
    return element(
        "svg",
        element("rect", class_="track", width=100, height=8),
        element("rect", class_="lost" if lost else "bar", width=100.0 * min(max(share, 0.0), 1.0), height=8),
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def histogram_chart(histogram: Histogram, cuts: Sequence[float], label: str, description: str) -> ET.Element:
    """Bars of a histogram over the bands of its deciles. cuts: the least values of deciles 2 to 10."""
    axis = _Axis(histogram.edges[0], histogram.edges[-1], histogram.scale == "log", _LEFT, _WIDTH - _RIGHT)
    top = max(histogram.counts) or 1
    floor = _HEIGHT - _BOTTOM
    bars = []
    for (left, right), count in zip(itertools.pairwise(histogram.edges), histogram.counts, strict=True):
        height = (floor - _TOP) * count / top
        x, width = axis.at(left), axis.at(right) - axis.at(left)
        gap = min(1.0, width / 4)
        if count:
            bars.append(
                element(
                    "rect", class_="bar", x=x + gap / 2, width=width - gap, y=floor - height, height=height
                )
            )
    return _chart(
        label,
        description,
        _decile_bands(axis, cuts),
        _counts_axis(top),
        bars,
        _decile_lines(axis, cuts),
        _axis_below(axis, label),
    )


def curves_chart(
    series: Mapping[str, Sequence[tuple[float, float]]], x_label: str, y_label: str, description: str
) -> ET.Element:
    """Lines through (x, y) points, told apart by dashes as well as colours, each with its name.

    At most four series, each with a point or more.
    """
    if not 1 <= len(series) <= _MAX_SERIES:
        raise ValueError(f"a chart has 1 to {_MAX_SERIES} series, not {len(series)}")
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    across = _Axis(min(xs), max(xs), False, _LEFT, _WIDTH - _RIGHT)
    step = nice_step((max(ys) - min(ys)) / 4 or abs(max(ys)) or 1)
    low, high = step * math.floor(min(ys) / step), step * math.ceil(max(ys) / step)
    up = _Axis(low, high, False, _HEIGHT - _BOTTOM, _TOP)
    grid = [
        (
            element("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=up.at(y), y2=up.at(y)),
            element("text", number(y), x=_LEFT - 8, y=up.at(y) + 4, text_anchor="end"),
        )
        for y in _steps(low, high, step)
    ]
    lines: list[Child] = []
    for index, (name, points) in enumerate(series.items()):
        path = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in points)
        lines.append(element("polyline", class_=f"line s{index}", points=path))
        at = _LEFT + 4 + 170 * index
        lines.append(element("line", class_=f"line s{index}", x1=at, x2=at + 26, y1=8, y2=8))
        lines.append(element("text", name, x=at + 32, y=12))
    return _chart(f"{y_label} by {x_label}", description, grid, lines, _axis_below(across, x_label))


class _Axis:
    """Maps values from `low` to `high` onto pixels from `start` to `end`."""

    def __init__(self, low: float, high: float, log: bool, start: float, end: float) -> None:
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


def _steps(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [step * index for index in range(first, last + 1)]


def _chart(label: str, description: str, *parts: Child) -> ET.Element:
    return element(
        "svg",
        element("title", label),
        element("desc", description),
        parts,
        class_="chart",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"{label}. {description}",
    )


def _axis_below(axis: _Axis, label: str) -> list[Child]:
    floor = _HEIGHT - _BOTTOM
    parts: list[Child] = [element("line", class_="axis", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=floor, y2=floor)]
    for tick in axis.ticks():
        x = axis.at(tick)
        parts.append(element("line", class_="axis", x1=x, x2=x, y1=floor, y2=floor + 4))
        parts.append(element("text", number(tick), x=x, y=floor + 17, text_anchor="middle"))
    scale = " (logarithmic)" if axis.log else ""
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(element("text", label + scale, x=middle, y=_HEIGHT - 6, text_anchor="middle"))
    return parts


def _counts_axis(top: int) -> list[Child]:
    step = nice_step(max(top / 4, 1))
    span = _HEIGHT - _BOTTOM - _TOP
    parts: list[Child] = []
    for count in _steps(0, top, step):
        y = _HEIGHT - _BOTTOM - span * count / top
        parts.append(element("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y))
        parts.append(element("text", _short(count), x=_LEFT - 8, y=y + 4, text_anchor="end"))
    return parts


def _short(count: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return f"{count:g}"


def _decile_bands(axis: _Axis, cuts: Sequence[float]) -> list[Child]:
    """Every other decile's ground is tinted, and each that is wide enough is numbered above."""
    if not cuts:
        return []
    places = [axis.at(axis.low), *(axis.at(cut) for cut in cuts), axis.at(axis.high)]
    parts: list[Child] = []
    for decile, (left, right) in enumerate(itertools.pairwise(places), 1):
        if decile % 2 == 0 and right > left:
            height = _HEIGHT - _BOTTOM - _TOP
            parts.append(element("rect", class_="band", x=left, width=right - left, y=_TOP, height=height))
        if right - left >= 15:
            middle = (left + right) / 2
            parts.append(
                element("text", str(decile), class_="decile", x=middle, y=_TOP - 7, text_anchor="middle")
            )
    return parts


def _decile_lines(axis: _Axis, cuts: Sequence[float]) -> list[Child]:
    return [
        element("line", class_="cut", x1=axis.at(cut), x2=axis.at(cut), y1=_TOP - 4, y2=_HEIGHT - _BOTTOM)
        for cut in cuts
    ]
