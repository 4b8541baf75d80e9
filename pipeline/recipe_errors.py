"""What is wrong with a recipe, said so that its writer can mend it: where, what was expected, what came."""

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from ..errors import RecipeError
from .recipe_yaml import Data, Place

# pydantic's name of a type error → what a writer of YAML calls the thing
_EXPECTED = {
    "bool_type": "true or false",
    "dataclass_type": "keys with values",
    "dict_type": "keys with values",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "keys with values",
    "string_type": "text",
    "tuple_type": "a list",
}


@dataclass(frozen=True)
class Problem:
    """One mistake: the keys that lead to it, and what is wrong there."""

    place: Place
    message: str


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint at the name that was probably meant, or at all there are.

    >>> nearest("train_onn", ["train_on", "path"])
    'did you mean train_on?'
    >>> nearest("zzz", ["train_on", "path"])
    'there are: path, train_on'
    """
    names = sorted(names)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return f"there are: {', '.join(names)}" if names else "there are none"


def recipe_error(problems: Sequence[Problem], lines: Mapping[Place, str], name: str) -> RecipeError:
    """All problems in one error, a line each, in the order of the file.

    `lines` says where a place stands (`recipe.yaml:12`); a place without an entry stands where the
    nearest one above it does.
    """
    order = list(lines)

    def rank(problem: Problem) -> int:
        where = _known(problem.place, lines)
        return order.index(where) if where in lines else -1

    texts: list[str] = []
    for problem in sorted(problems, key=rank):
        where = lines.get(_known(problem.place, lines), name)
        path = ".".join(map(str, problem.place))
        text = f"{where}: {path}: {problem.message}" if path else f"{where}: {problem.message}"
        if text not in texts:
            texts.append(text)
    return RecipeError("\n".join(texts))


def _known(place: Place, lines: Mapping[Place, str]) -> Place:
    while place and place not in lines:
        place = place[:-1]
    return place


def problems_of(error: ValidationError, data: Data, root: type) -> list[Problem]:
    """pydantic's errors about `data` in the words of a recipe; `root` tells the keys there are."""
    found = [_Found.of(dict(detail), data) for detail in error.errors(include_url=False)]
    return [
        Problem(place, message)
        for place, message in _by_place(_of_the_meant_kinds(found), data, root).items()
    ]


@dataclass(frozen=True)
class _Found:
    """One error of pydantic's. `kinds`: which member of a union it was about, and the place of that union."""

    place: Place
    kinds: tuple[tuple[Place, str], ...]
    type: str
    message: str
    context: Mapping[str, object]

    @classmethod
    def of(cls, detail: Mapping[str, object], data: Data) -> "_Found":
        loc = detail["loc"]
        assert isinstance(loc, tuple)
        place: Place = ()
        kinds: list[tuple[Place, str]] = []
        for i, step in enumerate(loc):
            last = i == len(loc) - 1
            if isinstance(data, dict) and (
                step in data or (last and detail["type"] in ("missing", "recipe"))
            ):
                data = data.get(step)
            elif isinstance(data, list) and isinstance(step, int) and step < len(data):
                data = data[step]
            else:  # the step names no key of the data but a member of a union
                kinds.append((place, str(step)))
                continue
            place = (*place, step)
        context = detail.get("ctx", {})
        assert isinstance(context, dict)
        return cls(place, tuple(kinds), str(detail["type"]), str(detail["msg"]), context)


def _of_the_meant_kinds(found: list[_Found]) -> list[_Found]:
    """Errors about one member of each union only: the one that the fewest errors speak against."""
    for depth in range(max((len(each.kinds) for each in found), default=0)):
        counts: dict[tuple[object, ...], dict[str, int]] = {}
        for each in found:
            if len(each.kinds) > depth and each.place != each.kinds[depth][0]:
                union = (each.kinds[:depth], each.kinds[depth][0])
                kinds = counts.setdefault(union, {})
                kinds[each.kinds[depth][1]] = kinds.get(each.kinds[depth][1], 0) + 1
        meant = {union: min(kinds, key=lambda kind: kinds[kind]) for union, kinds in counts.items()}
        found = [
            each
            for each in found
            if len(each.kinds) <= depth
            or meant.get((each.kinds[:depth], each.kinds[depth][0]), each.kinds[depth][1])
            == each.kinds[depth][1]
        ]
    return found


