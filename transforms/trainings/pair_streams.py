"""Streams pairs for training from a workspace's parts; never holds a whole corpus in memory."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from ...filters.ranks.draws import drawn, sample_keys
from ...filters.ranks.radix import Cuts
from ..beam.timing import phase
from ..storage.dataset import read_joined
from ..storage.workspace import Workspace


@dataclass(frozen=True)
class PairParts:
    """Batches of (references, translations), part by part. Can be iterated again.

    parts: for each part, its files by dataset (`ingest`, `translate`, and `select` if only the pairs of a
    selection are wanted). sample: the cut of a sample drawn with `seed`, if only the sample is wanted. Pairs
    without a translation are left out.
    """

    workspace: Workspace
    parts: tuple[tuple[tuple[str, str], ...], ...]
    selection: str | None = None
    seed: int = 0
    sample: Cuts | None = None

    @property
    def key(self) -> str:
        """Changes whenever the pairs change, because the files' names contain the keys of their parts."""
        content = repr((self.parts, self.selection, self.seed, self.sample))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        for pairs in self.tables():
            yield pairs["reference"].to_pylist(), pairs["translation"].to_pylist()

    def tables(self, columns: Mapping[str, str] | None = None) -> Iterator[pa.Table]:
        """The pairs as tables, with the columns of further datasets. columns: name → dataset."""
        for files in self.parts:
            with phase("read"):
                pairs = self._read(dict(files), columns or {})
            yield pairs

    def _read(self, files: dict[str, str], columns: Mapping[str, str]) -> pa.Table:
        import pyarrow.compute as pc

        wanted = {files["ingest"]: ["reference"], files["translate"]: ["translation"]}
        wanted |= {files[dataset]: [column] for column, dataset in columns.items()}
        if self.selection:
            wanted[files["select"]] = [self.selection]
        pairs = read_joined(self.workspace, wanted)
        keep = pairs["translation"].is_valid()
        if self.selection:
            keep = pc.and_(keep, pairs[self.selection])
        if self.sample is not None:
            keys = sample_keys(pairs["pair_id"].to_pylist(), self.seed)
            keep = pc.and_(keep, pa.chunked_array([pa.array(drawn(keys, self.sample))]))
        return pairs.filter(keep)
