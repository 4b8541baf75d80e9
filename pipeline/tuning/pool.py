"""The `pool/<name>` stages: the pairs from which the trials of an entry of `tune` draw."""

from collections.abc import Callable
from dataclasses import replace

from ...base.dataset_columns import CANDIDATES
from ...base.hashing import derive_seed
from ...filters.where.ranges import GRID
from ...transforms.beam.task_work import Work
from ...transforms.storage.workspace import Workspace
from ...transforms.works.decile_ranking import RankTask
from ...transforms.works.range_trials import MakePool
from ..recipe.name import StageName
from ..recipe.where_columns import where_columns
from ..stages.planned import Plan
from ..stages.select import find_sample_cuts, provenance_of, tally_of
from ..stages.stage import Planning, Stage, columns_of
from ..stages.stage_kind import StageKind, StageRun
from .trials import choosing_in_ranges, drawing, range_stage, tuned_ranges, where_stages


class PoolStage(StageKind[MakePool]):
    """Copies a sample of all pairs, with a column for each range."""

    section = "tune"
    has_labels = True
    seconds_a_pair = 2e-5

    def plan(self, name: StageName, planning: Planning) -> Stage:
        recipe, entry = planning.recipe, planning.recipe.tune[name.label]
        ranges = [part for part in tuned_ranges(entry, recipe.scores) if part.score != GRID]
        seed = recipe.seed_of(StageName("tune", name.label), entry.seed)
        read = {stage.name: stage for stage in (range_stage(part, planning) for part in ranges) if stage}
        read |= {stage.name: stage for stage in where_stages(entry, planning)}
        ingest, translations = planning.stage("ingest"), planning.translations
        inputs = {stage.name: stage for stage in (planning.rows, ingest, translations, *read.values())}
        columns = columns_of(read.values())
        columns |= {ingest.name: ("reference",), translations.name: ("translation",)}
        ingredients = {**drawing(entry, seed), "ranges": {part.key: part.where for part in ranges}}
        chosen, choice, models = choosing_in_ranges(ranges, planning)
        if choice is not None:
            lists = planning.stage("translate")
            inputs[lists.name] = lists
            columns[ingest.name] = ("source", "reference")
            columns[lists.name] = (*columns.get(lists.name, ()), CANDIDATES.name)
            ingredients["candidates"] = chosen
        work = MakePool(
            name,
            tuple(ranges),
            tuple(where_columns(recipe).items()),
            tuple(provenance_of(recipe)),
            entry.options.text,
            entry.pool,
            derive_seed(seed, "pool"),
            columns,
            choice,
        )
        return self.parts_stage(name, [*inputs.values()], ingredients, work, whole=[ingest, *models])

    def work(self, stage: Stage[MakePool], running: StageRun) -> Work:
        cuts = find_sample_cuts(running, stage, stage.work.drawing, _tasks(stage))
        return replace(stage.work, cuts=cuts)

    def ranking(
        self, stage: Stage[MakePool], plan: Plan
    ) -> tuple[Callable[[Workspace, RankTask], object], list[RankTask]] | None:
        return tally_of(stage.work.drawing), _tasks(stage)


def _tasks(stage: Stage) -> list[RankTask]:
    """All pairs are ranked by the hashes of their ids, which the first input has."""
    return [RankTask(task.part, task.inputs[:1]) for task in stage.part_tasks]
