"""The language of `where`: which parts of SQL it has, and what each of them means.

sqlglot parses the text and writes SQL. What it writes is never the tree that it parsed, but one in normal
form, with only the nodes that are allowed below and columns that exist. So subqueries, aggregates, windows,
files and volatile functions need not be forbidden: nothing allows them. Where SQL would surprise, the normal
form or the SQL for DuckDB says what happens instead:

- A fraction is a float32, as scores are: 0.7 is the float32 nearest to 0.7, and so are 7e-1 and 7/10.
- Whole numbers are int64, so that a decile (int8) times 100 does not overflow.
- Division by zero, the logarithm of zero or less, and an impossible cast give null.
- `a < b < c` is refused: SQL would compare a truth value with c.
"""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.generators.duckdb import DuckDBGenerator
from sqlglot.parsers.duckdb import DuckDBParser

from ...base.errors import RecipeError

MAX_CHARACTERS = 10_000
MAX_DEPTH = 30
MAX_DIGITS = 18  # of a whole number: int64 can hold any such number

_BY_ARGUMENTS = {
    (1, 1): "abs ceil floor length ln lower sign trim upper",
    (1, 2): "round",
    (1, 20): "coalesce greatest least",
    (2, 2): "contains ends_with ifnull left nullif regexp_matches right starts_with strpos",
    (2, 3): "substring",
    (3, 3): "if",
}
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    name: count for count, names in _BY_ARGUMENTS.items() for name in names.split()
}
"""The fewest and the most arguments of each function."""

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.DPipe, exp.Div, exp.IntDiv, exp.Mod)
_NEGATED = (exp.Is, exp.In, exp.Between)  # whose NOT stands inside them
_NOT_BINDING = (exp.Column, exp.Literal, exp.Boolean, exp.Null, exp.Anonymous, exp.Cast, exp.Case)
_TYPES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), exp.DType.BIGINT),
    **dict.fromkeys(("FLOAT", "DOUBLE"), exp.DType.FLOAT),
    **dict.fromkeys(("TEXT", "VARCHAR"), exp.DType.VARCHAR),
    "BOOLEAN": exp.DType.BOOLEAN,
}

# The parts that each kind of node may have; `safe` and `typed` add nothing to the text.
_PARTS: Mapping[type[exp.Expr], set[str]] = {
    **dict.fromkeys((*_COMPARISONS, *_ARITHMETIC, exp.And, exp.Or), {"this", "expression", "safe", "typed"}),
    **dict.fromkeys((exp.Like, exp.ILike), {"this", "expression", "negate"}),
    **dict.fromkeys((exp.Cast, exp.TryCast), {"this", "to", "safe"}),
    **dict.fromkeys((exp.Not, exp.Neg, exp.Column, exp.Boolean), {"this"}),
    exp.Identifier: {"this", "quoted"},
    exp.Literal: {"this", "is_string"},
    exp.Null: set(),
    exp.Is: {"this", "expression"},
    exp.Between: {"this", "low", "high"},
    exp.In: {"this", "expressions"},
    exp.Case: {"this", "ifs", "default"},
    exp.If: {"this", "true"},
    exp.Anonymous: {"this", "expressions"},
}

_NAMES: Mapping[type, str] = {
    **dict.fromkeys((exp.Select, exp.Subquery, exp.Exists, exp.All, exp.Any), "subqueries"),
    exp.Window: "window functions",
    exp.Placeholder: "parameters",
    exp.Parameter: "parameters",
    exp.Star: "*",
    exp.Lambda: "lambdas",
}


