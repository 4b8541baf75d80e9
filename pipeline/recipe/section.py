"""Checking sections of a recipe, and the options of single commands, with pydantic."""

import json
from collections.abc import Sequence
from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from .document import Data, Place
from .overrides import apply_override
from .problems import problems_of, recipe_error

T = TypeVar("T")

# Dataclasses without their own configuration inherit it from the section that contains them.
STRICT = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def read_section(
    kind: type[T],
    data: dict[str, Data],
    overrides: Sequence[str],
    name: str,
    adapter: TypeAdapter[T | None] | None = None,
) -> T:
    """A dataclass of options, filled from `data` and then from `overrides` (`key.key=value`).

    name: how errors call the data. adapter: the `strict_adapter` of the kind, which takes a tenth of a second
    to make. RecipeError lists all mistakes.
    """
    lines: dict[Place, str] = {}
    for override in overrides:
        apply_override(data, lines, override)
    adapter = adapter or strict_adapter(kind)
    try:
        section = adapter.validate_json(json.dumps(data))
    except ValidationError as error:
        raise recipe_error(problems_of(error, data, adapter.json_schema), lines, name) from None
    assert section is not None, "it has keys"
    return section


def strict_adapter(kind: type[T]) -> TypeAdapter[T | None]:
    """What reads a dataclass as strictly as a recipe is read.

    pydantic accepts a configuration for a union with None, but not for a dataclass alone.
    """
    return TypeAdapter(kind | None, config=STRICT)  # type: ignore[arg-type]
