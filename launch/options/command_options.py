"""What commands need for their options, besides those that are fields of a dataclass."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...base.bounds import Bounds
from ...base.errors import RecipeError

if TYPE_CHECKING:
    from ...pipeline.recipe.document import Data
    from ...pipeline.recipe.recipe import Recipe


def set_option(help: str = "Change one value of the recipe.") -> Any:
    """The option `--set KEY=VALUE` of a command, as Typer takes it."""
    return typer.Option("--set", metavar="KEY=VALUE", help=f"{help} Can be repeated.")


RecipeFile = Annotated[
    Path, typer.Argument(metavar="RECIPE", help="The recipe: a YAML file.", show_default=False)
]
Overrides = Annotated[list[str] | None, set_option()]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="A line for each stage, instead of one for each kind of stage."),
]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Do not ask before recomputing finished work that took hours."),
]


def load_recipe(path: Path, overrides: Sequence[str] | None) -> "Recipe":
    """The recipe of a file, with what `--set` changes, checked."""
    from ...pipeline.recipe.recipe import Recipe

    return Recipe.load(path, overrides or ()).located()


def check_number(flag: str, number: float | None, bounds: Bounds) -> None:
    """RecipeError if the number that a flag was given is out of bounds."""
    problem = None if number is None else bounds.problem(number)
    if problem is not None:
        raise RecipeError(f"{flag}: expected {problem}, got {str(number)[:60]}")


def given_options(options: Mapping[str, object]) -> dict[str, "Data"]:
    """The options that were given, without those that are None."""
    return {name: value for name, value in options.items() if value is not None}  # type: ignore[misc]
