"""The distribution of one score, collected in one pass with memory that does not grow with the corpus."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Values are counted in cells by the leading 20 bits of their float32 form. The width of a cell is at most
# 1/2048 of its values, much less than a bin. The bins are chosen at the end, when the range is known.
_CELL_BITS = 20

# An axis is logarithmic if the 99.9th percentile is more than this many times the median.
_HEAVY_TAIL = 10.0
# A tail beyond these quantiles is cut off if drawing it would take more than this share of the width.
_TAIL = 0.0005
_TAIL_WIDTH = 0.2


@dataclass(frozen=True)
class Histogram:
    """Counts between edges, and the moments of the values.

    n: the number of values, without `nulls` (NaN counts as null). mean, sd (of the population), minimum,
    maximum: of the finite values, None if there are none. edges: one more than counts; a bin includes its
    lower edge, the last bin both edges. below, above: the number of values outside the edges.
    """

    n: int
    nulls: int
    mean: float | None
    sd: float | None
    minimum: float | None
    maximum: float | None
    scale: Literal["linear", "log"]
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    below: int = 0
    above: int = 0


def collect_histogram(
    column: pa.Array | pa.ChunkedArray | Iterable[pa.Array | pa.ChunkedArray], bins: int = 60
) -> Histogram:
    """The histogram of a numeric column in about `bins` bins.

    column: the whole column or its pieces, for example one per part. Whole numbers get bins of whole width;
    positive numbers with a heavy tail get logarithmic bins. Needs 16 MB of memory and one piece.
    """
    if bins < 1:
        raise ValueError(f"a histogram has at least 1 bin, not {bins}")
    cells = _Cells()
    for piece in [column] if isinstance(column, pa.Array | pa.ChunkedArray) else column:
        cells.add(piece)
    return cells.histogram(bins)


class _Cells:
    """Counts and sums of the values by cell, and the moments so far."""

    def __init__(self) -> None:
        self._counts = np.zeros(1 << _CELL_BITS, np.int64)
        self._sums = np.zeros(1 << _CELL_BITS, np.float64)
        self._finite, self._mean, self._squares = 0, 0.0, 0.0
        self._minimum, self._maximum = math.inf, -math.inf
        self._below, self._above, self._nulls = 0, 0, 0
        self._whole = True

    def add(self, piece: pa.Array | pa.ChunkedArray) -> None:
        self._whole = self._whole and pa.types.is_integer(piece.type)
        values = pc.cast(piece, pa.float32(), safe=False).drop_null().to_numpy(zero_copy_only=False)
        values = values[~np.isnan(values)]
        self._nulls += len(piece) - len(values)
        self._below += int(np.count_nonzero(values == -np.inf))
        self._above += int(np.count_nonzero(values == np.inf))
        values = values[np.isfinite(values)]
        if not len(values):
            return
        cells = values.view(np.uint32) >> (32 - _CELL_BITS)
        exact = values.astype(np.float64)
        np.add.at(self._counts, cells, 1)
        np.add.at(self._sums, cells, exact)
        # Combining the moments of two samples: Chan et al. 1979.
        gap, before = float(exact.mean()) - self._mean, self._finite
        self._finite += len(exact)
        self._mean += gap * len(exact) / self._finite
        self._squares += float(exact.var()) * len(exact) + gap * gap * before * len(exact) / self._finite
        self._minimum = min(self._minimum, float(exact.min()))
        self._maximum = max(self._maximum, float(exact.max()))

    def histogram(self, bins: int) -> Histogram:
        n = self._finite + self._below + self._above
        if not self._finite:
            return Histogram(
                n, self._nulls, None, None, None, None, "linear", (), (), self._below, self._above
            )
        # The position of a cell is the mean of its values, so a value that many pairs share stays on its
        # side of an edge.
        used = np.flatnonzero(self._counts)
        places, counts = self._sums[used] / self._counts[used], self._counts[used]
        order = np.argsort(places)
        places, counts = places[order], counts[order]
        scale, edges = self._edges(places, np.cumsum(counts) / self._finite, bins)
        margin = 1e-3 * np.diff(edges).min()
        borders = np.append(edges[:-1] - margin, edges[-1] + margin)
        return Histogram(
            n=n,
            nulls=self._nulls,
            mean=self._mean,
            sd=math.sqrt(self._squares / self._finite),
            minimum=self._minimum,
            maximum=self._maximum,
            scale=scale,
            edges=tuple(edges.tolist()),
            counts=tuple(np.histogram(places, borders, weights=counts)[0].tolist()),
            below=self._below + int(counts[places < borders[0]].sum()),
            above=self._above + int(counts[places > borders[-1]].sum()),
        )

    def _edges(
        self, places: np.ndarray, shares: np.ndarray, bins: int
    ) -> tuple[Literal["linear", "log"], np.ndarray]:
        """The scale and the edges of the bins. shares: what share of the values is up to each place."""

        def quantile(share: float) -> float:
            return float(places[min(int(np.searchsorted(shares, share)), len(places) - 1)])

        log = not self._whole and self._minimum > 0 and quantile(0.999) > _HEAVY_TAIL * quantile(0.5)
        low, high = self._minimum, self._maximum
        first, last = quantile(_TAIL), quantile(1 - _TAIL)
        if log:
            low, high, first, last = map(math.log10, (low, high, first, last))
        far = _TAIL_WIDTH * (last - first)
        if last > first:
            low = first if first - low > far else low
            high = last if high - last > far else high
        if high - low <= 1e-6 * max(abs(low), abs(high)):  # a single value, in the precision of float32
            half = max(0.5, 1e-3 * abs(low))
            low, high = low - half, high + half
        if self._whole:
            width = math.ceil((high - low + 1) / bins)
            return "linear", np.arange(math.floor(low + 0.5) - 0.5, math.ceil(high) + width, width)
        if log:
            return "log", 10 ** np.linspace(low, high, bins + 1)
        step = nice_step((high - low) / bins)
        return "linear", step * np.arange(math.floor(low / step), math.ceil(high / step - 1e-6) + 1)


def nice_step(at_least: float) -> float:
    """The smallest number of at least `at_least` (positive) that is 1, 2, 2.5 or 5 times a power of ten.

    >>> nice_step(0.017), nice_step(3)
    (0.02, 5.0)
    """
    power = 10.0 ** max(math.floor(math.log10(at_least)), -300)  # smaller ones lose their digits
    for factor in (1.0, 2.0, 2.5, 5.0):
        if factor * power >= at_least * (1 - 1e-9):
            return factor * power
    return 10 * power
