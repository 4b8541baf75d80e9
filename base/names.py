"""The types of options that are chosen by a name in a table, such as an engine or a type of encoder."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .errors import RecipeError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class NameIn:
    """Marks a text option whose values are the names in `table`; a name added there is valid at once.

    others: values that are not in the table, such as `auto`. pydantic calls the methods whose names contain
    its own, so that the errors of a recipe and its JSON Schema list the names.
    """

    def __init__(self, table: Mapping[str, object], *others: str) -> None:
        self._table = table
        self._others = others

    @property
    def names(self) -> tuple[str, ...]:
        """The values that the option may have now."""
        return (*self._others, *self._table)

    def check(self, key: str, value: str) -> None:
        """RecipeError if the value of a key is not one of the names."""
        if value not in self.names:
            raise RecipeError(f"{key}: expected one of {', '.join(self.names)}, got {value!r}")

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> "CoreSchema":
        from pydantic_core import PydanticKnownError, core_schema

        def checked(value: object) -> object:
            if value not in self.names:
                *most, last = map(repr, self.names)
                raise PydanticKnownError("literal_error", {"expected": f"{', '.join(most)} or {last}"})
            return value

        return core_schema.no_info_plain_validator_function(checked)

    def __get_pydantic_json_schema__(
        self, schema: "CoreSchema", handler: Callable[["CoreSchema"], dict[str, object]]
    ) -> dict[str, object]:
        return {"enum": list(self.names), "type": "string"}


class KindIn:
    """Marks a section that pydantic reads as the class that its key `tag` names in the table of `table`.

    The table is read when a schema is built. default: stands for a tag that is left out, in a JSON Schema;
    the recipe fills it in.
    """

    def __init__(
        self, tag: str, table: Callable[[], Mapping[str, object]], default: str | None = None
    ) -> None:
        self._tag = tag
        self._table = table
        self._default = default

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        choices = {name: handler.generate_schema(kind) for name, kind in self._table().items()}
        return core_schema.tagged_union_schema(choices, discriminator=self._tag)

    def __get_pydantic_json_schema__(
        self, schema: "CoreSchema", handler: Callable[["CoreSchema"], dict[str, Any]]
    ) -> dict[str, Any]:
        union = handler(schema)
        if self._default is None:
            return union
        default = union["discriminator"]["mapping"][self._default]
        return {"anyOf": [{"$ref": default}, {**union, "required": [self._tag]}]}
