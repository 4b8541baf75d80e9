"""`paranmt merge`: one release of the pairs of several.

Texts, scores and provenance are those of the releases. What depends on all pairs is computed again: deciles,
selections, the order of the files, and what the certificates count.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import RELEASE_TEXT, decile_name
from ...base.errors import InputError
from ...base.hashing import derive_seed, seeded_hash
from ...base.outputs import check_empty, new_folder
from ...filters.ranks.decile_ranks import assign, cuts_to_json, decile_starts, score_keys
from ...filters.ranks.draws import Smallest, drawn, sample_keys
from ...filters.ranks.radix import Cuts, CutSearch, Goal, Keys, Tally, merge, tally
from ...filters.where.condition import Where
from ...transforms.storage.release_files import (
    plan_release_files,
)
from ...transforms.storage.versions import package_versions
from ..manifest.release_parquet import MANIFEST_FILE, sha256
from ..manifest.release_summary import CorpusSummary, MergedSummary, ReleaseSummary, VersionCounts
from .mergeable import check_mergeable
from .metadata import release_texts
from .open_release import Release, RowGroup
from .pair_counts import conditions, hashed_ids, repeated
from .rewriting import (
    WrittenPairs,
    counted_again,
    matches_of,
    read_matches,
    whole_manifest,
    write_certificates,
    write_data,
)

_SECTIONS = ("seed", "scores", "select", "release")


def merge_releases(
    releases: Sequence[Release],
    target: Path,
    drop_repeated: bool = False,
    progress: Callable[[int], None] = lambda pairs: None,
) -> ReleaseSummary:
    """Write the pairs of all releases as one release in the new folder `target`.

    The folder appears once it is complete. Of pairs with the same pair_id and the same texts, the first is
    kept if `drop_repeated`. InputError if there are such pairs otherwise, if pairs with the same pair_id have
    different texts, if the folder exists and is not empty, or if the releases cannot be merged. progress:
    called with the number of pairs written so far. Takes 24 bytes of memory for each pair and 17 more for
    each that is repeated, besides the pairs of one file.
    """
    check_empty(target)
    manifests = [whole_manifest(release) for release in releases]
    check_mergeable(releases, manifests)
    first = manifests[0]
    groups = _hashed(releases, derive_seed(first.seed, "deciles"))
    left_out = _leave_out_repeated(releases, groups, drop_repeated)
    cuts = _decile_cuts(groups, _ranked(first))
    merged = _Merged(first, releases[0].schema, cuts)
    merged.samples.update(_sample_cuts(groups, merged))
    with new_folder(target) as folder:
        written = _write_data(releases, groups, merged, folder, progress)
        whole = replace(first, corpora=_corpora(manifests), scores=_with_cuts(first, cuts))
        summary = replace(
            counted_again(whole, written),
            name=target.name,
            description=None,
            authors=list(dict.fromkeys(chain.from_iterable(each.authors for each in manifests))),
            files=written.files,
            other_files={},
            recipe=_recipe(manifests),
            made_of={"merged_from": [manifest.recipe_hash for manifest in manifests]},
            models=list(dict.fromkeys(chain.from_iterable(each.models for each in manifests))),
            packages=package_versions(),
            computed_with=_computed_with(manifests),
            cut_from=(),
            merged_from=[
                MergedSummary(manifest, sha256(f"{release.folder}/{MANIFEST_FILE}"), left)
                for manifest, release, left in zip(manifests, releases, left_out, strict=True)
            ],
            url=None,
            date_published=None,
        )
        others = write_certificates(releases, summary, written.matches, folder)
        for name, text in release_texts(summary, others).items():
            (folder / name).write_bytes(text)
    return summary


# --- the pairs


@dataclass
class _Group:
    """A row group of one of the releases, given by its number, and which of its pairs are merged.

    hashes: (n,) uint64, of the pair_ids of all its pairs. is_kept: (n,) bool; None for all.
    """

    release: Release
    number: int
    group: RowGroup
    hashes: np.ndarray
    is_kept: np.ndarray | None = None

    @property
    def rows(self) -> int:
        """How many of its pairs are merged."""
        return self.group.rows if self.is_kept is None else int(np.count_nonzero(self.is_kept))

    def kept_hashes(self) -> np.ndarray:
        """The hashes of the pairs that are merged."""
        return self.hashes if self.is_kept is None else self.hashes[self.is_kept]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of the pairs that are merged."""
        table = self.release.read_row_group(self.group, columns)
        return table if self.is_kept is None else table.filter(pa.array(self.is_kept))


def _hashed(releases: Sequence[Release], seed: int) -> list[_Group]:
    """All row groups, in order, with the hashes by which deciles order equal values."""

    def hashed(numbered: tuple[int, Release, RowGroup]) -> _Group:
        number, release, group = numbered
        return _Group(release, number, group, hashed_ids(release.read_row_group(group, ["pair_id"]), seed))

    with ThreadPoolExecutor() as pool:
        every = ((number, each, group) for number, each in enumerate(releases) for group in each.row_groups)
        return list(pool.map(hashed, every))


