"""Sentence encoders by name. A new one is a module with its network, and here its options and a word.

Recipes and plans import this module, so networks and torch are imported only when one is built.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from ...errors import ModelError, RecipeError, UserError
from .options import EncoderOptions, UnitOptions
from .vocabulary import Units

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from .encoder import Encoder


class ByType:
    """Makes pydantic read encoder options as the class that their `type` has in `ENCODERS`.

    The type can be left out in a JSON Schema, which stands for `avg`; the recipe fills it in.
    """

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        choices = {name: handler.generate_schema(options) for name, options in ENCODERS.items()}
        return core_schema.tagged_union_schema(choices, discriminator="type")

    def __get_pydantic_json_schema__(
        self, schema: "CoreSchema", handler: Callable[["CoreSchema"], dict[str, Any]]
    ) -> dict[str, Any]:
        return optional_type(handler(schema))


AnyEncoder = Annotated[EncoderOptions, ByType()]
"""The type of a field that holds the options of any encoder."""

DEFAULT_TYPE = "avg"


def optional_type(union: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a union by `type` in which an entry without a type has the default one."""
    default = union["discriminator"]["mapping"][DEFAULT_TYPE]
    return {"anyOf": [{"$ref": default}, {**union, "required": ["type"]}]}


@dataclass(frozen=True, kw_only=True)
class AveragingOptions(UnitOptions):
    """The mean of the units' vectors: WORD and TRIGRAM of ParaNMT, section 4.1."""

    type: Literal["avg"] = "avg"

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Averaging`."""
        from .averaging import Averaging

        return Averaging(rows[units], self, units)


@dataclass(frozen=True, kw_only=True)
class Component:
    """An encoder of a mixture, and the units that it reads."""

    encoder: AnyEncoder
    """The encoder; it has its own table of vectors."""
    units: Units = "words"
    """`words`, or character `trigrams`."""


@dataclass(frozen=True, kw_only=True)
class MixedOptions(EncoderOptions):
    """Several encoders that are trained together, each with its own tables. ParaNMT, section 4.1."""

    type: Literal["mixed"] = "mixed"
    parts: tuple[Component, ...]
    """The encoders. `text.units` is not used: each says which units it reads."""
    combine: Literal["concatenate", "add"] = "concatenate"
    """What happens to their vectors; only those of the same dimension can be added."""

    def __post_init__(self) -> None:
        if not self.parts:
            raise RecipeError("parts must name at least one encoder")

    def streams(self, units: Units) -> tuple[Units, ...]:
        """Those of the parts, in the order in which they come first."""
        return tuple(dict.fromkeys(s for part in self.parts for s in part.encoder.streams(part.units)))

    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """See `Mixed`."""
        from .mixed import Mixed

        return Mixed([part.encoder.build(rows, part.units) for part in self.parts], self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Also the options of the parts."""
        parts = tuple(
            Component(**{**part, "encoder": read_options(part["encoder"])}) for part in values["parts"]
        )
        return cls(**{**values, "parts": parts})


ENCODERS: dict[str, type[EncoderOptions]] = {"avg": AveragingOptions, "mixed": MixedOptions}


def read_options(values: object) -> EncoderOptions:
    """The options in an encoder's config. ModelError, TypeError or KeyError if they are wrong."""
    if not isinstance(values, dict) or values.get("type") not in ENCODERS:
        raise ModelError(f"expected an encoder of type {', '.join(ENCODERS)}, got {values!r}")
    kind = ENCODERS[values["type"]]
    unknown = sorted(set(values) - {field.name for field in fields(kind)})
    if unknown:
        raise ModelError(f"an encoder of type {values['type']!r} has no option {', '.join(unknown)}")
    try:
        return kind.of(values)
    except UserError as error:
        raise ModelError(f"the encoder's options are wrong: {error}") from None
