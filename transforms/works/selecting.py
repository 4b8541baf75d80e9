"""The `select/<name>` stages: a boolean column, true for the pairs of a selection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...base.counts import by_name
from ...filters.ranks.draws import drawn, sample_keys
from ...filters.ranks.radix import Cuts, CutSearch, Keys, Tally, tally
from ...filters.where.condition import Where
from ..beam.task_work import PartWork, Task
from ..storage.dataset import corpus_of, read_joined
from ..storage.workspace import Workspace
from .decile_ranking import RankTask

Provenance = Mapping[str, Mapping[str, str | None]]


@dataclass(frozen=True)
class SelectPart(PartWork):
    """Selects from one part.

    provenance: corpus → column → value. columns: those that are read of each stage. sample: how many pairs
    are drawn, with this seed; None: all. cuts: of the sample, once they are known.
    """

    stage: str
    name: str
    where: Where
    provenance: Provenance
    columns: Mapping[str, Sequence[str]]
    sample: int | None = None
    seed: int | None = None
    cuts: Cuts | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return ("duckdb",)

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        import pyarrow.compute as pc

        table = self.table(workspace, task.part, task.inputs)
        passed = self.where.evaluate(table)
        drops = self.where.drops(table)
        counts = {"passed": drops.selected, "null": drops.null}
        for clause in drops.clauses:
            counts |= by_name("dropped by", {clause.clause: clause.alone})
            counts |= by_name("null for", {clause.clause: clause.null})
        selected = pc.fill_null(passed, False)
        if self.cuts is not None and self.seed is not None:
            keys = sample_keys(table["pair_id"].to_pylist(), self.seed)
            selected = pc.and_(selected, pa.array(drawn(keys, self.cuts)))
        counts["selected"] = pc.sum(selected).as_py() or 0
        return pa.table({"pair_id": table["pair_id"], self.name: selected}), counts

    def table(self, workspace: Workspace, part: str, inputs: Sequence[tuple[str, str]]) -> pa.Table:
        """`pair_id` and the columns that `where` names, of one part. inputs: its files (stage → file)."""
        table = read_joined(workspace, {file: self.columns.get(stage, ()) for stage, file in inputs})
        for column, value in self.provenance[corpus_of(part)].items():
            if column in self.where.columns:
                table = table.append_column(column, _repeated(value, len(table)))
        return table


@dataclass(frozen=True)
class TallySelected:
    """One pass over one part, in the search for a sample's cut."""

    select: SelectPart
    search: CutSearch

    @property
    def stage(self) -> str:
        return self.select.stage

    def __call__(self, workspace: Workspace, task: RankTask) -> dict[str, Tally]:
        import pyarrow.compute as pc

        table = self.select.table(workspace, task.part, task.files)
        passed = pc.fill_null(self.select.where.evaluate(table), False)
        assert self.select.seed is not None
        keys = sample_keys(table["pair_id"].to_pylist(), self.select.seed)
        valid = passed.to_numpy(zero_copy_only=False)
        return {self.select.name: tally(Keys(keys.lead, keys.rest, valid), self.search)}


def _repeated(value: str | None, times: int) -> pa.Array:
    """A column that holds one text in all rows, made of buffers: `pa.array` of a list would import pandas."""
    if value is None:
        return pa.nulls(times, pa.large_string())
    text = value.encode("utf-8")
    offsets = np.arange(times + 1, dtype=np.int64) * len(text)
    return pa.LargeStringArray.from_buffers(times, pa.py_buffer(offsets), pa.py_buffer(text * times))