def _leave_out_repeated(releases: Sequence[Release], groups: list[_Group], drop: bool) -> list[int]:
    """Mark the pairs whose pair_id an earlier pair has; how many of each release.

    InputError if there are any, and not `drop`, or if one of them has other texts than the earlier pair.
    """
    shared = np.unique(repeated([group.hashes for group in groups]))
    left_out, seen = [0] * len(releases), np.zeros(len(shared), np.bool_)
    texts, different = np.zeros(len(shared), np.uint64), 0
    alike: list[str] = []
    unlike: list[str] = []
    for group in groups if len(shared) else ():
        place = np.minimum(np.searchsorted(shared, group.hashes), len(shared) - 1)
        (rows,) = np.nonzero(shared[place] == group.hashes)
        place = place[rows]
        if not len(rows):
            continue
        ids, own = _texts(group, rows)
        _, firsts = np.unique(place, return_index=True)
        is_first = np.zeros(len(rows), np.bool_)
        is_first[firsts] = True
        is_first &= ~seen[place]
        texts[place[is_first]] = own[is_first]
        seen[place] = True
        is_other = own != texts[place]
        different += int(np.count_nonzero(is_other))
        unlike += [ids[row] for row in np.flatnonzero(is_other)[:3]]
        alike += [ids[row] for row in np.flatnonzero(~is_first & ~is_other)[:3]]
        if not is_first.all():
            group.is_kept = np.ones(group.group.rows, np.bool_)
            group.is_kept[rows[~is_first]] = False
            left_out[group.number] += int(np.count_nonzero(~is_first))
    if different:
        raise InputError(
            f"{different:,} of {sum(left_out):,} repeated pair_ids have other texts than the earlier pair, "
            f"such as {', '.join(unlike[:3])}: they are of other inputs with the same names; name the "
            "corpora of one release otherwise in its recipe and make it again, or leave these pairs out of "
            "it first, with `paranmt select RELEASE --where … --output …`"
        )
    if alike and not drop:
        raise InputError(
            f"{sum(left_out):,} pair_ids are repeated with the texts of the earlier pair, such as "
            f"{', '.join(alike[:3])}; give --drop-repeated to keep the first pair of each"
        )
    return left_out


def _texts(group: _Group, rows: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The pair_ids of some pairs of a group, and a hash of their texts, (rows,)."""
    names = [column.name for column in RELEASE_TEXT]
    table = group.release.read_row_group(group.group, ["pair_id", *names]).take(pa.array(rows))
    lines = zip(*(table[name].to_pylist() for name in names), strict=True)
    return table["pair_id"].to_pylist(), seeded_hash(map(repr, lines), 0)


# --- what depends on all pairs


@dataclass(frozen=True)
class _Merged:
    """How the columns that depend on all pairs are computed again.

    first: the manifest of the first release. cuts: of each score with deciles. samples: of each selection
    that is a sample.
    """

    first: ReleaseSummary
    schema: pa.Schema
    cuts: dict[str, Cuts]
    samples: dict[str, Cuts] = field(default_factory=dict)

    @property
    def wheres(self) -> dict[str, Where]:
        """The condition of each selection."""
        return conditions(self.first, self.schema)

    def sample_seed(self, selection: str) -> int:
        """The seed by which a selection's sample is drawn, as a run draws it."""
        given = self.first.recipe["select"][selection].get("seed")  # type: ignore[index]
        return derive_seed(self.first.seed, f"select/{selection}") if given is None else int(given)

    def with_deciles(self, table: pa.Table, hashes: np.ndarray) -> pa.Table:
        """The table with the deciles of the merged release, for the scores whose columns it has."""
        for score, cuts in self.cuts.items():
            if decile_name(score) in table.column_names:
                deciles = assign(score_keys(table[score], hashes), cuts)
                place = table.schema.get_field_index(decile_name(score))
                table = table.set_column(place, table.schema.field(place), deciles)
        return table

    def with_selections(self, table: pa.Table) -> pa.Table:
        """The table with the selections of the merged release. Its deciles must be those of it."""
        for name, where in self.wheres.items():
            selected = pc.fill_null(where.evaluate(table), False)
            if name in self.samples:
                keys = sample_keys(table["pair_id"].to_pylist(), self.sample_seed(name))
                selected = pc.and_(selected, pa.array(drawn(keys, self.samples[name])))
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(place), selected)
        return table


def _ranked(release: ReleaseSummary) -> list[str]:
    """The scores that have deciles."""
    columns = {column.name for column in release.columns}
    return [score.name for score in release.scores if decile_name(score.name) in columns]


def _decile_cuts(groups: Sequence[_Group], scores: Sequence[str]) -> dict[str, Cuts]:
    """Where the deciles of all pairs begin, by score."""

    def tallied(searches: dict[str, CutSearch], group: _Group) -> dict[str, Tally]:
        table, hashes = group.read(list(searches)), group.kept_hashes()
        return {score: tally(score_keys(table[score], hashes), each) for score, each in searches.items()}

    return _search(groups, {score: decile_starts for score in scores}, tallied)


