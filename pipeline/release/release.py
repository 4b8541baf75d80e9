"""The `release` stage: the published Parquet corpus."""

import math
from collections.abc import Iterable, Mapping

from ...base import dataset_columns as columns
from ...base.keys import digest
from ...transforms.beam.timing import WORK
from ...transforms.storage.dataset import Entry, part_file
from ...transforms.storage.release_files import plan_release_files
from ...transforms.works.releasing import ReleaseFile, ReleaseTask
from ...transforms.works.translating import TranslatePart
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from ..stages.model import ModelStage, holds_out
from ..stages.planned import Plan
from ..stages.samples import Measurement
from ..stages.select import provenance_of
from ..stages.stage import Planning, Stage, columns_of, keys_of
from ..stages.stage_kind import StageKind
from ..stages.whole import Whole


class ReleaseStage(StageKind[ReleaseFile]):
    """Joins all datasets that have columns of the release."""

    version = 3
    is_built = True
    is_release = True
    in_report = True
    opens = ""
    seconds_a_pair = 1e-5
    copies = 2  # the files are published as copies

    def plan(self, name: StageName, planning: Planning) -> Stage:
        recipe = planning.recipe
        held_out = [
            stage
            for stage in planning.stages.values()
            if isinstance(stage.kind, ModelStage) and holds_out(stage, recipe)
        ]
        datasets = [stage for stage in planning.stages.values() if stage.columns]
        primary = recipe.primary_score
        descending = recipe.scores[primary].higher_is_better is not False
        ingredients: dict[str, object] = {
            "primary_score": primary,
            "descending": descending,
            "rows_per_file": recipe.release.rows_per_file,
            "columns": [*recipe.scores, *recipe.select],
            "given": {name: score.doc for name, score in recipe.scores.items() if score.is_given},
            "corpora": provenance_of(recipe),
        }
        models = keys_of(held_out)
        made_of = ingredients | models | {s.name: digest([task.key for task in s.tasks]) for s in datasets}
        corpora = _with_hashes(provenance_of(recipe), recipe, planning.stage("translate"), digest(made_of))
        position_of = {entry.part: position for position, entry in enumerate(planning.entries)}
        rows = [(entry.part, entry.rows * recipe.choose.keep) for entry in planning.entries]
        tasks = []
        for number, group in enumerate(plan_release_files(rows, recipe.release.rows_per_file)):
            keys = [[stage.tasks[position_of[part]].key for stage in datasets] for part in group]
            key = digest(name, self.version, corpora, ingredients, models, keys)
            files = tuple(tuple((s.name, s.file(position_of[part])) for s in datasets) for part in group)
            tasks.append(ReleaseTask(f"{number:05d}", key, tuple(group), files))
        work = ReleaseFile(
            self.folder(name),
            _columns(recipe, datasets),
            columns_of(datasets),
            primary,
            descending,
            corpora,
            made_of,
            tuple(stage.built for stage in held_out),
        )
        needed = (*datasets, *held_out)
        everything = {**ingredients, **keys_of(needed)}
        key = digest(name, everything, [task.key for task in tasks])
        needs = tuple(stage.name for stage in needed)
        pairs = planning.stage("ingest").rows
        return Stage(self, name, needs, key, everything, tuple(tasks), work, pairs)

    def published(self, stage: Stage[ReleaseFile], plan: Plan) -> dict[str, Entry] | None:
        from .run_files import files_of_release

        return files_of_release(plan, stage)

    def files(self, folder: str, key: str) -> Iterable[str]:
        cards = f"{folder}/cards/{key}/<key>"
        texts = ("README.md", "croissant.json", "manifest.json")
        certificates = ("contamination/<name>.json", "contamination/<name>.parquet")
        return (part_file(folder, "*", key), *(f"{cards}/{file}" for file in (*texts, *certificates)))

    def tasks(self, whole: Whole) -> int:
        return max(1, math.ceil(whole.pairs / whole.rows_per_file))

    def sample(
        self, stage: Stage[ReleaseFile], entry: Entry, size: int, all_pairs: int
    ) -> Measurement | None:
        return Measurement(entry.rows, entry.seconds[WORK], size)


def _columns(recipe: Recipe, datasets: list[Stage]) -> tuple[columns.DatasetColumn, ...]:
    """The columns of every file, in order; those of other kinds of stage come last."""
    scores = [
        columns.score_column(name, score.dtype, score.unit, score.doc)
        for name, score in recipe.scores.items()
    ]
    selections = [columns.selection_column(name, entry.where) for name, entry in recipe.select.items()]
    own = columns.release_columns(
        scores,
        selections,
        without_deciles=[name for name, score in recipe.scores.items() if not score.has_deciles],
        candidates=recipe.translate.keep_candidates > 0,
        duplicates=recipe.duplicates is not None,
    )
    names = {column.name for column in own}
    added = (column for stage in datasets for column in stage.columns)
    return (*own, *(column for column in added if column.name not in names))


def _with_hashes(
    corpora: Mapping[str, Mapping[str, str | None]],
    recipe: Recipe,
    translate: Stage[TranslatePart],
    recipe_hash: str,
) -> dict[str, dict[str, str | None]]:
    """The values that all pairs of a corpus share in the release, with the hashes of model and recipe."""
    models = translate.work.models
    is_made = {entry.corpus: not entry.translation for entry in recipe.bitext}
    return {
        corpus: {
            **values,
            columns.TRANSLATION_MODEL_HASH.name: models[corpus].digest if is_made[corpus] else None,
            columns.RECIPE_HASH.name: recipe_hash,
        }
        for corpus, values in corpora.items()
    }
