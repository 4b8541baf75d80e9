"""`where`: one SQL expression over a pair's columns that says whether the pair is selected.

`expression` reads and checks it, and DuckDB computes it on whole tables, without access to files, network,
extensions or settings. Null is as in SQL: a comparison with null is null, `null AND false` is false. NaN
counts as null, as in the deciles.
"""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.types as types
from sqlglot import exp

from ...base.errors import RecipeError
from .expression import canonical, clauses, computed, is_certain, normal, read

if TYPE_CHECKING:
    import duckdb

# Nothing outside the table: the expression's language has no way out, and neither has the connection.
_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "threads": "1",  # rows keep their order
    "lock_configuration": "true",
}
# Rows on which an expression must not fail, so that a wrong one fails when the recipe is read. They are SQL:
# pyarrow imports pandas to make an array of Python's values, which takes as long as all the rest of a plan.
_PROBE = {
    pa.int64(): "[NULL, 0, 1, 5]::BIGINT[]",
    pa.float32(): "[NULL, 0.0, 1.0, 0.5]::FLOAT[]",
    pa.string(): "[NULL, '', 'a', 'a b']::VARCHAR[]",
    pa.bool_(): "[NULL, false, true, true]::BOOLEAN[]",
}


@dataclass(frozen=True)
class ClauseDrops:
    """How many of the counted pairs one clause of a `where` drops.

    clause: its canonical SQL. alone: the pairs that it drops on its own. in_order: the pairs that it drops
    and that no clause before it drops. null: those of `alone` for which it is null.
    """

    clause: str
    alone: int
    in_order: int
    null: int


@dataclass(frozen=True)
class Drops:
    """How many pairs a `where` selects and what each of its clauses drops.

    pairs = selected + dropped + null: a pair for which the expression is null is not selected. The drops of
    several parts can be added.
    """

    pairs: int
    selected: int
    null: int
    clauses: tuple[ClauseDrops, ...]

    @property
    def dropped(self) -> int:
        """Pairs for which the whole expression is false."""
        return self.pairs - self.selected - self.null

    def __add__(self, other: "Drops") -> "Drops":
        if [drops.clause for drops in self.clauses] != [drops.clause for drops in other.clauses]:
            raise ValueError("drops of different expressions cannot be added")
        both = zip(self.clauses, other.clauses, strict=True)
        summed = [
            ClauseDrops(a.clause, a.alone + b.alone, a.in_order + b.in_order, a.null + b.null)
            for a, b in both
        ]
        return Drops(
            self.pairs + other.pairs, self.selected + other.selected, self.null + other.null, tuple(summed)
        )


