"""The `evaluate/<name>` stages: how good an encoder is."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from ...filters.contamination import Contamination
from ...models.encoders.encoder_kinds import folder_wants_gpu
from ...models.evaluation.evaluation import Evaluation, SentenceEvaluation
from ...models.training.train_options import resolve_device
from ...transforms.works.contaminated import ContaminatedPairs
from ...transforms.works.evaluating import RESULTS, WITHOUT_CONTAMINATED, EvaluateEncoder
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..recipe.recipe_paths import paths_of
from ..recipe.train_entries import Training
from .planned import Plan
from .stage import Planning, Stage, joined_files, without_paths
from .stage_kind import SingleJobKind

if TYPE_CHECKING:
    from .report_data import Section


class EvaluateStage(SingleJobKind):
    """Evaluates an encoder of the recipe, or one that is given."""

    section = "evaluate"
    has_labels = True
    in_report = True

    def plan(self, name: StageName, planning: Planning) -> Stage:
        entry = planning.recipe.evaluate[name.label]
        evaluation = entry.options
        hashes = planning.hashes(path for _, path in paths_of(evaluation))
        made_of = {**without_paths(asdict(evaluation), hashes), "version": evaluation.version}
        folder, read = self.folder(name), tuple(hashes.items())
        if isinstance(entry.encoder, str):
            trained = planning.stage("train", entry.encoder)
            wants_gpu = planning.recipe.train[entry.encoder].options.encoder.wants_gpu
            made_of["device"] = device = self._device(wants_gpu, planning)
            needs, contaminated = _contaminated(planning, entry.encoder, evaluation)
            work = EvaluateEncoder(
                folder, evaluation, read, trained.built, True, device=device, contaminated=contaminated
            )
            return self.single_job(name, [trained, *needs], made_of, work)
        path, tokens = entry.encoder.path, entry.encoder.tokens
        encoder = planning.hash_files([path])
        device = self._device(folder_wants_gpu(path), planning)
        work = EvaluateEncoder(folder, evaluation, read, path, False, encoder, device, tokens=tokens)
        made_of |= {"encoder": encoder, "device": device, "tokens": tokens}
        return self.single_job(name, [], made_of, work)

    def _device(self, wants_gpu: bool, planning: Planning) -> str:
        return resolve_device("auto", planning.gpus.driver) if wants_gpu else "cpu"

    def report(self, stage: Stage, plan: Plan) -> "Iterable[Section]":
        """The results, and those without contaminated items if there are any."""
        from .report_data import evaluation_results

        titles = {RESULTS: stage.label, WITHOUT_CONTAMINATED: f"{stage.label} without contaminated items"}
        files = {entry.part for entry in plan.manifest(stage.name).parts}
        for file, title in titles.items():
            if file in files:
                yield evaluation_results(title, plan.built_text(stage.name, file))


def _contaminated(
    planning: Planning, encoder: str, evaluation: Evaluation
) -> tuple[list[Stage], tuple[ContaminatedPairs, ...]]:
    """The pairs that the encoder was trained on and that match the evaluation's data; the stages to read.

    None unless a score compares all pairs with the same data. They include the pairs of the encoder that the
    training started from, if another entry trains that.
    """
    if not isinstance(evaluation, SentenceEvaluation):
        return [], ()
    needs: list[Stage] = []
    found: list[ContaminatedPairs] = []
    for selection in _selections(planning.recipe, encoder):
        stages, pairs = _contaminated_of(planning, selection, evaluation)
        needs += [stage for stage in stages if stage not in needs]
        found += [] if pairs is None else [pairs]
    return needs, tuple(found)


def _selections(recipe: Recipe, encoder: str | None) -> Iterator[str]:
    """The selections on which an encoder was trained, its own first."""
    if encoder not in recipe.train:
        return
    training = recipe.train[encoder]
    if isinstance(training, Training) and training.selection is not None:
        yield training.selection
    for start in training.options.starts:
        yield from _selections(recipe, start)


def _contaminated_of(
    planning: Planning, selection: str, evaluation: SentenceEvaluation
) -> tuple[list[Stage], ContaminatedPairs | None]:
    data = {planning.hash_files([path]) for _, path in paths_of(evaluation)}
    for column, measure in planning.recipe.scores.items():
        if not isinstance(measure, Contamination):
            continue
        if data <= {planning.hash_files([path]) for path in measure.files()}:
            datasets = {
                "ingest": planning.stage("ingest"),
                "translate": planning.translations,
                "select": planning.stage("select", selection),
                "score": planning.stage("score", column),
            }
            pairs = ContaminatedPairs(joined_files(datasets), selection, column, measure.n, measure.share)
            return list(datasets.values()), pairs
    return [], None
