"""Several encoders on one evaluation: their tables side by side, with intervals and marks of differences."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..sts.correlation import pearson
from .bootstrap import Difference, difference
from .evaluation import Measured
from .table import Column, Row, RowBlock, RowKey, Table, Value, as_number

HIGHER, LOWER = "↑", "↓"

_DISTANCE = (
    Column(name="encoders", type="text", meaning="two of the encoders"),
    Column(name="sets", type="text", meaning="the papers' list of sets that the rows are of"),
    Column(name="rows", type="count", meaning="the rows that both have a result in"),
    Column(
        name="difference",
        type="number",
        title="mean absolute difference",
        meaning="the mean over the rows of the absolute difference of their results",
    ),
    Column(
        name="correlation", type="number", meaning="Pearson's r, times 100, of their results over the rows"
    ),
)


@dataclass(frozen=True)
class EncoderResult:
    """One encoder's result in one row, with its interval if the table has columns `low` and `high`.

    difference: from the first encoder, on the same resamples of the items. is_best: no encoder's is higher.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    difference: Difference | None = None
    is_best: bool = False

    @property
    def mark(self) -> str:
        """An arrow if the result is significantly higher or lower than the first encoder's."""
        gap = self.difference
        if gap is None or not gap.is_significant or gap.value is None:
            return ""
        return HIGHER if gap.value > 0 else LOWER

    def to_json(self) -> dict[str, Any]:
        """Its fields, without those that are None."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Comparison:
    """Encoders by name, in order, with their results on the same evaluation.

    notes: what is to be said of an encoder, such as how many words of the sentences it knows.
    """

    measured: Mapping[str, Measured]
    notes: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """The encoders."""
        return list(self.measured)

    @property
    def table(self) -> Table:
        """The table of the first encoder, whose rows the others share."""
        return next(iter(self.measured.values())).table

    @property
    def main(self) -> Column:
        """The column that is compared."""
        return self.table.main_column

    @property
    def shared_columns(self) -> list[Column]:
        """The columns before the results: the group, the label and what counts items."""
        columns = list(self.table.columns)
        before = columns[: columns.index(self.main)]
        rows = [row for block in self.blocks for row in (*block.rows, *block.averages)]
        return [
            column
            for column in before
            if column.type != "number" and any(row.values[column.name] is not None for row in rows)
        ]

    @property
    def other_results(self) -> list[Column]:
        """The columns of results besides the one that is compared, such as the second kind of correlation."""
        return [column for column in self.table.columns if column.maximum is not None and column != self.main]

    @property
    def blocks(self) -> list[RowBlock]:
        """The rows of the first encoder, by group."""
        return self.table.blocks

    def cells(self, row: Row) -> list[EncoderResult]:
        """The results of all encoders in a row of the first one's table."""
        key = self.table.key(row)
        rows = [found[key].values if key in found else {} for found in self._rows]
        values = self.values(row, self.main)
        shown = [self.main.text(value) for value in values if value is not None]
        best = self.main.text(max(value for value in values if value is not None)) if shown else ""
        return [
            EncoderResult(
                value,
                as_number(row_values.get("low")),
                as_number(row_values.get("high")),
                self._difference(key, value, values[0], measured),
                value is not None and len(values) > 1 and self.main.text(value) == best,
            )
            for measured, row_values, value in zip(self.measured.values(), rows, values, strict=True)
        ]

    def values(self, row: Row, column: Column) -> list[float | None]:
        """What all encoders have in a column, in a row of the first one's table."""
        return self._values(self.table.key(row), column)

    @cached_property
    def _rows(self) -> list[dict[RowKey, Row]]:
        """The rows of each encoder's table, averages included."""
        tables = (measured.table for measured in self.measured.values())
        return [{table.key(row): row for row in (*table.rows, *table.averages)} for table in tables]

    def _values(self, key: RowKey, column: Column) -> list[float | None]:
        return [
            as_number(found[key].values.get(column.name)) if key in found else None for found in self._rows
        ]

    @cached_property
    def distances(self) -> Table | None:
        """How far each two encoders are apart over the rows, means apart; None if they share too few rows.

        The mean absolute difference of their results (ParaNMT, table 10), and the correlation of these over
        the rows (Revisiting recurrent networks, table 4); of each list of rows, if the evaluation has some.
        """
        everything = {"": [self.table.key(row) for row in self.table.rows]}
        lists = next(iter(self.measured.values())).lists
        rows = []
        for name, keys in (everything if lists is None else lists).items():
            results = [self._values(key, self.main) for key in keys]
            for (place, first), (other_place, second) in itertools.combinations(enumerate(self.names), 2):
                apart = _apart([(values[place], values[other_place]) for values in results])
                if apart is not None:
                    rows.append(Row({"encoders": f"{first}, {second}", "sets": name or None, **apart}))
        caption = f"How far encoders are apart in {self.main.heading}, over the rows that both have."
        return Table(caption=caption, columns=_DISTANCE, main="difference", rows=rows) if rows else None

    def note(self, row: Row) -> str:
        """The notes of all encoders in a row of the first one's table; without names if all are the same."""
        key = self.table.key(row)
        notes: dict[str, list[str]] = {}
        for name, found in zip(self.names, self._rows, strict=True):
            notes.setdefault(found[key].note if key in found else "", []).append(name)
        if len(notes) == 1:
            return next(iter(notes))
        return "; ".join(f"{', '.join(names)}: {note}" for note, names in notes.items() if note)

    def _difference(
        self, key: RowKey, value: float | None, first: float | None, measured: Measured
    ) -> Difference | None:
        base = next(iter(self.measured.values()))
        if measured is base or key not in measured.resampled or key not in base.resampled:
            return None
        return difference((value, first), (measured.resampled[key], base.resampled[key]))

    def points(self, key: RowKey) -> list[tuple[np.ndarray, np.ndarray] | None]:
        """What each encoder and what people say of the items of a row."""
        return [measured.points.get(key) for measured in self.measured.values()]

    def to_json(self) -> dict[str, Any]:
        """All tables, and the cells of each row by encoder."""
        return {
            "main": self.table.main,
            "baseline": self.names[0],
            "notes": dict(self.notes),
            "rows": [
                {
                    **{column.name: row.values[column.name] for column in self.shared_columns},
                    "note": self.note(row),
                    "encoders": {
                        name: cell.to_json() for name, cell in zip(self.names, self.cells(row), strict=True)
                    },
                }
                for block in self.blocks
                for row in (*block.rows, *block.averages)
            ],
            "distances": None if self.distances is None else self.distances.to_json(),
            "tables": {name: measured.table.to_json() for name, measured in self.measured.items()},
        }


def _apart(pairs: Sequence[tuple[float | None, float | None]]) -> dict[str, Value] | None:
    """The columns of `_DISTANCE` for the results of two encoders; None for fewer than three of both."""
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if len(both) < 3:
        return None
    one, other = (np.array(values) for values in zip(*both, strict=True))
    r = pearson(one, other)
    difference = float(np.abs(one - other).mean())
    return {"rows": len(both), "difference": difference, "correlation": None if r is None else 100 * r}
