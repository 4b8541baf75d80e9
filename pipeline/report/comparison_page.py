"""The page of `paranmt evaluate --page`: several encoders on one evaluation, with plots."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...base.hashing import seeded_hash
from ...models.evaluation.comparison import Comparison, EncoderResult
from ...models.evaluation.table import Row, RowBlock
from .charts import Chart, Scatter, bars_chart, scatter_plot
from .page import fill_page

LABELS_SHOWN = 84  # characters below a chart, if all its labels were as long as the longest
POINTS_SHOWN = 300  # points in a scatter plot


@dataclass(frozen=True)
class ScatterRow:
    """A set's plots, one for each encoder."""

    title: str
    plots: Sequence[Scatter]


def render_comparison(comparison: Comparison) -> str:
    """The whole page as HTML; the same results give the same page, and all names are escaped."""
    names = comparison.names
    title = f"{len(names)} encoders compared" if len(names) > 1 else names[0]
    blocks = sorted(comparison.blocks, key=lambda block: bool(block.rows))  # the means of everything first
    charts = [
        (_heading(comparison, block), chart)
        for block in blocks
        for chart in _charts(comparison, [*block.rows, *block.averages])
    ]
    scatters = [
        scatter
        for block in comparison.blocks
        for row in block.rows
        if (scatter := _scatters(comparison, row)) is not None
    ]
    sections = [
        ("charts", "Results with intervals", charts),
        ("table", "All results", True),
        ("distances", "How far encoders are apart", comparison.distances),
        ("scatters", "What people say, and what the encoder says", scatters),
    ]
    return fill_page(
        "comparison.html.jinja",
        title=title,
        comparison=comparison,
        sections={anchor: heading for anchor, heading, content in sections if content},
        charts=charts,
        scatters=scatters,
        points=POINTS_SHOWN,
    )


def _heading(comparison: Comparison, block: RowBlock) -> str:
    others = "Other sets" if comparison.table.group else "All"
    return block.group or (others if block.rows else "Means of all")


def _charts(comparison: Comparison, rows: Sequence[Row]) -> list[Chart]:
    pairs = [(row, comparison.cells(row)) for row in rows]
    filled = [(row, cells) for row, cells in pairs if any(cell.value is not None for cell in cells)]
    labels = [str(row.values[comparison.table.label.name]) for row, _ in filled]
    shown = LABELS_SHOWN // max([14, *map(len, labels)]) or 1
    charts = []
    for places in np.array_split(np.arange(len(filled)), -(-len(filled) // shown)) if filled else []:
        values = {
            name: [_bar(filled[place][1][index]) for place in places]
            for index, name in enumerate(comparison.names)
        }
        charts.append(bars_chart(values, [labels[place] for place in places], comparison.main.meaning))
    return charts


def _bar(cell: EncoderResult) -> tuple[float, float | None, float | None] | None:
    return None if cell.value is None else (cell.value, cell.low, cell.high)


def _scatters(comparison: Comparison, row: Row) -> ScatterRow | None:
    """The plots of the same items for every encoder; None if an encoder has none."""
    key = comparison.table.key(row)
    found = [points for points in comparison.points(key) if points is not None]
    if len(found) < len(comparison.names):
        return None
    order = seeded_hash([str(item) for item in range(len(found[0][1]))], 1).argsort(kind="stable")
    chosen = np.sort(order[:POINTS_SHOWN])
    plots = [
        scatter_plot(list(zip(people[chosen].tolist(), values[chosen].tolist(), strict=True)), name)
        for name, (values, people) in zip(comparison.names, found, strict=True)
    ]
    return ScatterRow(" ".join(part for part in key if part is not None), plots)
