"""The `score/<score>` stages: each makes one column."""

from collections.abc import Mapping, Set
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pyarrow as pa

from ...base.counts import by_name
from ...base.host_cache import cache_folder
from ...filters.given import GIVEN
from ...filters.score import Score
from ...filters.text_columns import remember_tokens
from ...models.translation.model_folder import fetch_path
from ..beam.gpus import one_gpu
from ..beam.model_cache import cached_model, model_lock
from ..beam.single_job import built_folder
from ..beam.task_work import PartWork, Task, common
from ..model_kinds import model_kind_of
from ..model_kinds.model_kind import Movable
from ..storage.dataset import corpus_of, read_joined
from ..storage.file_hashes import as_planned
from ..storage.workspace import Workspace
from ..trainings.held_out import model_folder, read_held_out


@dataclass(frozen=True)
class ScorePart(PartWork):
    """Measures one part.

    trained: the folder in the workspace of the model that was trained on the corpus; None if the score has
    no model, or a model given by its `files()`. model_hash: the hash of all those files when the plan was
    made; if None, the files are not checked. device: where the model works, `cpu` or `cuda`.
    """

    stage: str
    column: str
    score: Score
    trained: str | None = None
    model_hash: str | None = None
    device: str = "cpu"

    @property
    def packages(self) -> tuple[str, ...]:
        return packages_of(self.score)

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        held_out = ("reference",) if self.trained is not None and self.score.holds_out() is not None else ()
        pairs = _read(workspace, task, {*self.score.reads, *held_out})
        with remember_tokens(common().setdefault("tokens", {})):
            values, details, counts = self.measure(workspace, pairs, corpus_of(task.part))
        counts["null"] = values.null_count
        return pa.table({"pair_id": pairs["pair_id"], self.column: values, **details}), counts

    def measure(
        self, workspace: Workspace, pairs: pa.Table, corpus: str
    ) -> tuple[pa.Array, Mapping[str, pa.Array], dict[str, int]]:
        """The score of each pair, and the score's `details`: further columns, and counts.

        pairs: all of the same `corpus`, with the columns that the score reads and, if its model holds pairs
        out, `reference`. Pairs on which the model was trained have no score; they are counted as `held_out`.
        """
        import pyarrow.compute as pc

        folder = model_folder(built_folder(workspace, self.trained), corpus) if self.trained else None
        held_out = read_held_out(folder) if folder else None
        with model_lock, one_gpu() if self.device == "cuda" else nullcontext(-1) as gpu:
            model = self._load(folder, gpu)
            values = self.score.measure(pairs, model)
            if isinstance(values, pa.ChunkedArray):
                values = values.combine_chunks()
            details, counts = self.score.details(pairs, values, model)
        if held_out is not None:
            seen = held_out.mask(pairs["reference"])
            values = pc.if_else(pa.array(seen), pa.scalar(None, values.type), values)
            counts["held_out"] = int(seen.sum())
        if not self.score.has_deciles:
            counts |= by_name("value", _counts_of_values(values))
        return values.cast(self.score.dtype), details, counts

    def _load(self, folder: Path | None, gpu: int = -1) -> object | None:
        kind = model_kind_of(self.score)
        if kind is None:
            return None
        given = (str(folder / kind.file),) if folder else self.score.files()

        def load() -> object:
            paths = [fetch_path(path, cache_folder("models")) for path in given]
            with as_planned([str(path) for path in paths], None if folder else self.model_hash):
                model = kind.load(paths, self.score)
            if self.device == "cuda":
                cast(Movable, model).to(self.device)
            return model

        return cached_model((self.score.model_kind, given, self.score, self.model_hash, gpu), load)


@dataclass(frozen=True)
class GivenPart(ScorePart):
    """Copies the numbers that came with the pairs of one part; null where its input has none."""

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        files = {file: (self.column,) if name == GIVEN else () for name, file in task.inputs}
        pairs = read_joined(workspace, files)
        pair_ids = pairs["pair_id"]
        given = pairs[self.column] if self.column in pairs.column_names else pa.nulls(len(pairs))
        values = self.score.measure(pa.table({GIVEN: given}))
        return pa.table({"pair_id": pair_ids, self.column: values}), {"null": values.null_count}


def packages_of(score: Score) -> tuple[str, ...]:
    """The packages that compute a score, besides paranmt."""
    kind = model_kind_of(score)
    return score.packages + (() if kind is None else kind.packages)


def _read(workspace: Workspace, task: Task, names: Set[str]) -> pa.Table:
    """Columns of a part; those that another score has read are not read again."""
    shared = common()
    pairs = shared.get("pairs")
    missing = names - set(pairs.column_names if pairs is not None else ())
    wanted = {
        file: sorted(missing & (INGEST_COLUMNS if name == "ingest" else TRANSLATE_COLUMNS))
        for name, file in task.inputs
    }
    files = {file: columns for file, columns in wanted.items() if columns or pairs is None}
    pairs = shared["pairs"] = read_joined(workspace, files, pairs)
    return pairs


def _counts_of_values(values: pa.Array) -> dict[str, int]:
    """How many pairs have each value."""
    counted = ((item["values"], item["counts"]) for item in values.drop_null().value_counts().to_pylist())
    return dict(sorted(counted))


INGEST_COLUMNS = frozenset({"source", "reference"})
TRANSLATE_COLUMNS = frozenset(
    {"translation", "translation_log_prob", "translation_tokens", "translation_status", "candidates"}
)
