"""`paranmt diff`: compares the selections of two recipes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ..display.console import print_json, print_text, table
from .command_options import set_option

if TYPE_CHECKING:
    from ...pipeline.difference import SelectionDifference


def diff(
    first: Annotated[Path, typer.Argument(metavar="RECIPE_A", help="A recipe.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="RECIPE_B", help="Another recipe.", show_default=False)],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SELECTION", help="The selections to compare; by default all that both recipes have."
        ),
    ] = None,
    overrides: Annotated[list[str] | None, set_option("Change one value of RECIPE_B.")] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="How many random pairs to show.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="The seed by which pairs are drawn.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how many pairs the selections of a recipe gain and lose against another recipe's, with examples.

    \b
    paranmt diff old.yaml new.yaml
    paranmt diff recipe.yaml recipe.yaml short --set "select.short.where=reference_length < 9" -n 10

    Both recipes must have the same bitext, and their scores must be computed. Nothing is written.
    """
    from ...pipeline.difference import difference
    from ...pipeline.recipe.recipe import Recipe

    recipes = Recipe.load(first).located(), Recipe.load(second, overrides or ()).located()
    common = [name for name in recipes[0].select if name in recipes[1].select]
    if not (names or common):
        raise RecipeError("the recipes have no selection of the same name")
    differences = [difference(*recipes, name, count, seed) for name in names or common]
    if as_json:
        print_json(differences)
    else:
        print_text("\n\n".join(map(_text, differences)))


def _text(difference: "SelectionDifference") -> str:
    from ..display.pair_text import has_colours, pair_text

    numbers = ["pairs", "in both", "gained", "lost"]
    row = [f"{n:,}" for n in (difference.pairs, difference.both, difference.gained, difference.lost)]
    blocks = [
        f"{difference.selection}\n  before  {difference.before}\n  after   {difference.after}",
        table(numbers, [row], right=numbers),
    ]
    for title, pairs in (("gained", difference.gained_examples), ("lost", difference.lost_examples)):
        if pairs:
            scores = [name for name in pairs[0] if isinstance(pairs[0][name], int | float)]
            blocks += [f"{title}, at random:", *(pair_text(pair, scores, has_colours()) for pair in pairs)]
    return "\n\n".join(blocks)
