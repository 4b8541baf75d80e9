"""Command-line options that are fields of a dataclass: of a runner, or of a target of `launch render`."""

from dataclasses import field, fields
from typing import Any


def option(flag: str, metavar: str, help: str, default: Any = None) -> Any:
    """A field that the command line sets by `flag`; repeating the flag fills a tuple."""
    return field(default=default, metadata={"flag": flag, "metavar": metavar, "help": help})


def flags_of(kind: Any) -> dict[str, str]:
    """The flag of each option of a dataclass → the field it sets."""
    return {field.metadata["flag"]: field.name for field in fields(kind) if "flag" in field.metadata}
