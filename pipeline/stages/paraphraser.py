"""The `paraphraser/<name>` stages: models that paraphrase, trained on a selection."""

from collections.abc import Iterable
from dataclasses import asdict, replace

from ...base.dataset_columns import decile_name
from ...models.paraphrasing.control import REVERSIBLE
from ...models.training.train_options import resolve_device
from ...models.translation.nmt_options import NmtOptions
from ...transforms.trainings.training_paraphrasers import TrainParaphraser
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .samples import Measurement, TrainsOn
from .stage import Planning, Stage, joined_files
from .stage_kind import SingleJobKind, StageRun
from .train import check_selected, share_of_selection


class ParaphraserStage(SingleJobKind):
    """Trains a paraphraser; its folder is read by every engine that translates."""

    section = "paraphraser"
    has_labels = True
    version = 2
    opens = ""

    def devices(self, recipe: Recipe) -> Iterable[str]:
        entries = recipe.paraphraser.values()
        return [entry.options.device for entry in entries if entry.run_on == "workers"]

    def plan(self, name: StageName, planning: Planning) -> Stage:
        training = planning.recipe.paraphraser[name.label]
        datasets = {
            "ingest": planning.stage("ingest"),
            "translate": planning.translations,
            "select": planning.stage("select", training.selection),
            **{decile_name(score): planning.stage("deciles", score) for score in training.control},
        }
        on_workers = training.run_on == "workers"
        options = training.seeded(planning.recipe.seed_of(name))
        # The work is done on the device of its key or not at all.
        options = replace(options, device=resolve_device(options.device, planning.has_gpu(on_workers)))
        scores = planning.recipe.scores
        control = tuple((score, REVERSIBLE[scores[score].score]) for score in training.control)
        work = TrainParaphraser(
            self.folder(name),
            joined_files(datasets),
            training.selection,
            NmtOptions(**asdict(options), source_language="sentence", target_language="paraphrase"),
            training.directions,
            control,
        )
        # The result depends on the preset's values, but not on how many threads compute it.
        made_of = {
            **asdict(options),
            "threads": None,
            "sizes": asdict(options.sizes()),
            "selection": training.selection,
            "directions": training.directions,
            "control": control,
        }
        rows, gpu = datasets["select"].rows, on_workers and options.device == "cuda"
        return self.single_job(name, list(datasets.values()), made_of, work, rows, on_workers, gpu)

    def check(self, stage: Stage, running: StageRun) -> None:
        check_selected(stage, _selection(stage, running.plan), running.plan)

    def trains_on(self, stage: Stage, plan: Plan, last: Measurement) -> TrainsOn | None:
        return share_of_selection(_selection(stage, plan), plan, last)


def _selection(stage: Stage, plan: Plan) -> Stage:
    return plan.stage(StageName("select", plan.recipe.paraphraser[stage.label].selection))
