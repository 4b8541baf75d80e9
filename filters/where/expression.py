"""The language of `where`: which parts of SQL it has, and what each of them means.

sqlglot parses the text. Only what has a rule below is allowed, and DuckDB gets SQL that we write from the
parsed tree, never the user's text. So subqueries, aggregates, windows, files and volatile functions need not
be forbidden: there is no rule for them. Where SQL would surprise, the rule says what happens instead:

- A fraction is a float32, as scores are: 0.7 is the float32 nearest to 0.7, and so are 7e-1 and 7/10.
- Whole numbers are int64, so that a decile (int8) times 100 does not overflow.
- Division by zero, the logarithm of zero or less, and an impossible cast give null.
- `a < b < c` is refused: SQL would compare a truth value with c.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import ClassVar, NamedTuple

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parsers.duckdb import DuckDBParser

from ...base.errors import RecipeError

MAX_CHARACTERS = 10_000
MAX_DEPTH = 30
MAX_DIGITS = 18  # of a whole number: int64 can hold any such number


class _Function(NamedTuple):
    fewest: int
    most: int
    sql: str = ""  # the SQL for DuckDB, if it is not `name(arguments)`


FUNCTIONS: Mapping[str, _Function] = {
    "abs": _Function(1, 1),
    "ceil": _Function(1, 1),
    "coalesce": _Function(1, 20),
    "contains": _Function(2, 2),
    "ends_with": _Function(2, 2),
    "floor": _Function(1, 1),
    "greatest": _Function(1, 20),
    "if": _Function(3, 3),
    "ifnull": _Function(2, 2),
    "least": _Function(1, 20),
    "left": _Function(2, 2),
    "length": _Function(1, 1),
    "ln": _Function(1, 1, "TRY_CAST(ln(nullif(greatest({0}, 0), 0)) AS FLOAT)"),
    "lower": _Function(1, 1),
    "nullif": _Function(2, 2),
    "regexp_matches": _Function(2, 2),
    "right": _Function(2, 2),
    "round": _Function(1, 2),
    "sign": _Function(1, 1),
    "starts_with": _Function(2, 2),
    "strpos": _Function(2, 2),
    "substring": _Function(2, 3),
    "trim": _Function(1, 1),
    "upper": _Function(1, 1),
}

_COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
_INFIX: Mapping[type[exp.Expr], str] = {
    **_COMPARISONS,
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.DPipe: "||",
}
_DIVISIONS: Mapping[type[exp.Expr], str] = {exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%"}
_CONNECTORS: Mapping[type[exp.Expr], str] = {exp.And: "AND", exp.Or: "OR"}
_LIKES: Mapping[type[exp.Expr], str] = {exp.Like: "LIKE", exp.ILike: "ILIKE"}
_CASTS = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), "BIGINT"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "FLOAT"),
    **dict.fromkeys(("TEXT", "VARCHAR"), "VARCHAR"),
    "BOOLEAN": "BOOLEAN",
}
_NOT_BINDING = (exp.Column, exp.Literal, exp.Boolean, exp.Null, exp.Anonymous, exp.Cast, exp.Case)

# The parts of a node that its rule handles; `safe` and `typed` add nothing to the text.
_PARTS: Mapping[type[exp.Expr], set[str]] = {
    **dict.fromkeys((*_INFIX, *_DIVISIONS, *_CONNECTORS), {"this", "expression", "safe", "typed"}),
    **dict.fromkeys(_LIKES, {"this", "expression", "negate"}),
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


def read(text: str) -> exp.Expr:
    """The tree of one expression; RecipeError if the text is not one. The writers check its nodes."""
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


def clauses(tree: exp.Expr) -> list[exp.Expr]:
    """The expressions that the outermost ANDs join, in the order of the text; without ANDs the whole tree."""
    return list(_joined(tree, exp.And))


class Writer:
    """Writes a tree as canonical SQL, without white space, comments and differences of case.

    Reading the canonical SQL and writing it again gives the same text. `columns`: the names an expression
    may use. `used` collects those that it does use. RecipeError for everything that has no rule.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.used: set[str] = set()
        self._columns = frozenset(columns)
        self._folded = {name.casefold(): name for name in self._columns}
        self._depth = 0

    def write(self, node: exp.Expr) -> str:
        """The SQL of the whole expression."""
        node = node.unnest()
        self._check(node)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise RecipeError(_too_deep())
        written = self._rule(node)
        self._depth -= 1
        return written

    def _rule(self, node: exp.Expr) -> str:
        kind = type(node)
        if kind in _CONNECTORS:
            return f" {_CONNECTORS[kind]} ".join(self._operand(part) for part in _joined(node, kind))
        if kind in _INFIX:
            return self._infix(node)
        if kind in _DIVISIONS:
            return self.division(self._operand(node.this), _DIVISIONS[kind], self._operand(node.expression))
        if kind in _LIKES:
            no = "NOT " if node.args.get("negate") else ""
            return f"{self._operand(node.this)} {no}{_LIKES[kind]} {self._operand(node.expression)}"
        if kind in (exp.Cast, exp.TryCast):
            return f"TRY_CAST({self.write(node.this)} AS {_cast_type(node)})"
        return _RULES[kind](self, node)

    def division(self, left: str, sign: str, right: str) -> str:
        """A quotient, whole quotient or remainder."""
        return f"{left} {sign} {right}"

    def call(self, name: str, arguments: list[str]) -> str:
        """A call of one of `FUNCTIONS`."""
        return f"{name}({', '.join(arguments)})"

    def name(self, column: str) -> str:
        """A column's name."""
        plain = column.isascii() and column.isidentifier() and column.islower()
        return column if plain and column.upper() not in DuckDB.Tokenizer.KEYWORDS else _quoted(column)

    def _operand(self, node: exp.Expr) -> str:
        inner = node.unnest()
        written = self.write(inner)
        return written if isinstance(inner, _NOT_BINDING) else f"({written})"

    def _infix(self, node: exp.Expr) -> str:
        sides = (node.this, node.expression)
        if type(node) in _COMPARISONS and any(type(side) in _COMPARISONS for side in sides):
            raise RecipeError("where compares a comparison, as in a < b < c; write a < b AND b < c")
        return f" {_INFIX[type(node)]} ".join(self._operand(side) for side in sides)

    def _not(self, node: exp.Expr) -> str:
        inner = node.this.unnest()
        if type(inner) not in (exp.Is, exp.In, exp.Between):
            return f"NOT {self._operand(inner)}"
        self._check(inner)
        return _RULES[type(inner)](self, inner, "NOT ")

    def _is(self, node: exp.Expr, no: str = "") -> str:
        if not isinstance(node.expression, exp.Null | exp.Boolean):
            raise RecipeError(
                "where has IS before something other than NULL, TRUE or FALSE; write = to compare values"
            )
        return f"{self._operand(node.this)} IS {no}{self.write(node.expression)}"

    def _between(self, node: exp.Expr, no: str = "") -> str:
        low, high = (self._operand(node.args[bound]) for bound in ("low", "high"))
        return f"{self._operand(node.this)} {no}BETWEEN {low} AND {high}"

    def _in(self, node: exp.Expr, no: str = "") -> str:
        if not node.expressions:
            raise RecipeError("where has IN without a list of values in parentheses; write IN ('a', 'b')")
        values = ", ".join(self.write(value) for value in node.expressions)
        return f"{self._operand(node.this)} {no}IN ({values})"

    def _case(self, node: exp.Expr) -> str:
        pieces = ["CASE"]
        if node.this:
            pieces.append(self._operand(node.this))
        for branch in node.args["ifs"]:
            self._check(branch)
            pieces += ["WHEN", self.write(branch.this), "THEN", self.write(branch.args["true"])]
        if node.args.get("default"):
            pieces += ["ELSE", self.write(node.args["default"])]
        return " ".join([*pieces, "END"])

    def _call(self, node: exp.Expr) -> str:
        name = str(node.this).lower()
        rule = FUNCTIONS.get(name)
        if rule is None:
            raise RecipeError(f"where cannot use the function {name!r}{_nearest(name, FUNCTIONS)}")
        count = len(node.expressions)
        if not rule.fewest <= count <= rule.most:
            expected = rule.fewest if rule.fewest == rule.most else f"{rule.fewest} to {rule.most}"
            raise RecipeError(f"where calls {name} with {count} arguments; it takes {expected}")
        if name == "regexp_matches" and not _is_text(node.expressions[1]):
            raise RecipeError(
                "where calls regexp_matches with a pattern that is not a text; write it in single quotes"
            )
        return self.call(name, [self.write(argument) for argument in node.expressions])

    def _column(self, node: exp.Expr) -> str:
        identifier = node.this
        self._check(identifier)
        written = str(identifier.this)
        column = written if written in self._columns else self._folded.get(written.casefold())
        if column is None:
            hint = " (a text goes in single quotes)" if identifier.args.get("quoted") else ""
            near = _nearest(written, self._columns)
            raise RecipeError(f"where names a column that does not exist, {written!r}{hint}{near}")
        self.used.add(column)
        return self.name(column)

    def _literal(self, node: exp.Expr) -> str:
        text = str(node.this)
        return _quoted(text, "'") if node.is_string else _number(text)

    def _check(self, node: exp.Expr) -> None:
        """Refuse a node that has no rule, or has parts that its rule does not handle."""
        parts = _PARTS.get(type(node))
        extra = [] if parts is None else [key for key, part in node.args.items() if part and key not in parts]
        if parts is None or extra:
            part = node.args[extra[0]] if extra else node
            kind = _NAMES.get(type(part)) or " ".join([node.key, *extra]) + " expressions"
            raise RecipeError(
                f"where cannot use {kind}; it is one expression of columns, values, comparisons, AND, OR, "
                "NOT, IN, BETWEEN, LIKE, IS NULL, arithmetic, CASE, CAST and the functions "
                + ", ".join(FUNCTIONS)
            )


