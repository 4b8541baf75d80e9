"""The facts of a finished run, gathered from the manifests for the dataset card and the report."""

from collections import Counter
from collections.abc import Mapping

from ..columns import score_column
from ..errors import WorkspaceError
from ..transforms.dataset import Manifest, read_manifest
from ..transforms.release import ReleaseFile
from ..transforms.release_files import FileInfo, release_file_name
from ..transforms.select import SelectPart
from .plan import Plan
from .release_info import (
    ClauseFacts,
    CorpusFacts,
    ModelFacts,
    ReleaseInfo,
    ScoreFacts,
    SelectionFacts,
    TranslationFacts,
)
from .stages import Stage
from .versions import package_versions


def manifest_of(plan: Plan, name: str) -> Manifest:
    """The manifest of a stage as this recipe makes it."""
    stage = plan.stage(name)
    manifest = read_manifest(plan.workspace, stage.folder, stage.key)
    if manifest is None:
        raise WorkspaceError(f"{name} is {plan.condition(name).state}; run it first")
    return manifest


def release_files(plan: Plan) -> dict[str, str]:
    """The published name of each file of the release → the file in the workspace."""
    entries = manifest_of(plan, "release").parts
    return {
        f"data/{release_file_name(index, len(entries))}": entry.file for index, entry in enumerate(entries)
    }


def release_info(plan: Plan, name: str) -> ReleaseInfo:
    """What the card and the metadata of the release tell."""
    work = plan.stage("release").work
    assert isinstance(work, ReleaseFile)
    entries = manifest_of(plan, "release").parts
    files = {
        published: FileInfo(entry.rows, entry.bytes, entry.checksum)
        for published, entry in zip(release_files(plan), entries, strict=True)
    }
    statuses = manifest_of(plan, "translate").counts
    return ReleaseInfo(
        name=name,
        corpora=corpus_facts(plan),
        translation=TranslationFacts(**{status: statuses.get(status, 0) for status in TRANSLATION_STATUSES}),
        columns=work.columns(),
        files=files,
        scores=[_score_facts(plan, column) for column in plan.recipe.scores],
        primary_score=plan.recipe.primary_score,
        selections=[selection_facts(plan, selection) for selection in plan.recipe.select],
        recipe=plan.recipe.canonical(),
        models=model_facts(plan),
        packages=package_versions(),
    )


TRANSLATION_STATUSES = ("translated", "existing", "failed")


def corpus_facts(plan: Plan) -> list[CorpusFacts]:
    """Rows, pairs and rejects of each input corpus."""
    counts: dict[str, Counter[str]] = {entry.corpus: Counter() for entry in plan.recipe.bitext}
    for part in manifest_of(plan, "ingest").parts:
        corpus = counts[part.part.split("/")[0]]
        corpus.update(part.counts)
        corpus["pairs"] += part.rows
    facts = []
    for entry in plan.recipe.bitext:
        found = counts[entry.corpus]
        rejects = _named(found, "rejected: ")
        facts.append(
            CorpusFacts(
                corpus=entry.corpus,
                source_language=entry.source_language,
                rows_in=found["pairs"] + sum(rejects.values()),
                pairs=found["pairs"],
                rejects=rejects,
                domain=entry.domain,
                licence=entry.licence,
            )
        )
    return facts


def selection_facts(plan: Plan, name: str) -> SelectionFacts:
    """How many pairs a selection holds, and what each of its clauses drops by itself."""
    counts = manifest_of(plan, f"select/{name}").counts
    selection = plan.recipe.select[name]
    null = _named(counts, "null for: ")
    dropped = _named(counts, "dropped by: ")
    work = plan.stage(f"select/{name}").work
    assert isinstance(work, SelectPart)
    clauses = [
        ClauseFacts(clause, dropped.get(clause, 0), null.get(clause, 0)) for clause in work.where.clauses
    ]
    return SelectionFacts(
        name=name,
        where=selection.where,
        passed=counts.get("passed", 0),
        null=counts.get("null", 0),
        selected=counts.get("selected", 0),
        sample=selection.sample,
        clauses=clauses,
    )


def model_facts(plan: Plan) -> list[ModelFacts]:
    """The models that the run used or trained, with their hashes."""
    facts = []
    translate = plan.stage("translate")
    if "model" in translate.ingredients:
        names = [model.rstrip("/").rsplit("/", 1)[-1] for model in plan.recipe.translate.models]
        facts.append(ModelFacts("translate", " + ".join(names), str(translate.ingredients["model"])))
    for stage in plan.stages:
        if stage.kind in ("model", "train"):
            facts.append(ModelFacts(stage.label, _what(plan, stage), stage.key))
    for column, measure in plan.recipe.scores.items():
        for path in measure.files():
            facts.append(ModelFacts(column, path.rstrip("/").rsplit("/", 1)[-1], plan.hash_files([path])))
    return facts


def _what(plan: Plan, stage: Stage) -> str:
    if stage.kind == "train":
        training = plan.recipe.train[stage.label]
        return f"{training.encoder.type} encoder trained on {training.selection}"
    pairs = manifest_of(plan, stage.name).rows
    kind = plan.recipe.scores[stage.label].model_kind or ""
    return f"{kind.replace('_', ' ')} trained on {pairs:,} pairs of this corpus"


def _score_facts(plan: Plan, column: str) -> ScoreFacts:
    cuts = cuts_of(plan, column)
    measure = plan.recipe.scores[column]
    begins = cuts["cuts"]
    assert isinstance(begins, list)
    return ScoreFacts(
        name=column,
        doc=score_column(column, measure.dtype, measure.unit, type(measure).__doc__ or "").meaning,
        unit=measure.unit,
        higher_is_better=measure.higher_is_better,
        n=int(str(cuts["rows"])),
        nulls=int(str(cuts["nulls"])),
        cuts=[float(cut["value"]) for cut in begins],
    )


def cuts_of(plan: Plan, column: str) -> Mapping[str, object]:
    """Where a score's deciles begin, as `cuts.json` says."""
    stage = plan.stage(f"deciles/{column}")
    content = plan.workspace.read_json(f"{stage.folder}/_manifests/{stage.key}.cuts.json")
    if not isinstance(content, dict):
        raise WorkspaceError(f"{stage.name} has no cuts; run it again with --redo {stage.name}")
    return content


def _named(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    """The counts whose names begin with `prefix`, without it."""
    return {name[len(prefix) :]: count for name, count in counts.items() if name.startswith(prefix)}