class _Dialect(DuckDB):
    """DuckDB's SQL, with every function read by its name as written: sqlglot interprets none of them."""

    class Parser(DuckDBParser):
        """Only casts and CASE have a syntax of their own."""

        FUNCTIONS: ClassVar[dict] = {}
        NO_PAREN_FUNCTIONS: ClassVar[dict] = {}
        FUNCTION_PARSERS = {name: DuckDBParser.FUNCTION_PARSERS[name] for name in ("CAST", "TRY_CAST")}
        NO_PAREN_FUNCTION_PARSERS = {"CASE": DuckDBParser.NO_PAREN_FUNCTION_PARSERS["CASE"]}

    class Generator(DuckDBGenerator):
        """Writes `a IS NOT NULL`, not `NOT a IS NULL`."""

        TYPE_MAPPING: ClassVar[dict] = {each: each.value for each in _TYPES.values()}

        def not_sql(self, expression: exp.Not) -> str:
            inner = expression.this
            if not isinstance(inner, _NEGATED):
                return super().not_sql(expression)
            operand = self.sql(inner, "this")
            if isinstance(inner, exp.Is):
                return f"{operand} IS NOT {self.sql(inner, 'expression')}"
            if isinstance(inner, exp.In):
                return f"{operand} NOT IN ({self.expressions(inner, flat=True)})"
            return f"{operand} NOT BETWEEN {self.sql(inner, 'low')} AND {self.sql(inner, 'high')}"


class _Computed(_Dialect):
    """SQL for DuckDB, in which the rules of this module are spelled out."""

    class Generator(_Dialect.Generator):
        """A divisor of zero gives null, and so does the logarithm of what has none."""

        TRANSFORMS: ClassVar[dict] = {
            **_Dialect.Generator.TRANSFORMS,
            exp.Div: lambda self, node: f"TRY_CAST({self.divided(node, '/')} AS FLOAT)",
            exp.IntDiv: lambda self, node: self.divided(node, "//"),
            exp.Mod: lambda self, node: self.divided(node, "%"),
        }

        def divided(self, node: exp.Binary, sign: str) -> str:
            """The division, or null."""
            return f"{self.sql(node, 'this')} {sign} nullif({self.sql(node, 'expression')}, 0)"

        def anonymous_sql(self, expression: exp.Anonymous) -> str:
            if expression.name != "ln":
                return super().anonymous_sql(expression)
            return f"TRY_CAST(ln(nullif(greatest({self.sql(expression.expressions[0])}, 0), 0)) AS FLOAT)"


