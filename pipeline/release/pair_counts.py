"""Counting the pairs of releases, for whatever compares, joins or cuts them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import decile_name
from ...base.hashing import seeded_hash
from ...filters.ranks.decile_ranks import DECILES, score_keys
from ...filters.ranks.radix import Key
from ...filters.where.condition import Where
from ..manifest.release_summary import ReleaseSummary

HASHES = ("translation_model_hash", "recipe_hash")
"""The columns that say what made a pair."""
_PROVENANCE = ("pair_id", "corpus", "translation_status")


@dataclass
class DecileKeys:
    """The keys of one score in each decile: how many, the lowest and the highest; decile 0 is null."""

    counts: np.ndarray = field(default_factory=lambda: np.zeros(DECILES + 1, np.int64))
    lowest: dict[int, Key] = field(default_factory=dict)
    highest: dict[int, Key] = field(default_factory=dict)
    wrong_nulls: int = 0  # pairs with a decile but no score, or the other way round

    def add(self, other: "DecileKeys") -> None:
        """Add other pairs."""
        self.counts += other.counts
        self.wrong_nulls += other.wrong_nulls
        for decile in other.lowest:
            self.lowest[decile] = min(self.lowest.get(decile, other.lowest[decile]), other.lowest[decile])
            self.highest[decile] = max(self.highest.get(decile, other.highest[decile]), other.highest[decile])


@dataclass
class PairCounts:
    """What is counted in some pairs, such as those of a row group, or in all of them.

    ids: the hashes of the pair_ids. hashes: pairs by translation_status and the columns `HASHES`, if the
    release has them. values: of the scores without deciles. selected: by selection, how many pairs are
    selected, meet the condition, have null for it, and are selected although they do not meet it.
    """

    ids: list[np.ndarray] = field(default_factory=list)
    null_ids: int = 0
    corpora: Counter[str | None] = field(default_factory=Counter)
    statuses: Counter[str | None] = field(default_factory=Counter)
    hashes: Counter[tuple[str | None, ...]] = field(default_factory=Counter)
    deciles: dict[str, DecileKeys] = field(default_factory=dict)
    values: dict[str, Counter[Any]] = field(default_factory=dict)
    selected: dict[str, np.ndarray] = field(default_factory=dict)

    def add(self, other: "PairCounts") -> None:
        """Add other pairs."""
        self.ids += other.ids
        self.null_ids += other.null_ids
        self.corpora.update(other.corpora)
        self.statuses.update(other.statuses)
        self.hashes.update(other.hashes)
        for name, bounds in other.deciles.items():
            self.deciles.setdefault(name, DecileKeys()).add(bounds)
        for name, values in other.values.items():
            self.values.setdefault(name, Counter()).update(values)
        for name, numbers in other.selected.items():
            self.selected[name] = self.selected.get(name, 0) + numbers


def conditions(manifest: ReleaseSummary, schema: pa.Schema) -> dict[str, Where]:
    """The condition of each selection of a release."""
    types = {field.name: field.type for field in schema}
    return {each.name: Where.parse(each.where, types) for each in manifest.selections}


def counted_columns(manifest: ReleaseSummary, wheres: Mapping[str, Where], schema: pa.Schema) -> list[str]:
    """The columns that `count_pairs` reads."""
    scores = [score.name for score in manifest.scores]
    names = {*_PROVENANCE, *scores, *wheres, *({*schema.names} & {*HASHES, *map(decile_name, scores)})}
    return sorted(names | {name for where in wheres.values() for name in where.columns})


def count_pairs(
    table: pa.Table, manifest: ReleaseSummary, wheres: Mapping[str, Where], seed: int = 0
) -> PairCounts:
    """Count the pairs of a table of a release. wheres: its conditions. seed: of the hashes in `ids`.

    If these, and the keys of deciles, are to be compared with others, the seed is that of the deciles.
    """
    hashes = hashed_ids(table, seed)
    counts = PairCounts(ids=[hashes], null_ids=table["pair_id"].null_count)
    counts.corpora.update(_value_counts(table["corpus"]))
    counts.statuses.update(_value_counts(table["translation_status"]))
    if set(HASHES) <= set(table.column_names):
        keys = ["translation_status", *HASHES]
        for row in table.group_by(keys).aggregate([([], "count_all")]).to_pylist():
            counts.hashes[tuple(row[key] for key in keys)] += row["count_all"]
    for score in (score.name for score in manifest.scores):
        if decile_name(score) in table.column_names:
            counts.deciles[score] = _bounds(table[score], table[decile_name(score)], hashes)
        else:
            counts.values[score] = _value_counts(table[score])
    for name, where in wheres.items():
        passed, selected = where.evaluate(table), pc.fill_null(table[name], False)
        wrong = pc.and_(selected, pc.invert(pc.fill_null(passed, False)))
        sums = [pc.sum(column).as_py() or 0 for column in (selected, passed, wrong)]
        counts.selected[name] = np.array([sums[0], sums[1], passed.null_count, sums[2]])
    return counts


def hashed_ids(table: pa.Table, seed: int) -> np.ndarray:
    """A hash of each pair_id, (n,) uint64; a pair without one has that of an empty text."""
    return seeded_hash([pair or "" for pair in table["pair_id"].to_pylist()], seed)


def repeated(hashes: Sequence[np.ndarray]) -> np.ndarray:
    """The hashes that are there again, sorted: each as often as it is there, less one."""
    every = np.sort(np.concatenate([np.empty(0, np.uint64), *hashes]))
    again: np.ndarray = every[1:][every[1:] == every[:-1]]
    return again


def _value_counts(column: pa.ChunkedArray) -> Counter[Any]:
    return Counter({item["values"]: item["counts"] for item in pc.value_counts(column).to_pylist()})


def _bounds(values: pa.ChunkedArray, deciles: pa.ChunkedArray, hashes: np.ndarray) -> DecileKeys:
    keys = score_keys(values, hashes)
    tenth = np.asarray(pc.fill_null(deciles, 0))
    is_decile = (tenth >= 1) & (tenth <= DECILES)
    bounds = DecileKeys(np.bincount(np.where(is_decile, tenth, 0), minlength=DECILES + 1).astype(np.int64))
    bounds.wrong_nulls = int(np.count_nonzero(keys.valid != is_decile))
    for decile in np.unique(tenth[is_decile & keys.valid]).tolist():
        rows = (tenth == decile) & keys.valid
        lead, rest = keys.lead[rows], keys.rest[rows]
        low, high = lead.min(), lead.max()
        bounds.lowest[decile] = Key(int(low), int(rest[lead == low].min()))
        bounds.highest[decile] = Key(int(high), int(rest[lead == high].max()))
    return bounds
