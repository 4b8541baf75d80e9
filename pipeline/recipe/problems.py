"""What is wrong with a recipe, said so that its writer can mend it: where, what was expected, what came."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ...errors import RecipeError
from .document import Data, Place

Schema = Mapping[str, Any]  # a JSON Schema

MAX_PROBLEMS = 100

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
    order = {place: i for i, place in enumerate(lines)}
    ranked = sorted(problems, key=lambda problem: order.get(_known(problem.place, lines), -1))
    texts = []
    for problem in ranked[:MAX_PROBLEMS]:
        where = lines.get(_known(problem.place, lines), name)
        path = ".".join(map(str, problem.place))
        texts.append(f"{where}: {path}: {problem.message}" if path else f"{where}: {problem.message}")
    if len(problems) > MAX_PROBLEMS:
        texts.append(f"{name}: and more; mend these {MAX_PROBLEMS} mistakes first")
    return RecipeError("\n".join(dict.fromkeys(texts)))


def _known(place: Place, lines: Mapping[Place, str]) -> Place:
    while place and place not in lines:
        place = place[:-1]
    return place


def problems_of(error: ValidationError, data: Data, schema: Schema) -> list[Problem]:
    """pydantic's errors about `data` in the words of a recipe, one a place. schema: has the keys there are.

    Of very many errors only the first are put into words, one more than a RecipeError shows.
    """
    messages: dict[Place, str] = {}
    expected: dict[Place, list[str]] = {}
    for detail in error.errors(include_url=False, include_input=False)[: MAX_PROBLEMS + 1]:
        place, kind = _place(detail, data), detail["type"]
        context = detail.get("ctx", {})
        if kind == "too_short":  # of `bitext`: also where items were there, but wrong
            continue
        if kind in ("unexpected_keyword_argument", "extra_forbidden"):
            names = keys_at(schema, schema, place[:-1], data)
            messages[place] = f"unknown key; {nearest(str(place[-1]), names)}"
        elif kind == "missing":
            messages[place] = "expected a value; the key is missing"
        elif kind == "union_tag_invalid":
            tag = context["discriminator"].strip("'")
            kinds = context["expected_tags"].strip("'").split("', '")
            chosen = value_at(data, (*place, tag))
            messages[(*place, tag)] = f"no {tag} {shown(chosen)}; {nearest(str(chosen), kinds)}"
        elif kind == "literal_error" or kind in _EXPECTED:
            choice = _EXPECTED.get(kind) or context["expected"].replace("'", "")
            expected.setdefault(place, []).append(choice)
        elif kind == "value_error":
            place, message = _inside(place, str(context["error"]), keys_at(schema, schema, place, data))
            messages[place] = message
        else:
            message = detail["msg"].removeprefix("Input should be ").rstrip(".")
            message = message[:1].lower() + message[1:]
            messages[place] = f"expected {message}, got {shown(value_at(data, place))}"
    # A mistake inside a value hides what the other members of a union want in its place.
    above = {place[:end] for place in (*messages, *expected) for end in range(len(place))}
    for place, choices in expected.items():
        if place not in above:
            key, unique = (place or ("",))[-1], list(dict.fromkeys(choices))
            messages.setdefault(place, _wrong_value(key, unique, value_at(data, place)))
    return [Problem(place, message) for place, message in messages.items()]


def _place(detail: ErrorDetails, data: Data) -> Place:
    """The keys that lead to an error, without the members of unions that pydantic names among them."""
    place: Place = ()
    for i, step in enumerate(detail["loc"]):
        missing = i == len(detail["loc"]) - 1 and detail["type"] == "missing"
        if isinstance(data, dict) and (step in data or missing):
            data = data.get(str(step))
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            continue
        place = (*place, step)
    return place


def _inside(place: Place, message: str, keys: set[str]) -> tuple[Place, str]:
    """A section's own complaint about a key (`key: what is wrong`, `key is wrong`) belongs to that key."""
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
    """The keys that a section may have at a place below it, by its JSON Schema. root: has definitions."""
    if "$ref" in schema:
        return keys_at(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place, data)
    keys: set[str] = set() if place else set(schema.get("properties", ()))
    if "discriminator" in schema:
        chosen = value_at(data, (schema["discriminator"]["propertyName"],))
        members = [{"$ref": ref} for tag, ref in schema["discriminator"]["mapping"].items() if tag == chosen]
    else:
        members = schema.get("anyOf", [])
    for member in members:
        keys |= keys_at(member, root, place, data)
    if place:
        items = schema.get("additionalProperties") or schema.get("items")
        below = schema.get("properties", {}).get(place[0], items)
        if below:
            keys |= keys_at(below, root, place[1:], value_at(data, place[:1]))
    return keys


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
