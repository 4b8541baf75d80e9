"""The recipe's JSON Schema, for editors, and a commented example with every key."""

import dataclasses
from importlib import resources

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ...base.field_docs import field_docs
from .one_level import DOCUMENTED_BY
from .recipe import Recipe


def recipe_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of recipes: every key with its meaning, choices and default."""
    return {"$schema": _Schema.schema_dialect, **Recipe.model_json_schema(schema_generator=_Schema)}


def example_recipe() -> str:
    """A recipe with every key, its choices and its default in comments; it is itself valid."""
    return resources.files(__package__).joinpath("example.yaml").read_text(encoding="utf-8")


class _Schema(GenerateJsonSchema):
    """pydantic's generator, but with the docs of all fields, and without titles.

    pydantic could read the docs itself, but it would parse our source each time that it is imported.
    """

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _with_docs(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        described = _with_docs(super().dataclass_schema(schema), schema["cls"])
        for field in described["properties"].values():
            if "const" in field:  # it says which member of a union this is, so a default means nothing
                field.pop("default", None)
        return described

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def _with_docs(described: JsonSchemaValue, kind: type) -> JsonSchemaValue:
    """The schema of a class with the docs of its fields, including those that it inherits."""
    for base in (base for each in getattr(kind, DOCUMENTED_BY, (kind,)) for base in each.__mro__):
        if dataclasses.is_dataclass(base) or (issubclass(base, BaseModel) and base is not BaseModel):
            for name, doc in field_docs(base).items():
                if name in described["properties"]:
                    described["properties"][name].setdefault("description", doc)
    return described
