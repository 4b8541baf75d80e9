"""A table of results with the meaning of its columns, so that any evaluation's results can be shown."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

Value = str | int | float | None
ColumnType = Literal["text", "count", "number"]
RowKey = tuple[str | None, str]
"""The group of a row, or None, and its label."""

_PYTHON_TYPES = {"text": (str,), "count": (int,), "number": (int, float)}
_NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table.

    name: its key in each row. meaning: one line. title: its heading, by default its name. unit: such as `%`,
    if it has one. digits: how many digits after a number's point are shown. maximum: the highest possible
    value; a report then draws the values of the main column as bars.
    """

    name: str
    type: ColumnType
    meaning: str
    title: str = ""
    unit: str = ""
    digits: int = 1
    maximum: float | None = None

    def __post_init__(self) -> None:
        if self.type not in get_args(ColumnType):
            raise ValueError(f"column {self.name!r} has the type {self.type!r}, not text, count or number")
        if self.name == _NOTE:
            raise ValueError(f"no column is called {_NOTE!r}: every row has its own `note`")

    @classmethod
    def number(cls, name: str, title: str, meaning: str, digits: int = 1) -> "Column":
        """A column of numbers."""
        return cls(name=name, title=title, type="number", meaning=meaning, digits=digits)

    @property
    def heading(self) -> str:
        """The title, or else the name."""
        return self.title or self.name

    @property
    def is_numeric(self) -> bool:
        """Whether it holds counts or numbers."""
        return self.type != "text"

    def text(self, value: Value) -> str:
        """A value as tables show it; nothing for None.

        >>> Column(name="pairs", type="count", meaning="").text(1500)
        '1,500'
        >>> Column(name="recall", type="number", meaning="", digits=2).text(61)
        '61.00'
        >>> Column(name="gain", type="number", meaning="").text(-0.04)
        '0.0'
        """
        if value is None or isinstance(value, str):
            return value or ""
        return f"{value:,}" if self.type == "count" else f"{value:z,.{self.digits}f}"


@dataclass(frozen=True)
class Row:
    """The values of one row by column. note: why it has no figures, or what is special about them."""

    values: Mapping[str, Value]
    note: str = ""


@dataclass(frozen=True)
class RowBlock:
    """Neighbouring rows: those of one group with their averages. group: its value; None for other rows."""

    group: str | None
    rows: Sequence[Row]
    averages: Sequence[Row]


@dataclass(frozen=True, kw_only=True)
class Table:
    """The results of one evaluation of one encoder.

    caption: one sentence on what the figures are. columns: in order; the first that is not `group` names a
    row. main: the numeric column by which encoders are compared. group: a column of text, such as the year,
    by whose values the rows are grouped. averages: the rows that average other rows. They belong to a group
    if they have its value, and otherwise to the whole table.

    ValueError unless every row has a value or None for each column and nothing else. Numbers are finite.
    """

    caption: str
    columns: Sequence[Column]
    main: str
    rows: Sequence[Row]
    averages: Sequence[Row] = ()
    group: str | None = None

    def __post_init__(self) -> None:
        columns = {column.name: column for column in self.columns}
        if len(columns) < len(self.columns):
            raise ValueError(f"two columns have the same name: {', '.join(c.name for c in self.columns)}")
        if self.main not in columns or not columns[self.main].is_numeric:
            raise ValueError(f"expected a numeric column as the main one, got {self.main!r}")
        if self.group is not None and (self.group not in columns or columns[self.group].is_numeric):
            raise ValueError(f"expected a column of text to group by, got {self.group!r}")
        for row in (*self.rows, *self.averages):
            if set(row.values) != set(columns):
                raise ValueError(
                    f"expected the columns {', '.join(columns)} in a row, got {dict(row.values)}"
                )
            for name, value in row.values.items():
                _check(columns[name], value)

    @property
    def label(self) -> Column:
        """The column that names a row: the first that is not the group."""
        return next(column for column in self.columns if column.name != self.group)

    @property
    def main_column(self) -> Column:
        """The column called `main`."""
        return next(column for column in self.columns if column.name == self.main)

    @property
    def filled_columns(self) -> list[Column]:
        """The columns that have a value in some row."""
        rows = (*self.rows, *self.averages)
        return [column for column in self.columns if any(row.values[column.name] is not None for row in rows)]

    @property
    def blocks(self) -> list[RowBlock]:
        """All rows by group, each group with its averages; the averages of the whole table are the last."""
        groups = dict.fromkeys(self._group_of(row) for row in (*self.rows, *self.averages))
        blocks = [
            RowBlock(
                group,
                [row for row in self.rows if self._group_of(row) == group],
                [row for row in self.averages if self._group_of(row) == group and group is not None],
            )
            for group in groups
        ]
        last = RowBlock(None, [], [row for row in self.averages if self._group_of(row) is None])
        return [block for block in (*blocks, last) if block.rows or block.averages]

    def key(self, row: Row) -> RowKey:
        """The group and the label of a row: what it has in common with the same row of another encoder."""
        return self._group_of(row), str(row.values[self.label.name])

    def to_json(self) -> dict[str, Any]:
        """The table as JSON, with each row as an object and without defaults; `from_json` reads it."""
        return {
            "caption": self.caption,
            "main": self.main,
            "group": self.group,
            "columns": [_column_to_json(column) for column in self.columns],
            "rows": [self._row_to_json(row) for row in self.rows],
            "averages": [self._row_to_json(row) for row in self.averages],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Table":
        """The table that `to_json` wrote."""
        return cls(
            caption=data["caption"],
            main=data["main"],
            group=data["group"],
            columns=tuple(Column(**column) for column in data["columns"]),
            rows=tuple(_row_from_json(row) for row in data["rows"]),
            averages=tuple(_row_from_json(row) for row in data["averages"]),
        )

    def _row_to_json(self, row: Row) -> dict[str, Value]:
        values = {column.name: row.values[column.name] for column in self.columns}
        return {**values, **({_NOTE: row.note} if row.note else {})}

    def _group_of(self, row: Row) -> str | None:
        value = None if self.group is None else row.values[self.group]
        return None if value is None else str(value)


def as_number(value: Value) -> float | None:
    """A value as a number; None for a text and where there is no value."""
    return float(value) if isinstance(value, int | float) else None


def _check(column: Column, value: Value) -> None:
    expected = _PYTHON_TYPES[column.type]
    if value is None or (isinstance(value, expected) and not isinstance(value, bool)):
        if not isinstance(value, float) or math.isfinite(value):
            return
    raise ValueError(f"column {column.name!r} holds {column.type}s or None, not {value!r}")


def _column_to_json(column: Column) -> dict[str, Any]:
    values = {field.name: (getattr(column, field.name), field.default) for field in fields(column)}
    return {name: value for name, (value, default) in values.items() if value != default}


def _row_from_json(row: Mapping[str, Value]) -> Row:
    return Row({name: value for name, value in row.items() if name != _NOTE}, str(row.get(_NOTE, "")))
