"""The `train/<name>` stages: an encoder trained on a selection, streamed from the workspace's parts."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..host_cache import cache_folder
from ..models.encoders.vectors import WordVectors, read_vectors
from ..models.training.options import ARITHMETIC, TrainOptions, resolve_device
from ..models.translation.model_folder import fetch_path
from .file_hashes import as_planned
from .pairs import PairParts
from .single_job import SingleJob
from .work import Unit
from .workspace import Workspace

if TYPE_CHECKING:
    from ..models.encoders.sentence_encoder import SentenceEncoder

# Options that are in keys only if they are not the default: encoders that are older than them stay fresh.
_LATER = (
    "objective",
    "temperature",
    "mask_above",
    "encode_at_once",
    "schedule",
    "warmup_steps",
    "clip_norm",
    "start",
)
_OF_THE_ATTEMPT = ("seconds", "resumed_from_epoch")


@dataclass(frozen=True)
class TrainEncoder(SingleJob):
    """Trains one encoder.

    parts: for each part, its files of `ingest`, `translate` and `select`. vectors_hash, start_hash: the
    hash in the key of the word vectors, and of the encoder to start from, that the options name.
    """

    stage: str
    parts: tuple[tuple[tuple[str, str], ...], ...]
    selection: str
    options: TrainOptions
    vectors_hash: str | None = None
    start_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        from ..models.training.trainer import train_encoder  # imports torch, which planning does not need

        pairs = PairParts(workspace, self.parts, selection=self.selection)
        with workspace.temporary_folder() as aside:
            vectors = planned_vectors(self.options.vectors, self.vectors_hash)
            start = planned_start(self.options.start, self.start_hash)
            result = train_encoder(
                pairs, self.options, folder, scratch, aside=aside, vectors=vectors, start=start
            )
        # Leave out what differs between attempts, so that each of them makes the same folder.
        kept = {name: value for name, value in asdict(result).items() if name not in _OF_THE_ATTEMPT}
        (folder / "training.json").write_text(json.dumps(kept, indent=1) + "\n")
        return {"pairs": result.pairs}


def planned_vectors(path: str | None, digest: str | None) -> WordVectors | None:
    """Read the word vectors that training starts from; InputError if they are not those with this hash."""
    if path is None:
        return None
    local = str(fetch_path(path, cache_folder("models")))
    with as_planned([local], digest):
        return read_vectors(local)


def training_ingredients(
    options: TrainOptions,
    vectors_hash: str | None,
    gpu: bool | None = None,
    start_hash: str | None = None,
) -> dict[str, object]:
    """The ingredients of a training's key. They include the device, on which the results depend.

    gpu: whether there is a GPU where the encoder is trained; None asks this machine. vectors_hash,
    start_hash: of the files that the options name.
    """
    ingredients = {
        **asdict(options),
        "vectors": vectors_hash,
        "start": start_hash,
        "device": resolve_device(options.device, gpu),
        "arithmetic": ARITHMETIC,
    }
    for name in _LATER:
        if ingredients[name] == getattr(TrainOptions, name):
            del ingredients[name]
    if options.text.tags == "none":
        ingredients["text"] = {name: value for name, value in asdict(options.text).items() if name != "tags"}
    if options.embedding_updates == "dense":
        # Only "dense" has this key, so that older encoders with updates by rows are still fresh.
        ingredients["optimiser"] = "torch.optim.Adam"
    return ingredients


def planned_start(path: str | None, digest: str | None) -> "SentenceEncoder | None":
    """Load the encoder that training starts from; InputError if it is not the one with this hash."""
    from ..models.encoders.sentence_encoder import SentenceEncoder  # imports torch

    if path is None:
        return None
    local = fetch_path(path, cache_folder("models"))
    with as_planned([str(local)], digest):
        return SentenceEncoder.load(local)
