"""`paranmt recipe`: prints an example recipe or the schema, or checks a recipe."""

from pathlib import Path
from typing import Annotated

import typer

from ..display.console import print_json, say
from ..display.progress import counted
from ..options.command_options import Overrides, load_recipe


def recipe(
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of recipes, for editors.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print a recipe that explains every key.")
    ] = False,
    check: Annotated[Path | None, typer.Option("--check", metavar="FILE", help="Check this recipe.")] = None,
    overrides: Overrides = None,
) -> None:
    """Print an example recipe or the JSON Schema of recipes, or check a recipe.

    \b
    paranmt recipe --example > recipe.yaml
    paranmt recipe --schema > recipe.schema.json
    paranmt recipe --check recipe.yaml
    """
    if schema + example + (check is not None) != 1:
        raise typer.BadParameter("expected one of --schema, --example and --check FILE")
    from ...pipeline.recipe.schema import example_recipe, recipe_schema

    if schema:
        print_json(recipe_schema())
    elif example:
        print(example_recipe(), end="")
    elif check is not None:
        checked = load_recipe(check, overrides)
        sections = [(checked.bitext, "input"), (checked.scores, "score"), (checked.select, "selection")]
        counts = (counted(len(section), noun) for section, noun in sections)
        say(f"{check} is valid: {', '.join(counts)}")
