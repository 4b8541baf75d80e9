"""Options of the command line that are fields of a dataclass: of a runner's, of a cluster's files."""

from dataclasses import field, fields
from typing import Any


def option(flag: str, metavar: str, help: str, default: Any = None) -> Any:
    """A field that the command line sets by `flag`; a tuple by giving it often."""
    return field(default=default, metadata={"flag": flag, "metavar": metavar, "help": help})


def flags_of(kind: Any) -> dict[str, str]:
    """The flag of each option of a dataclass → the field it sets."""
    return {each.metadata["flag"]: each.name for each in fields(kind) if "flag" in each.metadata}
