"""The `model/<score>` stages: the model of a score, trained on the corpus."""

from collections.abc import Iterable

from ...filters.score import Score
from ...transforms.model_kinds import model_kind_of
from ...transforms.model_kinds.model_kind import ModelKind, TrainingData
from ...transforms.storage.dataset import Manifest
from ..forecast.samples import Measurement, TrainsOn
from ..recipe.recipe import Recipe
from ..release.release_summary import ModelSummary
from .name import StageName
from .planned import Plan
from .stage import Planning, Stage, joined_files
from .stage_kind import SingleJobKind


class ModelStage(SingleJobKind):
    """Trains the model that a score measures with."""

    has_labels = True

    def labels(self, recipe: Recipe) -> Iterable[str]:
        return [column for column, measure in recipe.scores.items() if measure.trained_on() is not None]

    def plan(self, name: StageName, planning: Planning) -> Stage:
        measure, kind = _trained(planning.recipe, name.label)
        assert kind.training is not None, "what is trained is a model of a kind that is trained"
        translate = planning.stage("translate")
        datasets = {
            "ingest": planning.stage("ingest"),
            # Models by which translations are chosen are trained before that.
            "translate": planning.translations if kind.trains_on_translations else translate,
            "candidates": translate,
        }
        hashes = planning.hashes(measure.files())
        data = TrainingData(name, planning.recipe.seed, joined_files(datasets), hashes)
        training = kind.training(data, measure)
        inputs = [stage for dataset, stage in datasets.items() if dataset in training.reads]
        rows = datasets["ingest"].rows
        return self.single_job(name, inputs, training.ingredients, training.work, rows)

    def remarks(self, stage: Stage, manifest: Manifest, recipe: Recipe) -> Iterable[str]:
        """A model whose training pairs are held out from its own score gets at most a tenth of all pairs."""
        measure, kind = _trained(recipe, stage.label)
        train_on = measure.trained_on()
        if train_on is not None and kind.holds_out and manifest.rows < train_on:
            yield (
                f"{stage.name}: trained on {manifest.rows:,} references instead of the {train_on:,} in the "
                f"recipe, because at most a tenth of the {stage.rows:,} pairs can be held out"
            )

    def models(self, stage: Stage, plan: Plan) -> Iterable[ModelSummary]:
        manifest, (_, kind) = plan.manifest(stage.name), _trained(plan.recipe, stage.label)
        trained = f"{kind.description} trained on {manifest.rows:,} pairs of this corpus"
        findings = kind.findings(manifest.counts)
        files = plan.hash_files([f"{plan.workspace.url}/{stage.built}"])
        yield ModelSummary(stage.label, f"{trained}, {findings}" if findings else trained, files)

    def trains_on(self, stage: Stage, plan: Plan, last: Measurement) -> TrainsOn | None:
        measure, kind = _trained(plan.recipe, stage.label)
        train_on, n = measure.trained_on(), last.all_pairs
        assert train_on is not None
        if kind.holds_out:
            # A tenth of all pairs, less what keeps copies of a sentence together.
            return TrainsOn(last.pairs / n if last.pairs < 0.9 * train_on else 0.1, train_on)
        return TrainsOn(1.0, train_on, last.pairs / min(n, train_on))


def holds_out(stage: Stage, recipe: Recipe) -> bool:
    """Whether the pairs that a model was trained on have no score of it."""
    return _trained(recipe, stage.label)[1].holds_out


def _trained(recipe: Recipe, column: str) -> tuple[Score, ModelKind]:
    measure = recipe.scores[column]
    kind = model_kind_of(measure)
    assert kind is not None, "what is trained is a model of a kind"
    return measure, kind
