"""`paranmt diff`: compares the selections of two recipes, or of two releases."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import InputError, RecipeError
from ..display.console import print_json, print_text, table
from ..options.command_options import set_option

if TYPE_CHECKING:
    from ...pipeline.looking.difference import SelectionDifference


def diff(
    first: Annotated[str, typer.Argument(metavar="A", help="A recipe, or a release.", show_default=False)],
    second: Annotated[
        str, typer.Argument(metavar="B", help="Another recipe, or another release.", show_default=False)
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SELECTION", help="The selections to compare; by default all that both have."),
    ] = None,
    overrides: Annotated[list[str] | None, set_option("Change one value of the recipe B.")] = None,
    count: Annotated[
        int, typer.Option("--count", "-n", metavar="N", min=0, help="How many random pairs to show.")
    ] = 5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed by which pairs are drawn.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how many pairs the selections of B gain and lose against those of A, with examples.

    \b
    paranmt diff old.yaml new.yaml
    paranmt diff recipe.yaml recipe.yaml short --set "select.short.where=reference_length < 9" -n 10

    paranmt diff releases/2024 releases/2025

    Two recipes must have the same bitext, and their scores must be computed. Pairs of releases are compared
    by their pair_id. Nothing is written.
    """
    recipes = [path.endswith((".yaml", ".yml")) for path in (first, second)]
    if any(recipes) and not all(recipes):
        raise RecipeError("expected two recipes (.yaml) or two releases, got one of each")
    if not any(recipes) and overrides:
        raise RecipeError("--set changes a recipe, but two releases are compared")
    between = _of_recipes if all(recipes) else _of_releases
    differences = between(first, second, names, overrides, count, seed)
    if as_json:
        print_json(differences)
    else:
        print_text("\n\n".join(map(_text, differences)))


def _of_recipes(
    first: str, second: str, names: list[str] | None, overrides: list[str] | None, count: int, seed: int
) -> "list[SelectionDifference]":
    from ...pipeline.looking.difference import difference
    from ...pipeline.recipe.recipe import Recipe

    recipes = Recipe.load(Path(first)).located(), Recipe.load(Path(second), overrides or ()).located()
    common = [name for name in recipes[0].select if name in recipes[1].select]
    if not (names or common):
        raise RecipeError("the recipes have no selection of the same name")
    return [difference(*recipes, name, count, seed) for name in names or common]


def _of_releases(
    first: str, second: str, names: list[str] | None, overrides: list[str] | None, count: int, seed: int
) -> "list[SelectionDifference]":
    from ...pipeline.looking.release_difference import release_difference, selections_of
    from ...pipeline.release.open_release import open_release

    releases = open_release(first), open_release(second)
    common = selections_of(*releases)
    if not (names or common):
        raise InputError("the releases have no selection of the same name")
    return [release_difference(*releases, name, count, seed) for name in names or common]


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
