"""Command-line options.

Those of a runner, or of a target of `launch render`, are the fields of a dataclass. Those that override a
key of a recipe's section are None if they are not given.
"""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...pipeline.recipe.document import Data


def option(flag: str, metavar: str, help: str, default: Any = None) -> Any:
    """A field that the command line sets by `flag`; repeating the flag fills a tuple."""
    return field(default=default, metadata={"flag": flag, "metavar": metavar, "help": help})


def flags_of(kind: Any) -> dict[str, str]:
    """The flag of each option of a dataclass → the field it sets."""
    return {field.metadata["flag"]: field.name for field in fields(kind) if "flag" in field.metadata}


def given_options(options: Mapping[str, object]) -> dict[str, "Data"]:
    """The options that were given, without those that are None."""
    return {name: value for name, value in options.items() if value is not None}  # type: ignore[misc]
