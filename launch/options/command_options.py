"""What commands need for their options, besides those that are fields of a dataclass."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from ...base.bounds import Bounds
from ...base.errors import RecipeError

if TYPE_CHECKING:
    from ...pipeline.recipe.document import Data


def set_option(help: str = "Change one value of the recipe.") -> Any:
    """The option `--set KEY=VALUE` of a command, as Typer takes it."""
    return typer.Option("--set", metavar="KEY=VALUE", help=f"{help} Can be repeated.")


def check_number(flag: str, number: float | None, bounds: Bounds) -> None:
    """RecipeError if the number that a flag was given is out of bounds."""
    problem = None if number is None else bounds.problem(number)
    if problem is not None:
        raise RecipeError(f"{flag}: expected {problem}, got {str(number)[:60]}")


def given_options(options: Mapping[str, object]) -> dict[str, "Data"]:
    """The options that were given, without those that are None."""
    return {name: value for name, value in options.items() if value is not None}  # type: ignore[misc]