@dataclass(frozen=True)
class Where:
    """A checked expression; small enough to pickle. Made by `Where.parse`.

    canonical: its text without differences of spacing, comments and case, for keys. columns: the names it
    uses. clauses: the canonical texts of the expressions that its outermost ANDs join.
    """

    canonical: str
    columns: frozenset[str]
    clauses: tuple[str, ...]
    _sql: str = field(repr=False)
    _clause_sql: tuple[str, ...] = field(repr=False)

    @classmethod
    def parse(cls, text: str, columns: Mapping[str, pa.DataType]) -> "Where":
        """The expression of `text` over `columns` (of numbers, text and booleans).

        RecipeError if it is not an SQL expression, uses SQL that the language of `expression` does not have,
        names an unknown column, compares types that cannot be compared, or is not true or false.
        """
        tree = normal(read(text), columns)
        parts = clauses(tree)
        where = cls(
            canonical(tree),
            frozenset(column.name for column in tree.find_all(exp.Column)),
            tuple(canonical(part) for part in parts),
            computed(tree),
            tuple(computed(part) for part in parts),
        )
        used = {name: columns[name] for name in sorted(where.columns)}
        where._check_columns(used)
        if not is_certain(tree, {name for name, type in used.items() if _is_number(type)}):
            where._check(used)
        return where

    def evaluate(self, table: pa.Table) -> pa.BooleanArray:
        """True, false or null for each row of `table`, in its order. The table has at least `columns`.

        RecipeError if the expression fails on a value, for example on whole numbers too big to multiply.
        """
        return self._compute(table, [self._sql])[0]

    def drops(self, table: pa.Table) -> Drops:
        """How many of the table's pairs are selected, and what each clause drops."""
        import pyarrow.compute as pc

        whole, *parts = self._compute(table, [self._sql, *self._clause_sql])
        passed, left = None, len(table)
        counted = []
        for clause, part in zip(self.clauses, parts, strict=True):
            before = left
            passed = part if passed is None else pc.and_kleene(passed, part)
            left = passed.true_count
            counted.append(ClauseDrops(clause, len(table) - part.true_count, before - left, part.null_count))
        return Drops(len(table), whole.true_count, whole.null_count, tuple(counted))

    def _check_columns(self, used: Mapping[str, pa.DataType]) -> None:
        for name, type in used.items():
            _plain_type(name, type)
        if len({name.casefold() for name in used}) < len(used):
            raise RecipeError(
                f"where uses columns whose names differ only in case: {', '.join(used)}; use one of them"
            )

    def _check(self, used: Mapping[str, pa.DataType]) -> None:
        """Try the expression on rows on which it must not fail."""
        plain = {name: _plain_type(name, type) for name, type in used.items()}
        probe = ", ".join(f'unnest({_PROBE[type]}) AS "{name}"' for name, type in plain.items())
        try:
            computed = _select([self._sql, *self._clause_sql], f"(SELECT {probe or 'NULL'})")
        except _Refused as refused:
            raise RecipeError(f"where {self.canonical!r} cannot be computed: {refused}") from None
        for clause, column in zip((self.canonical, *self.clauses), computed.columns, strict=True):
            if not types.is_boolean(column.type):
                raise RecipeError(
                    f"where {clause!r} is {column.type}, not true or false; compare it with a value"
                )

    def _compute(self, table: pa.Table, expressions: Sequence[str]) -> list[pa.BooleanArray]:
        plain = {name: _plain(name, table.column(name)) for name in sorted(self.columns)}
        rows = pa.table(plain or {"row": pa.nulls(len(table), pa.int64())})
        try:
            computed = _select_from(rows, expressions)
        except _Refused as refused:
            raise RecipeError(f"where {self.canonical!r} fails on a pair: {refused}") from None
        return [_one_chunk(column) for column in computed.columns]


class _Refused(Exception):
    """DuckDB cannot compute an expression; the first line of its reason."""


_of_thread = threading.local()
_databases: dict[int, "duckdb.DuckDBPyConnection"] = {}  # by process


def _connection() -> "duckdb.DuckDBPyConnection":
    """This thread's own connection, made once; a forked process leaves its parent's untouched.

    The threads of a process share a database without tables: one for each thread would take 4 MB.
    """
    import duckdb  # only where something is evaluated: it is 25 MB in memory

    if not hasattr(_of_thread, "connections"):
        _of_thread.connections = {}
    connections: dict[int, duckdb.DuckDBPyConnection] = _of_thread.connections
    process = os.getpid()
    if process not in connections:
        if process not in _databases:
            _databases.setdefault(process, duckdb.connect(":memory:", config=_LOCKED))
        connections[process] = _databases[process].cursor()
    return connections[process]


def _select_from(pairs: pa.Table, expressions: Sequence[str]) -> pa.Table:
    """One column an expression of DuckDB's SQL over the columns of `pairs`."""
    connection = _connection()
    connection.register("pairs", pairs)
    try:
        return _select(expressions, "pairs")
    finally:
        connection.unregister("pairs")


def _select(expressions: Sequence[str], source: str) -> pa.Table:
    """One column an expression over what stands after FROM."""
    import duckdb

    listed = ", ".join(f"{sql} AS c{index}" for index, sql in enumerate(expressions))
    try:
        return _connection().sql(f"SELECT {listed} FROM {source}").to_arrow_table()
    except duckdb.Error as error:
        raise _Refused(str(error).splitlines()[0]) from None


def _plain_type(name: str, type: pa.DataType) -> pa.DataType:
    """The type as which DuckDB gets a column of `type`."""
    if types.is_dictionary(type):
        type = type.value_type
    if types.is_boolean(type):
        return pa.bool_()
    if types.is_integer(type):
        return pa.int64()
    if types.is_floating(type):
        return pa.float32()
    if types.is_string(type) or types.is_large_string(type):
        return pa.string()
    raise RecipeError(f"where cannot use the column {name}: it holds {type}, not numbers, text or booleans")


def _is_number(type: pa.DataType) -> bool:
    return types.is_integer(type) or types.is_floating(type)


def _plain(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    plain = column.cast(_plain_type(name, column.type))
    if types.is_floating(plain.type):
        return pc.if_else(pc.is_nan(plain), pa.NULL, plain)
    return plain


def _one_chunk(column: pa.ChunkedArray) -> pa.BooleanArray:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
