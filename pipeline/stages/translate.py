"""The `translate` stage: the translation of each pair, or the one that it came with."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace

from ...base.dataset_columns import CANDIDATES, TRANSLATION, TRANSLATION_FACTS
from ...filters.where.condition import Where
from ...models.translation.engines import model_files, resolve, with_languages
from ...models.translation.translate_options import TranslateOptions
from ...transforms.beam.task_work import HALVINGS
from ...transforms.bitexts.inputs import BitextInput
from ...transforms.storage.dataset import Manifest, corpus_of
from ...transforms.works.selecting import SelectPart
from ...transforms.works.translating import PlannedModel, TranslatePart
from ..manifest.release_summary import CorpusSummary, ModelSummary, StageSummary, TranslationCounts
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..recipe.where_columns import columns_before_translation, given_before_translation
from .ingest import corpus_summaries
from .planned import Plan
from .select import provenance_of
from .stage import Planning, Stage
from .stage_kind import StageKind, StageRun
from .whole import Whole

# Options that change no translation, and the only options that change the log-probability of a given one.
_NOT_SEARCHED = frozenset(("score_existing", "force_precision", "where"))
_SCORED_BY = ("model", "source_language", "target_language", "engine", "device", "precision", "batch_tokens")


class TranslateStage(StageKind[TranslatePart]):
    """Translates the sources."""

    version = 2
    warms_up = True

    def plan(self, name: StageName, planning: Planning) -> Stage:
        recipe, existing = planning.recipe, planning.existing
        ingredients: dict[str, object] = {"version": self.version}
        inputs, wanted = [planning.stage("ingest")], None
        if recipe.translate.where != TranslateOptions.where:
            wanted, read = _wanted(name, planning)
            inputs += read
            ingredients["where"] = wanted.where.canonical
        models = {
            entry.corpus: planned_model(recipe, entry, planning)
            for entry in recipe.bitext
            if entry.translation is None or (recipe.translate.score_existing and entry.source_language)
        }
        made_of = {corpus: _made_of(model) for corpus, model in models.items()}
        translated = {corpus: ingredients | _without(made, _NOT_SEARCHED) for corpus, made in made_of.items()}

        def own(part: str) -> Mapping[str, object]:
            corpus = corpus_of(part)
            if corpus in existing:
                made = made_of.get(corpus, {})
                return {"existing": True, **{name: made[name] for name in _SCORED_BY if name in made}}
            given = wanted.provenance[corpus] if wanted else {}
            return {
                **translated[corpus],
                **{column: given[column] for column in given if wanted and column in wanted.where.columns},
            }

        for made in translated.values():
            ingredients |= made
        if models and recipe.translate.score_existing and existing:
            ingredients["score_existing"] = True
        if len({model.digest for model in models.values()}) > 1:
            ingredients["model"] = {corpus: model.digest for corpus, model in models.items()}

        kept = (CANDIDATES,) if recipe.translate.keep_candidates > 0 else ()
        facts = () if recipe.choose.is_needed else (TRANSLATION, *TRANSLATION_FACTS)
        return self.parts_stage(
            name,
            inputs,
            ingredients,
            TranslatePart(models, existing, wanted=wanted),
            own,
            columns=(*facts, *kept),
            gpu=any(model.options.device == "cuda" for model in models.values()),
        )

    def turns(self, stage: Stage[TranslatePart]) -> list[list[int]]:
        """The tasks of each model, so that a worker has to load it only once."""
        turns: dict[object, list[int]] = {}
        for position, task in enumerate(stage.part_tasks):
            turns.setdefault(stage.work.models.get(corpus_of(task.part)), []).append(position)
        return list(turns.values())

    def computed(self, stage: Stage[TranslatePart], part: str, rows: int, counts: Mapping[str, int]) -> int:
        model = stage.work.models.get(corpus_of(part))
        return 0 if model is None else rows - counts.get("not_wanted", 0)

    def devices(self, recipe: Recipe) -> Iterable[str]:
        return (recipe.translate.device,) if _needs_model(recipe) else ()

    def check(self, stage: Stage[TranslatePart], running: StageRun) -> None:
        from .precision_check import check_precision  # Beam

        seed = running.plan.recipe.seed
        check_precision(running.workspace, stage, seed, running.runner, running.notify)

    def remarks(self, stage: Stage[TranslatePart], manifest: Manifest, recipe: Recipe) -> Iterable[str]:
        halved = [entry for entry in manifest.parts if entry.counts.get(HALVINGS)]
        if halved:
            times = sum(entry.counts[HALVINGS] for entry in halved)
            yield (
                f"warning: {stage.name}: the GPU ran out of memory {times:,} times, and {len(halved):,} of "
                f"{len(manifest.parts):,} parts had to start again with smaller batches (`halvings` in the "
                "manifest); a lower translate.batch_tokens avoids this"
            )

    def models(self, stage: Stage[TranslatePart], plan: Plan) -> Iterable[ModelSummary]:
        corpora: dict[PlannedModel, list[str]] = {}
        for corpus, model in stage.work.models.items():
            corpora.setdefault(model, []).append(corpus)
        for model, names in corpora.items():
            parts = " + ".join(path.rstrip("/").rsplit("/", 1)[-1] for path in model.options.models)
            of = f" ({', '.join(names)})" if len(corpora) > 1 else ""
            yield ModelSummary(stage.name.kind, f"{parts}{of}", str(model.digest))

    def summaries(self, stage: Stage[TranslatePart], plan: Plan) -> Iterable[StageSummary]:
        return () if plan.recipe.choose.is_needed else translation_summaries(stage, plan)

    def processes(self, whole: Whole, tasks: int, pairs: float) -> float:
        machines = whole.machines  # one task uses all processors of a machine
        return min(machines.workers / machines.processors, tasks) if machines.is_cluster else 1


def translation_summaries(stage: Stage, plan: Plan) -> Iterator[CorpusSummary | TranslationCounts]:
    """What became of the records of each corpus, and of all pairs. stage: that with the translations."""
    manifest = plan.manifest(stage.name)
    yield from corpus_summaries(plan, manifest)
    statuses = ("translated", "existing", "failed", "not_wanted", "out_of_bounds")
    yield TranslationCounts(**{status: manifest.counts.get(status, 0) for status in statuses})


def _wanted(name: StageName, planning: Planning) -> tuple[SelectPart, list[Stage]]:
    """What finds the pairs to translate, and the stages whose scores it reads."""
    recipe = planning.recipe
    where = Where.parse(recipe.translate.where, columns_before_translation(recipe.scores))
    kind = "wanted" if recipe.choose.keep > 1 else "score"
    named = [column.name for _, column in given_before_translation(recipe.scores)]
    read = [planning.stage(kind, column) for column in named if column in where.columns]
    columns: dict[str, tuple[str, ...]] = {stage.name: (stage.label,) for stage in read}
    return SelectPart(name, name, where, provenance_of(recipe), columns), read


def planned_model(recipe: Recipe, entry: BitextInput, planning: Planning) -> PlannedModel:
    """The model of an input, with the options that its workers will have."""
    options = resolve(recipe.translate_options(entry), planning.gpus.workers)
    options = with_languages(options, entry.source_language, entry.reference_language, entry.corpus)
    options = replace(options, where=TranslateOptions.where)
    return PlannedModel(options, planning.hash_files(model_files(options)))


def _made_of(model: PlannedModel) -> dict[str, object]:
    return {**asdict(model.options), "model": model.digest}


def _without(made: Mapping[str, object], names: Collection[str]) -> dict[str, object]:
    return {name: value for name, value in made.items() if name not in names}


def _needs_model(recipe: Recipe) -> bool:
    """Whether a model translates pairs, or scores existing translations."""
    return recipe.translate.score_existing or any(entry.translation is None for entry in recipe.bitext)
