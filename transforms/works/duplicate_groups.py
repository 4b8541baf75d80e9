"""The stages that find duplicates among all pairs: `fingerprints`, then `groups`, then `duplicates`.

`fingerprints` makes a record of 20 bytes of each pair: the hash of its text, how much it is preferred, and
the number of its record. A part's records are sorted by hash. `groups` has one task for each range of hashes
(a bucket): it reads the records of this range from every part, and writes which pairs have the same hash and
which of them is kept. `duplicates` reads these groups by part and makes the columns. So no stage holds more
than one bucket or one part in memory, and text is only read part by part.

For near duplicates (`filters.minhash`) a pair has a record of 52 bytes for each of its bands, and there is a
stage more: `links` writes which pairs of a bucket are similar, and `groups` joins the links of all buckets.

Texts that exist elsewhere (`existing_texts`) have such records too. Of a bucket, `groups` and `links` take
those whose hash a pair has.

Pairs are identified by 64 bits, the number of their input file, that of their record, and which pair of the
record they are, because all pair_ids together would need several times as much memory. Files are numbered in
the order of their names, so the smaller number belongs to the smaller pair_id, with records compared as
numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from ...base.dataset_columns import DUPLICATE_OF, DUPLICATES
from ...base.pair_ids import MOST_PAIRS, record_ids
from ...filters.duplicates.exact import (
    DuplicatesOf,
    Groups,
    Records,
    find_groups,
    preference,
    sides,
    text_hashes,
)
from ...filters.duplicates.minhash import BANDS, SKETCH_WORDS, Links, find_links, join_links, signatures
from ..beam.task_work import PartWork, Task
from ..storage.dataset import read_columns, read_joined, read_range
from ..storage.workspace import Workspace

EXISTING = np.uint32(0)
"""The preference of existing texts, which is before that of any score."""

BUCKET_RECORDS = 2_000_000  # of 20 bytes, or 52 for near duplicates; sorting takes about five times as much

_FILE_BITS = 24
_SKETCHES = tuple(f"sketch_{word}" for word in range(SKETCH_WORDS))
# A bucket reads whole row groups. Smaller ones would have more metadata than records.
_FINGERPRINTS_ROWS = 1_000
_GROUPS_ROWS = 20_000


def count_buckets(pairs: int, similarity: float | None = None) -> int:
    """How many buckets the records of this many pairs are divided into."""
    records = pairs if similarity is None else pairs * BANDS
    return max(1, -(-records // BUCKET_RECORDS))


def bucket_range(bucket: int, buckets: int) -> tuple[int, int]:
    """The smallest and the largest hash of a bucket.

    >>> bucket_range(0, 2), bucket_range(1, 2)
    ((0, 9223372036854775807), (9223372036854775808, 18446744073709551615))
    """
    return bucket * 2**64 // buckets, (bucket + 1) * 2**64 // buckets - 1


@dataclass(frozen=True)
class MakeFingerprints(PartWork):
    """Makes the records of one part's pairs, sorted by hash.

    keep: the score that says which pair is kept. similarity: from which texts are near duplicates; None for
    exact duplicates only.
    """

    stage: str
    of: DuplicatesOf
    keep: str
    higher_is_better: bool
    similarity: float | None = None

    row_group_rows = _FINGERPRINTS_ROWS

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "numba")

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        columns = {"ingest": ["reference"], f"score/{self.keep}": [self.keep]}
        pairs = read_joined(
            workspace, {file: columns.get(stage, ["translation"]) for stage, file in task.inputs}
        )
        texts = [pairs[side] for side in sides(self.of)]
        orders = preference(pairs[self.keep], self.higher_is_better)
        records = split_ids(pairs["pair_id"])[1]
        columns_of_pair = {"preference": orders, "record": records}
        table = fingerprints(pairs["pair_id"], texts, self.similarity, columns_of_pair)
        return table.take(np.argsort(table["hash"].to_numpy(), kind="stable")), {}


def fingerprints(
    pair_ids: pa.ChunkedArray,
    texts: Sequence[pa.Array | pa.ChunkedArray],
    similarity: float | None,
    columns: Mapping[str, np.ndarray],
) -> pa.Table:
    """The records of pairs: the hash of the texts, and these columns.

    For near duplicates, a record for each band with its hash, these columns, and the sketch of the texts.
    """
    if similarity is None:
        return pa.table({"hash": text_hashes(pair_ids, texts), **columns})
    bands, sketches = signatures(pair_ids, texts, similarity)
    return pa.table(
        {
            "hash": bands.ravel(),
            **{name: np.repeat(values, BANDS) for name, values in columns.items()},
            **{name: np.repeat(sketches[:, i], BANDS) for i, name in enumerate(_SKETCHES)},
        }
    )


@dataclass(frozen=True)
class BucketWork(PartWork):
    """Work on the records of one bucket.

    fingerprints: for each part, the number of its input file, and its file in the stage `fingerprints`.
    existing: for each file of the stage `against`, the number of its path, which is above those of inputs.
    """

    stage: str
    fingerprints: tuple[tuple[int, str], ...]
    buckets: int
    existing: tuple[tuple[int, str], ...] = field(default=(), kw_only=True)

    row_group_rows = _GROUPS_ROWS

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy",)

    def read(self, workspace: Workspace, bucket: int, further: Sequence[str]) -> dict[str, np.ndarray]:
        """The columns `hash`, `preference`, `id` and further ones of the bucket's records."""
        low, high = bucket_range(bucket, self.buckets)
        columns: dict[str, list[np.ndarray]] = {n: [] for n in ("hash", "preference", "id", *further)}
        for number, file in self.fingerprints:
            table = read_range(workspace, file, "hash", low, high)
            columns["id"].append(numbered(number, table["record"].to_numpy()))
            for name in ("hash", "preference", *further):
                columns[name].append(table[name].to_numpy())
        if self.existing:
            of_pairs = np.unique(np.concatenate([np.empty(0, np.uint64), *columns["hash"]]))
        for number, file in self.existing if columns["hash"] else ():
            table = read_range(workspace, file, "hash", low, high)
            table = table.filter(pa.array(_among(table["hash"].to_numpy(), of_pairs)))
            columns["id"].append(numbered(number, table["record"].to_numpy()))
            columns["preference"].append(np.full(len(table), EXISTING))
            for name in ("hash", *further):
                columns[name].append(table[name].to_numpy())
        # One column after the other, so that only one is in memory twice.
        return {name: np.concatenate(columns.pop(name)) for name in list(columns)}