def read(text: str) -> exp.Expr:
    """The tree of one expression; RecipeError if the text is not one. `normal` checks its nodes."""
    if len(text) > MAX_CHARACTERS:
        raise RecipeError(f"where has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise RecipeError("where contains a character that is not text (NUL or a lone surrogate); remove it")
    dialect = _Dialect()
    try:
        trees = dialect.parse_into(exp.Condition, text)
    except ParseError as error:
        raise RecipeError(_syntax_error_message(text, error)) from None
    except SqlglotError as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise RecipeError(f"where {_short(text)} is not an SQL expression: {reason}") from None
    except RecursionError:
        raise RecipeError(_too_deep()) from None
    if len(trees) != 1:
        raise RecipeError(
            f"where {_short(text)} is {len(trees)} statements; expected one expression, without ';'"
        )
    if trees[0] is None:
        raise RecipeError("where is empty; to select every pair, write `true`")
    return trees[0]


def canonical(tree: exp.Expr) -> str:
    """The SQL of a normal form. Reading and normalising it gives the same SQL again."""
    return _Dialect().generate(tree, normalize_functions=False)


def computed(tree: exp.Expr) -> str:
    """The SQL that DuckDB gets for a normal form."""
    return _Computed().generate(tree, normalize_functions=False, identify=True)


def clauses(tree: exp.Expr) -> list[exp.Expr]:
    """The expressions that the outermost ANDs join, in the order of the text; without ANDs the whole tree."""
    return list(_joined(tree, exp.And))


def is_certain(node: exp.Expr, numbers: Collection[str]) -> bool:
    """Whether an expression in normal form surely has a truth value on every row, and never fails.

    That is so for comparisons of numbers that NOT, AND and OR join, if no number is so long that others
    cannot be compared with it. numbers: the columns that hold numbers.
    """

    def is_number(node: exp.Expr) -> bool:
        node = node.unnest()
        if isinstance(node, exp.Neg):
            return is_number(node.this)
        if isinstance(node, exp.Column):
            return node.name in numbers
        return isinstance(node, exp.Literal) and not node.is_string and len(node.this) <= MAX_DIGITS

    node = node.unnest()
    if isinstance(node, exp.Boolean):
        return True
    if isinstance(node, exp.Not):
        return is_certain(node.this, numbers)
    if isinstance(node, (exp.And, exp.Or)):
        return all(is_certain(operand, numbers) for operand in _joined(node, type(node)))
    if isinstance(node, exp.Between):
        return all(map(is_number, (node.this, node.args["low"], node.args["high"])))
    return isinstance(node, _COMPARISONS) and is_number(node.this) and is_number(node.expression)


def normal(tree: exp.Expr, columns: Iterable[str]) -> exp.Expr:
    """The normal form of an expression over `columns`, in which spelling makes no difference.

    Numbers, names, casts and brackets are written in one way. RecipeError for everything that is not allowed.
    """
    return _Normaliser(columns).normal(tree)


class _Normaliser:
    def __init__(self, columns: Iterable[str]) -> None:
        self._columns = frozenset(columns)
        self._folded = {name.casefold(): name for name in self._columns}

    def normal(self, node: exp.Expr, depth: int = 1) -> exp.Expr:
        node = node.unnest()
        _check_parts(node)
        if depth > MAX_DEPTH:
            raise RecipeError(_too_deep())
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Literal):
            text = str(node.this)
            return exp.Literal.string(text) if node.is_string else exp.Literal.number(_plain_number(text))
        kind = exp.TryCast if isinstance(node, exp.Cast) else type(node)
        _check(node)
        if not (isinstance(node, exp.If) or _is_negation(node)):
            depth += 1
        if kind in (exp.And, exp.Or):
            joined = (_bracketed(self.normal(part, depth)) for part in _joined(node, kind))
            return reduce(lambda one, other: kind(this=one, expression=other), joined)
        return kind(**{key: self._part(node, key, depth) for key in node.args})

    def _part(self, node: exp.Expr, key: str, depth: int) -> object:
        part = node.args[key]
        if isinstance(part, list):
            return [self.normal(each, depth) for each in part]
        if key == "to":
            return exp.DataType(this=_TYPES[part.this.value])
        if not isinstance(part, exp.Expr):
            return part.lower() if isinstance(node, exp.Anonymous) else part
        inner = self.normal(part, depth)
        is_operand = key in ("this", "expression", "low", "high")
        if is_operand and not isinstance(node, exp.Cast | exp.If) and not _is_negation(node):
            return _bracketed(inner)
        return inner

    def _column(self, node: exp.Column) -> exp.Column:
        identifier = node.this
        _check_parts(identifier)
        written = str(identifier.this)
        column = written if written in self._columns else self._folded.get(written.casefold())
        if column is None:
            hint = " (a text goes in single quotes)" if identifier.args.get("quoted") else ""
            near = _nearest(written, self._columns)
            raise RecipeError(f"where names a column that does not exist, {written!r}{hint}{near}")
        plain = column.isascii() and column.isidentifier() and column.islower()
        return exp.column(column, quoted=not plain or column.upper() in DuckDB.Tokenizer.KEYWORDS)


def _check_parts(node: exp.Expr) -> None:
    """Refuse a node that is not allowed, or has parts that are not."""
    parts = _PARTS.get(type(node))
    extra = [] if parts is None else [key for key, part in node.args.items() if part and key not in parts]
    if parts is None or extra:
        part = node.args[extra[0]] if extra else node
        kind = _NAMES.get(type(part)) or " ".join([node.key, *extra]) + " expressions"
        raise RecipeError(
            f"where cannot use {kind}; it is one expression of columns, values, comparisons, AND, OR, "
            "NOT, IN, BETWEEN, LIKE, IS NULL, arithmetic, CASE, CAST and the functions "
            + ", ".join(sorted(FUNCTIONS))
        )


