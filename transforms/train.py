"""The `train/<name>` stages: an encoder trained on a selection, streamed from the workspace's parts."""

import json
import logging
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..host_cache import cache_folder
from ..models.encoders.vectors import WordVectors, read_vectors
from ..models.training.options import TrainOptions, resolve_device
from ..models.translation.model_folder import fetch_path
from .file_hashes import as_planned
from .pair_files import PairFileOptions, PairFiles
from .pairs import PairParts
from .single_job import SingleJob
from .work import Unit
from .workspace import Workspace

if TYPE_CHECKING:
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.training.pairs import PairStream

logger = logging.getLogger(__name__)

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

    parts: for each part, its files of `ingest`, `translate` and `select`. pairs: files to train on instead of
    a selection. vectors_hash, start_hash, pairs_hash, sentencepiece_hash: the hash in the key of the word
    vectors, of the encoder to start from, of these files, and of the sentencepiece model.
    """

    stage: str
    parts: tuple[tuple[tuple[str, str], ...], ...]
    selection: str | None
    options: TrainOptions
    vectors_hash: str | None = None
    start_hash: str | None = None
    pairs: PairFileOptions | None = None
    pairs_hash: str | None = None
    sentencepiece_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        from ..models.training.trainer import train_encoder  # imports torch, which planning does not need

        pairs: PairStream = PairParts(workspace, self.parts, selection=self.selection)
        with ExitStack() as stack:
            aside = stack.enter_context(workspace.temporary_folder())
            if self.pairs is not None:
                files = PairFiles(self.pairs, self.pairs_hash)
                pairs = files.sampled(self.options.text.tokens)
                stack.callback(_log_left_out, files)
            if self.options.text.sentencepiece is not None:
                with as_planned([self.options.text.sentencepiece], self.sentencepiece_hash):
                    pass  # training reads it first of all
            vectors = planned_vectors(self.options.vectors, self.vectors_hash)
            start = planned_start(self.options.start, self.start_hash)
            result = train_encoder(
                pairs, self.options, folder, scratch, aside=aside, vectors=vectors, start=start
            )
        # Leave out what differs between attempts, so that each of them makes the same folder.
        kept = {name: value for name, value in asdict(result).items() if name not in _OF_THE_ATTEMPT}
        (folder / "training.json").write_text(json.dumps(kept, indent=1) + "\n")
        return {"pairs": result.pairs}


def _log_left_out(files: PairFiles) -> None:
    for reason, count in files.left_out.items():
        logger.info("left out %s records: %s", f"{count:,}", reason)


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
    sentencepiece_hash: str | None = None,
) -> dict[str, object]:
    """The ingredients of a training's key. They include the device, on which the results depend.

    gpu: whether there is a GPU where the encoder is trained; None asks this machine. vectors_hash,
    start_hash, sentencepiece_hash: of the files that the options name.
    """
    ingredients = {
        **asdict(options),
        "vectors": vectors_hash,
        "start": start_hash,
        "device": resolve_device(options.device, gpu),
    }
    for name in _LATER:
        if ingredients[name] == getattr(TrainOptions, name):
            del ingredients[name]
    ingredients["text"] = text_ingredients(options, sentencepiece_hash)
    if options.text.tags == "none":
        del ingredients["text"]["tags"]
    if options.embedding_updates == "dense":
        # Only "dense" has this key, so that older encoders with updates by rows are still fresh.
        ingredients["optimiser"] = "torch.optim.Adam"
    return ingredients


def text_ingredients(options: TrainOptions, sentencepiece_hash: str | None = None) -> dict[str, object]:
    """The ingredients of how text is cut; older encoders, which have no subwords, stay fresh."""
    text = asdict(options.text)
    if "subwords" in options.streams:
        return {**text, "sentencepiece": sentencepiece_hash}
    return {name: text[name] for name in text if name not in ("sentencepiece", "subword_size")}


def planned_start(path: str | None, digest: str | None) -> "SentenceEncoder | None":
    """Load the encoder that training starts from; InputError if it is not the one with this hash."""
    from ..models.encoders.sentence_encoder import SentenceEncoder  # imports torch

    if path is None:
        return None
    local = fetch_path(path, cache_folder("models"))
    with as_planned([str(local)], digest):
        return SentenceEncoder.load(local)
