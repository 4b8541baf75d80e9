"""Mistakes in a recipe, described so that its author can fix them: where, what was expected, what came."""

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ...base.errors import RecipeError
from .document import Data, Place

Schema = Mapping[str, Any]  # a JSON Schema

MAX_PROBLEMS = 100
_MISSING = "the key is missing; add it with a value"
_DISCRIMINATORS = ("type", "objective")  # the keys whose value decides which keys a section has

# pydantic's name of a type error → the expected type in the words of someone who writes YAML
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
    """One mistake: the keys that lead to it, and what is wrong. meant: the key instead of an unknown one."""

    place: Place
    message: str
    meant: str | None = None


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint: the name that was probably meant, or all names.

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
    """All problems in one error, one line each, in the order of the file.

    lines: the line of each place (`recipe.yaml:12`). A place without a line has that of the nearest
    place above it.
    """
    order = {place: i for i, place in enumerate(lines)}
    ranked = sorted(problems, key=lambda problem: order.get(_place_with_line(problem.place, lines), -1))
    texts = []
    for problem in ranked[:MAX_PROBLEMS]:
        where = lines.get(_place_with_line(problem.place, lines), name)
        path = ".".join(map(str, problem.place))
        texts.append(f"{where}: {path}: {problem.message}" if path else f"{where}: {problem.message}")
    if len(problems) > MAX_PROBLEMS:
        texts.append(f"{name}: and more; fix these {MAX_PROBLEMS} mistakes first")
    return RecipeError("\n".join(dict.fromkeys(texts)))


def _place_with_line(place: Place, lines: Mapping[Place, str]) -> Place:
    while place and place not in lines:
        place = place[:-1]
    return place


def problems_of(error: ValidationError, data: Data, make_schema: Callable[[], Schema]) -> list[Problem]:
    """pydantic's errors about `data` in the words of a recipe, one per place.

    make_schema: the JSON Schema, for the names of the keys; it is made only if an error needs them, because
    that of a recipe takes a tenth of a second. Of very many errors only the first are described, one more
    than a RecipeError shows.
    """
    schema = functools.cache(make_schema)
    messages: dict[Place, str] = {}
    expected: dict[Place, list[str]] = {}
    meant: dict[Place, str | None] = {}
    for detail in error.errors(include_url=False, include_input=False)[: MAX_PROBLEMS + 1]:
        place, kind = _place(detail, data), detail["type"]
        context = detail.get("ctx", {})
        if kind == "too_short":  # pydantic also reports this if `bitext` has items, but all are wrong
            continue
        if kind in ("unexpected_keyword_argument", "extra_forbidden"):
            names = keys_at(schema(), schema(), place[:-1], data)
            messages[place] = f"unknown key; {nearest(str(place[-1]), names)}"
            meant[place] = next(iter(difflib.get_close_matches(str(place[-1]), names, n=1)), None)
        elif kind == "missing":
            messages[place] = _MISSING
        elif kind == "union_tag_invalid":
            tag = context["discriminator"].strip("'")
            kinds = context["expected_tags"].strip("'").split("', '")
            chosen = value_at(data, (*place, tag))
            messages[(*place, tag)] = f"no {tag} {shown(chosen)}; {nearest(str(chosen), kinds)}"
        elif kind == "union_tag_not_found":
            messages[(*place, context["discriminator"].strip("'"))] = _MISSING
        elif kind == "literal_error" or kind in _EXPECTED:
            choice = _EXPECTED.get(kind) or context["expected"].replace("'", "")
            expected.setdefault(place, []).append(choice)
        elif kind == "value_error":
            place, message = _inside(place, str(context["error"]), keys_at(schema(), schema(), place, data))
            messages[place] = message
        else:
            message = detail["msg"].removeprefix("Input should be ").rstrip(".")
            message = message[:1].lower() + message[1:]
            messages[place] = f"expected {message}, got {shown(value_at(data, place))}"
    # If a value has a mistake inside it, skip what the other members of a union expected instead of it.
    above = {place[:end] for place in (*messages, *expected) for end in range(len(place))}
    for place, choices in expected.items():
        if place not in above:
            key, unique = (place or ("",))[-1], list(dict.fromkeys(choices))
            messages.setdefault(place, _wrong_value(key, unique, value_at(data, place)))
    return [Problem(place, message, meant.get(place)) for place, message in messages.items()]


def _place(detail: ErrorDetails, data: Data) -> Place:
    """The keys that lead to an error, without the names of union members that pydantic puts between them."""
    place: Place = ()
    tagged: Data = None
    for i, step in enumerate(detail["loc"]):
        is_last = i == len(detail["loc"]) - 1
        missing = is_last and detail["type"] == "missing"
        if isinstance(data, dict) and data is not tagged and not is_last:
            # The name of a member may be a key too: an entry with objective: margin has a key margin.
            tagged = data
            if step in (data.get(name) for name in _DISCRIMINATORS):
                continue
        if isinstance(data, dict) and (step in data or missing):
            data = data.get(str(step))
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            continue
        place = (*place, step)
    return place


def _inside(place: Place, message: str, keys: set[str]) -> tuple[Place, str]:
    """The place of an error that a section itself raised: that of a key if the message starts with its name.

    Such messages are `key: what is wrong` or `key is wrong`.
    """
    words = message.split(" ", 1)
    key = words[0].rstrip(":").rpartition(".")[2]
    if len(words) < 2 or key not in keys:
        return place, message
    return (*place, key), words[1] if words[0].endswith(":") else message


def _wrong_value(key: str | int, choices: list[str], value: Data) -> str:
    message = f"expected {' or '.join(choices)}, got {shown(value)}"
    if "text" in choices and isinstance(value, (int, float)):
        return f"{message}: put it in quotes"
    if isinstance(value, str):
        words = [word for choice in choices for word in choice.replace(" or ", ", ").split(", ")]
        if words == choices and words[0] not in _EXPECTED.values():
            return f"no {key} {shown(value)}; {nearest(value, words)}"
        close = difflib.get_close_matches(value, words, n=1)
        if close:
            return f"{message}; did you mean {close[0]}?"
    return message


def keys_at(schema: Schema, root: Schema, place: Place, data: Data) -> set[str]:
    """The keys that a section may have at a place below it. schema: of the section; root: of the recipe."""
    if "$ref" in schema:
        return keys_at(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place, data)
    keys: set[str] = set() if place else set(schema.get("properties", ()))
    if "discriminator" in schema:
        chosen = value_at(data, (schema["discriminator"]["propertyName"],))
        members = [{"$ref": ref} for tag, ref in schema["discriminator"]["mapping"].items() if tag == chosen]
    else:
        members = schema.get("anyOf", [])
        # A union that is listed beside its default member: a value that names its member has no other keys.
        tagged = [member for member in members if "discriminator" in member]
        if any(value_at(data, (member["discriminator"]["propertyName"],)) for member in tagged):
            members = tagged
    for member in members:
        keys |= keys_at(member, root, place, data)
    if place:
        items = schema.get("additionalProperties") or schema.get("items")
        below = schema.get("properties", {}).get(place[0], items)
        if below:
            keys |= keys_at(below, root, place[1:], value_at(data, place[:1]))
    return keys


def value_at(data: Data, place: Place) -> Data:
    """The value to which the keys of `place` lead, or None."""
    for step in place:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def shown(value: Data) -> str:
    """A value as errors quote it: in YAML's words instead of Python's, and shortened if it is long."""
    if isinstance(value, dict):
        return "keys with values"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
