"""`paranmt tune`: finds which range of a score makes the best training data."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import RecipeError
from ..display.console import print_json, print_text, say
from ..display.evaluation_text import evaluation_text
from ..options.command_options import AsJson, Overrides, RecipeFile, Yes, load_recipe
from ..runners.profile import Profile
from ..runners.runner_options import with_runner
from .running import run_recipe

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe


@with_runner
def tune(
    recipe: RecipeFile,
    runner: Profile,
    only: Annotated[
        str | None, typer.Option("--only", metavar="NAME", help="This entry of `tune` alone.")
    ] = None,
    overrides: Overrides = None,
    yes: Yes = False,
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")] = False,
) -> None:
    """Train small encoders on ranges of scores, compare them on development sets, and print the best range.

    \b
    paranmt tune recipe.yaml
    paranmt tune recipe.yaml --only deciles --set tune.deciles.seeds=10
    paranmt tune recipe.yaml --runner dask --dask-scheduler tcp://head:8786

    The stages before it are run too where they are not up to date. Test sets are never read.
    """
    run_tuning(load_recipe(recipe, overrides), runner, only, yes, as_json, markdown)


def run_tuning(
    recipe: "Recipe", runner: Profile, only: str | None, yes: bool, as_json: bool, markdown: bool
) -> None:
    """Compute the entries of `tune` with all that they need, and print their tables.

    A recipe fragment follows where the best range is certainly better.

    only: one entry. RecipeError if there is none.
    """
    from ...pipeline.recipe.name import StageName
    from ...pipeline.stages.results import TUNING_RESULTS

    names = list(recipe.tune) if only is None else [only]
    if not names:
        raise RecipeError(
            "the recipe has no section `tune`; add one, such as `tune: {deciles: {data: data/sts}}`, or see "
            "`paranmt recipe --example`"
        )
    if only is not None and only not in recipe.tune:
        raise RecipeError(f"no entry {only!r} in `tune`; there are: {', '.join(recipe.tune) or 'none'}")
    stages = [StageName("tune", name) for name in names]
    plan = run_recipe(recipe, runner, yes, targets=stages).plan
    results = [TUNING_RESULTS.validate_json(plan.built_text(stage, "results.json")) for stage in stages]
    if as_json:
        print_json({result.name: TUNING_RESULTS.dump_python(result, mode="json") for result in results})
        return
    for result in results:
        for found in (result.table(), result.best_table()):
            say(found.caption)
            print_text(f"{evaluation_text(found, markdown)}\n")
        say(f"{result.verdict} {plan.workspace.path(f'tune/{result.name}/index.html')} has the plots.")
        if result.is_certain:
            print(result.fragment, end="")
