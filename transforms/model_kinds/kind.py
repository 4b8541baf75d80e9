"""What is known of a kind of model that scores use: how one is loaded, trained and described."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...filters.score import Score
from ..piece import PieceWork, home

PartFiles = tuple[tuple[str, str], ...]
"""The files of one part: dataset → file."""


@dataclass(frozen=True)
class TrainingData:
    """What a model may be trained on.

    stage: `model/<score>`. seed: the recipe's. parts: their files of `ingest` and `translate`, in order.
    """

    stage: str
    seed: int
    parts: tuple[PartFiles, ...]

    @property
    def folder(self) -> str:
        """What the work that trains the model has as its `stage`."""
        return home(self.stage)

    def files(self, dataset: str) -> tuple[str, ...]:
        """The files of `ingest` or `translate`."""
        return tuple(dict(files)[dataset] for files in self.parts)


@dataclass(frozen=True)
class Training:
    """How a model is trained for a score.

    work: what trains it. ingredients: what the stage's key holds besides the datasets: all that changes the
    model. reads: the datasets that it is trained on.
    """

    work: PieceWork
    ingredients: Mapping[str, object]
    reads: tuple[Literal["ingest", "translate"], ...]


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """What is known of a kind of model without loading one.

    description: what the dataset card calls it.
    packages: those that compute scores with it.
    load: the model as a score's `measure` takes it, of a file or folder that was given or trained.
    training: how one is trained, for a score whose `trained_on` is not None.
    file: where in a trained stage's folder it is; "" is the folder itself.
    holds_out: whether training holds pairs out (`held_out`), which then get no score.

    Planning reads this table too, so `load` and the work import what is heavy when they are called.
    """

    description: str
    packages: tuple[str, ...]
    load: Callable[[Path, Score], object]
    training: Callable[[TrainingData, Score], Training]
    file: str = ""
    holds_out: bool = False
