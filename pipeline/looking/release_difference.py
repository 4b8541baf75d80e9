"""`paranmt diff` on releases: which pairs the selections of one have that those of another have not."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.errors import InputError
from ...filters.where.condition import Where
from ..manifest.release_summary import ReleaseSummary, SelectionSummary
from ..recipe.problems import nearest
from ..release.open_release import Release, RowGroup
from ..release.pair_counts import hashed_ids
from .difference import SelectionDifference

_SHOWN = ("pair_id", "source", "reference", "translation")


def selections_of(*releases: Release) -> list[str]:
    """The selections that all releases have, in the order of the first. InputError if one has no manifest."""
    first, *others = ([each.name for each in _manifest(release).selections] for release in releases)
    return [name for name in first if all(name in names for names in others)]


def release_difference(
    first: Release, second: Release, selection: str, examples: int, seed: int
) -> SelectionDifference:
    """Compare a selection of two releases by pair_id; pairs that only one of them has count as well.

    InputError if one has no such selection. Takes 32 bytes of memory for each pair.
    """
    before, after = (_selection(release, selection) for release in (first, second))
    (all_before, old), (all_after, new) = (_hashes(each, selection, seed) for each in (first, second))
    gained, lost = np.setdiff1d(new, old, assume_unique=True), np.setdiff1d(old, new, assume_unique=True)
    named = dict.fromkeys(name for each in (before, after) for name in _columns(first, each))
    return SelectionDifference(
        selection,
        " ".join(before.where.split()),
        " ".join(after.where.split()),
        pairs=len(np.union1d(all_before, all_after)),
        both=len(new) - len(gained),
        gained=len(gained),
        lost=len(lost),
        gained_examples=_examples(second, gained[:examples], list(named), seed),
        lost_examples=_examples(first, lost[:examples], list(named), seed),
    )


def _manifest(release: Release) -> ReleaseSummary:
    if release.manifest is None:
        raise InputError(f"{release.url} has no manifest.json, which names the selections")
    return release.manifest


def _selection(release: Release, name: str) -> SelectionSummary:
    selections = {each.name: each for each in _manifest(release).selections}
    if name not in selections:
        raise InputError(f"{release.url}: no selection {name!r}; {nearest(name, selections)}")
    return selections[name]


def _columns(release: Release, selection: SelectionSummary) -> list[str]:
    """The columns that a selection's condition names."""
    types = {field.name: field.type for field in release.schema}
    return sorted(Where.parse(selection.where, types).columns)


def _hashes(release: Release, selection: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The hashes of all pair_ids, and of those that are selected, each in ascending order."""

    def hashed(group: RowGroup) -> tuple[np.ndarray, np.ndarray]:
        table = release.read_row_group(group, ["pair_id", selection])
        hashes = hashed_ids(table, seed)
        return hashes, hashes[np.asarray(pc.fill_null(table[selection], False))]

    with ThreadPoolExecutor() as pool:
        groups = list(pool.map(hashed, release.row_groups))
    every, selected = (
        np.unique(np.concatenate([np.empty(0, np.uint64), *(group[side] for group in groups)]))
        for side in (0, 1)
    )
    return every, selected


def _examples(
    release: Release, hashes: np.ndarray, columns: Sequence[str], seed: int
) -> list[dict[str, object]]:
    """The pairs whose pair_ids have these hashes, in their order, with these columns that the release has."""
    names = [name for name in dict.fromkeys((*_SHOWN, *columns)) if name in release.schema.names]
    found: dict[int, dict[str, object]] = {}
    for group in release.row_groups:
        if len(found) == len(hashes):
            break
        of_group = hashed_ids(release.read_row_group(group, ["pair_id"]), seed)
        rows = np.flatnonzero(np.isin(of_group, hashes))
        if len(rows):
            pairs = release.read_row_group(group, names).take(pa.array(rows)).to_pylist()
            found |= dict(zip(of_group[rows].tolist(), pairs, strict=True))
    return [found[value] for value in hashes.tolist()]
