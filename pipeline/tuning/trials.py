"""The `trials/<name>` stages: encoders trained on pairs of ranges of scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType

from ...base.errors import RecipeError
from ...base.keys import digest
from ...filters.lengths import Length
from ...filters.score import Score
from ...filters.where.condition import Where
from ...filters.where.ranges import (
    ALL_PAIRS,
    GRID,
    LONGEST,
    ScoreRange,
    SettingValue,
    decile_ranges,
    paper_ranges,
    setting_range,
)
from ...models.sts.development_sets import development_files
from ...models.training.train_options import TextOptions, TrainOptions, resolve_device
from ...transforms.beam.task_work import Task
from ...transforms.beam.timing import WORK
from ...transforms.model_kinds import measures_candidates
from ...transforms.storage.dataset import Entry
from ...transforms.trainings.training_encoders import InputHashes, training_ingredients
from ...transforms.trainings.trial_work import TrialWork
from ...transforms.works.candidate_choice import ChoosePart
from ...transforms.works.range_trials import RunTrial
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..recipe.train_entries import Tuning, with_values
from ..recipe.where_columns import given_columns
from ..stages.choose import choosing
from ..stages.planned import Plan
from ..stages.samples import Measurement, TrainsOn
from ..stages.stage import Planning, Stage, keys_of
from ..stages.stage_kind import StageKind


class TrialsStage(StageKind[TrialWork]):
    """Trains an encoder on each range with each seed; the papers' tables have such a stage too."""

    section = "tune"
    has_labels = True
    seconds_a_pair = 2e-4

    def devices(self, recipe: Recipe) -> Iterable[str]:
        return [entry.options.device for entry in recipe.tune.values()]

    def plan(self, name: StageName, planning: Planning) -> Stage:
        made_of = TrialIngredients.of(name.label, planning)
        entry = planning.recipe.tune[name.label]
        ranges = tuned_ranges(entry, planning.recipe.scores)
        tasks = [made_of.task(part, str(n)) for part in ranges for n in range(1, entry.seeds + 1)]
        return self.trials_in_ranges(name, tasks, RunTrial(name, *made_of.work), made_of, [made_of.pool])

    def trials_in_ranges(
        self,
        name: StageName,
        tasks: Sequence[Task],
        work: RunTrial,
        made_of: "TrialIngredients",
        needs: Sequence[Stage],
    ) -> Stage:
        """A stage with these trials of an entry of `tune`."""
        passes = sum(work.pairs * work.options_of(task).epochs for task in tasks)
        everything = {**made_of.options, "trials": [task.part for task in tasks], **keys_of(needs)}
        return self.trials_stage(name, tasks, work, passes, everything, needs)

    def trials_stage(
        self,
        name: StageName,
        tasks: Sequence[Task],
        work: TrialWork,
        passes: int,
        ingredients: Mapping[str, object] = MappingProxyType({}),
        needs: Sequence[Stage] = (),
    ) -> Stage:
        """A stage with these trials. passes: how many pairs they train on, counted again in each epoch."""
        key = digest(name.kind, [task.key for task in tasks])
        gpu = any(work.options_of(task).device == "cuda" for task in tasks)
        read = tuple(stage.name for stage in needs)
        return Stage(self, name, read, key, {**ingredients}, tuple(tasks), work, passes, gpu=gpu)

    def origin(self, part: str) -> str:
        return part

    def computed(self, stage: Stage[TrialWork], part: str, rows: int, counts: Mapping[str, int]) -> int:
        return rows if counts.get("trained on", 1) else 0  # the range has too few pairs

    def sample(self, stage: Stage[TrialWork], entry: Entry, size: int, all_pairs: int) -> Measurement | None:
        if not entry.counts.get("trained on"):
            return None  # the range has too few pairs
        return Measurement(self.trials(stage)[1], entry.seconds[WORK], size)

    def load_sample(self, entry: Entry) -> Measurement | None:
        return Measurement(entry.counts["pool"], entry.seconds["load"]) if "load" in entry.seconds else None

    def trials(self, stage: Stage[TrialWork]) -> tuple[int, int]:
        return len(stage.tasks), stage.rows // len(stage.tasks)

    def trains_on(self, stage: Stage[TrialWork], plan: Plan, last: Measurement) -> TrainsOn | None:
        return TrainsOn(cap=plan.recipe.tune[stage.label].pool)


