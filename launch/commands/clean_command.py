"""`paranmt clean`: removes files that are no longer needed."""

from typing import Annotated

import typer

from ..display.console import print_json, print_text, say
from ..display.progress import counted
from ..options.command_options import AsJson, Overrides, RecipeFile, load_recipe


def clean(
    recipe: RecipeFile,
    overrides: Overrides = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="List the files, and remove nothing.")
    ] = False,
    older: Annotated[
        bool,
        typer.Option(
            "--older", help="Also remove parts that only other recipes, or older versions of this one, need."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove files that no recipe needs from a workspace, such as those that killed runs left behind.

    \b
    paranmt clean recipe.yaml --dry-run
    paranmt clean recipe.yaml --older
    """
    from ...pipeline.running.clean import clean as clean_workspace

    result = clean_workspace(load_recipe(recipe, overrides), older=older, dry_run=dry_run)
    if as_json:
        print_json({"removed": result.removed, "bytes": result.bytes, "dry_run": dry_run})
        return
    if dry_run:
        for name in sorted(result.removed):
            print_text(name)
    what = "would remove" if dry_run else "removed"
    say(f"{what} {counted(len(result.removed), 'file')}, {result.bytes / 1e6:,.1f} MB")
