"""Simulates 51.4 million pairs on 100 GPUs, and writes the table and the plot of docs/experiments.md.

    python benchmarks/simulate.py                     # all of it, some minutes on one core
    python benchmarks/simulate.py --rates 100 --gpus 16 --print    # other machines, to the terminal only

The speeds are parameters, not measurements: 1.4 pairs per second and GPU is that of ParaNMT-50M (10,000 GPU
hours), and the others are what today's search may reach. `paranmt plan --forecast` gives yours, in `pairs/s`.
"""

import argparse
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulation import PART_ROWS, Cluster, Recovery, Row, Workload, best, over_part_rows

ROOT = Path(__file__).resolve().parents[1]
PAGE, PLOT = ROOT / "docs" / "experiments.md", ROOT / "docs" / "img" / "simulation.svg"
BEGIN, END = "<!-- begin: benchmarks/simulate.py -->", "<!-- end: benchmarks/simulate.py -->"
RATES = (1.4, 100.0, 5_000.0)
PREEMPTIONS = (0.0, 0.01, 0.05, 0.2)
RECOVERIES: tuple[Recovery, ...] = ("part", "region")
SEEDS = 10
DEFAULT_ROWS = 10_000
HEAD = (
    "| recovery | pairs/s a GPU | preemptions a GPU hour | best part_rows | hours | at 10,000 | utilisation "
    "| lost | tail, min |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


@dataclass(frozen=True)
class Setting:
    """One line of the table: a speed, a way to recover and a rate of preemptions."""

    recovery: Recovery
    rate: float
    preemptions: float

    def rows(self, gpus: int = 100, seeds: int = SEEDS) -> list[Row]:
        cluster = Cluster(gpus=gpus, recovery=self.recovery, preemptions=self.preemptions)
        return over_part_rows(Workload(self.rate), cluster, PART_ROWS, seeds)


def settings(rates: Sequence[float]) -> list[Setting]:
    """Every line of the table, in order."""
    return [Setting(way, rate, often) for way in RECOVERIES for rate in rates for often in PREEMPTIONS]


def line(setting: Setting, rows: Sequence[Row]) -> str:
    """A line of the table, with the results for the best size of parts and for the recipe's default."""
    start = f"| {setting.recovery} | {setting.rate:,g} | {setting.preemptions:g} |"
    best_row = best(rows)
    default_row = next(row for row in rows if row.part_rows == DEFAULT_ROWS)
    if math.isinf(best_row.hours):
        return f"{start} none ends | | | | | |"
    times = f"{best_row.part_rows:,} | {hours(best_row.hours)} | {hours(default_row.hours)}"
    shares = f"{best_row.utilisation:.0%} | {best_row.lost:.1%}"
    return f"{start} {times} | {shares} | {best_row.tail_hours * 60:,.1f} |"


def hours(value: float) -> str:
    """Hours with three digits; ∞ if the run never ends."""
    return "∞" if math.isinf(value) else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def written(page: str, lines: Sequence[str]) -> str:
    """The page with a new version of its generated section."""
    table = "\n".join([HEAD, *lines])
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table}\n{END}", page, flags=re.S)


# --- the plot: a panel for each speed and way to recover, a line for each rate of preemptions

_WIDTH, _HEIGHT, _LEFT, _TOP, _ACROSS, _DOWN = 300, 200, 56, 76, 48, 68
_MOST = 4.0  # times the ideal
_STYLE = """
.page { fill: #ffffff } text { font: 12px system-ui, sans-serif; fill: #333333 }
.head { font-weight: 600; font-size: 13px } .grid { stroke: #dddddd } .axis { stroke: #888888 }
.usual { stroke: #888888; stroke-dasharray: 2 3 } .line { fill: none; stroke-width: 2 }
.s0 { stroke: #1b6ca8; fill: none } .s1 { stroke: #2a9d5c; stroke-dasharray: 7 3 }
.s2 { stroke: #d07c00; stroke-dasharray: 2 3 } .s3 { stroke: #b3261e; stroke-dasharray: 9 3 2 3 }
@media (prefers-color-scheme: dark) {
  .page { fill: #14171a } text { fill: #d5d9dd } .grid { stroke: #333940 } .axis, .usual { stroke: #8a9199 }
  .s0 { stroke: #6cb4ee } .s1 { stroke: #63cf94 } .s2 { stroke: #f0a94a } .s3 { stroke: #f2827c }
}
"""


