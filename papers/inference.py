"""Training encoders on natural language inference, for the tables of InferSent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import xxhash

from ..models.training.head_options import NliOptions
from ..models.training.pairs import PairList
from ..models.training.train_options import TrainOptions
from .paper_table import Inference

if TYPE_CHECKING:
    from ..models.encoders.sentence_encoder import SentenceEncoder
    from ..models.encoders.vectors import WordVectors


@dataclass(frozen=True)
class LabelledPairs(PairList):
    """Premises, hypotheses and their labels."""

    labels: Sequence[str]

    @cached_property
    def key(self) -> str:
        """A hash of all sentences and labels."""
        return xxhash.xxh3_64_hexdigest(
            json.dumps([self.references, self.translations, self.labels]).encode()
        )

    def write(self, file: Path) -> str:
        """Writes them as SNLI has them, and gives the file's path."""
        rows = zip(self.references, self.translations, self.labels, strict=True)
        names = ("sentence1", "sentence2", "gold_label")
        lines = (json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        file.write_text("".join(lines), encoding="utf-8")
        return str(file)


def train_on_inference(
    options: TrainOptions,
    task: Inference,
    train: LabelledPairs,
    dev: LabelledPairs,
    vectors: "WordVectors | None",
    folder: Path,
) -> "SentenceEncoder":
    """An encoder trained with InferSent's head, which lies beside it in the folder (InferSent, section 3.3).

    options: those that do not belong to the head. vectors: those that `options` name.
    """
    from ..models.encoders.sentence_encoder import SentenceEncoder  # these import torch
    from ..models.training.fine_tuning import fine_tune

    fixed: Literal["words", "nothing"] = "nothing" if vectors is None else "words"
    how = NliOptions(
        examples=train.write(folder / "train.jsonl"),
        dev=dev.write(folder / "dev.jsonl"),
        encoder=options.encoder,
        text=options.text,
        epochs=options.epochs,
        seed=options.seed,
        vectors=options.vectors,
        device=options.device,
        freeze="encoder" if task.is_frozen else fixed,
    )
    for name in ("encoder", "scratch"):
        (folder / name).mkdir()
    fine_tune(how, folder / "encoder", folder / "scratch", vectors=vectors)
    return SentenceEncoder.load(folder / "encoder", options.device)
