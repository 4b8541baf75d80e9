"""The `report` stage: gathers the results of the finished stages into one HTML page."""

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import yaml

from ...base.durations import duration
from ...base.streams import read_ahead
from ...models.evaluation.table import Table
from ...transforms.beam.single_job import SingleJob
from ...transforms.beam.task_work import Task
from ...transforms.storage.dataset import Entry, read_columns, read_manifest, read_run
from ...transforms.storage.workspace import Workspace
from ..manifest.release_summary import ScoreSummary, TranslationCounts
from ..recipe.name import StageName
from ..release.card import without_nulls
from ..release.run_summary import summarise_release
from ..stages.histogram import collect_histogram
from ..stages.planned import Plan
from ..stages.report_data import (
    EvaluationResults,
    ReportData,
    ScoreReport,
    StageCost,
    TrainingCurves,
    sample_pair,
)
from ..stages.results import TuningResults
from ..stages.stage import translation_stage
from ..statistics.run_sample import run_tables
from .example_pairs import decile_examples, random_rows, score_relations, scores_with_deciles
from .page import render_report

PAIRS_SHOWN = 10
_ROWS = 20
"""How many rows of a table of statistics are shown at most, besides averages."""


@dataclass(frozen=True)
class WriteReport(SingleJob):
    """Writes `index.html` for a plan whose other stages are fresh."""

    plan: Plan
    stage: str

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        page = render_report(report_data(self.plan))
        (folder / "index.html").write_text(page, encoding="utf-8")
        return {"pairs": self.plan.manifest(translation_stage(self.plan.recipe)).rows}


def report_data(plan: Plan) -> ReportData:
    """Everything that the page of a finished run shows."""
    release = summarise_release(plan)
    sections = [section for stage in plan.stages for section in stage.kind.report(stage, plan)]
    costs, rows, with_deciles = stage_costs(plan), random_rows(plan), scores_with_deciles(plan)
    scores, selections = list(plan.recipe.scores), list(plan.recipe.select)
    shown = selections[0] if selections else None
    if shown is not None and rows.num_rows:
        rows_shown = rows.filter(pc.fill_null(rows[shown], False))
    else:
        rows_shown = rows
    return ReportData(
        title=release.name,
        description=release.description or "",
        run=_run(costs, release.translation),
        corpora=release.corpora,
        translation=release.translation,
        selections=release.selections,
        scores=[_score_report(plan, score) for score in release.scores],
        pairs=[sample_pair(row, scores, selections) for row in rows_shown.slice(0, PAIRS_SHOWN).to_pylist()],
        pairs_of=shown,
        examples=decile_examples(rows, with_deciles, scores, selections),
        relations=score_relations(rows, with_deciles),
        stages=costs,
        statistics=[_short(table) for table in run_tables(plan)],
        evaluations=[section for section in sections if isinstance(section, EvaluationResults)],
        tunings=[section for section in sections if isinstance(section, TuningResults)],
        training=[section for section in sections if isinstance(section, TrainingCurves)],
        models=release.models,
        recipe=yaml.safe_dump(without_nulls(plan.recipe.published()), sort_keys=False, allow_unicode=True),
    )


def stage_costs(plan: Plan) -> list[StageCost]:
    """What each finished stage cost, in the order of the plan."""
    costs = []
    for stage in plan.stages:
        manifest = read_manifest(plan.workspace, stage.folder, stage.key)
        if manifest is None:
            continue
        run = read_run(plan.workspace, stage.folder)
        if run.get("key") != stage.key:
            run = {}
        timed = [seconds for entry in manifest.parts for seconds in entry.seconds.values()]
        costs.append(
            StageCost(
                name=stage.name,
                # The rows of some datasets are not pairs.
                pairs=int(run["pairs"]) if run else stage.rows,
                parts=1 if stage.is_single_job else len(manifest.parts),
                seconds=float(run["seconds"]) if run else None,
                worker_seconds=sum(timed) if timed else None,
                runner=str(run.get("runner", "")),
                # Not the host's name: reports are published.
                where=f"{run['runner']}, {run['processors']} processors" if run else "",
            )
        )
    return costs


def _short(table: Table) -> Table:
    """The rows for all corpora together, instead of those of each, if a table has more than a few."""
    is_long = table.averages and len(table.rows) > _ROWS
    return replace(table, rows=table.averages, averages=()) if is_long else table


def _run(costs: Sequence[StageCost], translation: TranslationCounts) -> dict[str, str]:
    seconds: dict[str, float] = {}
    for cost in costs:
        kind = StageName(cost.name).kind
        seconds[kind] = seconds.get(kind, 0.0) + (cost.seconds or 0.0)
    longest = sorted(seconds.items(), key=lambda item: -item[1])[:3]
    return {
        "Runner": ", ".join(sorted({cost.runner for cost in costs if cost.runner})),
        "Processors": str(os.cpu_count()),
        "Python": platform.python_version(),
        "Computing time": duration(sum(seconds.values())),
        "Longest stages": ", ".join(
            f"{kind} {duration(spent)}".replace(" ", "\N{NO-BREAK SPACE}") for kind, spent in longest
        ),
        "Translations": ", ".join(
            f"{n:,} {status.replace('_', ' ')}" for status, n in asdict(translation).items() if n
        ),
    }


def _score_report(plan: Plan, score: ScoreSummary) -> ScoreReport:
    manifest = plan.manifest_with(score.name)
    held_out = manifest.counts.get("held_out", 0)
    if not plan.recipe.scores[score.name].has_deciles:
        return ScoreReport(score, None, held_out)

    def column(entry: Entry) -> pa.ChunkedArray:
        return read_columns(plan.workspace, entry.file, [score.name])[score.name]

    columns = read_ahead(column, manifest.parts)
    return ScoreReport(score, collect_histogram(columns), held_out)
