"""`select --preview`: what a selection would drop, before it is computed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from operator import add

import pyarrow as pa

from ...base.errors import RecipeError, WorkspaceError
from ...base.hashing import seeded_hash
from ...filters.where.condition import Drops
from ...transforms.beam.task_work import Task
from ...transforms.works.selecting import SelectPart
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..running.plan import make_plan
from ..stages.planned import Plan
from ..stages.stage import Stage

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


@dataclass(frozen=True)
class Selecting:
    """A selection of a planned recipe, ready to be evaluated part by part."""

    plan: Plan
    work: SelectPart
    tasks: tuple[Task, ...]

    def table(self, task: Task) -> pa.Table:
        """`pair_id` and the columns that the condition names, of one part."""
        return self.work.table(self.plan.workspace, task.part, task.inputs)


def selecting(recipe: Recipe, selection: str) -> Selecting:
    """A selection of a recipe. RecipeError if there is none of that name; its scores must be fresh."""
    if selection not in recipe.select:
        raise RecipeError(f"no selection {selection!r}; there are: {', '.join(recipe.select) or 'none'}")
    plan = make_plan(recipe)
    stage: Stage[SelectPart] = plan.stage(StageName("select", selection))
    for need in stage.needs:
        condition = plan.condition(need)
        if condition.state != "fresh":
            raise WorkspaceError(f"the preview reads {need}, which is {condition.state}; run {need} first")
    return Selecting(plan, stage.work, stage.part_tasks)


def preview(recipe: Recipe, selection: str, most_parts: int = MOST_PARTS) -> Preview:
    """Count what a selection of the recipe drops, clause by clause. Its scores must be fresh."""
    chosen = selecting(recipe, selection)
    order = seeded_hash([task.part for task in chosen.tasks], recipe.seed).argsort(kind="stable")
    tasks = [chosen.tasks[int(position)] for position in order[:most_parts]]
    where = chosen.work.where
    with ThreadPoolExecutor() as pool:
        counted = reduce(add, pool.map(lambda task: where.drops(chosen.table(task)), tasks))
    return Preview(selection, where.canonical, counted, len(tasks), len(chosen.tasks), chosen.work.sample)
