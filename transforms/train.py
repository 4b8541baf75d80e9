"""The `train/<name>` stages: an encoder trained on a selection, streamed from the workspace's parts."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ..models.training import train_encoder
from ..models.training_options import TrainOptions
from .pairs import PairParts
from .piece import PieceWork
from .stage import Unit
from .workspace import Workspace


@dataclass(frozen=True)
class TrainEncoder(PieceWork):
    """Trains one encoder. parts: for each part its files of `ingest`, `translate` and `select`."""

    stage: str
    parts: tuple[tuple[tuple[str, str], ...], ...]
    selection: str
    options: TrainOptions

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        pairs = PairParts(workspace, self.parts, selection=self.selection)
        with workspace.temporary_folder() as aside:
            result = train_encoder(pairs, self.options, folder, scratch, aside=aside)
        (folder / "training.json").write_text(json.dumps(asdict(result), indent=1) + "\n")
        return {"pairs": result.pairs}