@dataclass(frozen=True)
class TrialIngredients:
    """What all trials of an entry of `tune` are made of.

    options: the ingredients of training. settings: those of the settings of a grid that differ, by range.
    texts: the keys of the stages with the texts. reads: for each range, the key of the stage that it reads,
    empty for all pairs. work: the fields of `RunTrial` after its stage.
    """

    pool: Stage
    options: Mapping[str, object]
    settings: Mapping[str, Mapping[str, object]]
    texts: Sequence[str]
    reads: Mapping[str, str]
    version: int
    work: tuple

    @classmethod
    def of(cls, label: str, planning: Planning) -> "TrialIngredients":
        recipe, entry = planning.recipe, planning.recipe.tune[label]
        seed = recipe.seed_of(StageName("tune", label), entry.seed)
        options = entry.seeded(seed)
        pool = planning.stage("pool", label)
        data = planning.hash_files(development_files(entry.folders, options.dev_sets))
        vectors = planning.hash_files([options.vectors]) if options.vectors else None
        test = planning.hash_files(entry.test_folders) if entry.test_folders else None

        def ingredients(options: TrainOptions) -> dict[str, object]:
            return training_ingredients(options, InputHashes(vectors), planning.gpus.workers)

        made_of = {**drawing(entry, seed), **ingredients(options), "pairs": entry.pairs, "data": data}
        if test is not None:
            made_of["test"] = test
        texts = [planning.stage("ingest").key, planning.translations.key]
        texts += [stage.key for stage in where_stages(entry, planning)]
        ranges = tuned_ranges(entry, recipe.scores)
        settings = {
            key: with_values(entry.seeded(seed), values)
            for key, values in setting_values(entry, ranges).items()
        }
        chosen, choice, _ = choosing_in_ranges(ranges, planning)
        if choice is not None:
            made_of["candidates"] = chosen
            texts.append(planning.stage("translate").key)
        device = resolve_device(options.device, planning.gpus.workers)
        options = replace(options, device=device)
        others = tuple((key, replace(other, device=device)) for key, other in settings.items())
        stages = {part.key: range_stage(part, planning) for part in ranges}
        return cls(
            pool,
            made_of,
            {key: ingredients(other) for key, other in settings.items()},
            texts,
            {part: stage.key if stage else "" for part, stage in stages.items()},
            planning.kinds["trials"].version,
            (
                pool.files,
                entry.pairs,
                seed,
                options,
                entry.folders,
                data,
                vectors,
                others,
                entry.test_folders,
                test,
            ),
        )

    def task(self, part: ScoreRange, number: str) -> Task:
        """A trial with a range and a seed.

        Its key has what decides which pairs are in the range, and not the pool's key, so that comparing
        further scores makes no finished trial stale.
        """
        options = {**self.options, **self.settings.get(part.key, {})}
        key = digest(self.version, options, self.texts, part.where, self.reads[part.key], number)
        return Task(f"{part.key}/{number}", key, ())


def drawing(entry: Tuning, seed: int) -> dict[str, object]:
    """The ingredients that decide which pairs are in the pool."""
    return {"pool": entry.pool, "text": asdict(entry.seeded(seed).text), "seed": seed}


