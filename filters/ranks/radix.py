"""The exact key at any rank of a column too big for one machine's memory: radix passes over 96-bit keys.

A pass counts, part by part, the keys cut to their leading bits, and only in the few cells that hold one of
the ranks searched for. The counts of all parts are merged, and the next pass looks 16 bits deeper into
smaller cells. When few enough rows are left in them, the last pass takes their whole keys.

    search = CutSearch(goal)
    while search.cuts is None:
        search = search.advance(merge(tally(keys, search) for keys in parts))

Parts may come in any order and any grouping: the result is the same as if all keys were sorted at once.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

KEY_BITS = 96
LEAD_BITS = 64
STEP_BITS = 16
FEW_ROWS = 100_000  # of 12 bytes: how many a last pass may gather in one place

_CHUNK = 1 << 20


class Key(NamedTuple):
    """One 96-bit key: `lead` its upper 64 bits, `rest` its lower 32. Keys compare as tuples do."""

    lead: int
    rest: int


@dataclass(frozen=True)
class Keys:
    """The keys of some rows, in the rows' order.

    lead: (n,) uint64. rest: (n,) uint32. valid: (n,) bool, false for rows that are not ranked (nulls).
    """

    lead: np.ndarray
    rest: np.ndarray
    valid: np.ndarray

    def __len__(self) -> int:
        return len(self.lead)

    def chunks(self, rows: int = _CHUNK) -> Iterator["Keys"]:
        """Views of at most `rows` rows each, at least one."""
        for start in range(0, max(len(self), 1), rows):
            some = slice(start, start + rows)
            yield Keys(self.lead[some], self.rest[some], self.valid[some])


@dataclass(frozen=True)
class Tally:
    """How often each key, cut to its first `depth` bits, occurs in the cells of one pass.

    lead, rest: (m,) the distinct keys in ascending order, with zeros after the first `depth` bits; counts:
    (m,) int64. nulls: rows that were not ranked; lowest, highest: the smallest and the largest whole lead
    counted, or 2**64 - 1 and 0 if there are none. `Tally()` counts nothing and merges with any other.
    """

    depth: int = 0
    lead: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    rest: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint32))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    nulls: int = 0
    lowest: int = 2**64 - 1
    highest: int = 0


Goal = Callable[[int], tuple[int, ...]]
"""The ranks whose keys are searched for among n rows, from 0, ascending; ranks of n and more have no key."""


class Cell(NamedTuple):
    """All keys that begin with the leading bits of `lead`: `rows` keys, after `below` smaller ones."""

    lead: int
    below: int
    rows: int


@dataclass(frozen=True)
class Cuts:
    """The keys at the goal's ranks; fewer keys than ranks if there were too few rows.

    n: rows ranked. nulls: rows not ranked. lowest, highest: the extreme leads, None if there are no rows.
    """

    n: int
    nulls: int
    lowest: int | None
    highest: int | None
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class CutSearch:
    """The state, between two passes, of a search for the keys at `goal`'s ranks; small enough to pickle.

    It begins as `CutSearch(goal)`. depth: how many leading bits are known so far. cells: those that hold one
    of the ranks. few: with this many rows or fewer the last pass takes whole keys. cuts: the result, at the
    end.
    """

    goal: Goal
    few: int = FEW_ROWS
    depth: int = 0
    cells: tuple[Cell, ...] = (Cell(0, 0, 0),)
    n: int = 0
    nulls: int = 0
    lowest: int | None = None
    highest: int | None = None
    cuts: Cuts | None = None

    @property
    def next_depth(self) -> int:
        """How many leading bits the next pass counts; all of them when the cells hold few rows.

        After 64 bits it is always all: keys differ later only if two hashes share another 32 bits.
        """
        rows = sum(cell.rows for cell in self.cells)
        last = self.depth == LEAD_BITS or (self.depth > 0 and rows <= self.few)
        return KEY_BITS if last else self.depth + STEP_BITS

    def advance(self, tally: Tally) -> "CutSearch":
        """The search after a pass, whose tallies of all parts were merged into `tally`.

        ValueError if they are not from this pass, or do not count the same rows as before.
        """
        if tally.depth not in (0, self.next_depth):
            raise ValueError(f"this pass counts {self.next_depth} bits; the tally has {tally.depth}")
        search = self if self.depth else self._begin(tally)
        counted, expected = int(tally.counts.sum()), sum(cell.rows for cell in search.cells)
        if counted != expected:
            raise ValueError(f"the rows changed between two passes: {counted} instead of {expected}")
        return search._descend(tally)

    def _begin(self, tally: Tally) -> "CutSearch":
        n = int(tally.counts.sum())
        return replace(
            self,
            cells=(Cell(0, 0, n),),
            n=n,
            nulls=tally.nulls,
            lowest=tally.lowest if n else None,
            highest=tally.highest if n else None,
        )

    def _descend(self, tally: Tally) -> "CutSearch":
        # Ranks of the tallied keys' first rows among all rows. The cells before a cell hold only some of the
        # rows below it, so each cell adds the rows that they skip.
        cell_leads = np.array([cell.lead for cell in self.cells], np.uint64)
        in_cells = np.cumsum([0, *(cell.rows for cell in self.cells)])[:-1]
        skipped = np.array([cell.below for cell in self.cells], np.int64) - in_cells
        owner = np.searchsorted(cell_leads, tally.lead, side="right") - 1
        first = np.cumsum(tally.counts) - tally.counts + skipped[owner]
        ranks = [rank for rank in self.goal(self.n) if rank < self.n]
        places = np.searchsorted(first, ranks, side="right") - 1
        if self.next_depth == KEY_BITS or not ranks:
            keys = tuple(Key(int(tally.lead[i]), int(tally.rest[i])) for i in places)
            return replace(self, cuts=Cuts(self.n, self.nulls, self.lowest, self.highest, keys))
        cells = tuple(
            Cell(int(tally.lead[i]), int(first[i]), int(tally.counts[i])) for i in np.unique(places)
        )
        return replace(self, depth=self.next_depth, cells=cells)


def tally(keys: Keys, search: CutSearch) -> Tally:
    """The tally of one part for the next pass of `search`."""
    lead, rest = _members(keys, search)
    nulls = len(keys) - int(np.count_nonzero(keys.valid))
    if not len(lead):
        return Tally(depth=search.next_depth, nulls=nulls)
    cut = lead & _mask(search.next_depth)
    if search.next_depth < KEY_BITS:
        rest = np.zeros(len(lead), np.uint32)
    ones = np.ones(len(lead), np.int64)
    counted = _grouped(search.next_depth, cut, rest, ones)
    return replace(counted, nulls=nulls, lowest=int(lead.min()), highest=int(lead.max()))


def merge(tallies: Iterable[Tally]) -> Tally:
    """The tally of all rows together; associative and commutative, with `Tally()` as neutral element.

    It sorts all their keys, so merge many at a time. ValueError for tallies of different passes.
    """
    all_tallies = [part for part in tallies if part.depth]
    if not all_tallies:
        return Tally()
    depths = {part.depth for part in all_tallies}
    if len(depths) > 1:
        raise ValueError(f"tallies of different passes cannot be merged: depths {sorted(depths)}")
    lead, rest, counts = (
        np.concatenate([getattr(part, name) for part in all_tallies]) for name in ("lead", "rest", "counts")
    )
    return replace(
        _grouped(depths.pop(), lead, rest, counts),
        nulls=sum(part.nulls for part in all_tallies),
        lowest=min(part.lowest for part in all_tallies),
        highest=max(part.highest for part in all_tallies),
    )


def find_cuts(keys: Keys, goal: Goal) -> Cuts:
    """The keys at `goal`'s ranks, for keys that are all in memory."""
    search = CutSearch(goal)
    while search.cuts is None:
        search = search.advance(merge(tally(chunk, search) for chunk in keys.chunks()))
    return search.cuts