_RULES: Mapping[type[exp.Expr], Callable[..., str]] = {
    exp.Not: Writer._not,
    exp.Neg: lambda writer, node: f"-{writer._operand(node.this)}",
    exp.Boolean: lambda writer, node: "TRUE" if node.this else "FALSE",
    exp.Null: lambda writer, node: "NULL",
    exp.Is: Writer._is,
    exp.Between: Writer._between,
    exp.In: Writer._in,
    exp.Case: Writer._case,
    exp.Anonymous: Writer._call,
    exp.Column: Writer._column,
    exp.Literal: Writer._literal,
}


class DuckDBWriter(Writer):
    """Writes a tree as the SQL that DuckDB gets, in which the rules of this module are spelled out."""

    def division(self, left: str, sign: str, right: str) -> str:
        """Null where the divisor is zero; the result of `/` is a float32."""
        divided = f"{left} {sign} nullif({right}, 0)"
        return f"TRY_CAST({divided} AS FLOAT)" if sign == "/" else divided

    def call(self, name: str, arguments: list[str]) -> str:
        """The call, as the function's rule writes it."""
        return FUNCTIONS[name].sql.format(*arguments) or super().call(name, arguments)

    def name(self, column: str) -> str:
        """Always quoted."""
        return _quoted(column)


def _joined(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The operands of a chain of one connector, left to right; not recursive, because chains may be long."""
    waiting = [node]
    while waiting:
        part = waiting.pop().unnest()
        if type(part) is kind:
            waiting += [part.expression, part.this]
        else:
            yield part


def _cast_type(node: exp.Expr) -> str:
    to = node.args["to"]
    name = _CASTS.get(to.this.value) if isinstance(to, exp.DataType) and not to.expressions else None
    if name is None:
        raise RecipeError(
            f"where cannot cast to {to.sql()}; it can cast to INTEGER, FLOAT, VARCHAR and BOOLEAN"
        )
    return name


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _number(text: str) -> str:
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


def _quoted(text: str, mark: str = '"') -> str:
    return mark + text.replace(mark, mark * 2) + mark


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
