"""A sample of the pairs of a run, for the tables of its report: its size does not grow with the corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import REFERENCE, TRANSLATION
from ...base.hashing import derive_seed
from ...base.streams import read_ahead
from ...models.evaluation.table import Table
from ...transforms.storage.dataset import corpus_of
from ..stages.planned import Plan
from ..stages.sampled_rows import draw_parts, read_rows
from .measuring import SAMPLE, measure, own_frequencies, together
from .sources import PairBatch
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

    def batches(self) -> Iterator[PairBatch]:
        """See `sources.Source`."""
        parts = [(entry.part, entry.rows) for entry in self.plan.manifest("ingest").parts]
        wanted = {REFERENCE.name, TRANSLATION.name, *self.scores}
        for entry in self.plan.recipe.bitext:
            is_its_own = [corpus_of(part) == entry.corpus for part, _ in parts]
            corpus = [(place, parts[place][1]) for place in np.flatnonzero(is_its_own).tolist()]
            drawn = draw_parts(corpus, self._seed, SAMPLE, MOST_PARTS, _LEAST_ROWS)
            for pairs in read_ahead(lambda part: read_rows(self.plan, *part, wanted, self._seed), drawn):
                pairs = pairs.filter(pc.is_valid(pairs["translation"]))
                if pairs.num_rows:
                    scores = {name: pairs[name].cast(pa.float64()).to_numpy() for name in self.scores}
                    translations = {self.systems[0]: pairs["translation"]}
                    yield PairBatch(entry.corpus, pairs["reference"], translations, scores)

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
