"""The `evaluate/<name>` stages: one evaluation of one encoder."""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from ..host_cache import cache_folder
from ..models.evaluation.evaluation import Evaluation
from ..models.translation.model_folder import fetch_path
from .file_hashes import as_planned
from .gpus import one_gpu
from .single_job import SingleJob, built_folder
from .work import Unit
from .workspace import Workspace


@dataclass(frozen=True)
class EvaluateEncoder(SingleJob):
    """Evaluates one encoder and writes `results.json`, a table.

    hashes: the paths that the evaluation reads, each with the hash of its content in the key. encoder: a
    folder, in the workspace if `in_workspace`. encoder_hash: the hash in the key of an encoder outside the
    workspace. device: where the encoder works, `cpu` or `cuda`.
    """

    stage: str
    evaluation: Evaluation
    hashes: tuple[tuple[str, str], ...]
    encoder: str
    in_workspace: bool
    encoder_hash: str | None = None
    device: str = "cpu"

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch", *self.evaluation.packages)

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        # imports torch, which planning does not need
        from ..models.encoders.sentence_encoder import SentenceEncoder

        if self.in_workspace:
            path = built_folder(workspace, self.encoder)
        else:
            path = fetch_path(self.encoder, cache_folder("models"))
        with as_planned([str(path)], self.encoder_hash):
            encoder = SentenceEncoder.load(path)
        with ExitStack() as reading:
            if self.device == "cuda":
                reading.enter_context(one_gpu())
                encoder.to(self.device)
            for data, digest in self.hashes:
                reading.enter_context(as_planned([data], digest))
            table = self.evaluation.evaluate(encoder)
        (folder / "results.json").write_text(json.dumps(table.to_json(), indent=1) + "\n")
        return {"results": len(table.rows)}
