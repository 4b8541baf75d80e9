"""The kinds of stage, in the order in which a run computes them, and their properties."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..transforms.beam.single_job import home

UnitOfWork = Literal["input file", "part", "bucket", "trial", "release file", "whole stage"]


@dataclass(frozen=True, kw_only=True)
class StageKind:
    """The properties that all stages of a kind share, whatever the recipe.

    version: raised when stages of this kind start to make different results from the same ingredients.
    unit: what one process works on at a time; a bucket is a range of hashes of all pairs, and a trial is an
    encoder that is trained on some of them.
    has_labels: whether a recipe may have several stages of this kind, such as `score/perplexity`.
    is_built: whether its files are in a folder of their own under `_built`, and published under plain names.
    keeps_cuts: whether it is complete only with the cuts that its parts were ranked by.
    in_release, in_report: whether the release, or the report, reads it.
    reads_release: whether its cost grows with the release.
    fills_machine: whether one unit uses all processors of a machine.
    seconds_a_pair: roughly how long one core takes, so that a runner can decide whether starting more
    processes is worth it; 0 if more processes do not help.
    """

    version: int = 1
    unit: UnitOfWork = "part"
    has_labels: bool = False
    is_built: bool = False
    keeps_cuts: bool = False
    in_release: bool = False
    in_report: bool = False
    reads_release: bool = False
    fills_machine: bool = False
    seconds_a_pair: float = 0.0

    @property
    def is_single_job(self) -> bool:
        """Whether one process makes the whole stage."""
        return self.unit == "whole stage"


KINDS: Mapping[str, StageKind] = {
    "ingest": StageKind(unit="input file", in_release=True),
    "translate": StageKind(version=2, in_release=True, fills_machine=True),
    "choose": StageKind(in_release=True, seconds_a_pair=1e-4),
    "model": StageKind(unit="whole stage", has_labels=True, is_built=True),
    "score": StageKind(has_labels=True, in_release=True, seconds_a_pair=5e-5),
    "deciles": StageKind(has_labels=True, keeps_cuts=True, in_release=True, seconds_a_pair=1e-6),
    "pool": StageKind(has_labels=True, seconds_a_pair=2e-5),
    "trials": StageKind(unit="trial", has_labels=True, seconds_a_pair=2e-4),
    "fresh": StageKind(unit="trial", has_labels=True, seconds_a_pair=2e-4),
    "tune": StageKind(unit="whole stage", has_labels=True, is_built=True, in_report=True),
    "fingerprints": StageKind(seconds_a_pair=2e-6),
    "links": StageKind(unit="bucket", seconds_a_pair=1e-5),
    "groups": StageKind(unit="bucket", seconds_a_pair=1e-6),
    "duplicates": StageKind(in_release=True, seconds_a_pair=1e-6),
    "select": StageKind(has_labels=True, in_release=True, seconds_a_pair=1e-6),
    "release": StageKind(version=2, unit="release file", is_built=True, in_report=True, seconds_a_pair=1e-5),
    "train": StageKind(unit="whole stage", has_labels=True, is_built=True, in_report=True),
    "evaluate": StageKind(unit="whole stage", has_labels=True, is_built=True, in_report=True),
    "report": StageKind(version=3, unit="whole stage", is_built=True, reads_release=True),
}


def kind_name(stage: str) -> str:
    """`score` of `score/perplexity`."""
    return stage.partition("/")[0]


def kind_of(stage: str) -> StageKind:
    """The kind of the stage with this name."""
    return KINDS[kind_name(stage)]


def stage_folder(stage: str) -> str:
    """The folder of a stage's manifests and files."""
    return home(stage) if kind_of(stage).is_built else stage
