"""A pilot: runs the real stages on a sample of the bitext, in a separate workspace, and measures them.

The sample is cut into parts of different sizes. The stages run three times, on a quarter, half and all of
the parts. A stage that works part by part does each part once, because a new part makes no old one stale; a
stage that is a single job does it at three sizes. Everything here is measured; `forecast` estimates.
"""

import shutil
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ...base.errors import RecipeError
from ...base.hashing import derive_seed
from ...base.processes import process_name
from ...transforms.beam.runner import Runner
from ...transforms.bitexts.input_file import SIDES
from ...transforms.bitexts.inputs import BitextInput
from ...transforms.bitexts.sampling import (
    CountedFile,
    SamplePart,
    choose_rows,
    count_rows,
    cut_into_parts,
    write_sample,
)
from ...transforms.storage.dataset import Entry, corpus_of, read_manifest
from ...transforms.storage.workspace import TEMPORARY, Workspace
from ..recipe.name import INGEST
from ..recipe.recipe import Recipe
from ..running.execution import Observer
from ..running.run import run
from ..stages.planned import Plan
from ..stages.samples import Corpus, Measurement, Pilot, StageSamples
from ..stages.stage import Stage

PARTS = 12
_SHARES = (0.25, 0.5, 1.0)
_WARM_UP_ROWS = 16


def run_pilot(plan: Plan, runner: Runner, pairs: int, observer: Observer) -> Pilot:
    """Run the recipe of a plan on about `pairs` of its rows, and remove the results.

    runner: one that works in this process, one part after the other. RecipeError for less than 100 pairs;
    WorkspaceError if so few leave nothing to train on in a selection.
    """
    if pairs < 100:
        raise RecipeError(f"--pilot: expected 100 pairs or more, got {pairs}")
    # It has the name of a temporary folder, so that sweeping removes what a killed pilot leaves.
    name = f"{TEMPORARY}/{process_name()}-{uuid.uuid4().hex}"
    workspace = Workspace(f"{plan.workspace.url.rstrip('/')}/{name}")
    try:
        return _Piloting(plan, workspace, runner, observer).run(pairs)
    finally:
        _clear(workspace)


def by_rows_of_bitext(entries: Sequence[Entry], pairs: int, rows: int) -> tuple[Entry, ...]:
    """The entries with the rows of the bitext that their pairs are made of, which a forecast multiplies by.

    pairs: of the whole stage, if rows may become several pairs. rows: of the bitext.
    """
    return tuple(replace(entry, rows=round(entry.rows * rows / max(1, pairs))) for entry in entries)


def _clear(workspace: Workspace) -> None:
    workspace.remove(*workspace.sizes(""))
    if workspace.is_local:
        shutil.rmtree(workspace.path(""), ignore_errors=True)


@dataclass
class _Measured:
    """The measurements of a stage so far; parts, and what they loaded, by their name and key."""

    parts: dict[tuple[str, str], Measurement] = field(default_factory=dict)
    loads: dict[tuple[str, str], Measurement] = field(default_factory=dict)
    start: float = 0.0
    load: float = 0.0


