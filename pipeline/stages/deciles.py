"""The `deciles/<score>` stages: the tenth of the corpus that each pair falls in, by a score."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ...base.dataset_columns import decile_column
from ...base.errors import WorkspaceError
from ...base.hashing import derive_seed
from ...filters.ranks.decile_ranks import cuts_from_json, cuts_to_json, decile_starts
from ...filters.ranks.radix import CutSearch
from ...transforms.beam.task_work import Work
from ...transforms.storage.workspace import Workspace
from ...transforms.works.decile_ranking import AssignDeciles, RankTask, TallyScores
from ..manifest.release_summary import StageSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .score import score_summary
from .stage import Planning, Stage
from .stage_kind import StageKind, StageRun


class DecilesStage(StageKind[None]):
    """Ranks all pairs; the result is complete only with the cuts by which the parts were ranked."""

    has_labels = True
    seconds_a_pair = 1e-6
    ranks_values = True

    def labels(self, recipe: Recipe) -> Iterable[str]:
        return [column for column, measure in recipe.scores.items() if measure.has_deciles]

    def plan(self, name: StageName, planning: Planning) -> Stage:
        score = planning.stage("score", name.label)
        made_of = {"seed": _seed(planning.recipe)}
        columns = (decile_column(name.label),)
        return self.parts_stage(name, [score], made_of, None, whole=[score], columns=columns)

    def records(self, folder: str, key: str) -> dict[str, str]:
        return {f"{folder}/cuts.json": f"{folder}/_manifests/{key}.cuts.json"}

    def work(self, stage: Stage, running: StageRun) -> Work:
        (file,) = stage.records.values()
        found = running.workspace.read_record(file)
        if found is None:
            self._find_cuts(running)
            found = running.workspace.read_record(file)
        assert found is not None
        return AssignDeciles(stage.name, stage.label, cuts_from_json(found), _seed(running.plan.recipe))

    def _find_cuts(self, running: StageRun) -> None:
        """Find the cuts of all scores that can be ranked now, in shared passes."""
        from ...transforms.works.cuts import find_all_cuts  # Beam

        ready = [stage for stage in running.ready if stage.kind is self]
        missing = [s for s in ready if any(running.workspace.size(f) is None for f in s.records.values())]
        scores = [stage.label for stage in missing]
        seconds = missing[0].rows * len(scores) * self.seconds_a_pair
        seed = _seed(running.plan.recipe)
        all_cuts = find_all_cuts(running.runner, running.workspace, _ranked(missing), scores, seed, seconds)
        for stage in missing:
            content = cuts_to_json(all_cuts[stage.label])
            for current, file in stage.records.items():
                running.workspace.write_record(file, content)
                running.workspace.write_record(current, content)

    def summaries(self, stage: Stage, plan: Plan) -> Iterator[StageSummary]:
        (file,) = stage.records.values()
        content = plan.workspace.read_record(file)
        if content is None:
            raise WorkspaceError(f"{stage.name} has no cuts; run it again with --redo {stage.name}")
        measure = plan.recipe.scores[stage.label]
        summary = score_summary(stage.label, measure, int(content["rows"]), int(content["nulls"]))
        yield replace(summary, cuts=[float(cut["value"]) for cut in content["cuts"]])

    def ranking(
        self, stage: Stage, plan: Plan
    ) -> tuple[Callable[[Workspace, RankTask], object], list[RankTask]] | None:
        stages = [other for other in plan.stages if other.kind is self]
        if stage is not stages[0]:
            return None  # the first one ranks for all of them
        searches = {other.label: CutSearch(decile_starts) for other in stages}
        return TallyScores(stage.name.kind, searches, 0), _ranked(stages)


def _seed(recipe: Recipe) -> int:
    return derive_seed(recipe.seed, "deciles")


def _ranked(stages: Sequence[Stage]) -> list[RankTask]:
    """For each part, the files of the scores."""
    files = zip(*([task.inputs[0][1] for task in stage.part_tasks] for stage in stages), strict=True)
    labels = [stage.label for stage in stages]
    tasks = zip(stages[0].part_tasks, files, strict=True)
    return [RankTask(task.part, tuple(zip(labels, row, strict=True))) for task, row in tasks]
