"""Entries of a recipe that have keys of their own beside the options of a kind, all on one level."""

from collections.abc import Mapping
from dataclasses import asdict, fields, make_dataclass
from typing import Any, ClassVar, get_type_hints

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

OPTIONS = "options"
"""The field of such an entry that holds the options; a recipe has no key of this name."""

DOCUMENTED_BY = "documented_by"
"""An attribute of the class that such an entry is read into: the classes that document its keys, in order."""


class OnOneLevel:
    """Marks a dataclass whose field `options`, a `kind`, is written on the same level as its other fields.

    Where both have a field of the same name, the entry's is the one that is written; the options have their
    default then.
    """

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        kind = self._kind
        own = {field.name: field for field in fields(source) if field.name != OPTIONS}
        in_kind = {field.name for field in fields(kind)}
        types = get_type_hints(source, include_extras=True)
        written = make_dataclass(
            f"{kind.__name__}{source.__name__}",
            [(OPTIONS, ClassVar[None]), *((name, types[name], own[name]) for name in own if name in in_kind)],
            bases=(kind, source),
            namespace={
                "__doc__": kind.__doc__,
                "__post_init__": lambda values: None,  # the parts check
                DOCUMENTED_BY: (source, kind),
            },
            frozen=True,
            kw_only=True,
        )

        def read(values: object) -> object:
            options = kind(**{name: getattr(values, name) for name in in_kind - own.keys()})
            return source(**{name: getattr(values, name) for name in own}, options=options)

        return core_schema.no_info_after_validator_function(
            read,
            handler.generate_schema(written),
            serialization=core_schema.plain_serializer_function_ser_schema(on_one_level),
        )


def on_one_level(entry: Any) -> Mapping[str, object]:
    """The keys of an entry as a recipe has them."""
    own = {field.name: getattr(entry, field.name) for field in fields(entry) if field.name != OPTIONS}
    return {**own, **asdict(entry.options), **own}
