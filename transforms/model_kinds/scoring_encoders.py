"""Sentence encoders, trained on a sample of all pairs or given by the user."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ...base.hashing import derive_seed
from ...filters.ranks.draws import Smallest, sample_keys
from ...filters.ranks.radix import Cuts, Keys, find_cuts
from ...filters.score import Score
from ...filters.similarity import EncoderSpec, ParaphraseSimilarity
from ...models.encoders.encoder_kinds import folder_wants_gpu
from ...models.training.train_options import TextOptions, TrainOptions, resolve_device
from ..beam.gpus import on_device
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..beam.timing import phase
from ..storage.dataset import read_columns
from ..storage.workspace import Workspace
from ..trainings.pair_streams import PairParts
from ..trainings.trained_encoder import TrainedEncoder
from ..trainings.training_encoders import InputHashes, TrainingShown, training_ingredients
from .model_kind import ModelKind, ModelTraining, PartFiles, TrainingData

_IN_KEYS = ("type", "train_on", "dimension", "epochs", "path")


@dataclass(frozen=True)
class TrainScoringEncoder(SingleJob):
    """Trains the encoder of a similarity score on a sample of all pairs (the papers' self-training)."""

    stage: str
    parts: tuple[PartFiles, ...]  # of ingest and translate
    train_on: int
    options: TrainOptions
    seed: int

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        from ...models.training.trainer import train_encoder  # imports torch, which planning does not need

        with phase("read"):
            sample = self._draw(workspace)
        pairs = PairParts(workspace, self.parts, seed=self.seed, sample=sample)
        device = resolve_device(self.options.device)
        with on_device(device), workspace.temporary_folder() as aside:
            result = train_encoder(pairs, self.options, folder, scratch, TrainingShown(), aside=aside)
        return {"pairs": result.pairs}

    def _draw(self, workspace: Workspace) -> Cuts:
        """The cut of the sample. It may include pairs without a translation, which are not trained on."""
        ids = (read_columns(workspace, dict(files)["translate"], [])["pair_id"] for files in self.parts)
        keys = [sample_keys(column.to_pylist(), self.seed) for column in ids]
        together = Keys(
            *(np.concatenate([getattr(k, name) for k in keys]) for name in ("lead", "rest", "valid"))
        )
        return find_cuts(together, Smallest(self.train_on))


def _load(paths: Sequence[Path], score: Score) -> object:
    from ...models.encoders.loading import load_encoder  # imports torch, which other scores do without

    (path,) = paths
    return load_encoder(path, "cpu", _similarity(score).tokens)


def _training(data: TrainingData, score: Score) -> ModelTraining:
    similarity, train_on = _similarity(score), score.trained_on()
    if train_on is None:
        raise TypeError(f"no encoder is trained for {score!r}")
    spec = _spec(similarity)
    options = TrainOptions(
        seed=derive_seed(data.seed, data.stage),
        encoder=spec.options,
        text=TextOptions(tokens=similarity.tokens),
        epochs=spec.epochs,
    )
    seed = derive_seed(data.seed, "sample/" + data.stage)
    work = TrainScoringEncoder(data.folder, data.parts, train_on, options, seed)
    ingredients = {"train_on": train_on, **training_ingredients(options, InputHashes())}
    return ModelTraining(work, ingredients, ("ingest", "translate"))


def _parameters(score: Score) -> dict[str, object]:
    """Of an encoder's options only the dimension: all of them are in the key of the trained encoder."""
    similarity = _similarity(score)
    parameters: dict[str, object] = {**asdict(similarity), "encoder": None}
    if similarity.vectors is None:
        spec = _spec(similarity)
        keys = {**asdict(spec), **asdict(spec.options)}
        parameters["encoder"] = {name: keys.get(name) for name in _IN_KEYS}
    return parameters


def _wants_gpu(score: Score) -> bool:
    similarity = _similarity(score)
    if similarity.vectors is not None:
        return False
    spec = _spec(similarity)
    return spec.options.wants_gpu if spec.path is None else folder_wants_gpu(spec.path)


def _spec(similarity: ParaphraseSimilarity[EncoderSpec]) -> TrainedEncoder:
    """The encoder of a score that averages no word vectors; by default one is trained."""
    if isinstance(similarity.encoder, TrainedEncoder):
        return similarity.encoder
    spec = similarity.encoder or EncoderSpec()
    return TrainedEncoder(**asdict(spec))


def _similarity(score: Score) -> ParaphraseSimilarity[EncoderSpec]:
    if not isinstance(score, ParaphraseSimilarity):
        raise TypeError(f"no encoder is known for {score!r}")
    return score


ENCODER = ModelKind(
    description="encoder",
    packages=("torch", "sentence-transformers"),
    load=_load,
    training=_training,
    trains_on_translations=True,
    wants_gpu=_wants_gpu,
    rounding=1.2e-7,  # one step of float32
    parameters=_parameters,
)
