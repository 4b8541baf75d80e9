"""What a recipe has made so far: its pairs, selections, evaluations and tunings, and where they lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..manifest.release_summary import SelectionSummary
from ..recipe.name import StageName
from ..stages.planned import Plan
from ..stages.report_data import EvaluationResults
from ..stages.results import TuningResults
from ..stages.stage import Stage


@dataclass(frozen=True)
class Results:
    """The results of the stages that are up to date.

    pairs: how many the release has; None without one. selections: how many pairs each has. paths: where the
    release, the report and each trained model lie. missing: the stages that are not up to date.
    """

    pairs: int | None
    selections: Mapping[str, int]
    evaluations: Sequence[EvaluationResults]
    tunings: Sequence[TuningResults]
    paths: Mapping[str, str]
    missing: Sequence[StageName]


def results(plan: Plan) -> Results:
    """What the manifests and published files of a plan's stages say; no pair is read."""
    fresh = {condition.name for condition in plan.conditions if condition.state == "fresh"}
    stages = [stage for stage in plan.stages if stage.name in fresh]
    sections = [section for stage in stages for section in stage.kind.report(stage, plan)]
    summaries = [summary for stage in stages for summary in stage.kind.summaries(stage, plan)]
    release = next((stage.name for stage in stages if stage.kind.is_release), None)
    return Results(
        pairs=None if release is None else plan.manifest(release).rows,
        selections={
            summary.name: summary.selected for summary in summaries if isinstance(summary, SelectionSummary)
        },
        evaluations=[section for section in sections if isinstance(section, EvaluationResults)],
        tunings=[section for section in sections if isinstance(section, TuningResults)],
        paths=_paths(plan, stages),
        missing=[stage.name for stage in plan.stages if stage.name not in fresh],
    )


def _paths(plan: Plan, stages: Sequence[Stage]) -> dict[str, str]:
    """Where what a user opens lies; the stages of which there may be several come last."""
    ordered = sorted(stages, key=lambda stage: stage.kind.has_labels)
    opened = {stage.name: stage.kind.opens for stage in ordered}
    return {
        name: plan.workspace.path(f"{name}/{file}" if file else name)
        for name, file in opened.items()
        if file is not None
    }
