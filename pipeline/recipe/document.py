"""The YAML that a recipe may use: plain data, in which the line of each value is known.

The values follow YAML 1.2: `no` is the text "no" (a language, not false); `1e-3` and `40_000` are numbers.
Repeated keys and tags that name a class are errors. So is what nobody writes by hand: texts of more than
`MAX_BYTES`, sections of more than `MAX_KEYS`, aliases that expand to more than `MAX_NODES` values.
"""

import re
from dataclasses import dataclass

import yaml

from ...base.errors import RecipeError

Data = None | bool | int | float | str | list["Data"] | dict[str, "Data"]
Place = tuple[str | int, ...]  # the keys and list indices that lead to a value

MAX_BYTES = 1_000_000
MAX_KEYS = 1_000
MAX_NODES = 100_000
MAX_DEPTH = 40

_NULL, _BOOL, _INT, _FLOAT, _STR, _SEQ, _MAP = (
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map")
)


class _Loader(yaml.CSafeLoader):
    """PyYAML's safe loader on libyaml, with the scalars of YAML 1.2 instead of 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


_Loader.add_implicit_resolver(_NULL, re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver(_INT, re.compile(r"^[-+]?[0-9][0-9_]*$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    _FLOAT,
    re.compile(r"^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*|[0-9][0-9_]*(?=[eE]))(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


@dataclass(frozen=True)
class Document:
    """The data of a YAML text, and the line of each value, counted from 1."""

    data: Data
    lines: dict[Place, int]


def read_yaml(text: str, name: str, numbered: bool = True) -> Document:
    """The data of `text`. Errors call it `name` (a file, an option), and give the line if `numbered`.

    >>> read_yaml("a: {b: [40_000, no, 1e-3]}", "example").data
    {'a': {'b': [40000, 'no', 0.001]}}
    """
    try:
        if len(text.encode()) > MAX_BYTES:  # reading it could take all memory
            raise RecipeError(f"{name}: expected a recipe of at most {MAX_BYTES:,} bytes, got more")
        _check_depth(text, name)
        node = yaml.compose(text, Loader=_Loader)
    except UnicodeEncodeError as error:
        message = f"expected text that UTF-8 can encode, got {text[error.start]!r} at position {error.start}"
        raise RecipeError(f"{name}: {message}") from None
    except yaml.MarkedYAMLError as error:
        # Something that is still open at the end of the text is reported on the line where it starts.
        ended = error.problem_mark is None or error.problem_mark.index >= len(text)
        mark = error.context_mark if ended and error.context_mark else error.problem_mark
        line = f":{mark.line + 1}" if mark is not None and numbered else ""
        raise RecipeError(f"{name}{line}: not valid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise RecipeError(f"{name}: not valid YAML: {' '.join(str(error).split())}") from None
    reader = _Reader(name, numbered)
    data = None if node is None else reader.value(node, ())
    return Document(data, reader.lines)


def _check_depth(text: str, name: str) -> None:
    """RecipeError for nesting that would overflow libyaml's stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise RecipeError(f"{name}: expected at most {MAX_DEPTH} levels of nesting")


class _Reader:
    """Turns nodes into data and remembers their lines."""

    def __init__(self, name: str, numbered: bool) -> None:
        self.name = name
        self.numbered = numbered
        self.lines: dict[Place, int] = {}
        self.nodes = 0

    def value(self, node: yaml.Node, place: Place) -> Data:
        self.lines.setdefault(place, node.start_mark.line + 1)
        self.nodes += 1
        if self.nodes > MAX_NODES or len(place) > MAX_DEPTH:
            raise self._error(
                node,
                f"expected at most {MAX_NODES:,} values in {MAX_DEPTH} levels, aliases expanded; got more",
            )
        if isinstance(node, yaml.MappingNode) and node.tag == _MAP:
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode) and node.tag == _SEQ:
            return [self.value(child, (*place, i)) for i, child in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        raise self._tag_error(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Data]:
        if len(node.value) > MAX_KEYS:
            raise self._error(
                node, f"expected at most {MAX_KEYS:,} keys in a section, got {len(node.value):,}"
            )
        mapping: dict[str, Data] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "expected a plain word as a key")
            key = self._text(key_node)
            if key in mapping:
                first = self.lines[(*place, key)]
                raise self._error(
                    key_node, f"a second key {key!r}; the first is on line {first}: remove one of them"
                )
            self.lines[(*place, key)] = key_node.start_mark.line + 1
            mapping[key] = self.value(value_node, (*place, key))
        return mapping

    def _scalar(self, node: yaml.Node) -> Data:
        text = self._text(node)
        if node.tag == _STR:
            return text
        if node.tag == _NULL:
            return None
        if node.tag == _BOOL:
            return text.lower() == "true"
        try:
            if node.tag == _INT:
                return int(text.replace("_", ""))
            if node.tag == _FLOAT:
                return float(text.replace("_", ""))
        except ValueError:
            raise self._error(node, f"expected a number, got {text[:40]!r}") from None
        raise self._tag_error(node)

    def _text(self, node: yaml.Node) -> str:
        if "\0" in node.value:
            raise self._error(node, "expected text without the character NUL")
        return str(node.value)

    def _tag_error(self, node: yaml.Node) -> RecipeError:
        return self._error(node, f"tag {node.tag!r} is not allowed; a recipe holds plain values only")

    def _error(self, node: yaml.Node, message: str) -> RecipeError:
        line = f":{node.start_mark.line + 1}" if self.numbered else ""
        return RecipeError(f"{self.name}{line}: {message}")
