"""The `evaluate/<name>` stages: an encoder on one set of evaluation data."""

import json
from dataclasses import dataclass
from pathlib import Path

from ..models.evaluations import EVALUATIONS
from ..models.model_folder import fetch_path
from ..models.sentence_encoder import SentenceEncoder
from .host_cache import cache_folder
from .piece import PieceWork, built_folder
from .stage import Unit
from .workspace import Workspace


@dataclass(frozen=True)
class EvaluateEncoder(PieceWork):
    """Evaluates one encoder and writes `results.json`.

    encoder: a folder, of the workspace where `in_workspace`. kind: a name of `EVALUATIONS`.
    """

    stage: str
    kind: str
    data: str
    encoder: str
    in_workspace: bool

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        if self.in_workspace:
            path = built_folder(workspace, self.encoder)
        else:
            path = fetch_path(self.encoder, cache_folder("models"))
        results = EVALUATIONS[self.kind](SentenceEncoder.load(path), self.data)
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        return {"datasets": len(results)}