@dataclass(frozen=True)
class FindGroups(BucketWork):
    """Finds the groups of exact duplicates of one bucket."""

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        columns = self.read(workspace, int(task.part), ())
        groups = find_groups(Records(columns["hash"], columns["preference"], columns["id"]))
        return _groups_table(groups, [number for number, _ in self.existing])


@dataclass(frozen=True)
class FindLinks(BucketWork):
    """Finds which pairs of one bucket are near duplicates. similarity: from which they are."""

    similarity: float

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        columns = self.read(workspace, int(task.part), _SKETCHES)
        sketches = np.column_stack([columns.pop(name) for name in _SKETCHES])
        records = Records(columns["hash"], columns["preference"], columns["id"])
        links = find_links(records, sketches, self.similarity)
        return pa.table(vars(links)).take(np.argsort(links.ids, kind="stable")), {}


@dataclass(frozen=True)
class JoinLinks(PartWork):
    """Joins the links of all buckets into groups.

    links: the files of the stage `links`. existing: the numbers of the paths with existing texts.
    """

    stage: str
    links: tuple[str, ...]
    existing: tuple[int, ...] = ()

    row_group_rows = _GROUPS_ROWS

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "numba")

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        def buckets() -> Iterator[Links]:
            for file in self.links:
                table = read_range(workspace, file, "ids", 0, 2**64 - 1)
                yield Links(**{name: table[name].to_numpy() for name in table.column_names})

        return _groups_table(join_links(buckets), self.existing)


