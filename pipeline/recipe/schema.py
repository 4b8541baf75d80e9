"""The recipe's JSON Schema, for editors, and a commented example with every key."""

import dataclasses
from importlib import resources
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from .recipe import Recipe
from .section import STRICT


def recipe_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of recipes: every key with its meaning, choices and default."""
    return {"$schema": _Schema.schema_dialect, **Recipe.model_json_schema(schema_generator=_Schema)}


def example_recipe() -> str:
    """A recipe with every key, its choices and its default in comments; it is itself valid."""
    return resources.files(__package__).joinpath("example.yaml").read_text(encoding="utf-8")


class _Schema(GenerateJsonSchema):
    """pydantic's generator, but with the docs of fields that a dataclass inherits, and without titles."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        described = super().dataclass_schema(schema)
        docs: dict[str, str] = {}
        for base in filter(dataclasses.is_dataclass, reversed(schema["cls"].__mro__[1:])):
            docs |= _field_docs(base)
        for name, field in described["properties"].items():
            if name in docs:
                field.setdefault("description", docs[name])
            if "const" in field:  # it says which member of a union this is, so a default means nothing
                field.pop("default", None)
        return described

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def _field_docs(kind: Any) -> dict[str, str]:
    """The docs of a dataclass's own fields."""
    schema = TypeAdapter[object](kind | None, config=STRICT).json_schema()
    fields = schema["$defs"][kind.__name__]["properties"]
    return {name: field["description"] for name, field in fields.items() if "description" in field}
