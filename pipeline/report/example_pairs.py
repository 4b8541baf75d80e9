"""A random sample of the pairs of a run, whose size is bounded: examples of each decile, and correlations."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import PAIR_ID, REFERENCE, SOURCE, SOURCE_LANGUAGE, TRANSLATION, decile_name
from ...base.hashing import derive_seed, seeded_hash
from ...base.streams import read_ahead
from ...models.sts.correlation import spearman
from ...transforms.storage.dataset import corpus_of
from ..stages.planned import Plan
from ..stages.report_data import EXAMPLES, POINTS, Example, SamplePair, ScoreRelations, sample_pair
from ..stages.sampled_rows import draw_parts, read_rows

PLOTS = (("reference_length", "translation_length"), ("paraphrase_similarity", "trigram_overlap"))
"""The two scores of each scatter plot: across and up."""

_PAIRS = 20_000
_MOST_PARTS = 50
_LEAST_ROWS = 400
_CHARACTERS = 500


def random_rows(plan: Plan) -> pa.Table:
    """At most `_PAIRS` rows of the release in random order, of at most `_MOST_PARTS` parts, by seeded hash.

    They have the texts, all scores with their deciles, and the selections. A run of at most `_PAIRS` pairs
    and `_MOST_PARTS` parts is there as a whole.
    """
    seed = derive_seed(plan.recipe.seed, "report/examples")
    wanted = {SOURCE.name, REFERENCE.name, TRANSLATION.name, *plan.recipe.scores, *plan.recipe.select}
    wanted |= {decile_name(name) for name in scores_with_deciles(plan)}
    languages = {entry.corpus: entry.source_language for entry in plan.recipe.bitext}
    entries = plan.manifest("ingest").parts

    def read(drawn: tuple[int, int]) -> pa.Table:
        place, rows = drawn
        table = read_rows(plan, place, rows, wanted, seed)
        language = languages[corpus_of(entries[place].part)]
        column = pa.repeat(pa.scalar(language, pa.string()), table.num_rows)
        return table.append_column(SOURCE_LANGUAGE.name, column)

    parts = [(place, entry.rows) for place, entry in enumerate(entries)]
    drawn = list(read_ahead(read, draw_parts(parts, seed, _PAIRS, _MOST_PARTS, _LEAST_ROWS)))
    if not drawn:
        return pa.table({PAIR_ID.name: pa.array([], pa.string())})
    table = pa.concat_tables(drawn)
    return table.take(pa.array(seeded_hash(table[PAIR_ID.name].to_pylist(), seed).argsort(kind="stable")))


def scores_with_deciles(plan: Plan) -> list[str]:
    """The names of the scores with deciles, the primary score first."""
    names = [name for name, score in plan.recipe.scores.items() if score.has_deciles]
    return sorted(names, key=lambda name: name != plan.recipe.primary_score)


def decile_examples(
    rows: pa.Table, with_deciles: Sequence[str], scores: Sequence[str], selections: Sequence[str]
) -> list[Example]:
    """The first `EXAMPLES` rows of each decile of each score, each row once, however often it is chosen.

    rows: in random order. The examples of the first score come first, in the order of its deciles. Long
    texts are cut, so that the page stays small.
    """
    chosen: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    for score in with_deciles if rows.num_rows else ():
        deciles = pc.fill_null(rows[decile_name(score)], 0).to_numpy()
        for decile in range(1, 11):
            for row in np.flatnonzero(deciles == decile)[:EXAMPLES].tolist():
                chosen[row].append((score, decile))

    def place(row: int) -> tuple[int, int]:
        return dict(chosen[row]).get(with_deciles[0], 11), row

    return [
        Example(_cut(sample_pair(rows.slice(row, 1).to_pylist()[0], scores, selections)), chosen[row])
        for row in sorted(chosen, key=place)
    ]


def score_relations(rows: pa.Table, scores: Sequence[str]) -> ScoreRelations:
    """Spearman's ρ of every two scores, and the points of `PLOTS`.

    rows: in random order. NaN counts as null.
    """
    values = {score: _numbers(rows[score]) for score in scores if rows.num_rows}
    correlations: dict[tuple[str, str], float | None] = {}
    for first, second in itertools.combinations(values, 2):
        both = ~(np.isnan(values[first]) | np.isnan(values[second]))
        correlations[first, second] = spearman(values[first][both], values[second][both])
    points = {
        (across, up): _points(rows[across], rows[up])
        for across, up in PLOTS
        if across in values and up in values
    }
    points = {plot: pairs for plot, pairs in points.items() if pairs}
    return ScoreRelations(rows.num_rows, list(values), correlations, points)


def _points(across: pa.ChunkedArray, up: pa.ChunkedArray) -> list[tuple[float, float]]:
    """The first `POINTS` pairs that have both scores.

    Very large values are left out, because they would press all others into a corner. Whole numbers are
    spread, because the dots of equal pairs would be one.
    """
    pairs = np.column_stack([_numbers(across), _numbers(up)])
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    if not len(pairs):
        return []
    pairs = pairs[(pairs <= np.quantile(pairs, 0.995, axis=0)).all(axis=1)][:POINTS]
    are_whole = [pa.types.is_integer(column.type) for column in (across, up)]
    pairs += np.random.default_rng(0).uniform(-0.4, 0.4, pairs.shape) * are_whole
    return [(x, y) for x, y in pairs.tolist()]


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    """A score's values as float64; null becomes NaN."""
    return column.cast(pa.float64()).to_numpy()


def _cut(pair: SamplePair) -> SamplePair:
    def cut(text: str | None) -> str | None:
        return text if text is None or len(text) <= _CHARACTERS else text[:_CHARACTERS] + " …"

    return replace(
        pair, reference=cut(pair.reference) or "", translation=cut(pair.translation), source=cut(pair.source)
    )
