"""The `score/<score>` stages: one column each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..filters.score import Score
from ..hashing import seeded_hash
from ..models import language_model, sentence_encoder
from ..tokens import normalise
from .dataset import read_joined
from .loaded import loaded, use
from .stage import PartWork, Unit
from .workspace import Workspace

LOADERS: dict[str, Callable[[Path], object]] = {
    "language_model": language_model.load,
    "encoder": sentence_encoder.load,
}
"""How the models of each kind that scores use are loaded, from a file or a folder."""


@dataclass(frozen=True)
class HeldOut:
    """Pairs that a model of the corpus was trained on: those whose reference's hash is below a limit."""

    seed: int
    below: int

    def __call__(self, references: pa.ChunkedArray) -> np.ndarray:
        """Boolean, one a reference."""
        return seeded_hash((normalise(text) for text in references.to_pylist()), self.seed) < self.below


@dataclass(frozen=True)
class ScorePart(PartWork):
    """Measures one part. `model`: a file or folder, of the workspace where `model_in_workspace`."""

    stage: str
    column: str
    score: Score
    model: str | None = None
    model_in_workspace: bool = False
    held_out: HeldOut | None = None

    def make(self, workspace: Workspace, unit: Unit) -> tuple[pa.Table, dict[str, int]]:
        reads = {*self.score.reads, *(("reference",) if self.held_out else ())}
        sources = {name: file for name, file in unit.inputs if name in ("ingest", "translate")}
        files = {
            file: sorted(reads & (TRANSLATE_COLUMNS if name == "translate" else INGEST_COLUMNS))
            for name, file in sources.items()
        }
        pairs = read_joined(workspace, files)
        with use:
            values = self.score.measure(pairs, self._load(workspace))
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        counts = {}
        if self.held_out is not None:
            seen = self.held_out(pairs["reference"])
            values = pc.if_else(pa.array(seen), pa.scalar(None, values.type), values)
            counts["held_out"] = int(seen.sum())
        counts["null"] = values.null_count
        return pa.table({"pair_id": pairs["pair_id"], self.column: values.cast(self.score.dtype)}), counts

    def _load(self, workspace: Workspace) -> object | None:
        if self.model is None or self.score.model_kind is None:
            return None
        path = workspace.local(self.model) if self.model_in_workspace else Path(self.model)
        return loaded((self.score.model_kind, str(path)), lambda: LOADERS[self.score.model_kind](path))


INGEST_COLUMNS = frozenset({"source", "reference"})
TRANSLATE_COLUMNS = frozenset(
    {"translation", "translation_log_prob", "translation_tokens", "translation_status", "candidates"}
)