def _check(node: exp.Expr) -> None:
    """Refuse what SQL would take in another way than it reads, and unknown functions and types."""
    match node:
        case exp.Anonymous():
            _check_call(node)
        case exp.Is() if not isinstance(node.expression, exp.Null | exp.Boolean):
            raise RecipeError(
                "where has IS before something other than NULL, TRUE or FALSE; write = to compare values"
            )
        case exp.In() if not node.expressions:
            raise RecipeError("where has IN without a list of values in parentheses; write IN ('a', 'b')")
        case exp.Cast() if node.to.expressions or getattr(node.to.this, "value", "") not in _TYPES:
            raise RecipeError(
                f"where cannot cast to {node.to.sql()}; it can cast to INTEGER, FLOAT, VARCHAR and BOOLEAN"
            )
        case exp.Binary(this=left, expression=right) if isinstance(node, _COMPARISONS):
            if isinstance(left, _COMPARISONS) or isinstance(right, _COMPARISONS):
                raise RecipeError("where compares a comparison, as in a < b < c; write a < b AND b < c")


def _check_call(node: exp.Anonymous) -> None:
    name = str(node.this).lower()
    if name not in FUNCTIONS:
        raise RecipeError(f"where cannot use the function {name!r}{_nearest(name, FUNCTIONS)}")
    count = len(node.expressions)
    fewest, most = FUNCTIONS[name]
    if not fewest <= count <= most:
        expected = fewest if fewest == most else f"{fewest} to {most}"
        raise RecipeError(f"where calls {name} with {count} arguments; it takes {expected}")
    if name == "regexp_matches" and not node.expressions[1].is_string:
        raise RecipeError(
            "where calls regexp_matches with a pattern that is not a text; write it in single quotes"
        )


def _is_negation(node: exp.Expr) -> bool:
    return isinstance(node, exp.Not) and isinstance(node.this.unnest(), _NEGATED)


def _bracketed(node: exp.Expr) -> exp.Expr:
    return node if isinstance(node, _NOT_BINDING) else exp.Paren(this=node)


def _joined(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The operands of a chain of one connector, left to right; not recursive, because chains may be long."""
    waiting = [node]
    while waiting:
        part = waiting.pop().unnest()
        if type(part) is kind:
            waiting += [part.expression, part.this]
        else:
            yield part


def _plain_number(text: str) -> str:
    """A number without an exponent: DuckDB reads 1e-1 as a double, which no float32 equals."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise RecipeError(f"where has {text!r}, which is not a number") from None
    whole = text.isdigit()
    places = max(number.adjusted(), 0) + 1 - min(int(number.as_tuple().exponent), 0)
    if places > (MAX_DIGITS if whole else 2 * MAX_DIGITS):
        raise RecipeError(f"where has a number of {places} digits, {_short(text)}; round it")
    plain = f"{number:f}"
    if whole:
        return str(int(plain))
    digits, _, fraction = plain.partition(".")
    return f"{digits}.{fraction.rstrip('0') or '0'}"


def _nearest(name: str, names: Iterable[str]) -> str:
    choices = sorted(names)
    near = difflib.get_close_matches(name.lower(), choices, n=1)
    return (f"; did you mean {near[0]}?" if near else ";") + f" There are: {', '.join(choices)}"


def _syntax_error_message(text: str, error: ParseError) -> str:
    details = error.errors[0] if error.errors else {}
    token, line, end = (details.get(key) for key in ("highlight", "line", "col"))
    description = str(details.get("description") or "it cannot be read")
    if "Required" in description:
        description = "something is missing there"
    place = ""
    if token and line and end:
        place = f" at line {line}, column {max(end - len(token) + 1, 1)}, near {token!r}"
    return f"where {_short(text)} is not an SQL expression{place}: {description}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "…")


def _too_deep() -> str:
    return f"where is nested too deeply; at most {MAX_DEPTH} levels are allowed"
