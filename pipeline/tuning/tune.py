"""The `tune/<name>` stages: what the trials of an entry of `tune` say about its ranges."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.hashing import derive_seed
from ..recipe.name import StageName
from ..stages.planned import Plan
from ..stages.stage import Planning, Stage
from ..stages.stage_kind import SingleJobKind
from .trials import setting_values, tuned_ranges
from .tune_work import WriteTuning

if TYPE_CHECKING:
    from ..stages.report_data import Section


class TuneStage(SingleJobKind):
    """Compares the ranges."""

    section = "tune"
    has_labels = True
    in_report = True

    def plan(self, name: StageName, planning: Planning) -> Stage:
        recipe, entry = planning.recipe, planning.recipe.tune[name.label]
        ranges = tuned_ranges(entry, recipe.scores)
        trials, fresh = (planning.stage(kind, name.label) for kind in ("trials", "fresh"))
        bootstrap = derive_seed(recipe.seed_of(name, entry.seed), "bootstrap")
        work = WriteTuning(
            self.folder(name),
            name.label,
            ranges,
            entry.pairs,
            (trials.folder, trials.key),
            (fresh.folder, fresh.key),
            bootstrap,
            tuple(setting_values(entry, ranges).items()),
        )
        labels = {part.key: [part.label, part.where] for part in ranges}
        return self.single_job(name, [trials, fresh], {"ranges": labels}, work)

    def report(self, stage: Stage, plan: Plan) -> "Iterable[Section]":
        from ..stages.results import TUNING_RESULTS

        yield TUNING_RESULTS.validate_json(plan.built_text(stage.name, "results.json"))
