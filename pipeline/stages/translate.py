"""The `translate` stage: the translation of each pair, or the one that it came with."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

from ...base.dataset_columns import CANDIDATES, TRANSLATION, TRANSLATION_FACTS
from ...filters.where.condition import Where
from ...models.translation.engines import model_files, resolve
from ...models.translation.translate_options import TranslateOptions
from ...transforms.storage.dataset import Manifest, corpus_of
from ...transforms.works.selecting import SelectPart
from ...transforms.works.translating import HALVINGS, TranslatePart
from ..forecast.whole import Whole
from ..recipe.recipe import Recipe
from ..release.release_summary import ModelSummary
from .name import StageName
from .planned import Plan
from .select import provenance_of
from .stage import Planning, Stage
from .stage_kind import StageKind, StageRun
from .where_columns import columns_before_translation, given_before_translation

# Options that change no translation, and the only options that change the log-probability of a given one.
_NOT_SEARCHED = frozenset(("score_existing", "force_precision", "where"))
_SCORED_BY = ("model", "target_language", "engine", "device", "precision", "batch_tokens")


class TranslateStage(StageKind):
    """Translates the sources."""

    version = 2

    def plan(self, name: StageName, planning: Planning) -> Stage:
        recipe, existing = planning.recipe, planning.existing
        options: TranslateOptions | None = None
        model_hash: str | None = None
        ingredients: dict[str, object] = {"version": self.version}
        scored: dict[str, object] = {"existing": True}
        inputs, wanted = [planning.stage("ingest")], None
        if recipe.translate.where != TranslateOptions.where:
            wanted, read = _wanted(name, planning)
            inputs += read
            ingredients["where"] = wanted.where.canonical
        if _needs_model(recipe):
            options = replace(resolve(recipe.translate, planning.gpus.workers), where=TranslateOptions.where)
            model_hash = planning.hash_files(model_files(options))
            made_of = {**asdict(options), "model": model_hash}
            ingredients |= {name: made_of[name] for name in made_of if name not in _NOT_SEARCHED}
            if options.score_existing and existing:
                scored |= {name: made_of[name] for name in _SCORED_BY}
                ingredients["score_existing"] = True

        def own(part: str) -> Mapping[str, object]:
            if corpus_of(part) in existing:
                return scored
            given = wanted.provenance[corpus_of(part)] if wanted else {}
            return {
                **{name: value for name, value in ingredients.items() if name != "score_existing"},
                **{column: given[column] for column in given if wanted and column in wanted.where.columns},
            }

        kept = (CANDIDATES,) if recipe.translate.keep_candidates > 0 else ()
        facts = () if recipe.choose.is_needed else (TRANSLATION, *TRANSLATION_FACTS)
        return self.parts_stage(
            name,
            inputs,
            ingredients,
            TranslatePart(options, existing, model_hash=model_hash, wanted=wanted),
            own,
            columns=(*facts, *kept),
            gpu=options is not None and options.device == "cuda",
        )

    def devices(self, recipe: Recipe) -> Iterable[str]:
        return (recipe.translate.device,) if _needs_model(recipe) else ()

    def check(self, stage: Stage, running: StageRun) -> None:
        from ..precision_check import check_precision  # Beam

        seed = running.plan.recipe.seed
        check_precision(running.workspace, stage, seed, running.runner, running.notify)

    def remarks(self, stage: Stage, manifest: Manifest, recipe: Recipe) -> Iterable[str]:
        halved = [entry for entry in manifest.parts if entry.counts.get(HALVINGS)]
        if halved:
            times = sum(entry.counts[HALVINGS] for entry in halved)
            yield (
                f"warning: {stage.name}: the GPU ran out of memory {times:,} times, and {len(halved):,} of "
                f"{len(manifest.parts):,} parts had to start again with smaller batches (`halvings` in the "
                "manifest); a lower translate.batch_tokens avoids this"
            )

    def models(self, stage: Stage, plan: Plan) -> Iterable[ModelSummary]:
        if "model" in stage.ingredients:
            names = [model.rstrip("/").rsplit("/", 1)[-1] for model in plan.recipe.translate.models]
            yield ModelSummary(stage.name.kind, " + ".join(names), str(stage.ingredients["model"]))

    def processes(self, whole: Whole, tasks: int, pairs: float) -> float:
        machines = whole.machines  # one task uses all processors of a machine
        return min(machines.workers / machines.processors, tasks) if machines.is_cluster else 1


def _wanted(name: StageName, planning: Planning) -> tuple[SelectPart, list[Stage]]:
    """What finds the pairs to translate, and the stages whose scores it reads."""
    recipe = planning.recipe
    where = Where.parse(recipe.translate.where, columns_before_translation(recipe.scores))
    kind = "wanted" if recipe.choose.keep > 1 else "score"
    named = [column.name for _, column in given_before_translation(recipe.scores)]
    read = [planning.stage(kind, column) for column in named if column in where.columns]
    columns: dict[str, tuple[str, ...]] = {stage.name: (stage.label,) for stage in read}
    return SelectPart(name, name, where, provenance_of(recipe), columns), read


def _needs_model(recipe: Recipe) -> bool:
    """Whether a model translates pairs, or scores existing translations."""
    return recipe.translate.score_existing or any(entry.translation is None for entry in recipe.bitext)
