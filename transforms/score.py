"""The `score/<score>` stages: one column each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..filters.score import Score
from ..models.translation.model_folder import fetch_path
from .dataset import read_joined
from .file_hashes import as_planned
from .held_out import read_held_out
from .host_cache import cache_folder
from .loaded import loaded, use
from .piece import built_folder
from .work import PartWork, Unit
from .workspace import Workspace


def _language_model(path: Path, score: Score) -> object:
    from ..models import language_model  # KenLM, which other scores do without

    return language_model.load(path)


def _encoder(path: Path, score: Score) -> object:
    # torch comes with it, which takes a worker that needs none two seconds.
    from ..models.encoders.sentence_encoder import SentenceEncoder

    if path.is_dir():
        return SentenceEncoder.load(path)
    return SentenceEncoder.from_vectors(str(path), score.tokens)  # type: ignore[attr-defined]


LOADERS: dict[str, Callable[[Path, Score], object]] = {"language_model": _language_model, "encoder": _encoder}
"""How the models of each kind that scores use are loaded, from a file or a folder."""

_PACKAGES: dict[str | None, tuple[str, ...]] = {
    None: (),
    "language_model": ("kenlm",),
    "encoder": ("torch",),
}

MODEL_FILES = {"language_model": "language_model.binary", "encoder": ""}
"""Where in a model stage's folder the model of each kind is; the encoder is the folder itself."""


@dataclass(frozen=True)
class ScorePart(PartWork):
    """Measures one part.

    trained: the folder in the workspace of the model that was trained on the corpus; None where the
    score has no model, or one given by its `files()`. model_hash: of those files as the parts' keys hold it;
    None: whatever lies there is taken.
    """

    stage: str
    column: str
    score: Score
    trained: str | None = None
    model_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return _PACKAGES[self.score.model_kind]

    def make(self, workspace: Workspace, unit: Unit) -> tuple[pa.Table, dict[str, int]]:
        folder = built_folder(workspace, self.trained) if self.trained else None
        held_out = read_held_out(folder) if folder else None
        reads = {*self.score.reads, *(("reference",) if held_out else ())}
        sources = {name: file for name, file in unit.inputs if name in ("ingest", "translate")}
        files = {
            file: sorted(reads & (TRANSLATE_COLUMNS if name == "translate" else INGEST_COLUMNS))
            for name, file in sources.items()
        }
        pairs = read_joined(workspace, files)
        with use:
            values = self.score.measure(pairs, self._load(folder))
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        counts = {}
        if held_out is not None:
            seen = held_out.mask(pairs["reference"])
            values = pc.if_else(pa.array(seen), pa.scalar(None, values.type), values)
            counts["held_out"] = int(seen.sum())
        counts["null"] = values.null_count
        return pa.table({"pair_id": pairs["pair_id"], self.column: values.cast(self.score.dtype)}), counts

    def _load(self, folder: Path | None) -> object | None:
        kind = self.score.model_kind
        if kind is None:
            return None
        given = str(folder / MODEL_FILES[kind]) if folder else self.score.files()[0]

        def load() -> object:
            path = fetch_path(given, cache_folder("models"))
            with as_planned([str(path)], None if folder else self.model_hash):
                return LOADERS[kind](path, self.score)

        return loaded((kind, given, self.score, self.model_hash), load)


INGEST_COLUMNS = frozenset({"source", "reference"})
TRANSLATE_COLUMNS = frozenset(
    {"translation", "translation_log_prob", "translation_tokens", "translation_status", "candidates"}
)