def plot(results: dict[Setting, list[Row]], rates: Sequence[float], gpus: int) -> str:
    """An SVG file: the makespan divided by the ideal one, by part_rows."""
    width = 2 * _LEFT + len(rates) * _WIDTH + (len(rates) - 1) * _ACROSS
    height = _TOP + len(RECOVERIES) * (_HEIGHT + _DOWN) + 8
    panels = []
    for row, way in enumerate(RECOVERIES):
        for column, rate in enumerate(rates):
            left, top = _LEFT + column * (_WIDTH + _ACROSS), _TOP + row * (_HEIGHT + _DOWN)
            panels += _panel(results, way, rate, gpus, left, top)
    title = f"Makespan of 51.4 million pairs on {gpus} GPUs, in multiples of the ideal"
    drawn = _element(
        "svg",
        [
            _element("title", title),
            _element("style", _STYLE),
            _element("rect", class_="page", width=width, height=height),
            _element("text", title, class_="head", x=_LEFT, y=18),
            *_legend(),
            *panels,
        ],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        role="img",
    )
    return ET.tostring(drawn, encoding="unicode") + "\n"


def _element(tag: str, content: str | Iterable[ET.Element] = (), **attributes: str | float) -> ET.Element:
    """An element of the drawing; attributes have Python names, such as `class_` and `text_anchor`."""
    made = ET.Element(tag)
    for name, value in attributes.items():
        made.set(name.rstrip("_").replace("_", "-"), f"{value:g}" if isinstance(value, float) else str(value))
    if isinstance(content, str):
        made.text = content
    else:
        made.extend(content)
    return made


def _legend() -> list[ET.Element]:
    parts: list[ET.Element] = [_element("text", "preemptions a GPU hour:", x=_LEFT, y=38)]
    for index, rate in enumerate(PREEMPTIONS):
        x = _LEFT + 160 + 90 * index
        parts.append(_element("line", class_=f"line s{index}", x1=x, x2=x + 30, y1=34, y2=34))
        parts.append(_element("text", f"{rate:g}", x=x + 36, y=38))
    return parts


def _panel(
    results: dict[Setting, list[Row]], way: Recovery, rate: float, gpus: int, left: float, top: float
) -> list[ET.Element]:
    low, high = math.log10(PART_ROWS[0]), math.log10(PART_ROWS[-1])
    ideal = Workload(rate).pairs / rate / gpus / 3_600

    def x(rows: float) -> float:
        return left + _WIDTH * (math.log10(rows) - low) / (high - low)

    def y(ratio: float) -> float:
        return top + _HEIGHT * (1 - (min(ratio, _MOST) - 1) / (_MOST - 1))

    span = f"{hours(ideal)} h" if ideal >= 1 else f"{hours(ideal * 60)} min"
    parts: list[ET.Element] = [
        _element("text", f"{way}: {rate:,g} pairs/s a GPU, ideal {span}", x=left, y=top - 8)
    ]
    for ratio in (1, 2, 3, 4):
        parts.append(_element("line", class_="grid", x1=left, x2=left + _WIDTH, y1=y(ratio), y2=y(ratio)))
        label = f"≥{ratio}×" if ratio == _MOST else f"{ratio}×"
        parts.append(_element("text", label, x=left - 6, y=y(ratio) + 4, text_anchor="end"))
    for rows in (1_000, 10_000, 100_000):
        kind = "usual" if rows == DEFAULT_ROWS else "grid"
        parts.append(_element("line", class_=kind, x1=x(rows), x2=x(rows), y1=top, y2=top + _HEIGHT))
        parts.append(_element("text", f"{rows:,}", x=x(rows), y=top + _HEIGHT + 16, text_anchor="middle"))
    middle, below = left + _WIDTH / 2, top + _HEIGHT + 33
    parts.append(_element("text", "part_rows (logarithmic)", x=middle, y=below, text_anchor="middle"))
    for index, often in enumerate(PREEMPTIONS):
        rows = results[Setting(way, rate, often)]
        points = " ".join(f"{x(row.part_rows):.1f},{y(row.hours / ideal):.1f}" for row in rows)
        parts.append(_element("polyline", class_=f"line s{index}", points=points))
    return parts


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", type=float, nargs="+", default=RATES, help="pairs a second and GPU")
    parser.add_argument("--gpus", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--print", action="store_true", help="print the table, write nothing")
    given = parser.parse_args()
    results = {}
    lines = []
    for setting in settings(given.rates):
        results[setting] = setting.rows(given.gpus, given.seeds)
        lines.append(line(setting, results[setting]))
    if given.print:
        print("\n".join([HEAD, *lines]))
        return
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    PLOT.write_text(plot(results, given.rates, given.gpus), encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")
    print(f"wrote {PAGE} and {PLOT}")


if __name__ == "__main__":
    main()
