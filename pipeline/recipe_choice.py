"""Sections of a recipe in which one key chooses what the other keys are: a measure, a type of encoder."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, PydanticKnownError, core_schema

from ..errors import UserError
from .recipe_errors import nearest
from .recipe_yaml import Data

STRICT = ConfigDict(
    extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
)


@dataclass(frozen=True)
class Choice:
    """Annotates a field whose section names, under `tag`, one of `kinds`: dataclasses of parameters.

    name: of the section in the JSON Schema. make: the field's value from the chosen name and the
    checked parameters. default: what is chosen where the section does not say.
    """

    name: str
    tag: str
    kinds: Mapping[str, type]
    make: Callable[[str, object], object]
    default: str | None = None

    def kind_of(self, data: Data) -> type | None:
        """The dataclass that `data` chooses; None where it chooses none that there is."""
        name = data.get(self.tag, self.default) if isinstance(data, dict) else None
        return self.kinds.get(name) if isinstance(name, str) else None

    def read(self, data: object) -> object:
        """The field's value, or pydantic's ValidationError with the keys that are wrong."""
        if not isinstance(data, dict):
            raise PydanticKnownError("dict_type")
        name = data.get(self.tag, self.default)
        if name is None:
            choices = ", ".join(sorted(self.kinds))
            raise self._error(f"the key is missing; there are: {choices}", data)
        kind = self.kind_of(data)
        if kind is None:
            raise self._error(f"no {self.tag} {name!r}; {nearest(str(name), self.kinds)}", name)
        own = {field.name for field in dataclasses.fields(kind)}
        options = {key: value for key, value in data.items() if key != self.tag or key in own}
        text = json.dumps(options)
        return self.make(str(name), said(text, lambda value: adapter(kind).validate_json(text, strict=True)))

    def _error(self, message: str, value: object) -> ValidationError:
        problem = PydanticCustomError("recipe", "{message}", {"message": message})
        detail = InitErrorDetails(type=problem, loc=(self.tag,), input=value)
        return ValidationError.from_exception_data("recipe", [detail])

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(written)
        )

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> dict[str, object]:
        return {"chosen": self.name}  # recipe_schema puts the choices in its place


def said(value: object, check: Callable[[object], object]) -> object:
    """A section as `check` makes it; what its dataclass complains of becomes an error of the section's."""
    try:
        return check(value)
    except UserError as error:
        raise ValueError(str(error)) from None


def written(section: object) -> dict[str, object]:
    """A section as a recipe has it, with every default filled in."""
    own = getattr(section, "written", None)
    if own is not None:
        result = own()
        assert isinstance(result, dict)
        return result
    return dataclasses.asdict(section)  # type: ignore[call-overload]


@cache
def adapter(kind: type[object]) -> TypeAdapter[object]:
    """pydantic's check of a dataclass as a section of a recipe: no unknown keys, no guessed types."""
    # pydantic lets nobody but a dataclass itself say how strict it is, but a union with None may.
    return TypeAdapter(kind | None, config=STRICT)  # type: ignore[arg-type]
