"""A sample of the pairs of a run, for the tables of its report: its size does not grow with the corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...hashing import derive_seed, seeded_hash
from ...models.evaluation.table import Table
from ...transforms.dataset import read_joined
from ..plan import Plan
from ..release.run_summary import manifest_of
from .measuring import SAMPLE, measure, own_frequencies, together
from .sources import Batch
from .tables import correlations_table, differences_table, texts_table

MOST_PARTS = 300
"""The most parts that are read of a corpus."""

_LEAST_ROWS = 1_000


@dataclass(frozen=True)
class RunSample:
    """At most `SAMPLE` pairs of each corpus of a run, with all scores that are not whole numbers.

    They are rows drawn by seeded hash from parts drawn by seeded hash; a corpus of at most `SAMPLE` pairs and
    `MOST_PARTS` parts is there as a whole. Pairs without a translation are left out.
    """

    plan: Plan

    systems = ("translations",)

    @property
    def scores(self) -> Sequence[str]:
        """The names of the scores."""
        scores = self.plan.recipe.scores.items()
        return [name for name, measure in scores if pa.types.is_floating(measure.dtype)]

    def batches(self) -> Iterator[Batch]:
        """See `sources.Source`."""
        parts = [(entry.part, entry.rows) for entry in manifest_of(self.plan, "ingest").parts]
        for entry in self.plan.recipe.bitext:
            is_its_own = [part.split("/")[0] == entry.corpus for part, _ in parts]
            corpus = [(place, parts[place][1]) for place in np.flatnonzero(is_its_own).tolist()]
            for place, rows in self._draw(corpus):
                batch = self._read(entry.corpus, place, rows)
                if len(batch.references):
                    yield batch

    def _draw(self, parts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The places of the parts of a corpus to read, and how many rows of each. parts: places and rows."""
        most, left = max(_LEAST_ROWS, -(-SAMPLE // max(len(parts), 1))), SAMPLE
        if sum(rows for _, rows in parts) <= SAMPLE:
            most = SAMPLE
        order = seeded_hash([str(place) for place, _ in parts], self._seed).argsort(kind="stable")
        for index in order[:MOST_PARTS]:
            place, rows = parts[index]
            rows = min(rows, most, left)
            left -= rows
            if rows:
                yield place, rows

    def _read(self, corpus: str, place: int, rows: int) -> Batch:
        translations = "choose" if self.plan.recipe.choose.is_needed else "translate"
        wanted = {"ingest": ["reference"], translations: ["translation"]}
        wanted |= {f"score/{name}": [name] for name in self.scores}
        files = {self.plan.stage(stage).file(place): names for stage, names in wanted.items()}
        pairs = read_joined(self.plan.workspace, files)
        drawn = np.sort(seeded_hash(pairs["pair_id"].to_pylist(), self._seed).argsort(kind="stable")[:rows])
        pairs = pairs.take(pa.array(drawn))
        pairs = pairs.filter(pc.is_valid(pairs["translation"]))
        scores = {name: pairs[name].cast(pa.float64()).to_numpy() for name in self.scores}
        return Batch(corpus, pairs["reference"], {self.systems[0]: pairs["translation"]}, scores)

    @property
    def _seed(self) -> int:
        return derive_seed(self.plan.recipe.seed, "report/statistics")


def run_tables(plan: Plan) -> list[Table]:
    """The papers' tables for the corpora of a run; none if no pair has a translation."""
    source = RunSample(plan)
    corpora = measure(source, own_frequencies(source))
    everything = together(corpora, source)
    tables = (texts_table, differences_table, correlations_table)
    return [table(corpora, everything) for table in tables] if corpora else []
