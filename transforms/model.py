"""The `model/<score>` stages: what a score's model is trained to on the corpus itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..filters.draws import Smallest, sample_keys
from ..filters.ranks import Cuts, Keys, find_cuts
from ..models.training.options import TrainOptions
from ..tokens import Tokens, tokenize
from .dataset import read_columns
from .held_out import choose_held_out, reference_hashes, write_held_out
from .pairs import PairParts
from .piece import PieceWork
from .score import MODEL_FILES
from .timing import phase
from .work import Unit
from .workspace import Workspace


@dataclass(frozen=True)
class TrainLanguageModel(PieceWork):
    """Trains an n-gram model on held-out references (Wieting et al. 2017, section 5.6)."""

    stage: str
    parts: tuple[str, ...]  # files of the ingest dataset
    train_on: int
    order: int
    tokens: Tokens
    held_out_seed: int

    @property
    def packages(self) -> tuple[str, ...]:
        return ("kenlm",)

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        from ..models import language_model  # KenLM, which planning does without

        with phase("read"):
            hashes = [
                reference_hashes(
                    read_columns(workspace, file, ["reference"])["reference"], self.held_out_seed
                )
                for file in self.parts
            ]
            held_out = choose_held_out(np.concatenate(hashes), self.train_on, self.held_out_seed)

        def sentences() -> Iterator[list[str]]:
            for file, part_hashes in zip(self.parts, hashes, strict=True):
                with phase("read"):
                    references = read_columns(workspace, file, ["reference"])["reference"]
                for position in np.flatnonzero(part_hashes < np.uint64(held_out.below)):
                    yield tokenize(references[int(position)].as_py(), self.tokens)

        language_model.train(sentences(), folder / MODEL_FILES["language_model"], self.order)
        write_held_out(folder, held_out)
        return {"pairs": held_out.pairs}


@dataclass(frozen=True)
class TrainScoringEncoder(PieceWork):
    """Trains the encoder of a similarity score on a sample of all pairs (the papers' self-training)."""

    stage: str
    parts: tuple[tuple[tuple[str, str], ...], ...]  # for each part its files of ingest and translate
    train_on: int
    options: TrainOptions
    seed: int

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        from ..models.training.trainer import train_encoder  # torch, which planning does without

        with phase("read"):
            sample = self._draw(workspace)
        pairs = PairParts(workspace, self.parts, seed=self.seed, sample=sample)
        with workspace.temporary_folder() as aside:
            result = train_encoder(pairs, self.options, folder, scratch, aside=aside)
        return {"pairs": result.pairs}

    def _draw(self, workspace: Workspace) -> Cuts:
        """The cut of the sample. Pairs without a translation may be drawn, and then fewer come."""
        ids = (read_columns(workspace, dict(files)["translate"], [])["pair_id"] for files in self.parts)
        keys = [sample_keys(column.to_pylist(), self.seed) for column in ids]
        together = Keys(
            *(np.concatenate([getattr(k, name) for k in keys]) for name in ("lead", "rest", "valid"))
        )
        return find_cuts(together, Smallest(self.train_on))