def hash_keys(hashes: np.ndarray, ties: np.ndarray | None = None) -> Keys:
    """Keys that order rows by a 64-bit hash, and equal hashes by the upper 32 bits of `ties`, if given.

    hashes, ties: (n,) uint64.
    """
    rest = np.zeros(len(hashes), np.uint32) if ties is None else (ties >> np.uint64(32)).astype(np.uint32)
    return Keys(hashes, rest, np.ones(len(hashes), bool))


def before(keys: Keys, cut: Key) -> np.ndarray:
    """Which keys are smaller than `cut`, valid or not; (n,) bool."""
    lead = np.uint64(cut.lead)
    return (keys.lead < lead) | ((keys.lead == lead) & (keys.rest < np.uint32(cut.rest)))


def _mask(depth: int) -> np.uint64:
    return np.uint64(2**64 - 2 ** max(LEAD_BITS - depth, 0))


def _members(keys: Keys, search: CutSearch) -> tuple[np.ndarray, np.ndarray]:
    """Lead and rest of the valid rows that lie in the search's cells."""
    if not search.depth:
        return (keys.lead, keys.rest) if keys.valid.all() else (keys.lead[keys.valid], keys.rest[keys.valid])
    cell_leads = np.array([cell.lead for cell in search.cells], np.uint64)
    near = np.zeros(2**STEP_BITS, bool)
    near[_top(cell_leads)] = True
    rows = np.flatnonzero(near[_top(keys.lead)] & keys.valid)
    lead = keys.lead[rows]
    if search.depth > STEP_BITS:
        cut = lead & _mask(search.depth)
        in_cell = cell_leads[np.minimum(np.searchsorted(cell_leads, cut), len(cell_leads) - 1)] == cut
        rows, lead = rows[in_cell], lead[in_cell]
    return lead, keys.rest[rows]


def _top(lead: np.ndarray) -> np.ndarray:
    return (lead >> np.uint64(LEAD_BITS - STEP_BITS)).astype(np.int64)


def _grouped(depth: int, lead: np.ndarray, rest: np.ndarray, counts: np.ndarray) -> Tally:
    """The distinct keys with the sums of their counts."""
    if depth == STEP_BITS:
        # float64 sums are exact below 2**53 rows.
        sums = np.bincount(_top(lead), weights=counts, minlength=2**STEP_BITS).astype(np.int64)
        seen = np.flatnonzero(sums)
        distinct = seen.astype(np.uint64) << np.uint64(LEAD_BITS - STEP_BITS)
        return Tally(depth, distinct, np.zeros(len(seen), np.uint32), sums[seen])
    # A stable sort is fast on tallies, which are sorted runs; few whole keys share a lead.
    order = np.argsort(lead, kind="stable")
    if depth == KEY_BITS and np.any(lead[order[1:]] == lead[order[:-1]]):
        order = np.lexsort((rest, lead))
    lead, rest, counts = lead[order], rest[order], counts[order]
    new = np.ones(len(lead), bool)
    new[1:] = (lead[1:] != lead[:-1]) | (rest[1:] != rest[:-1])
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(counts, starts) if len(starts) else counts
    return Tally(depth, lead[starts], rest[starts], sums)
