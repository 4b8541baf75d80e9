"""The `select/<name>` stages: which pairs a selection has."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ...base.dataset_columns import selection_column
from ...filters.ranks.draws import Smallest
from ...filters.ranks.radix import Cuts, CutSearch
from ...filters.where.condition import Where
from ...transforms.beam.task_work import Work
from ...transforms.storage.dataset import corpus_of
from ...transforms.storage.workspace import Workspace
from ...transforms.works.decile_ranking import RankTask
from ...transforms.works.selecting import SelectPart, TallySelected
from ..manifest.release_summary import ClauseCounts, SelectionSummary, StageSummary
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..recipe.where_columns import given_columns, where_columns
from .planned import Plan
from .stage import Planning, Stage, columns_of
from .stage_kind import StageKind, StageRun


class SelectStage(StageKind[SelectPart]):
    """Selects the pairs for which a condition is true, or a sample of them."""

    section = "select"
    has_labels = True
    seconds_a_pair = 1e-6

    def plan(self, name: StageName, planning: Planning) -> Stage:
        recipe, selection = planning.recipe, planning.recipe.select[name.label]
        where = Where.parse(selection.where, where_columns(recipe))
        read = dict.fromkeys(stage for stage, column in given_columns(recipe) if column.name in where.columns)
        inputs = [planning.rows, *(planning.stage(stage.kind, stage.label) for stage in read)]
        provenance = provenance_of(recipe)
        named = sorted(where.columns & {"corpus", "domain", "licence", "source_language"})
        ingredients: dict[str, object] = {"where": where.canonical, "sample": selection.sample}
        seed = None
        if selection.sample is not None:
            ingredients["seed"] = seed = recipe.seed_of(name, selection.seed)
        columns = columns_of(inputs[1:])
        work = SelectPart(name, name.label, where, provenance, columns, selection.sample, seed)

        def own(part: str) -> Mapping[str, object]:
            return {**ingredients, "provenance": [provenance[corpus_of(part)][column] for column in named]}

        whole = inputs if selection.sample is not None else []
        added = (selection_column(name.label, selection.where),)
        return self.parts_stage(name, inputs, ingredients, work, own, whole, added)

    def work(self, stage: Stage[SelectPart], running: StageRun) -> Work:
        work = stage.work
        if work.sample is None:
            return work
        cuts = find_sample_cuts(running, stage, work, _tasks(stage))
        if cuts.n < work.sample:
            running.notify(
                f"{stage.name}: only {cuts.n:,} pairs meet the condition, fewer than the sample of "
                f"{work.sample:,}; all of them are selected"
            )
        return replace(work, cuts=cuts)

    def summaries(self, stage: Stage[SelectPart], plan: Plan) -> Iterable[StageSummary]:
        selection, manifest = plan.recipe.select[stage.label], plan.manifest(stage.name)
        counts, dropped, null = manifest.counts, manifest.counted("dropped by"), manifest.counted("null for")
        clauses = Where.parse(selection.where, where_columns(plan.recipe)).clauses
        yield SelectionSummary(
            name=stage.label,
            where=selection.where,
            passed=counts.get("passed", 0),
            null=counts.get("null", 0),
            selected=counts.get("selected", 0),
            sample=selection.sample,
            clauses=[ClauseCounts(clause, dropped.get(clause, 0), null.get(clause, 0)) for clause in clauses],
        )

    def ranking(
        self, stage: Stage[SelectPart], plan: Plan
    ) -> tuple[Callable[[Workspace, RankTask], object], list[RankTask]] | None:
        return None if stage.work.sample is None else (tally_of(stage.work), _tasks(stage))


def _tasks(stage: Stage) -> list[RankTask]:
    return [RankTask(task.part, task.inputs) for task in stage.part_tasks]


def find_sample_cuts(running: StageRun, stage: Stage, select: SelectPart, tasks: Sequence[RankTask]) -> Cuts:
    """The cut of a sample: below it are the smallest hashes of the pairs that `select` passes."""
    from ...transforms.works.cuts import find_sample  # Beam

    seconds = stage.rows * SelectStage.seconds_a_pair
    return find_sample(running.runner, running.workspace, tasks, select, seconds)


def tally_of(select: SelectPart) -> TallySelected:
    """One pass of the search for the cut of a sample."""
    return TallySelected(select, CutSearch(Smallest(1)))


def provenance_of(recipe: Recipe) -> dict[str, dict[str, str | None]]:
    """The values that all pairs of a corpus share: corpus → column → value."""
    return {
        entry.corpus: {
            "corpus": entry.corpus,
            "domain": entry.domain,
            "licence": entry.licence,
            "source_language": entry.source_language,
        }
        for entry in recipe.bitext
    }
