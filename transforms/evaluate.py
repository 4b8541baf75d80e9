"""The `evaluate/<name>` stages: an encoder on one set of evaluation data."""

import json
from dataclasses import dataclass
from pathlib import Path

from ..host_cache import cache_folder
from ..models.evaluation.evaluations import EVALUATIONS
from ..models.translation.model_folder import fetch_path
from .file_hashes import as_planned
from .piece import PieceWork, built_folder
from .work import Unit
from .workspace import Workspace


@dataclass(frozen=True)
class EvaluateEncoder(PieceWork):
    """Evaluates one encoder and writes `results.json`.

    encoder: a folder, in the workspace if `in_workspace`. kind: a name in `EVALUATIONS`. data_hash: the hash
    in the key of the files at `data`. encoder_hash: the same for an encoder outside the workspace.
    """

    stage: str
    kind: str
    data: str
    encoder: str
    in_workspace: bool
    data_hash: str
    encoder_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        # imports torch, which planning does not need
        from ..models.encoders.sentence_encoder import SentenceEncoder

        if self.in_workspace:
            path = built_folder(workspace, self.encoder)
        else:
            path = fetch_path(self.encoder, cache_folder("models"))
        with as_planned([str(path)], self.encoder_hash):
            encoder = SentenceEncoder.load(path)
        with as_planned([self.data], self.data_hash):
            results = EVALUATIONS[self.kind](encoder, self.data)
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        return {"datasets": len(results)}