def tuned_ranges(entry: Tuning, scores: Mapping[str, Score]) -> tuple[ScoreRange, ...]:
    """The ranges that an entry of `tune` compares, or the settings of its grid, after the range of all pairs.

    All have the entry's own condition too. RecipeError for a score without any.
    """
    if entry.grid:
        ranges = (ALL_PAIRS, *(setting_range(n, each) for n, each in enumerate(entry.settings, start=1)))
    else:
        ranges = _ranges_of_scores(entry, scores)
    if entry.where == Tuning.where:
        return ranges

    def both(part: ScoreRange) -> str:
        return entry.where if part.where == ALL_PAIRS.where else f"({entry.where}) and {part.where}"

    return tuple(replace(part, where=both(part)) for part in ranges)


def setting_values(entry: Tuning, ranges: Sequence[ScoreRange]) -> dict[str, Mapping[str, SettingValue]]:
    """The options of each setting of an entry's grid, by the key of its range; empty without a grid."""
    settings = ranges[1:] if entry.grid else ()
    return {part.key: values for part, values in zip(settings, entry.settings, strict=True)}


def where_stages(entry: Tuning, planning: Planning) -> list[Stage]:
    """The stages whose columns the entry's own condition names."""
    given = list(given_columns(planning.recipe))
    names = Where.parse(entry.where, {column.name: column.type for _, column in given}).columns
    stages = dict.fromkeys(stage for stage, column in given if column.name in names)
    return [planning.stage(stage.kind, stage.label) for stage in stages]


def _ranges_of_scores(entry: Tuning, scores: Mapping[str, Score]) -> tuple[ScoreRange, ...]:
    ranges = [ALL_PAIRS]
    for column in entry.scores or scores:
        by_decile = entry.ranges != "papers" and scores[column].has_deciles
        deciles = decile_ranges(column) if by_decile else ()
        bounds = paper_ranges(column, scores[column]) if entry.ranges != "deciles" else ()
        if bounds and isinstance(scores[column], Length):
            _check_lengths(column, entry.options.text)
        if entry.scores and not (deciles or bounds):
            reason = (
                "the papers compared no ranges of a score like {}; set ranges to deciles"
                if scores[column].has_deciles
                else "{} has no deciles and the papers compared no ranges of a score like it"
            )
            raise RecipeError(f"{reason.format(column)}, or leave it out of `scores`")
        ranges += [*deciles, *bounds]
    if len(ranges) == 1:
        raise RecipeError("the papers compared no ranges of scores like these; set ranges to deciles")
    return tuple(ranges)


def _check_lengths(column: str, text: TextOptions) -> None:
    """RecipeError if training drops pairs of the papers' ranges, so that 30 to 100 would be 30 to 50."""
    if text.long_pairs == "drop" and text.max_tokens < LONGEST:
        raise RecipeError(
            f"the papers' ranges of {column} have up to {LONGEST} tokens, but training drops pairs with more "
            f"than {text.max_tokens}: set text to {{max_tokens: {LONGEST}, long_pairs: cut}}, or leave the "
            "score out of `scores`"
        )


def choosing_in_ranges(
    ranges: Sequence[ScoreRange], planning: Planning
) -> tuple[dict[str, object], ChoosePart | None, list[Stage]]:
    """What finds the translations of each range among the candidates, where a recipe keeps some.

    Its ingredients, the work (None if no range is of bounds that a candidate can meet), and the stages of the
    models that it needs.
    """
    recipe = planning.recipe
    bounded = {part.score for part in ranges if part.score and not part.by_decile} - {GRID}
    columns = sorted(column for column in bounded if measures_candidates(recipe.scores[column]))
    if recipe.translate.keep_candidates < 2 or not columns:
        return {}, None, []
    _, made_of, _ = choosing(planning)  # the scores of other ranges make no trial stale
    work, _, models = choosing(planning, columns)
    return made_of, work, models


def range_stage(part: ScoreRange, planning: Planning) -> Stage | None:
    """The stage with the values that decide which pairs are in a range; None for the range of all pairs."""
    if not part.score or part.score == GRID:
        return None
    return planning.stage("deciles" if part.by_decile else "score", part.score)
