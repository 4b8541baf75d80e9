"""The recipe's JSON Schema, for editors, and a commented example with every key."""

import dataclasses
import inspect
import re
from importlib import resources

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from .recipe import ENCODER, SCORE, Recipe
from .recipe_choice import Choice, adapter

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/"


def recipe_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of a recipe: every key with its meaning, choices and default."""
    schema = Recipe.model_json_schema(schema_generator=_Schema)
    definitions = dict(schema["$defs"])
    for choice in (SCORE, ENCODER):
        definitions |= _choice_schemas(choice)
    for name in SCORE.kinds:
        schema["properties"]["scores"].setdefault("properties", {})[name] = {
            "description": definitions[f"score_{name}"]["description"],
            "anyOf": [_ref(f"score_{name}"), _ref(SCORE.name), {"type": "null"}],
        }
    return {"$schema": _DIALECT, **_with_choices({**schema, "$defs": definitions})}


def _with_choices(schema: JsonSchemaValue) -> JsonSchemaValue:
    """The schema with references where sections that choose a kind of thing left their names."""
    filled: JsonSchemaValue = {}
    for key, value in schema.items():
        if key == "chosen":
            filled |= _ref(value)
        else:
            filled[key] = _with_choices(value) if isinstance(value, dict) else value
    return filled


def _choice_schemas(choice: Choice) -> dict[str, JsonSchemaValue]:
    """A definition for each kind, called `<tag>_<name>`, one for any of them, and what they refer to."""
    mode: JsonSchemaMode = "validation"
    inputs = [(name, mode, adapter(kind)) for name, kind in choice.kinds.items()]
    schemas, shared = TypeAdapter.json_schemas(inputs, schema_generator=_Schema)
    definitions: dict[str, JsonSchemaValue] = dict(shared.get("$defs", {}))
    for name in choice.kinds:
        section = next(each for each in schemas[name, mode]["anyOf"] if each.get("type") != "null")
        section = definitions[section["$ref"].removeprefix(_REF)] if "$ref" in section else section
        tag = {"const": name, "description": f"Chooses {name}."}
        definitions[f"{choice.tag}_{name}"] = {
            **section,
            "properties": {**section.get("properties", {}), choice.tag: tag},
        }
    must = {"required": [choice.tag]} if choice.default is None else {}
    any_of = [{**_ref(f"{choice.tag}_{name}"), **must} for name in choice.kinds]
    definitions[choice.name] = {"description": f"What it is depends on `{choice.tag}`.", "anyOf": any_of}
    return definitions


def _ref(name: str) -> JsonSchemaValue:
    return {"$ref": _REF + name}


def example_recipe() -> str:
    """A recipe with every key, its choices and its default in comments; it is itself valid."""
    return resources.files(__package__).joinpath("recipe_example.yaml").read_text(encoding="utf-8")


class _Schema(GenerateJsonSchema):
    """pydantic's generator, with the docs of dataclass fields and without titles that repeat their keys."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        described = super().dataclass_schema(schema)
        docs = field_docs(schema["cls"])
        for name, property_schema in described.get("properties", {}).items():
            if name in docs:
                property_schema.setdefault("description", docs[name])
        described.pop("title", None)
        described["description"] = summary(schema["cls"])
        return described

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def summary(kind: type) -> str:
    """What a class's docstring says before its fields."""
    first, *_ = _paragraphs(kind)
    return _by_field(kind, first)[0].strip()


def field_docs(kind: type) -> dict[str, str]:
    """What a dataclass's docstring (or a base's) says of its fields: after `name:`, up to the next field's.

    Fields that belong together may be told together: `one, other: what they are`.

    >>> @dataclasses.dataclass
    ... class Window:
    ...     '''A hole in a wall. width: in metres; more is
    ...     lighter. panes: 1 to 3.'''
    ...     width: float
    ...     panes: int
    >>> field_docs(Window)
    {'width': 'in metres; more is lighter.', 'panes': '1 to 3.'}
    """
    docs: dict[str, str] = {}
    for base in reversed([each for each in kind.__mro__ if dataclasses.is_dataclass(each)]):
        for paragraph in _paragraphs(base):
            pieces = _by_field(base, paragraph)
            for names, doc in zip(pieces[1::2], pieces[2::2], strict=True):
                docs.update(dict.fromkeys(names.split(", "), doc.strip()))
    return docs


def _by_field(kind: type, text: str) -> list[str]:
    """The text before the first field, then each field's name and what is said of it."""
    names = "|".join(field.name for field in dataclasses.fields(kind)) or "(?!)"
    return re.split(rf"(?:^|(?<=[.;:] ))((?:{names})(?:, (?:{names}))*): ", text)


def _paragraphs(kind: type) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in inspect.cleandoc(kind.__doc__ or "").split("\n\n")]
