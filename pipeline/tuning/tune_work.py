"""The `tune/<name>` stages: what the trials of an entry of `tune` say about its ranges."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...filters.where.ranges import ScoreRange, SettingValue
from ...transforms.beam.single_job import SingleJob
from ...transforms.beam.task_work import Task
from ...transforms.storage.dataset import Manifest, read_manifest
from ...transforms.storage.workspace import Workspace
from ...transforms.works.range_trials import Trial, read_trial


@dataclass(frozen=True)
class WriteTuning(SingleJob):
    """Writes `results.json` and `index.html`.

    name: of the entry. ranges: the range of all pairs first. pairs: how many pairs a trial trains on. trials,
    fresh: the folders and keys of the stages that ran the trials. seed: of the bootstrap. values: the options
    of each setting of a grid, by the key of its range.
    """

    stage: str
    name: str
    ranges: tuple[ScoreRange, ...]
    pairs: int
    trials: tuple[str, str]
    fresh: tuple[str, str]
    seed: int
    values: tuple[tuple[str, Mapping[str, SettingValue]], ...] = ()

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy",)

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        # import pydantic's models and jinja2, which planning does not need
        from ..report.page import render_tuning
        from ..stages.results import TUNING_RESULTS, tuning_results

        first = _manifest(workspace, *self.trials)
        fresh = _manifest(workspace, *self.fresh)
        sizes = {_range(entry.part): entry.counts["in range"] for entry in first.parts}
        trials, rescored = _by_range(workspace, first), _by_range(workspace, fresh)
        values = dict(self.values)
        results = tuning_results(
            self.name, self.ranges, sizes, trials, rescored, self.pairs, self.seed, values
        )
        (folder / "results.json").write_bytes(TUNING_RESULTS.dump_json(results, indent=1) + b"\n")
        (folder / "index.html").write_text(render_tuning(results), encoding="utf-8")
        return {"trials": len(first.parts) + len(fresh.parts)}


def _manifest(workspace: Workspace, folder: str, key: str) -> Manifest:
    manifest = read_manifest(workspace, folder, key)
    assert manifest is not None, "a stage that is read is fresh"
    return manifest


def _range(part: str) -> str:
    return part.rpartition("/")[0]


def _by_range(workspace: Workspace, manifest: Manifest) -> dict[str, dict[str, Trial]]:
    trials: dict[str, dict[str, Trial]] = {}
    for entry in manifest.parts:
        trials.setdefault(_range(entry.part), {})[entry.part] = read_trial(workspace, entry.file)
    return trials
