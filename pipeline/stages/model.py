"""The `model/<score>` stages: the model of a score, trained on the corpus."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import compress

from ...filters.score import Score
from ...transforms.model_kinds import model_kind_of
from ...transforms.model_kinds.grouped import Group, TrainGroups
from ...transforms.model_kinds.model_kind import ModelKind, TrainingData
from ...transforms.storage.dataset import Manifest, corpus_of
from ..manifest.release_summary import ModelSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .planned import Plan
from .samples import Measurement, TrainsOn
from .select import provenance_of
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
        parts = joined_files(datasets)
        data = TrainingData(name, planning.recipe.seed, parts, hashes)
        training = kind.training(data, measure)
        work, ingredients = training.work, training.ingredients
        if groups := _groups(planning.recipe, measure):
            jobs = []
            for group, corpora in groups.items():
                own = [corpus_of(entry.part) in corpora for entry in planning.entries]
                if any(own):
                    of_group = replace(data, parts=tuple(compress(parts, own)))
                    jobs.append(Group(group, corpora, kind.training(of_group, measure).work))
            work, ingredients = TrainGroups(data.folder, tuple(jobs)), {**ingredients, "groups": groups}
        inputs = [stage for dataset, stage in datasets.items() if dataset in training.reads]
        return self.single_job(name, inputs, ingredients, work, datasets["ingest"].rows)

    def remarks(self, stage: Stage, manifest: Manifest, recipe: Recipe) -> Iterable[str]:
        """A model whose training pairs are held out gets at most the share of the pairs that its key says."""
        measure, _ = _trained(recipe, stage.label)
        hold_out, train_on = measure.holds_out(), measure.trained_on()
        if hold_out is None:
            return
        for group, counts in _counts(manifest, recipe, measure).items():
            if hold_out.pairs > hold_out.share * counts["in_all"]:
                trained = f"{counts['pairs']:,} references" + (f" of {group}" if group else "")
                yield (
                    f"{stage.name}: trained on {trained} instead of the {train_on:,} in the recipe, because "
                    f"at most {100 * hold_out.share:g} % of {counts['in_all']:,} pairs are held out; a "
                    "larger share in the recipe holds out more"
                )

    def models(self, stage: Stage, plan: Plan) -> Iterable[ModelSummary]:
        manifest, (measure, kind) = plan.manifest(stage.name), _trained(plan.recipe, stage.label)
        files = plan.hash_files([f"{plan.workspace.url}/{stage.built}"])
        for group, counts in _counts(manifest, plan.recipe, measure).items():
            of = f"of {group}" if group else "of this corpus"
            trained = f"{kind.description} trained on {counts['pairs']:,} pairs {of}"
            findings = kind.findings(counts)
            yield ModelSummary(stage.label, f"{trained}, {findings}" if findings else trained, files)

    def trains_on(self, stage: Stage, plan: Plan, last: Measurement) -> TrainsOn | None:
        measure, _ = _trained(plan.recipe, stage.label)
        train_on, hold_out, n = measure.trained_on(), measure.holds_out(), last.all_pairs
        assert train_on is not None
        share = 1.0
        if hold_out is not None:
            train_on, share = hold_out.pairs * max(1, len(_groups(plan.recipe, measure))), hold_out.share
        # Less what keeps copies of a sentence together, and what validates and tests.
        return TrainsOn(share, train_on, last.pairs / min(share * n, train_on))


def holds_out(stage: Stage, recipe: Recipe) -> bool:
    """Whether the pairs that a model was trained on have no score of it."""
    return _trained(recipe, stage.label)[0].holds_out() is not None


def _groups(recipe: Recipe, measure: Score) -> dict[str, tuple[str, ...]]:
    """The corpora of each group that has a model of its own; empty if there is one model for all."""
    hold_out = measure.holds_out()
    if hold_out is None or hold_out.group_by is None:
        return {}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for corpus, values in provenance_of(recipe).items():
        groups[values[hold_out.group_by] or f"no {hold_out.group_by}"].append(corpus)
    return {group: tuple(corpora) for group, corpora in groups.items()}


def _counts(manifest: Manifest, recipe: Recipe, measure: Score) -> dict[str, Mapping[str, int]]:
    """The counts of each group's model; of one model for all, under an empty name."""
    if groups := _groups(recipe, measure):
        counts = {group: manifest.counted(group) for group in groups}
        return {group: found for group, found in counts.items() if found}
    return {"": {**manifest.counts, "pairs": manifest.rows}}


def _trained(recipe: Recipe, column: str) -> tuple[Score, ModelKind]:
    measure = recipe.scores[column]
    kind = model_kind_of(measure)
    assert kind is not None, "what is trained is a model of a kind"
    return measure, kind
