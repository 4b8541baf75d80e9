"""The type of an option whose value is a name in a table, such as an engine."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
