"""The `train/<name>` stages: encoders."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ...base.errors import RecipeError, WorkspaceError
from ...models.encoders.encoder_kinds import MixedOptions
from ...models.training.train_options import ARITHMETIC, resolve_device
from ...transforms.trainings.training_encoders import (
    InputHashes,
    TrainEncoder,
    dev_files,
    training_ingredients,
)
from ...transforms.trainings.training_heads import FineTuneEncoder
from ..manifest.release_summary import ModelSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..recipe.recipe_paths import paths_of
from ..recipe.train_entries import HeadTraining, Training
from .planned import Plan
from .samples import Measurement, TrainsOn
from .stage import Planning, Stage, joined_files, without_paths
from .stage_kind import SingleJobKind, StageRun

if TYPE_CHECKING:
    from .report_data import Section


class TrainStage(SingleJobKind):
    """Trains an encoder on a selection, on files of pairs, or under a head."""

    section = "train"
    has_labels = True
    version = 2
    in_report = True
    opens = ""

    def devices(self, recipe: Recipe) -> Iterable[str]:
        return [training.options.device for training in recipe.train.values() if training.run_on == "workers"]

    def plan(self, name: StageName, planning: Planning) -> Stage:
        training = planning.recipe.train[name.label]
        if isinstance(training, HeadTraining):
            return self._plan_head(name, planning, training)
        options = training.seeded(planning.recipe.seed_of(name))
        datasets: dict[str, Stage] = {}
        made_of: dict[str, object] = {}
        if training.selection is not None:
            datasets = {
                "ingest": planning.stage("ingest"),
                "translate": planning.translations,
                "select": planning.stage("select", training.selection),
            }
            made_of["selection"] = training.selection

        before = _started_by(name, planning)
        started_by = tuple((entry, stage.built) for entry, stage in before.items())

        def hash_of(*paths: str | None) -> str | None:
            named = [path for path in paths if path is not None]
            return planning.hash_files(named) if named else None

        hashes = InputHashes(
            vectors=hash_of(options.vectors),
            start=tuple(path if path in before else planning.hash_files([path]) for path in options.starts),
            dev=hash_of(*dev_files(options)) if options.dev else None,
            sentencepiece=hash_of(options.text.sentencepiece),
            pairs=hash_of(*training.pairs.paths) if training.pairs else None,
        )
        if training.pairs is not None:
            made_of["pairs"] = {**asdict(training.pairs), "path": hashes.pairs}
        on_workers = training.run_on == "workers"
        has_gpu = planning.has_gpu(on_workers)
        how = training_ingredients(options, hashes, has_gpu)
        # The work is done on the device of its key or not at all.
        options = replace(options, device=resolve_device(options.device, has_gpu))
        work = TrainEncoder(
            self.folder(name),
            joined_files(datasets),
            training.selection,
            options,
            hashes,
            training.pairs,
            training.logs,
            started_by,
        )
        rows = datasets["select"].rows if datasets else 0
        gpu = on_workers and how["device"] == "cuda"
        needs = (*datasets.values(), *before.values())
        return self.single_job(name, needs, {**made_of, **how}, work, rows, on_workers, gpu)

    def _plan_head(self, name: StageName, planning: Planning, training: HeadTraining) -> Stage:
        options = training.seeded(planning.recipe.seed_of(name))
        hashes = planning.hashes(path for _, path in paths_of(options, planning.recipe.train))
        before = _started_by(name, planning)
        started_by = tuple((entry, stage.built) for entry, stage in before.items())
        on_workers = training.run_on == "workers"
        # The work is done on the device of its key or not at all.
        options = replace(options, device=resolve_device(options.device, planning.has_gpu(on_workers)))
        made_of = {**without_paths(asdict(options), hashes), "arithmetic": ARITHMETIC}
        work = FineTuneEncoder(self.folder(name), options, tuple(hashes.items()), started_by)
        gpu = on_workers and made_of["device"] == "cuda"
        return self.single_job(name, [*before.values()], made_of, work, 0, on_workers, gpu)

    def check(self, stage: Stage, running: StageRun) -> None:
        selection = _selection(stage, running.plan)
        if selection is not None:
            check_selected(stage, selection, running.plan)

    def models(self, stage: Stage, plan: Plan) -> Iterable[ModelSummary]:
        training = plan.recipe.train[stage.label]
        trained = f"{training.options.encoder.type} encoder trained on {training.trained_on}"
        # Encoders are trained on the release, so their files do not exist yet.
        yield ModelSummary(stage.label, trained, stage.key)

    def report(self, stage: Stage, plan: Plan) -> "Iterable[Section]":
        from .report_data import training_curves

        return training_curves(stage.label, plan.built_text(stage.name, "training.json"))

    def trains_on(self, stage: Stage, plan: Plan, last: Measurement) -> TrainsOn | None:
        selection = _selection(stage, plan)
        if selection is None:
            return None  # files of pairs do not grow with the corpus
        return share_of_selection(selection, plan, last)


def check_selected(stage: Stage, selection: Stage, plan: Plan) -> None:
    """WorkspaceError if a selection that a stage trains on is empty."""
    manifest = plan.manifest(selection.name)
    if not manifest.counts.get("selected"):
        raise WorkspaceError(
            f"{stage.name}: the selection {selection.label} selects none of the {manifest.rows:,} pairs; "
            "`paranmt select --preview` shows how many pairs each of its clauses drops"
        )


def share_of_selection(selection: Stage, plan: Plan, last: Measurement) -> TrainsOn:
    """How many pairs a training on a selection has. last: the largest sample."""
    counts, cap = plan.manifest(selection.name).counts, plan.recipe.select[selection.label].sample
    return TrainsOn(counts["passed"] / last.all_pairs, cap, last.pairs / counts["selected"])


def _started_by(name: StageName, planning: Planning) -> dict[str, Stage]:
    """The stages of the entries that a training starts from."""
    trainings = planning.recipe.train
    options = trainings[name.label].options
    tokens, tags = options.text.tokens, options.text.tags
    wanted = [(options.encoder, options.streams)]
    if isinstance(options.start, tuple) and isinstance(options.encoder, MixedOptions):
        wanted = [(part.encoder, part.encoder.streams(part.units)) for part in options.encoder.parts]
    before: dict[str, Stage] = {}
    for entry, (encoder, streams) in zip(options.starts, wanted, strict=False):
        if entry not in trainings:
            continue
        first = trainings[entry].options
        text = first.text
        if (first.encoder, first.streams, text.tokens, text.tags) != (encoder, streams, tokens, tags):
            raise RecipeError(
                f"{name} starts from train/{entry}, so both must have the same encoder, text.units, "
                "text.tokens and text.tags; give them the same ones"
            )
        before[entry] = planning.stage("train", entry)
    return before


def _selection(stage: Stage, plan: Plan) -> Stage | None:
    """The selection that an encoder is trained on; None if it is trained on files."""
    training = plan.recipe.train[stage.label]
    if not isinstance(training, Training) or training.selection is None:
        return None
    return plan.stage(StageName("select", training.selection))