def _groups_table(groups: Groups, existing: Sequence[int]) -> tuple[pa.Table, dict[str, int]]:
    """The table of a part of `groups`, and its counts. existing: the numbers of paths with existing texts.

    Existing texts are kept, but only pairs have rows and are counted in sizes.
    """
    is_pair = ~np.isin(groups.ids >> np.uint64(64 - _FILE_BITS), np.array(existing, np.uint64))
    kept, of_group = np.unique(groups.kept, return_inverse=True)
    pairs = np.bincount(of_group[is_pair], minlength=len(kept)).astype(np.int32)
    table = pa.table({"id": groups.ids, "kept": groups.kept, "size": pairs[of_group]})
    return table.filter(pa.array(is_pair)), {"groups": len(kept)}


def _among(hashes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Which hashes are among the known ones, which are sorted and different; (n,) bool."""
    if not len(known):
        return np.zeros(len(hashes), np.bool_)
    return known[np.minimum(np.searchsorted(known, hashes), len(known) - 1)] == hashes


@dataclass(frozen=True)
class MarkDuplicates(PartWork):
    """Makes the columns of one part.

    inputs: the beginnings of the pair_ids of all input files, by their number, and then the names of the
    paths with existing texts. groups: the files of the stage `groups`.
    """

    stage: str
    inputs: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy",)

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        pair_ids = read_columns(workspace, task.inputs[0][1], [])["pair_id"]
        duplicate_of, sizes = self._columns(workspace, pair_ids)
        table = pa.table({"pair_id": pair_ids, DUPLICATE_OF.name: duplicate_of, DUPLICATES.name: sizes})
        return table, {"duplicates": len(duplicate_of) - duplicate_of.null_count}

    def _columns(self, workspace: Workspace, pair_ids: pa.ChunkedArray) -> tuple[pa.Array, pa.Array]:
        duplicate_of: list[str | None] = [None] * len(pair_ids)
        sizes = np.ones(len(pair_ids), np.int32)
        if duplicate_of:
            start, records = split_ids(pair_ids)
            ids = numbered(self.inputs.index(start), records)
            order = np.argsort(ids)
            low, high = int(ids[order[0]]), int(ids[order[-1]])
            for file in self.groups:
                found = read_range(workspace, file, "id", low, high)
                rows = order[np.searchsorted(ids, found["id"].to_numpy(), sorter=order)]
                sizes[rows] = found["size"].to_numpy()
                for row, id, kept in zip(
                    rows.tolist(), *(found[c].to_pylist() for c in ("id", "kept")), strict=True
                ):
                    if id != kept:
                        duplicate_of[row] = self._pair_id(kept)
        return pa.array(duplicate_of, pa.string()), pa.array(sizes)

    def _pair_id(self, id: int) -> str:
        number, record = id >> 64 - _FILE_BITS, id % 2 ** (64 - _FILE_BITS)
        place = f"#{record % MOST_PAIRS + 1}" if record % MOST_PAIRS else ""
        return f"{self.inputs[number]}:{record // MOST_PAIRS}{place}"


def numbered(number: int, records: np.ndarray) -> np.ndarray:
    """The ids of pairs, (n,) uint64, from the number of their input file and what `split_ids` gives."""
    return np.uint64(number << 64 - _FILE_BITS) | records


def split_ids(pair_ids: pa.ChunkedArray) -> tuple[str, np.ndarray]:
    """The beginning that all pair_ids of a part share, and a number for the rest of each, (n,) uint64.

    The number is the record times `MOST_PAIRS`, plus which of the record's pairs it is, from 0.

    >>> start, numbers = split_ids(pa.chunked_array([["a/b.en:1", "a/b.en:12", "a/b.en:12#3"]]))
    >>> start, numbers.tolist()
    ('a/b.en', [64, 768, 770])
    """
    import pyarrow.compute as pc

    if not len(pair_ids):
        return "", np.empty(0, np.uint64)
    start = pair_ids[0].as_py().rpartition(":")[0]
    rests = pc.binary_replace_slice(pair_ids.cast(pa.binary()), 0, len(start.encode()) + 1, b"")
    rests = rests.cast(pa.string())
    records = record_ids(rests)
    numbers = records.cast(pa.uint64()).to_numpy() * np.uint64(MOST_PAIRS)
    if not records.equals(rests):
        is_later = pc.not_equal(records, rests)
        later = pc.replace_substring_regex(rests.filter(is_later), ".*#", "").cast(pa.uint64())
        numbers[is_later.to_numpy()] += later.to_numpy() - np.uint64(1)
    return start, numbers