def _by_place(found: list[_Found], data: Data, root: type) -> dict[Place, str]:
    """One message a place; the choices that the members of a union offer there are joined by "or"."""
    messages: dict[Place, str] = {}
    expected: dict[Place, list[str]] = {}
    for each in found:
        if each.type == "too_short":  # of `bitext`: also where items were there, but wrong
            continue
        if each.type in ("unexpected_keyword_argument", "extra_forbidden"):
            names = keys_at(root, each.place[:-1], data)
            messages[each.place] = f"unknown key; {nearest(str(each.place[-1]), names)}"
        elif each.type in ("missing", "missing_argument"):
            messages[each.place] = "expected a value; the key is missing"
        elif each.type == "literal_error" or each.type in _EXPECTED:
            choice = _EXPECTED.get(each.type) or str(each.context["expected"]).replace("'", "")
            choices = expected.setdefault(each.place, [])
            if choice not in choices:
                choices.append(choice)
        elif each.type == "value_error":
            place, message = _inside(each.place, str(each.context["error"]), keys_at(root, each.place, data))
            messages[place] = message
        elif each.type == "recipe":
            messages[each.place] = str(each.context["message"])
        else:
            message = each.message.removeprefix("Input should be ").rstrip(".")
            messages[each.place] = f"expected {_lowered(message)}, got {shown(value_at(data, each.place))}"
    for place, choices in expected.items():
        messages.setdefault(place, _wrong_value(choices, value_at(data, place)))
    return messages


def _inside(place: Place, message: str, keys: set[str]) -> tuple[Place, str]:
    """A section's own complaint about a key (`key: what is wrong`, `key is wrong`) belongs to that key."""
    words = message.split(" ", 1)
    key = words[0].rstrip(":").rpartition(".")[2]
    if len(words) < 2 or key not in keys:
        return place, message
    return (*place, key), words[1] if words[0].endswith(":") else message


def _wrong_value(choices: Sequence[str], value: Data) -> str:
    message = f"expected {' or '.join(choices)}, got {shown(value)}"
    if "text" in choices and isinstance(value, (int, float)):
        return f"{message}: put it in quotes"
    if isinstance(value, str):
        words = [word for choice in choices for word in choice.replace(" or ", ", ").split(", ")]
        close = difflib.get_close_matches(value, words, n=1)
        if close:
            return f"{message}; did you mean {close[0]}?"
    return message


def keys_at(kind: object, place: Place, data: Data) -> set[str]:
    """The keys that a section of `kind` may have at a place below it.

    Where a key `tag` of a section chooses what its other keys are (an annotation with a method
    `kind_of`), they are those of the chosen one.
    """
    if typing.get_origin(kind) is typing.Annotated:
        kind, *notes = typing.get_args(kind)
        for choice in notes:
            if hasattr(choice, "kind_of"):
                chosen = choice.kind_of(data)
                own = set() if place else {choice.tag}
                return own if chosen is None else own | keys_at(chosen, place, data)
    members = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return {key for member in members for key in keys_at(member, place, data)}
    if typing.get_origin(kind) in (dict, list, tuple):
        item = members[1] if typing.get_origin(kind) is dict else members[0]
        return keys_at(item, place[1:], value_at(data, place[:1])) if place else set()
    if not (dataclasses.is_dataclass(kind) or hasattr(kind, "model_fields")):
        return set()
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = getattr(kind, "model_fields", None) or [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    if not place:
        return set(fields)
    return (
        keys_at(hints[str(place[0])], place[1:], value_at(data, place[:1])) if place[0] in fields else set()
    )


def value_at(data: Data, place: Place) -> Data:
    """The value to which the keys of `place` lead; None where there is none."""
    for step in place:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def shown(value: Data) -> str:
    """A value as an error quotes it: YAML's words, not Python's, and not the whole of a long one."""
    if isinstance(value, dict):
        return "keys with values"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
