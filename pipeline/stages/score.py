"""The `score/<name>` stages: a score of each pair."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from ...base.dataset_columns import score_column
from ...filters.contamination import KINDS, Contamination
from ...filters.given import GIVEN, Given
from ...filters.score import Score
from ...models.training.train_options import resolve_device
from ...transforms.model_kinds import model_kind_of
from ...transforms.storage.dataset import corpus_of
from ...transforms.works.scoring import INGEST_COLUMNS, TRANSLATE_COLUMNS, GivenPart, ScorePart
from ..manifest.release_summary import ContaminationSummary, ScoreSummary, SetSummary, StageSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .stage import Planning, Stage, without_paths
from .stage_kind import StageKind


class ScoreStage(StageKind[ScorePart]):
    """Measures the pairs."""

    section = "scores"
    has_labels = True
    seconds_a_pair = 5e-5

    def plan(self, name: StageName, planning: Planning) -> Stage:
        measure = planning.recipe.scores[name.label]
        reads = {*measure.reads, *(() if measure.holds_out() is None else ("reference",))}
        inputs = []
        if reads & INGEST_COLUMNS or measure.is_given:
            inputs.append(planning.stage("ingest"))
        if reads & TRANSLATE_COLUMNS or planning.recipe.choose.keep > 1:
            inputs.append(planning.translations)
        return self.scoring(name, planning, inputs)

    def scoring(self, name: StageName, planning: Planning, inputs: Sequence[Stage]) -> Stage:
        """A stage that measures the score with this label on the pairs of the inputs."""
        measure = planning.recipe.scores[name.label]
        if isinstance(measure, Given):
            return self._copying(name, planning, inputs, measure)
        model, work, ingredients = measuring(planning, name.label)
        return self.parts_stage(
            name,
            inputs,
            ingredients,
            replace(work, stage=name),
            whole=[model] if model else [],
            columns=(score_column(name.label, measure.dtype, measure.unit, measure.doc),),
            gpu=work.device == "cuda",
        )

    def computed(self, stage: Stage[ScorePart], part: str, rows: int, counts: Mapping[str, int]) -> int:
        return rows - counts.get("null", 0)

    def devices(self, recipe: Recipe) -> Iterable[str]:
        kinds = [(model_kind_of(measure), measure) for measure in recipe.scores.values()]
        return ["auto" for kind, measure in kinds if kind is not None and kind.wants_gpu(measure)]

    def shares_reading(self, stage: Stage[ScorePart]) -> bool:
        kind = model_kind_of(stage.work.score)
        return kind is None or kind.shares_reading

    def summaries(self, stage: Stage[ScorePart], plan: Plan) -> Iterator[StageSummary]:
        measure = plan.recipe.scores[stage.label]
        if isinstance(measure, Contamination):
            yield contamination_summary(plan, stage.label, measure)
        if not measure.has_deciles:
            manifest = plan.manifest(stage.name)
            nulls, values = manifest.counts["null"], Counter(manifest.counted("value"))
            summary = score_summary(stage.label, measure, manifest.rows - nulls, nulls)
            yield replace(summary, values=dict(values.most_common()))

    def _copying(self, name: StageName, planning: Planning, inputs: Sequence[Stage], measure: Given) -> Stage:
        """A stage with the numbers that came with the pairs, of those corpora that have them."""
        corpora = {entry.corpus for entry in planning.recipe.bitext if name.label in entry.scores}
        files = {
            entry.part: entry.given
            for entry in planning.entries
            if entry.given is not None and corpus_of(entry.part) in corpora
        }
        stage = self.parts_stage(
            name,
            inputs,
            {"measure": type(measure).__name__, "version": measure.version},
            GivenPart(name, name.label, measure),
            lambda part: {GIVEN: files.get(part)},
            columns=(score_column(name.label, measure.dtype, measure.unit, measure.doc),),
        )
        tasks = (
            replace(task, inputs=(*task.inputs, (GIVEN, files[task.part]))) if task.part in files else task
            for task in stage.part_tasks
        )
        return replace(stage, tasks=tuple(tasks))


def score_summary(column: str, measure: Score, n: int, nulls: int) -> ScoreSummary:
    """What a score is, without its values. n: the pairs with a value."""
    return ScoreSummary(
        name=column,
        doc=score_column(column, measure.dtype, measure.unit, measure.doc).meaning,
        unit=measure.unit,
        higher_is_better=measure.higher_is_better,
        n=n,
        nulls=nulls,
    )


def contamination_summary(plan: Plan, column: str, measure: Contamination) -> ContaminationSummary:
    """How many pairs match the evaluation sets of a score, from its manifest."""
    manifest = plan.manifest_with(column)
    kinds = KINDS[::-1]
    by_kind = {kind: manifest.counted(kind) for kind in kinds}
    return ContaminationSummary(
        score=column,
        n=measure.n,
        share=measure.share,
        compared=manifest.rows - manifest.counts["null"],
        pairs={kind: manifest.counts.get(kind, 0) for kind in kinds},
        sets=[
            SetSummary(
                given.name,
                plan.hash_files([given.path]),
                {kind: by_kind[kind].get(given.name, 0) for kind in kinds},
            )
            for given in measure.sets
        ],
    )


def measuring(planning: Planning, column: str) -> tuple[Stage | None, ScorePart, dict[str, object]]:
    """The stage of a score's model, if it is trained, the work that measures it, and its ingredients."""
    measure = planning.recipe.scores[column]
    model = planning.stage("model", column) if measure.trained_on() is not None else None
    hashes = planning.hashes(measure.files())
    kind = model_kind_of(measure)
    parameters = without_paths(asdict(measure) if kind is None else kind.parameters(measure), hashes)
    del parameters["score"]  # the class's name already identifies the score
    ingredients = {"measure": type(measure).__name__, "version": measure.version, **parameters}
    device = "cpu"
    if kind is not None and kind.wants_gpu(measure):
        device = resolve_device("auto", planning.gpus.workers)
        ingredients["device"] = device
    model_hash = planning.hash_files(measure.files()) if hashes else None
    built = model.built if model else None
    name = StageName("score", column)
    return model, ScorePart(name, column, measure, built, model_hash, device), ingredients
