"""The `ingest` stage: the parts of pairs that all other stages work on."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ...base.dataset_columns import REFERENCE, SOURCE
from ...transforms.beam.task_work import Task
from ...transforms.bitexts.cleaning import Cleaning
from ...transforms.storage.dataset import Manifest, corpus_of
from ...transforms.works.ingesting import record_file, rejects_file
from ..manifest.release_summary import CleaningCounts, CorpusSummary
from ..recipe.name import INGEST, StageName
from .planned import Plan
from .stage import Planning, Stage
from .stage_kind import StageKind
from .whole import Whole


class IngestStage(StageKind[None]):
    """Cuts the input files into parts. A plan knows these only after a run has read the files."""

    makes_pairs = True

    def plan(self, name: StageName, planning: Planning) -> Stage:
        tasks = tuple(Task(entry.part, entry.key, ()) for entry in planning.entries)
        rows = sum(entry.rows for entry in planning.entries)
        return Stage(self, name, (), planning.ingest_key, {}, tasks, None, rows, (SOURCE, REFERENCE))

    def files(self, folder: str, key: str) -> Iterable[str]:
        return (*super().files(folder, key), rejects_file(folder, "*", key), record_file("*", key))

    def processes(self, whole: Whole, tasks: int, pairs: float) -> float:
        return min(whole.machines.workers, whole.files) if whole.machines.is_cluster else 1


def corpus_summaries(plan: Plan, translations: Manifest) -> Iterator[CorpusSummary]:
    """Rows, pairs and rejects of each input corpus. translations: with a row for each pair."""
    rows, pairs = Counter[str](), Counter[str]()
    rejects, cleaned = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for part in plan.manifest(INGEST).parts:
        corpus = corpus_of(part.part)
        rows[corpus] += part.rows
        rejects[corpus].update(part.counted("rejected"))
        cleaned[corpus].update(part.counted("cleaned"))
    for part in translations.parts:
        pairs[corpus_of(part.part)] += part.rows
    for entry in plan.recipe.bitext:
        corpus = entry.corpus
        yield CorpusSummary(
            corpus=corpus,
            source_language=entry.source_language,
            rows_in=rows[corpus] + rejects[corpus].total(),
            pairs=pairs[corpus],
            further=pairs[corpus] - rows[corpus],
            rejects=dict(rejects[corpus]),
            domain=entry.domain,
            licence=entry.licence,
            cleaned=_cleaned(entry.clean, cleaned[corpus]),
        )


def _cleaned(cleaning: Cleaning, counts: Mapping[str, int]) -> list[CleaningCounts]:
    """The steps of cleaning an input, in the order of `transforms/bitexts/cleaning.py`, with their counts."""
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
