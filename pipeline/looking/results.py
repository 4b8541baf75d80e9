"""What a recipe has made so far: its pairs, selections, evaluations and tunings, and where they lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..recipe.name import StageName
from ..stages.planned import Plan
from ..stages.report_data import EvaluationResults
from ..stages.results import TuningResults

_FILES = {"release": "release", "report": "report/index.html"}
_MODELS = ("train", "paraphraser")


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
    files = _FILES | {name: name for name in fresh if name.kind in _MODELS}
    return Results(
        pairs=plan.manifest("release").rows if "release" in fresh else None,
        selections={
            stage.label: plan.manifest(stage.name).counts.get("selected", 0)
            for stage in stages
            if stage.name.kind == "select"
        },
        evaluations=[section for section in sections if isinstance(section, EvaluationResults)],
        tunings=[section for section in sections if isinstance(section, TuningResults)],
        paths={name: plan.workspace.path(path) for name, path in files.items() if name in fresh},
        missing=[stage.name for stage in plan.stages if stage.name not in fresh],
    )
