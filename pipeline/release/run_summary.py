"""The summary of a finished run, gathered from its manifests for the dataset card and the report."""

from collections import Counter
from dataclasses import replace

import pyarrow as pa

from ...base.dataset_columns import REFERENCE, TRANSLATION, decile_name
from ...base.hashing import derive_seed
from ...filters.contamination import Contamination
from ...transforms.storage.release_files import FileInfo, release_file_name
from ...transforms.storage.versions import package_versions
from ...transforms.works.releasing import ReleaseFile
from ..manifest.release_summary import (
    ContaminationSummary,
    CorpusSummary,
    ExamplePair,
    ModelSummary,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
    VersionCounts,
    described,
)
from ..recipe.name import INGEST
from ..stages.planned import Plan
from ..stages.sampled_rows import draw_parts, read_rows
from ..stages.stage import Stage
from .examples import draw, example_pairs

_EXAMINED = 10_000  # pairs, in a few parts, from which those of the card are drawn
_PARTS = 5


def release_files(plan: Plan) -> dict[str, str]:
    """The published name of each file of the release → the file in the workspace."""
    entries = plan.manifest(plan.release.name).parts
    return {
        f"data/{release_file_name(index, len(entries))}": entry.file for index, entry in enumerate(entries)
    }


def summarise_release(plan: Plan) -> ReleaseSummary:
    """The summary of a finished run, for the card, the metadata and the report."""
    release: Stage[ReleaseFile] = plan.release
    work, recipe = release.work, plan.recipe
    entries = plan.manifest(release.name).parts
    files = {
        published: FileInfo(entry.rows, entry.bytes, entry.checksum, entry.footer)
        for published, entry in zip(release_files(plan), entries, strict=True)
    }
    needed = [release, *(plan.stage(name) for name in release.needs)]
    summaries = [summary for stage in plan.stages for summary in stage.kind.summaries(stage, plan)]
    (translation,) = (summary for summary in summaries if isinstance(summary, TranslationCounts))
    scores = {summary.name: summary for summary in summaries if isinstance(summary, ScoreSummary)}
    selections = {summary.name: summary for summary in summaries if isinstance(summary, SelectionSummary)}
    compared = {summary.score: summary for summary in summaries if isinstance(summary, ContaminationSummary)}
    return ReleaseSummary(
        name=recipe.release_name,
        description=recipe.release.description,
        authors=recipe.release.authors,
        examples=_examples(plan),
        corpora=[summary for summary in summaries if isinstance(summary, CorpusSummary)],
        translation=translation,
        columns=described(work.columns),
        files=files,
        scores=[scores[column] for column in recipe.scores],
        primary_score=recipe.primary_score,
        selections=[selections[name] for name in recipe.select],
        recipe=recipe.published(),
        made_of=work.made_of,
        models=_models(plan),
        contamination=[compared[column] for column in recipe.scores if column in compared],
        packages=package_versions(),
        computed_with={stage.name: _computed_with(plan, stage) for stage in plan.stages if stage in needed},
    )


def _computed_with(plan: Plan, stage: Stage) -> list[VersionCounts]:
    """The versions of packages that a stage was made with, and how many parts with each."""
    entries = plan.manifest(stage.name).parts
    parts = Counter(tuple(sorted(entry.versions.items())) for entry in entries if entry.versions)
    return [VersionCounts(dict(versions), count) for versions, count in sorted(parts.items())]


def _models(plan: Plan) -> list[ModelSummary]:
    """The models that the run used or trained, with their hashes."""
    models = [model for stage in plan.stages for model in stage.kind.models(stage, plan)]
    for column, measure in plan.recipe.scores.items():
        for path in () if isinstance(measure, Contamination) else measure.files():
            models.append(ModelSummary(column, path.rstrip("/").rsplit("/", 1)[-1], plan.hash_files([path])))
    licences = plan.recipe.release.model_licences
    return [replace(model, licence=licences.get(model.role, model.licence)) for model in models]


def _examples(plan: Plan) -> list[ExamplePair]:
    """The pairs that the card shows, from a few parts of the release, which are drawn by seeded hash."""
    primary, selection = plan.recipe.primary_score, next(iter(plan.recipe.select), None)
    wanted = {REFERENCE.name, TRANSLATION.name, primary, decile_name(primary)}
    wanted |= set() if selection is None else {selection}
    parts = [(place, entry.rows) for place, entry in enumerate(plan.manifest(INGEST).parts)]
    seed = derive_seed(plan.recipe.seed, "card/parts")
    tables = [
        read_rows(plan, place, rows, wanted, seed)
        for place, rows in draw_parts(parts, seed, _EXAMINED, _PARTS, _EXAMINED // _PARTS)
    ]
    if not tables:
        return []
    return example_pairs(draw(pa.concat_tables(tables), selection, plan.recipe.seed), primary)
