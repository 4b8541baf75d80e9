"""The summary of a finished run, gathered from its manifests for the dataset card and the report."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from ...base.dataset_columns import REFERENCE, TRANSLATION, decile_name, score_column
from ...base.errors import WorkspaceError
from ...base.hashing import derive_seed
from ...filters.contamination import KINDS, Contamination
from ...transforms.bitexts.cleaning import Cleaning
from ...transforms.storage.dataset import corpus_of
from ...transforms.storage.release_files import FileInfo, release_file_name
from ...transforms.storage.versions import package_versions
from ...transforms.works.releasing import ReleaseFile
from ...transforms.works.scoring import VALUE
from ...transforms.works.selecting import SelectPart
from ..manifest.release_summary import (
    ClauseCounts,
    CleaningCounts,
    ContaminationSummary,
    CorpusSummary,
    ExamplePair,
    ModelSummary,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    SetSummary,
    TranslationCounts,
    VersionCounts,
    described,
)
from ..recipe.name import StageName
from ..stages.planned import Plan
from ..stages.sampled_rows import draw_parts, read_rows
from ..stages.stage import Stage, translation_stage
from .examples import draw, example_pairs

_EXAMINED = 10_000  # pairs, in a few parts, from which those of the card are drawn
_PARTS = 5


def release_files(plan: Plan) -> dict[str, str]:
    """The published name of each file of the release → the file in the workspace."""
    entries = plan.manifest("release").parts
    return {
        f"data/{release_file_name(index, len(entries))}": entry.file for index, entry in enumerate(entries)
    }


def summarise_release(plan: Plan) -> ReleaseSummary:
    """The summary of a finished run, for the card, the metadata and the report."""
    work = plan.stage("release").work
    assert isinstance(work, ReleaseFile)
    entries = plan.manifest("release").parts
    files = {
        published: FileInfo(entry.rows, entry.bytes, entry.checksum, entry.footer)
        for published, entry in zip(release_files(plan), entries, strict=True)
    }
    statuses = plan.manifest(translation_stage(plan.recipe)).counts
    release = plan.stage("release")
    needed = [release, *(plan.stage(name) for name in release.needs)]
    options = plan.recipe.release
    return ReleaseSummary(
        name=plan.recipe.release_name,
        description=options.description,
        authors=options.authors,
        examples=_examples(plan),
        corpora=_corpora(plan),
        translation=TranslationCounts(
            translated=statuses.get("translated", 0),
            existing=statuses.get("existing", 0),
            failed=statuses.get("failed", 0),
            not_wanted=statuses.get("not_wanted", 0),
            out_of_bounds=statuses.get("out_of_bounds", 0),
        ),
        columns=described(work.columns),
        files=files,
        scores=[_score(plan, column) for column in plan.recipe.scores],
        primary_score=plan.recipe.primary_score,
        selections=[_selection(plan, selection) for selection in plan.recipe.select],
        recipe=plan.recipe.published(),
        made_of=work.made_of,
        models=_models(plan),
        contamination=[
            contamination_summary(plan, column, measure)
            for column, measure in plan.recipe.scores.items()
            if isinstance(measure, Contamination)
        ],
        packages=package_versions(),
        computed_with={stage.name: _computed_with(plan, stage) for stage in plan.stages if stage in needed},
    )


def contamination_summary(plan: Plan, column: str, measure: Contamination) -> ContaminationSummary:
    """How many pairs match the evaluation sets of a score, from its manifest."""
    manifest = plan.manifest(StageName("score", column))
    counts, kinds = manifest.counts, KINDS[::-1]
    return ContaminationSummary(
        score=column,
        n=measure.n,
        share=measure.share,
        compared=manifest.rows - counts["null"],
        pairs={kind: counts.get(kind, 0) for kind in kinds},
        sets=[
            SetSummary(
                given.name,
                plan.hash_files([given.path]),
                {kind: counts.get(f"{kind}: {given.name}", 0) for kind in kinds},
            )
            for given in measure.sets
        ],
    )


def _computed_with(plan: Plan, stage: Stage) -> list[VersionCounts]:
    """The versions of packages that a stage was made with, and how many parts with each."""
    entries = plan.manifest(stage.name).parts
    parts = Counter(tuple(sorted(entry.versions.items())) for entry in entries if entry.versions)
    return [VersionCounts(dict(versions), count) for versions, count in sorted(parts.items())]


def _corpora(plan: Plan) -> list[CorpusSummary]:
    """Rows, pairs and rejects of each input corpus."""
    counts: dict[str, Counter[str]] = {entry.corpus: Counter() for entry in plan.recipe.bitext}
    for part in plan.manifest("ingest").parts:
        corpus = counts[corpus_of(part.part)]
        corpus.update(part.counts)
        corpus["rows"] += part.rows
    for part in plan.manifest(translation_stage(plan.recipe)).parts:
        counts[corpus_of(part.part)]["pairs"] += part.rows
    corpora = []
    for entry in plan.recipe.bitext:
        corpus_counts = counts[entry.corpus]
        rejects = _with_prefix(corpus_counts, "rejected: ")
        corpora.append(
            CorpusSummary(
                corpus=entry.corpus,
                source_language=entry.source_language,
                rows_in=corpus_counts["rows"] + sum(rejects.values()),
                pairs=corpus_counts["pairs"],
                further=corpus_counts["pairs"] - corpus_counts["rows"],
                rejects=rejects,
                domain=entry.domain,
                licence=entry.licence,
                cleaned=_cleaned(entry.clean, _with_prefix(corpus_counts, "cleaned: ")),
            )
        )
    return corpora


def _cleaned(cleaning: Cleaning, counts: Mapping[str, int]) -> list[CleaningCounts]:
    """The steps of cleaning an input, as `docs/cleaning.md` orders them, with their counts."""
    steps = (
        (cleaning.entities, "HTML entities decoded", "entity", "entities"),
        (cleaning.mojibake, "text decoded with the wrong encoding repaired", "mojibake", None),
        (True, "control characters replaced by spaces", "control", "control_characters"),
        (cleaning.invisible, "invisible characters removed", "invisible", "invisible_characters"),
    )
    return [
        CleaningCounts(
            step,
            {side: counts.get(f"{side}_{kind}_lines", 0) for side in ("source", "reference", "translation")},
            None if total is None else counts.get(total, 0),
        )
        for is_done, step, kind, total in steps
        if is_done
    ]


def _selection(plan: Plan, name: str) -> SelectionSummary:
    """How many pairs a selection has, and what each of its clauses drops on its own."""
    counts = plan.manifest(StageName("select", name)).counts
    selection = plan.recipe.select[name]
    null = _with_prefix(counts, "null for: ")
    dropped = _with_prefix(counts, "dropped by: ")
    work = plan.stage(StageName("select", name)).work
    assert isinstance(work, SelectPart)
    clauses = [
        ClauseCounts(clause, dropped.get(clause, 0), null.get(clause, 0)) for clause in work.where.clauses
    ]
    return SelectionSummary(
        name=name,
        where=selection.where,
        passed=counts.get("passed", 0),
        null=counts.get("null", 0),
        selected=counts.get("selected", 0),
        sample=selection.sample,
        clauses=clauses,
    )


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
    parts = [(place, entry.rows) for place, entry in enumerate(plan.manifest("ingest").parts)]
    seed = derive_seed(plan.recipe.seed, "card/parts")
    tables = [
        read_rows(plan, place, rows, wanted, seed)
        for place, rows in draw_parts(parts, seed, _EXAMINED, _PARTS, _EXAMINED // _PARTS)
    ]
    if not tables:
        return []
    return example_pairs(draw(pa.concat_tables(tables), selection, plan.recipe.seed), primary)


def _score(plan: Plan, column: str) -> ScoreSummary:
    measure = plan.recipe.scores[column]
    summary = ScoreSummary(
        name=column,
        doc=score_column(column, measure.dtype, measure.unit, measure.doc).meaning,
        unit=measure.unit,
        higher_is_better=measure.higher_is_better,
        n=0,
        nulls=0,
    )
    if not measure.has_deciles:
        manifest = plan.manifest(StageName("score", column))
        nulls, values = manifest.counts["null"], Counter(_with_prefix(manifest.counts, VALUE))
        return replace(summary, n=manifest.rows - nulls, nulls=nulls, values=dict(values.most_common()))
    cuts = _cuts(plan, column)
    begins = cuts["cuts"]
    assert isinstance(begins, list)
    return replace(
        summary,
        n=int(str(cuts["rows"])),
        nulls=int(str(cuts["nulls"])),
        cuts=[float(cut["value"]) for cut in begins],
    )


def _cuts(plan: Plan, column: str) -> Mapping[str, object]:
    """The values at which a score's deciles start, from `cuts.json`."""
    stage = plan.stage(StageName("deciles", column))
    (file,) = stage.records.values()
    content = plan.workspace.read_record(file)
    if content is None:
        raise WorkspaceError(f"{stage.name} has no cuts; run it again with --redo {stage.name}")
    return content


def _with_prefix(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    """The counts whose names start with `prefix`, with the prefix removed."""
    return {name[len(prefix) :]: count for name, count in counts.items() if name.startswith(prefix)}
