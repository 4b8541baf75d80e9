"""The `fresh/<name>` stages: the trials of the best ranges, repeated with fresh seeds."""

from ...base.keys import digest
from ...filters.where.ranges import ALL_PAIRS
from ...transforms.beam.task_work import Task
from ...transforms.works.range_trials import RunFreshTrial
from ..recipe.name import StageName
from ..stages.stage import Planning, Stage
from .trials import TrialIngredients, TrialsStage, tuned_ranges


class FreshStage(TrialsStage):
    """Trains an encoder on the best range of each score with seeds that had no part in choosing it."""

    def plan(self, name: StageName, planning: Planning) -> Stage:
        made_of = TrialIngredients.of(name.label, planning)
        entry = planning.recipe.tune[name.label]
        ranges = tuned_ranges(entry, planning.recipe.scores)
        trials = planning.stage("trials", name.label)
        numbers = [f"fresh-{number}" for number in range(1, entry.fresh_seeds + 1)]
        tasks = [made_of.task(ALL_PAIRS, number) for number in numbers]
        for score in dict.fromkeys(part.score for part in ranges if part.score):
            of_score = [
                (task, file)
                for task, file in zip(trials.part_tasks, trials.files, strict=True)
                if task.part.startswith(f"{score}/")
            ]
            tried = tuple((task.part, file) for task, file in of_score)
            keys = [task.key for task, _ in of_score]
            tasks += [Task(f"{score}/{n}", digest(self.version, keys, n), tried) for n in numbers]
        work = RunFreshTrial(name, *made_of.work)
        return self.trials_in_ranges(name, tasks, work, made_of, [made_of.pool, trials])

    def loads_like(self, stage: Stage) -> StageName:
        # In a pilot, fresh trials find the pool in memory; in a run they may not.
        return StageName("trials", stage.label)
