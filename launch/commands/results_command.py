"""`paranmt results`: shows the selections, evaluations and files of a finished recipe."""

from ..display.console import print_json, print_text, say
from ..display.results_text import results_text
from ..options.command_options import AsJson, Overrides, RecipeFile, load_recipe


def show_results(recipe: RecipeFile, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Show what a recipe has made: selections, the means of evaluations, and where everything lies.

    \b
    paranmt results recipe.yaml
    paranmt results recipe.yaml --json

    Only stages that are up to date are shown. The report has all rows of each evaluation.
    """
    from ...pipeline.looking.results import results
    from ...pipeline.running.plan import make_plan
    from ...pipeline.stages.results import TUNING_RESULTS

    found = results(make_plan(load_recipe(recipe, overrides)))
    if as_json:
        tables = {section.name: section.table.to_json() for section in found.evaluations}
        tunings = {
            section.name: TUNING_RESULTS.dump_python(section, mode="json") for section in found.tunings
        }
        print_json({**vars(found), "evaluations": tables, "tunings": tunings})
        return
    print_text(results_text(found))
    if found.missing:
        say(f"not up to date: {', '.join(found.missing)}; `paranmt run {recipe}` computes them")