def _sample_cuts(groups: Sequence[_Group], merged: _Merged) -> dict[str, Cuts]:
    """Where the samples of the selections end, by selection."""
    wheres = merged.wheres

    def tallied(searches: dict[str, CutSearch], group: _Group) -> dict[str, Tally]:
        named = {name for selection in searches for name in wheres[selection].columns}
        ranked = {score for score in merged.cuts if decile_name(score) in named}
        table = merged.with_deciles(group.read(sorted({"pair_id", *named, *ranked})), group.kept_hashes())
        tallies = {}
        for name, search in searches.items():
            keys = sample_keys(table["pair_id"].to_pylist(), merged.sample_seed(name))
            passed = pc.fill_null(wheres[name].evaluate(table), False).to_numpy(zero_copy_only=False)
            tallies[name] = tally(Keys(keys.lead, keys.rest, passed), search)
        return tallies

    goals = {each.name: Smallest(each.sample) for each in merged.first.selections if each.sample is not None}
    return _search(groups, goals, tallied)


def _search(
    groups: Sequence[_Group],
    goals: Mapping[str, Goal],
    tallied: Callable[[dict[str, CutSearch], _Group], dict[str, Tally]],
) -> dict[str, Cuts]:
    """The keys at the goals' ranks, found in as many passes over all groups as the longest search takes."""
    searches = {name: CutSearch(goal) for name, goal in goals.items()}
    with ThreadPoolExecutor() as pool:
        while still_open := {name: search for name, search in searches.items() if search.cuts is None}:
            sums: dict[str, Tally] = {}
            for tallies in pool.map(partial(tallied, still_open), groups):
                sums = {name: merge([sums.get(name, Tally()), more]) for name, more in tallies.items()}
            for name, search in still_open.items():
                searches[name] = search.advance(sums.get(name, Tally()))
    return {name: search.cuts for name, search in searches.items() if search.cuts is not None}


# --- writing


def _write_data(
    releases: Sequence[Release],
    groups: Sequence[_Group],
    merged: _Merged,
    folder: Path,
    progress: Callable[[int], None],
) -> WrittenPairs:
    """Write the data files: each joins consecutive files of the releases, as many as fit."""
    columns = merged.schema.names
    of_file: dict[str, list[_Group]] = {}
    for group in groups:
        of_file.setdefault(f"{group.number}/{group.group.file}", []).append(group)
    sizes = [(name, sum(group.rows for group in some)) for name, some in of_file.items()]
    joined = plan_release_files([each for each in sizes if each[1]], merged.first.rows_per_file)
    matches = [read_matches(release) for release in releases]

    def pairs_of(group: _Group) -> pa.Table:
        return merged.with_selections(merged.with_deciles(group.read(columns), group.kept_hashes()))

    def read(files: Sequence[str]) -> tuple[list[pa.Table], list[dict[str, pa.Table]]]:
        some = [group for file in files for group in of_file[file]]
        with ThreadPoolExecutor() as pool:
            tables = list(pool.map(pairs_of, some))
        found = [
            matches_of(matches[group.number], [table]) for group, table in zip(some, tables, strict=True)
        ]
        return tables, found

    return write_data(joined, read, merged.first, merged.wheres, folder, progress)


# --- the manifest


def _with_cuts(first: ReleaseSummary, cuts: dict[str, Cuts]) -> list:
    """The scores with the values at which their deciles begin."""
    return [
        replace(score, cuts=[float(begin["value"]) for begin in cuts_to_json(cuts[score.name])["cuts"]])  # type: ignore[attr-defined]
        if score.name in cuts
        else score
        for score in first.scores
    ]


def _corpora(manifests: Sequence[ReleaseSummary]) -> list[CorpusSummary]:
    """The corpora of all releases; one that several have is one corpus."""
    corpora: dict[str, CorpusSummary] = {}
    for corpus in chain.from_iterable(manifest.corpora for manifest in manifests):
        before = corpora.get(corpus.corpus)
        pairs = corpus.pairs + (before.pairs if before else 0)
        corpora[corpus.corpus] = replace(corpus, pairs=pairs)
    return list(corpora.values())


def _recipe(manifests: Sequence[ReleaseSummary]) -> dict[str, object]:
    """What the recipes share, with the bitext of all; the seed and the sizes of files are the first's."""
    first, *others = (manifest.recipe for manifest in manifests)
    shared = {
        section: value
        for section, value in first.items()
        if section in _SECTIONS or all(recipe.get(section) == value for recipe in others)
    }
    bitext: list[object] = []
    for recipe in (first, *others):
        entries = recipe.get("bitext")
        bitext += [entry for entry in entries if entry not in bitext] if isinstance(entries, list) else []
    return {**shared, "bitext": bitext}


def _computed_with(manifests: Sequence[ReleaseSummary]) -> dict[str, list[VersionCounts]]:
    """By stage, the versions that the releases were made with."""
    computed: dict[str, list[VersionCounts]] = {}
    for manifest in manifests:
        for stage, versions in manifest.computed_with.items():
            computed.setdefault(stage, []).extend(versions)
    return computed
