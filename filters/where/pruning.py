"""Which blocks of rows a `where` cannot select, known from the least and greatest values of their columns.

A Parquet file holds these for each of its row groups, so a reader skips groups without reading them. Only
comparisons of a column with constants, BETWEEN, IN and boolean columns are understood, also below AND and OR.
Anything else may always select.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from .condition import Where
from .expression import read

Value = bool | int | float | str
Test = Callable[[Mapping[str, "ValueRange"]], bool]

_EXACT_IN_FLOAT32 = 2**24
_MIRRORED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


@dataclass(frozen=True)
class ValueRange:
    """The values of a column in some rows: from `low` to `high`. Both are None if all of them are null."""

    low: Value | None
    high: Value | None


def may_select(where: Where) -> Test:
    """A function of the ranges of some rows' columns: false if `where` selects none of these rows.

    Columns whose range is not known are left out of the argument.
    """
    return _test(read(where.canonical))


def _test(node: exp.Expr) -> Test:
    node = node.unnest()
    kind = type(node)
    if kind in (exp.And, exp.Or):
        one, other = _test(node.this), _test(node.expression)
        if kind is exp.And:
            return lambda ranges: one(ranges) and other(ranges)
        return lambda ranges: one(ranges) or other(ranges)
    if kind in _MIRRORED:
        left, right = node.this.unnest(), node.expression.unnest()
        if isinstance(right, exp.Column):
            left, right, kind = right, left, _MIRRORED[kind]
        low, high = (right, right) if kind is exp.EQ else (None, right)
        if kind in (exp.GT, exp.GTE):
            low, high = right, None
        return _within(left, low, high, is_open=kind in (exp.LT, exp.GT))
    if kind is exp.Between:
        return _within(node.this.unnest(), node.args["low"].unnest(), node.args["high"].unnest())
    if kind is exp.In:
        tests = [_within(node.this.unnest(), value.unnest(), value.unnest()) for value in node.expressions]
        return lambda ranges: any(test(ranges) for test in tests)
    if kind is exp.Column:
        return _within(node, exp.true(), exp.true())
    return lambda ranges: True


def _within(column: exp.Expr, low: exp.Expr | None, high: exp.Expr | None, is_open: bool = False) -> Test:
    """Whether a column may have a value from `low` to `high`; None is no bound.

    is_open: the bounds themselves are excluded.
    """
    bounds = [None if bound is None else _constant(bound) for bound in (low, high)]
    wanted = [bound for bound in (low, high) if bound is not None]
    if not isinstance(column, exp.Column) or len([b for b in bounds if b is not None]) < len(wanted):
        return lambda ranges: True
    name = str(column.this.this)

    def test(ranges: Mapping[str, ValueRange]) -> bool:
        if name not in ranges:
            return True
        least, greatest = ranges[name].low, ranges[name].high
        if least is None or greatest is None:
            return False
        for bound, is_low in zip(bounds, (True, False), strict=True):
            if bound is None:
                continue
            order = _compare(greatest if is_low else least, bound)
            if order is not None and ((order < 0 if is_low else order > 0) or (is_open and order == 0)):
                return False
        return True

    return test


def _constant(node: exp.Expr) -> Value | None:
    """The value of a constant, None for anything else. Fractions are rounded to float32, as in `where`."""
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Neg):
        value = _constant(node.this.unnest())
        return -value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return str(node.this)
    return int(node.this) if str(node.this).isdigit() else float(np.float32(node.this))


def _compare(value: Value, bound: Value) -> int | None:
    """-1, 0 or 1 if the value is below, at or above the bound; None if it is not certain how they compare."""
    if isinstance(value, str) and isinstance(bound, str):
        return (value > bound) - (value < bound)  # code points are in the order of UTF-8's bytes
    if isinstance(value, str) or isinstance(bound, str) or isinstance(value, bool) != isinstance(bound, bool):
        return None
    if isinstance(value, float):
        if abs(bound) > _EXACT_IN_FLOAT32 and isinstance(bound, int):
            return None
        value = float(np.float32(value))
    elif isinstance(bound, float):
        return None
    return (value > bound) - (value < bound)
