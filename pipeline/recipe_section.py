"""Options of one command, checked like a section of a recipe."""

import json
from collections.abc import Sequence
from typing import TypeVar

from pydantic import ValidationError

from .recipe_choice import adapter
from .recipe_errors import problems_of, recipe_error
from .recipe_overrides import apply_override
from .recipe_yaml import Data, Place

T = TypeVar("T")


def read_section(kind: type[T], data: dict[str, Data], overrides: Sequence[str], name: str) -> T:
    """A dataclass of options from `data` with `overrides` (`key.key=value`) put in.

    name: what errors call the data. RecipeError tells all that is wrong.
    """
    lines: dict[Place, str] = {}
    for override in overrides:
        apply_override(data, lines, override)
    try:
        section = adapter(kind).validate_json(json.dumps(data), strict=True)  # type: ignore[arg-type]
    except ValidationError as error:
        raise recipe_error(problems_of(error, data, kind), lines, name) from None
    assert isinstance(section, kind)
    return section
