"""`paranmt verify`: compares a release with its manifest. Every failure is one line of text."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.dataset_columns import decile_name
from ...base.errors import InputError, UserError
from ...base.hashing import derive_seed
from ...base.streams import exists, file_system, reaching
from ...filters.ranks.decile_ranks import DECILES, cuts_to_json, decile_starts
from ...filters.ranks.radix import Cuts, Key
from ...transforms.storage.release_files import FileInfo
from ..manifest.release_parquet import read_footer, sha256
from ..manifest.release_summary import ReleaseSummary, ScoreSummary, SelectionSummary, type_name
from .open_release import Release, RowGroup
from .pair_counts import DecileKeys, PairCounts, conditions, count_pairs, counted_columns, repeated


def verify(release: Release, progress: Callable[[int], None] = lambda pairs: None) -> list[str]:
    """How a release differs from its manifest, a line for each failure; empty if it does not.

    Compared are the files with their checksums, the columns with their types, and all that the manifest
    counts with the pairs. Deciles are compared with the exact ones, selections with their conditions.
    progress: called with the number of pairs read so far.
    """
    manifest = release.manifest
    if manifest is None:
        return [f"{release.url}: there is no manifest.json, so nothing can be compared"]
    failures = check_files(release)  # what was counted in other files would only repeat them
    return failures or [*_order(release, manifest), *_pairs(release, manifest, progress)]


def check_files(release: Release) -> list[str]:
    """What is wrong with the files of a release that has a manifest, or with their columns, line by line."""
    assert release.manifest is not None
    return [*_files(release, release.manifest)] or [*_columns(release, release.manifest)]


def _files(release: Release, manifest: ReleaseSummary) -> Iterator[str]:
    """The files of the manifest, and those that it does not name."""
    assert release.folder is not None, "it has a manifest"
    listed = manifest.all_files
    here = {f"data/{url.rpartition('/')[2]}" for url in release.files}
    yield from (f"{path} is not in manifest.json" for path in sorted(here - listed.keys()))
    for path, file in listed.items():
        url = f"{release.folder}/{path}"
        fs, inner = file_system(url)
        with reaching(url):
            is_there = exists(fs, inner)
        if not is_there:
            yield f"{path} is missing"
            continue
        if (size := fs.size(inner)) != file.bytes:
            yield f"{path} has {size:,} bytes, expected {file.bytes:,}"
            continue
        if (digest := sha256(url)) != file.sha256:
            yield f"{path} is damaged or was changed: its SHA-256 is {digest}, expected {file.sha256}"
            continue
        if isinstance(file, FileInfo) and (rows := read_footer(url).metadata.num_rows) != file.rows:
            yield f"{path} has {rows:,} pairs, expected {file.rows:,}"


def _columns(release: Release, manifest: ReleaseSummary) -> Iterator[str]:
    """Names, types and order of the columns."""
    try:
        schema = release.schema
    except InputError as error:
        yield str(error)
        return
    expected = [(column.name, column.type) for column in manifest.columns]
    types = {field.name: type_name(field.type) for field in schema}
    for name, type_ in expected:
        if name not in types:
            yield f"the files have no column {name}"
        elif types[name] != type_:
            yield f"the column {name} is {types[name]}, expected {type_}"
    yield from (f"the column {name} is not in manifest.json" for name in types.keys() - dict(expected).keys())
    if list(types) != [name for name, _ in expected] and types.keys() == dict(expected).keys():
        yield f"the columns are in the order {', '.join(types)}, unlike in manifest.json"


def _order(release: Release, manifest: ReleaseSummary) -> Iterator[str]:
    """Whether each row group holds one decile of the primary score, best first, without a decile last."""
    primary = manifest.primary_score
    name = decile_name(primary)
    best_first = manifest.primary.higher_is_better
    last: tuple[int, float] = (-1, 0.0)
    for group in release.row_groups:
        values = group.ranges.get(name)
        path = release.files[group.file].rpartition("/")[2]
        if values is None or values.low != values.high:
            yield f"data/{path}: row group {group.index + 1} holds several deciles of {primary}"
            return
        low = np.inf if values.low is None else float(values.low) * (-1 if best_first else 1)
        if (group.file, low) < last:
            yield f"data/{path}: the row groups are not in the order of {name}"
            return
        last = (group.file, low)


def _pairs(release: Release, manifest: ReleaseSummary, progress: Callable[[int], None]) -> Iterator[str]:
    """Everything that is counted, in one pass over the pairs."""
    wheres = conditions(manifest, release.schema)
    columns = counted_columns(manifest, wheres, release.schema)
    seed = derive_seed(manifest.seed, "deciles")

    def count(group: RowGroup) -> PairCounts:
        return count_pairs(release.read_row_group(group, columns), manifest, wheres, seed)

    total, read = PairCounts(), 0
    try:
        with ThreadPoolExecutor() as pool:
            for group, counts in zip(release.row_groups, pool.map(count, release.row_groups), strict=True):
                total.add(counts)
                read += group.rows
                progress(read)
    except UserError as error:
        yield str(error)
        return
    yield from _ids(total)
    yield from _provenance(total, manifest)
    yield from _hashes(total, manifest)
    for score in manifest.scores:
        if decile_name(score.name) in columns:
            bounds = total.deciles.get(score.name, DecileKeys())
            yield from _deciles(score, bounds, is_cut=bool(manifest.cut_from))
        else:
            yield from _values(score, total.values.get(score.name, Counter()))
    for selection in manifest.selections:
        yield from _selection(selection, total.selected.get(selection.name, np.zeros(4, np.int64)))


def _expected(what: str, number: int, expected: int) -> Iterator[str]:
    """A failure, unless the numbers are equal."""
    if number != expected:
        yield f"{what}: {number:,}, expected {expected:,}"


def _ids(total: PairCounts) -> Iterator[str]:
    yield from _expected("pairs without a pair_id", total.null_ids, 0)
    others = len(repeated(total.ids)) - max(total.null_ids - 1, 0)
    yield from _expected("pairs with the pair_id of another pair", others, 0)


def _provenance(total: PairCounts, manifest: ReleaseSummary) -> Iterator[str]:
    corpora = {corpus.corpus: corpus.pairs for corpus in manifest.corpora}
    statuses: dict[str, int] = asdict(manifest.translation)
    for column, counted, expected in (
        ("corpus", total.corpora, corpora),
        ("translation_status", total.statuses, statuses),
    ):
        for name in (*expected, *(counted.keys() - expected.keys())):
            number = expected.get(name or "", 0)
            yield from _expected(f"pairs with the {column} {name!r}", counted[name], number)


def _hashes(total: PairCounts, manifest: ReleaseSummary) -> Iterator[str]:
    """Whether each pair names the recipe that it was made by and, if it was translated, its model."""
    models = {origin.recipe_hash: origin.translation_model_hashes for origin in manifest.origins}
    wrong = Counter[str]()
    for (status, model_hash, recipe_hash), pairs in total.hashes.items():
        made_by: Sequence[str | None] = models.get(recipe_hash or "", [model_hash]) or [None]
        expected = {"translated": made_by, "existing": [None]}
        wrong["recipe_hash"] += pairs * (recipe_hash not in models)
        wrong["translation_model_hash"] += pairs * (
            model_hash not in expected.get(status or "", [model_hash])
        )
    for column in ("recipe_hash", "translation_model_hash"):
        yield from _expected(f"pairs with a {column} that is not in manifest.json", wrong[column], 0)


def _values(score: ScoreSummary, values: Counter[Any]) -> Iterator[str]:
    """Whether a score without deciles has each value as often as the manifest says."""
    counted = {str(value): pairs for value, pairs in values.items() if value is not None}
    yield from _expected(f"pairs without {score.name}", values[None], score.nulls)
    for value in {**score.values, **counted}:
        what = f"pairs with the {score.name} {value!r}"
        yield from _expected(what, counted.get(value, 0), score.values.get(value, 0))


def _deciles(score: ScoreSummary, bounds: DecileKeys, is_cut: bool) -> Iterator[str]:
    """Whether the deciles are the exact ones: each has its size, and is above the one before it.

    is_cut: whether they are deciles of a larger release, of which some pairs were selected: the pairs of each
    must lie between the cuts of that release.
    """
    name, n = score.name, int(bounds.counts[1:].sum())
    column = decile_name(name)
    yield from _expected(f"{column}: pairs with a decile but no {name}, or no decile", bounds.wrong_nulls, 0)
    if bounds.wrong_nulls:
        return
    yield from _expected(f"pairs with {name}", n, score.n)
    yield from _expected(f"pairs without {name}", int(bounds.counts[0]), score.nulls)
    begins = [0, *decile_starts(n), n]
    for decile, (begin, end) in enumerate(() if is_cut else pairwise(begins), start=1):
        if bounds.counts[decile] != end - begin:
            yield f"{column}: pairs in decile {decile}: {bounds.counts[decile]:,}, expected {end - begin:,}"
            return
    filled = sorted(bounds.lowest)
    for low, high in pairwise(filled):
        if bounds.lowest[high] < bounds.highest[low]:
            yield f"{column}: a pair of decile {high} belongs below a pair of decile {low}"
            return
    yield from _between_cuts(score, bounds) if is_cut else _cuts(score, bounds)


def _between_cuts(score: ScoreSummary, bounds: DecileKeys) -> Iterator[str]:
    """Whether the pairs of each decile lie between the values at which the deciles begin."""
    begins = [-np.inf, *float32(score.cuts), np.inf]
    for decile in sorted(bounds.lowest):
        low, high = _values_of(bounds.lowest[decile], bounds.highest[decile])
        # A corpus of less than ten pairs has empty deciles, of which some have no beginning.
        if len(begins) == DECILES + 1 and not begins[decile - 1] <= low <= high <= begins[decile]:
            yield (
                f"{decile_name(score.name)}: decile {decile} has values from {low} to {high}, expected "
                f"{begins[decile - 1]} to {begins[decile]}"
            )


def float32(values: Sequence[float | str]) -> list[float]:
    """Values as JSON has them, in the precision of scores."""
    return np.array([float(value) for value in values], np.float32).tolist()


def _values_of(*keys: Key) -> list[float]:
    """The values of a score with these keys."""
    begins = cuts_to_json(Cuts(0, 0, None, None, keys))["cuts"]
    assert isinstance(begins, list)
    return float32([begin["value"] for begin in begins])


def _cuts(score: ScoreSummary, bounds: DecileKeys) -> Iterator[str]:
    """Whether the deciles begin where the manifest says; an empty one begins where the next one does."""
    lowest = [
        min((key for other, key in bounds.lowest.items() if other >= decile), default=None)
        for decile in range(2, DECILES + 1)
    ]
    values, expected = _values_of(*filter(None, lowest)), float32(score.cuts)
    if values != expected:
        yield (
            f"{score.name}: deciles 2 to 10 begin at {', '.join(map(str, values))}, "
            f"expected {', '.join(map(str, expected))}"
        )


def _selection(selection: SelectionSummary, numbers: np.ndarray) -> Iterator[str]:
    name = selection.name
    selected, passed, null, wrong = (int(number) for number in numbers)
    yield from _expected(f"{name}: selected pairs that do not meet its condition", wrong, 0)
    yield from _expected(f"{name}: selected pairs", selected, selection.selected)
    yield from _expected(f"{name}: pairs that meet its condition", passed, selection.passed)
    yield from _expected(f"{name}: pairs with null for its condition", null, selection.null)