class _Piloting:
    def __init__(self, plan: Plan, workspace: Workspace, runner: Runner, observer: Observer) -> None:
        self._plan = plan
        self._workspace = workspace
        self._runner = runner
        self._observer = observer
        self._seed = derive_seed(plan.recipe.seed, "pilot")
        self._measured: dict[str, _Measured] = {}

    def run(self, pairs: int) -> Pilot:
        began = time.perf_counter()
        tasks = self._plan.ingest_tasks
        files = [CountedFile(task.file, count_rows(task.file, self._plan.cache)) for task in tasks]
        parts = cut_into_parts(files, choose_rows(files, pairs, self._seed), PARTS, self._seed)
        if not parts:
            raise RecipeError("the bitext has no rows: there is nothing to forecast")
        warm_up = self._warm_up(parts)
        entries = write_sample(self._workspace, self._plan.recipe.bitext, files, [*warm_up, *parts])
        largest = max(len(part.rows) for part in parts)
        warming = next((stage.name for stage in self._plan.stages if stage.kind.warms_up), None)
        warmed = 0.0
        if warm_up and warming:
            # The first sentences cost extra (kernels are compiled, memory is taken), which counts as loading.
            self._step(entries[:1], largest, len(warm_up[0].rows), last=warming)
            (first,) = self._measured[warming].parts.values()
            warmed = self._measured[warming].load + first.seconds
            self._measured.clear()
        entries = entries[len(warm_up) :]
        for end in _steps([len(part.rows) for part in parts]):
            final = self._step(entries[:end], largest, sum(len(part.rows) for part in parts[:end]))
        if warm_up and warming:
            self._measured[warming].load = warmed
        stages = tuple(self._samples(final, stage) for stage in final.stages)
        corpora = self._corpora(files, parts)
        rows_per_file = max(1, self._plan.recipe.release.rows_per_file // self._plan.recipe.choose.keep)
        return Pilot(corpora, stages, rows_per_file, time.perf_counter() - began)

    def _warm_up(self, parts: Sequence[SamplePart]) -> list[SamplePart]:
        """A few rows of a corpus that is translated; none if all corpora came with translations."""
        translated = {entry.corpus for entry in self._plan.recipe.bitext if entry.translation is None}
        first = next((part for part in parts if part.corpus in translated), None)
        return [] if first is None else [SamplePart(first.corpus, first.rows[:_WARM_UP_ROWS])]

    def _step(
        self, entries: Sequence[BitextInput], part_rows: int, rows: int, last: str | None = None
    ) -> Plan:
        """Run the recipe on files of the sample that have `rows` rows, and record what was computed."""
        recipe = _derived(self._plan.recipe, self._workspace, joined(entries), part_rows, rows)
        plan = run(recipe, self._runner, self._observer, last=last).plan
        for stage in plan.stages:
            self._record(plan, stage)
        return plan

    def _record(self, plan: Plan, stage: Stage) -> None:
        manifest = read_manifest(self._workspace, stage.folder, stage.key)
        record = self._workspace.read_record(f"{stage.folder}/run.json")
        if manifest is None or not isinstance(record, dict):
            return
        measured = self._measured.setdefault(stage.name, _Measured())
        entries = manifest.parts[:1] if stage.is_single_job else manifest.parts
        size = sum(part.bytes for part in manifest.parts) if stage.is_single_job else None
        if plan.recipe.choose.keep > 1:
            entries = by_rows_of_bitext(entries, manifest.rows, plan.stages[0].rows)
        new = []
        for entry in entries:
            place = (entry.part, entry.key)
            load = stage.kind.load_sample(entry)
            if load is not None:
                measured.loads[place] = load
            if not entry.seconds or place in measured.parts:
                continue
            sample = stage.kind.sample(stage, entry, size or entry.bytes, plan.stages[0].rows)
            if sample is not None:
                new.append(entry)
                measured.parts[place] = sample
                measured.load = max(measured.load, entry.seconds.get("load", 0.0))
        # The seconds of run.json are those that all parts would have taken.
        wall = float(record["seconds"]) * record["parts_computed"] / max(1, len(manifest.parts))
        if stage.is_single_job:
            wall = float(record["seconds"])
        measured.start = max(0.0, wall - sum(sum(entry.seconds.values()) for entry in new))

    def _samples(self, plan: Plan, stage: Stage) -> StageSamples:
        measured = self._measured[stage.name]
        ranking = self._ranking(plan, stage)
        # So few rows are ranked in two passes.
        start = max(0.0, measured.start - 2 * sum(sample.seconds for sample in ranking))
        parts = tuple(measured.parts.values())
        return StageSamples(
            stage.name,
            parts,
            start,
            measured.load,
            ranking,
            stage.is_single_job,
            stage.kind.trains_on(stage, plan, parts[-1]),
            _on_gpu(stage),
            *stage.kind.trials(self._plan.stage(stage.name)),
            tuple(self._measured[stage.kind.loads_like(stage)].loads.values()),
        )

    def _ranking(self, plan: Plan, stage: Stage) -> tuple[Measurement, ...]:
        """One pass of the ranking that a stage starts with."""
        ranking = stage.kind.ranking(stage, plan)
        if ranking is None:
            return ()
        tally, tasks = ranking
        samples = []
        for task, entry in zip(tasks, self._entries(plan), strict=True):
            began = time.perf_counter()
            tally(self._workspace, task)
            seconds = time.perf_counter() - began
            samples.append(Measurement(entry.rows, seconds, corpus=corpus_of(task.part)))
        return tuple(samples)

    def _entries(self, plan: Plan) -> tuple[Entry, ...]:
        manifest = read_manifest(self._workspace, INGEST, plan.stages[0].key)
        assert manifest is not None
        return manifest.parts

    def _corpora(self, files: Sequence[CountedFile], parts: Sequence[SamplePart]) -> tuple[Corpus, ...]:
        part_rows = self._plan.recipe.ingest.part_rows
        ingested = self._measured[INGEST].parts.values()
        corpora = []
        for name in dict.fromkeys(counted.file.corpus for counted in files):
            rows = [counted.rows for counted in files if counted.file.corpus == name]
            sampled = sum(len(part.rows) for part in parts if part.corpus == name)
            pairs = sum(sample.pairs for sample in ingested if sample.corpus == name)
            number_of_parts = sum(-(-count // part_rows) for count in rows)
            corpora.append(Corpus(name, len(rows), sum(rows), number_of_parts, sampled, pairs))
        return tuple(corpora)


def joined(entries: Sequence[BitextInput]) -> tuple[BitextInput, ...]:
    """The entries with those of the same corpus joined into one that has all their files."""
    corpora: dict[str, list[BitextInput]] = {}
    for entry in entries:
        corpora.setdefault(entry.corpus, []).append(entry)

    result = []
    for group in corpora.values():
        sides = {side: tuple(str(getattr(entry, side)) for entry in group) for side in (*SIDES, "path")}
        first = group[0]
        if first.path is None:
            source, reference, translation = (sides[each] if each in first.sides else None for each in SIDES)
            first = replace(first, source=source, reference=reference, translation=translation)
        else:
            first = replace(first, path=sides["path"])
        result.append(first)
    return tuple(result)


def _derived(
    recipe: Recipe, workspace: Workspace, bitext: tuple[BitextInput, ...], part_rows: int, rows: int
) -> Recipe:
    """The recipe for the sample of `rows` rows: each of its files is one part, and one file of the release.

    Trials train on a quarter of the pairs, so that their cost at several sizes is known. Few ranges have that
    many, so only some trials train anything.
    """
    pairs = max(2, rows // 4)
    tune = {
        name: replace(entry, pairs=min(entry.pairs, pairs), seeds=2, fresh_seeds=2)
        for name, entry in recipe.tune.items()
    }
    changed = recipe.model_copy(
        update={
            "workspace": workspace.url,
            "bitext": bitext,
            "ingest": recipe.ingest.model_copy(update={"part_rows": part_rows}),
            "release": recipe.release.model_copy(update={"rows_per_file": part_rows}),
            # Whether a precision is good enough is checked on the whole bitext, not on a few sentences.
            "tune": tune,
            "translate": replace(recipe.translate, force_precision=True),
        }
    )
    return changed.located()


def _steps(sizes: Sequence[int]) -> list[int]:
    """How many of the parts make up a quarter, half and all of the rows, in rising order."""
    reached = 0
    ends: list[int] = []
    for count, size in enumerate(sizes, 1):
        reached += size
        while len(ends) < len(_SHARES) and reached >= _SHARES[len(ends)] * sum(sizes):
            ends.append(count)
    return sorted(set(ends))


def _on_gpu(stage: Stage) -> bool:
    """Whether a stage works on a GPU: then its key says so, as results differ."""
    return stage.ingredients.get("device") == "cuda"
