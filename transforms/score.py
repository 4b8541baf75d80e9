"""The `score/<score>` stages: each makes one column."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..filters.score import Score
from ..host_cache import cache_folder
from ..models.translation.model_folder import fetch_path
from .dataset import read_joined
from .file_hashes import as_planned
from .held_out import read_held_out
from .model_cache import cached_model, model_lock
from .model_kinds import model_kind_of
from .single_job import built_folder
from .work import PartWork, Unit
from .workspace import Workspace


@dataclass(frozen=True)
class ScorePart(PartWork):
    """Measures one part.

    trained: the folder in the workspace of the model that was trained on the corpus; None if the score has
    no model, or a model given by its `files()`. model_hash: the hash of those files in the parts' keys; if
    None, the files are not checked.
    """

    stage: str
    column: str
    score: Score
    trained: str | None = None
    model_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        kind = model_kind_of(self.score)
        return () if kind is None else kind.packages

    def make(self, workspace: Workspace, unit: Unit) -> tuple[pa.Table, dict[str, int]]:
        folder = built_folder(workspace, self.trained) if self.trained else None
        held_out = read_held_out(folder) if folder else None
        reads = {*self.score.reads, *(("reference",) if held_out else ())}
        files = {
            file: sorted(reads & (INGEST_COLUMNS if name == "ingest" else TRANSLATE_COLUMNS))
            for name, file in unit.inputs
        }
        pairs = read_joined(workspace, files)
        values, seen = self.measure(workspace, pairs)
        counts = {} if seen is None else {"held_out": int(seen.sum())}
        counts["null"] = values.null_count
        return pa.table({"pair_id": pairs["pair_id"], self.column: values}), counts

    def measure(self, workspace: Workspace, pairs: pa.Table) -> tuple[pa.Array, np.ndarray | None]:
        """The score of each pair, and which pairs the model was trained on; their score is null.

        pairs: with the columns that the score reads and, if its model holds pairs out, `reference`. The
        second value is None if the model holds none out.
        """
        folder = built_folder(workspace, self.trained) if self.trained else None
        held_out = read_held_out(folder) if folder else None
        with model_lock:
            values = self.score.measure(pairs, self._load(folder))
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        seen = None
        if held_out is not None:
            seen = held_out.mask(pairs["reference"])
            values = pc.if_else(pa.array(seen), pa.scalar(None, values.type), values)
        return values.cast(self.score.dtype), seen

    def _load(self, folder: Path | None) -> object | None:
        kind = model_kind_of(self.score)
        if kind is None:
            return None
        given = str(folder / kind.file) if folder else self.score.files()[0]

        def load() -> object:
            path = fetch_path(given, cache_folder("models"))
            with as_planned([str(path)], None if folder else self.model_hash):
                return kind.load(path, self.score)

        return cached_model((self.score.model_kind, given, self.score, self.model_hash), load)


INGEST_COLUMNS = frozenset({"source", "reference"})
TRANSLATE_COLUMNS = frozenset(
    {"translation", "translation_log_prob", "translation_tokens", "translation_status", "candidates"}
)
