"""A sample of the pairs of a run, for the tables of its report: its size does not grow with the corpus."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.hashing import derive_seed, seeded_hash
from ...base.streams import read_ahead
from ...models.evaluation.table import Table
from ...transforms.storage.dataset import corpus_of, read_joined
from ..stages.name import StageName
from ..stages.planned import Plan
from ..stages.stage import translation_stage
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
        wanted = {"ingest": ["reference"], translation_stage(self.plan.recipe): ["translation"]}
        wanted |= {StageName("score", name): [name] for name in self.scores}
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


def draw_parts(
    parts: Sequence[tuple[int, int]], seed: int, pairs: int, most_parts: int, least_rows: int
) -> Iterator[tuple[int, int]]:
    """The places of the parts to read for a sample, drawn by seeded hash, and how many rows of each.

    parts: places and rows. pairs, most_parts: the most that are drawn. least_rows: so many rows are drawn of
    each part that is read, if it has them, so that fewer parts are read.
    """
    most, left = max(least_rows, -(-pairs // max(len(parts), 1))), pairs
    if sum(rows for _, rows in parts) <= pairs:
        most = pairs
    order = seeded_hash([str(place) for place, _ in parts], seed).argsort(kind="stable")
    for index in order[:most_parts]:
        place, rows = parts[index]
        rows = min(rows, most, left)
        left -= rows
        if rows:
            yield place, rows


def read_rows(plan: Plan, place: int, rows: int, wanted: Mapping[str, Sequence[str]], seed: int) -> pa.Table:
    """Rows of the part at a place, drawn by seeded hash of `pair_id`, in their order.

    wanted: columns by stage; `pair_id` is always included.
    """
    files = {plan.stage(stage).file(place): names for stage, names in wanted.items()}
    pairs = read_joined(plan.workspace, files)
    drawn = np.sort(seeded_hash(pairs["pair_id"].to_pylist(), seed).argsort(kind="stable")[:rows])
    return pairs.take(pa.array(drawn))


def run_tables(plan: Plan) -> list[Table]:
    """The papers' tables for the corpora of a run; none if no pair has a translation."""
    source = RunSample(plan)
    corpora = measure(source, own_frequencies(source))
    everything = together(corpora, source)
    tables = (texts_table, differences_table, correlations_table)
    return [table(corpora, everything) for table in tables] if corpora else []
