"""Command-line options.

Those of a runner, or of a target of `launch render`, are the fields of a dataclass. Those that override a
key of a recipe's section are None if they are not given.
"""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

import typer

from ...base.bounds import Bounds
from ...base.errors import RecipeError, UserError

if TYPE_CHECKING:
    from ...pipeline.recipe.document import Data


MACHINES = Bounds(1, 100_000, is_whole=True)
"""Of machines, processors, processes and GPUs."""
MACHINES_OR_NONE = Bounds(0, 100_000, is_whole=True)


def option(flag: str, metavar: str, help: str, default: Any = None, bounds: Bounds | None = None) -> Any:
    """A field that the command line sets by `flag`; repeating the flag fills a tuple. A number has bounds."""
    about = {"flag": flag, "metavar": metavar, "help": help, "bounds": bounds}
    return field(default=default, metadata=about)


def set_option(help: str = "Change one value of the recipe.") -> Any:
    """The option `--set KEY=VALUE` of a command, as Typer takes it."""
    return typer.Option("--set", metavar="KEY=VALUE", help=f"{help} Can be repeated.")


def check_options(options: Any, error: type[UserError]) -> None:
    """`error` if a number of a dataclass is out of its bounds."""
    for each in fields(options):
        if each.metadata.get("bounds") is not None:
            check_number(each.metadata["flag"], getattr(options, each.name), each.metadata["bounds"], error)


def check_number(
    flag: str, number: float | None, bounds: Bounds, error: type[UserError] = RecipeError
) -> None:
    """`error` if the number that a flag was given is out of bounds."""
    problem = None if number is None else bounds.problem(number)
    if problem is not None:
        raise error(f"{flag}: expected {problem}, got {str(number)[:60]}")


def flags_of(kind: Any) -> dict[str, str]:
    """The flag of each option of a dataclass → the field it sets."""
    return {field.metadata["flag"]: field.name for field in fields(kind) if "flag" in field.metadata}


def given_options(options: Mapping[str, object]) -> dict[str, "Data"]:
    """The options that were given, without those that are None."""
    return {name: value for name, value in options.items() if value is not None}  # type: ignore[misc]
