"""The `report` stage: one page about the whole run."""

from dataclasses import replace

from ...transforms.beam.single_job import SingleJob
from ...transforms.storage.dataset import Entry
from ..recipe.name import StageName
from ..stages.planned import Plan
from ..stages.samples import Measurement, TrainsOn
from ..stages.stage import Planning, Stage
from ..stages.stage_kind import SingleJobKind, StageRun


class ReportStage(SingleJobKind[None]):
    """Shows the results of all stages."""

    version = 3
    opens = "index.html"

    def plan(self, name: StageName, planning: Planning) -> Stage:
        needs = [stage for stage in planning.stages.values() if stage.kind.in_report]
        options = planning.recipe.release
        titles = {
            "name": planning.recipe.release_name,
            "description": options.description,
            "licences": options.model_licences,
        }
        return self.single_job(name, needs, titles, None, planning.stage("ingest").rows)

    def work(self, stage: Stage, running: StageRun) -> SingleJob:
        from .report_work import WriteReport

        return WriteReport(running.plan, stage.folder)

    def sample(self, stage: Stage, entry: Entry, size: int, all_pairs: int) -> Measurement | None:
        sample = super().sample(stage, entry, size, all_pairs)
        return None if sample is None else replace(sample, pairs=all_pairs)

    def trains_on(self, stage: Stage, plan: Plan, last: Measurement) -> TrainsOn | None:
        return TrainsOn()  # its cost grows with the release
