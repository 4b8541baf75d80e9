"""`select --preview`: what a selection would drop, before it is computed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from operator import add

from ..errors import RecipeError, WorkspaceError
from ..filters.where import Drops
from ..hashing import seeded_hash
from ..transforms.select import SelectPart, selection_table
from ..transforms.work import Unit
from .plan import make_plan
from .recipe.recipe import Recipe

MOST_PARTS = 300


@dataclass(frozen=True)
class Preview:
    """What each clause of a selection drops.

    drops: counted on the parts that were read. parts, of_parts: how many parts were read, and how many there
    are; if not all were read, they are a seeded sample. sample: how many pairs the recipe asks for, or None.
    """

    selection: str
    where: str
    drops: Drops
    parts: int
    of_parts: int
    sample: int | None


def preview(recipe: Recipe, selection: str, most_parts: int = MOST_PARTS) -> Preview:
    """Count what a selection of the recipe drops, clause by clause. Its scores must be fresh."""
    if selection not in recipe.select:
        raise RecipeError(f"no selection {selection!r}; there are: {', '.join(recipe.select) or 'none'}")
    plan = make_plan(recipe)
    stage = plan.stage(f"select/{selection}")
    for need in stage.needs:
        condition = plan.condition(need)
        if condition.state != "fresh":
            raise WorkspaceError(f"the preview reads {need}, which is {condition.state}; run {need} first")
    work = stage.work
    assert isinstance(work, SelectPart)
    units = [unit for unit in stage.units if isinstance(unit, Unit)]
    order = seeded_hash([unit.part for unit in units], recipe.seed).argsort(kind="stable")
    chosen = [units[int(position)] for position in order[:most_parts]]

    def drops(unit: Unit) -> Drops:
        table = selection_table(plan.workspace, unit.part, unit.inputs, work.where, work.provenance)
        return work.where.drops(table)

    with ThreadPoolExecutor() as pool:
        counted = reduce(add, pool.map(drops, chosen))
    return Preview(
        selection, work.where.canonical, counted, len(chosen), len(units), recipe.select[selection].sample
    )
