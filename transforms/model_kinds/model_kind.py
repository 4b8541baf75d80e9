"""The properties of a kind of model that scores use: how such a model is loaded, trained and described."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Protocol

from ...filters.score import Score
from ..beam.single_job import SingleJob, home

PartFiles = tuple[tuple[str, str], ...]
"""The files of one part, as pairs of dataset and file."""


@dataclass(frozen=True)
class TrainingData:
    """The data that a model may be trained on.

    stage: `model/<score>`. seed: the recipe's seed. parts: for each part, in order, its files by dataset:
    `ingest`, `translate` (the translation of each pair) and `candidates` (the n-best lists, if they are
    stored, and the best candidates). hashes: the hash of each of the score's `files()`.
    """

    stage: str
    seed: int
    parts: tuple[PartFiles, ...]
    hashes: Mapping[str, str]

    @property
    def folder(self) -> str:
        """The `stage` of the work that trains the model."""
        return home(self.stage)

    def files(self, dataset: str) -> tuple[str, ...]:
        """The files of one dataset."""
        return tuple(dict(files)[dataset] for files in self.parts)


@dataclass(frozen=True)
class ModelTraining:
    """How a model is trained for a score.

    work: the work that trains it; its `stage` is `TrainingData.folder`. ingredients: everything but the
    datasets that changes the model; goes into the stage's key. reads: the datasets that it is trained on.
    """

    work: SingleJob
    ingredients: Mapping[str, object]
    reads: tuple[Literal["ingest", "translate", "candidates"], ...]


class Movable(Protocol):
    """A model that can work on a GPU."""

    def to(self, device: str) -> object:
        """Moves it to `cpu` or `cuda`."""
        ...


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """The properties of a kind of model that are known without loading one.

    description: what the dataset card calls it.
    packages: the packages that compute scores with it.
    load: loads the given files or folders, or the trained one, as the model that a score's `measure` takes.
    training: how such a model is trained, for a score whose `trained_on` is not None; it may read the score's
    own fields after checking the score's class. None if such a model is never trained.
    file: its file in the folder of the stage that trains it; "" if it is the folder itself.
    trains_on_translations: whether it is trained on the translations of the corpus, so that it cannot choose
    them (`choose`).
    shares_reading: whether scores with such a model are computed in one job with others, which read the same
    texts: if it is light enough to be loaded beside the models of others.
    findings: what the counts of a trained model's manifest say of it, in words; may be empty.
    wants_gpu: whether the model of a score is moved to a GPU where there is one; it then has a method
    `to(device)`.
    parameters: the parameters of a score with this model, as the keys of its parts have them.
    rounding: how much a score may differ, relative to its value or to 1 if that is more, when it is computed
    again in other batches, with the same packages on the same kind of processor.

    Planning uses this too, so `load` and the work import heavy packages only when they are called.
    """

    description: str
    packages: tuple[str, ...]
    load: Callable[[Sequence[Path], Score], object]
    training: Callable[[TrainingData, Score], ModelTraining] | None = None
    file: str = ""
    trains_on_translations: bool = False
    shares_reading: bool = False
    findings: Callable[[Mapping[str, int]], str] = lambda counts: ""
    wants_gpu: Callable[[Score], bool] = lambda score: False
    parameters: Callable[[Score], dict[str, object]] = asdict
    rounding: float = 0.0
