"""The `choose` stage: other candidates of the n-best list than the best become translations."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from ...base.dataset_columns import TRANSLATION, TRANSLATION_FACTS, TRANSLATION_RANK
from ...filters.where.condition import Where
from ...transforms.model_kinds import comparing, measures_candidates
from ...transforms.storage.dataset import corpus_of
from ...transforms.works.candidate_choice import ChoosePart
from ..manifest.release_summary import StageSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .score import measuring
from .stage import Planning, Stage
from .stage_kind import StageKind
from .translate import translation_summaries


class ChooseStage(StageKind):
    """Chooses the translations. The models that this needs are trained before."""

    seconds_a_pair = 1e-4
    makes_pairs = True

    def labels(self, recipe: Recipe) -> Iterable[str]:
        return ("",) if recipe.choose.is_needed else ()

    def plan(self, name: StageName, planning: Planning) -> Stage:
        work, ingredients, models = choosing(planning)

        def own(part: str) -> Mapping[str, object]:
            return {"existing": True} if corpus_of(part) in planning.existing else ingredients

        inputs = [planning.stage("ingest"), planning.stage("translate")]
        columns = (TRANSLATION, *TRANSLATION_FACTS, TRANSLATION_RANK)
        return self.parts_stage(name, inputs, ingredients, work, own, models, columns)

    def summaries(self, stage: Stage, plan: Plan) -> Iterable[StageSummary]:
        return translation_summaries(stage, plan)


def choosing(
    planning: Planning, columns: Collection[str] = ()
) -> tuple[ChoosePart, dict[str, object], list[Stage]]:
    """The work that chooses among candidates, what it is made of, and the stages of the models it needs.

    columns: further scores to measure on each candidate.
    """
    recipe, choice = planning.recipe, planning.recipe.choose
    measures = {column: score for column, score in recipe.scores.items() if measures_candidates(score)}
    where = Where.parse(choice.where, {column: measure.dtype for column, measure in measures.items()})
    models, scores, made_of = [], [], {}
    for column in sorted(where.columns | ({choice.order, *columns} & measures.keys())):
        model, score, made_of[column] = measuring(planning, column)
        models += [model] if model is not None else []
        scores.append(score)
    ingredients: dict[str, object] = {"order": choice.order, "where": where.canonical, "scores": made_of}
    seed = recipe.seed_of("choose", choice.seed)
    if choice.order == "random":
        ingredients["seed"] = seed
    work = ChoosePart(choice.order, seed, where, tuple(scores), planning.existing)
    if choice.keep > 1:
        unlike = Where.parse(
            choice.unlike, {column: measures[column].dtype for column in comparing(measures)}
        )
        compared = {column: measuring(planning, column) for column in sorted(unlike.columns)}
        models += [model for model, _, _ in compared.values() if model is not None and model not in models]
        parts = tuple(part for _, part, _ in compared.values())
        work = replace(work, keep=choice.keep, unlike=unlike, compared=parts)
        ingredients |= {"keep": choice.keep, "unlike": unlike.canonical}
        ingredients["compared"] = {column: made_of for column, (_, _, made_of) in compared.items()}
    return work, ingredients, models
