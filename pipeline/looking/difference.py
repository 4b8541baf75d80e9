"""`paranmt diff`: which pairs the selections of one recipe have that those of another have not."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.errors import RecipeError
from ...base.hashing import seeded_hash
from ...filters.ranks.draws import Smallest, drawn, sample_keys
from ...filters.ranks.radix import Cuts, Keys, find_cuts
from ...transforms.storage.dataset import read_columns, read_joined
from ..recipe.recipe import Recipe
from ..stages.stage import translation_stage
from .preview import Selecting, selecting


@dataclass(frozen=True)
class SelectionDifference:
    """What the second recipe's selection gains and loses against the first recipe's, with random pairs.

    pairs: of the whole bitext, by either recipe. both: those that are in both selections. An example has
    pair_id, reference, translation and the columns that the conditions name.
    """

    selection: str
    before: str
    after: str
    pairs: int
    both: int
    gained: int
    lost: int
    gained_examples: Sequence[dict[str, object]]
    lost_examples: Sequence[dict[str, object]]


def difference(
    first: Recipe, second: Recipe, selection: str, examples: int, seed: int
) -> SelectionDifference:
    """Compare a selection of two recipes, pair by pair. The scores that both use must be fresh.

    RecipeError if a recipe has no such selection, or the recipes have other bitexts.
    """
    before, after = selecting(first, selection), selecting(second, selection)
    if _parts(before) != _parts(after):
        raise RecipeError("the recipes have other bitexts or parts, so their pairs cannot be compared")
    masks = [
        _aligned(before, after, number, *both)
        for number, both in enumerate(zip(_masks(before), _masks(after), strict=True))
    ]
    gained = [~old & new for old, new in masks]
    lost = [old & ~new for old, new in masks]
    return SelectionDifference(
        selection,
        before.work.where.canonical,
        after.work.where.canonical,
        pairs=sum(len(old) for old, _ in masks),
        both=sum(int(np.count_nonzero(old & new)) for old, new in masks),
        gained=sum(int(np.count_nonzero(mask)) for mask in gained),
        lost=sum(int(np.count_nonzero(mask)) for mask in lost),
        gained_examples=_examples(before, after, after, gained, examples, seed),
        lost_examples=_examples(before, after, before, lost, examples, seed),
    )


def _parts(chosen: Selecting) -> list[tuple[str, str]]:
    """The parts of the bitext. A key is a hash of the part's rows."""
    return [(task.part, task.key) for task in chosen.plan.stage("ingest").tasks]


def _masks(chosen: Selecting) -> list[np.ndarray]:
    """For each part, which of its pairs are selected; (n,) bool."""
    where = chosen.work.where

    def passed(number: int) -> tuple[np.ndarray, Keys | None]:
        table = chosen.table(chosen.tasks[number])
        mask = np.asarray(pc.fill_null(where.evaluate(table), False))
        if chosen.work.sample is None:
            return mask, None
        assert chosen.work.seed is not None
        keys = sample_keys(table["pair_id"].filter(pa.array(mask)).to_pylist(), chosen.work.seed)
        return mask, keys

    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(passed, range(len(chosen.tasks))))
    every = [keys for _, keys in parts if keys is not None]
    if chosen.work.sample is None or not every:
        return [mask for mask, _ in parts]
    cuts = find_cuts(_joined(every), Smallest(chosen.work.sample))
    return [_drawn(mask, keys, cuts) for mask, keys in parts if keys is not None]


def _joined(parts: Sequence[Keys]) -> Keys:
    lead, rest, valid = (
        np.concatenate([getattr(keys, name) for keys in parts]) for name in ("lead", "rest", "valid")
    )
    return Keys(lead, rest, valid)


def _drawn(mask: np.ndarray, keys: Keys, cuts: Cuts) -> np.ndarray:
    """The mask without the pairs that the sample leaves out. keys: those of the pairs in the mask."""
    kept = mask.copy()
    kept[mask] = drawn(keys, cuts)
    return kept


def _aligned(
    before: Selecting, after: Selecting, number: int, old: np.ndarray, new: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The masks of a part, for all pairs of `_pair_ids`. A pair that a recipe has not, it does not select."""
    if _have_records(before, after):
        return old, new
    every = _pair_ids(before, after, number)

    def spread(chosen: Selecting, mask: np.ndarray) -> np.ndarray:
        rows = pc.index_in(every, value_set=_ids(chosen, number).combine_chunks())
        return np.asarray(pc.fill_null(pa.array(mask).take(rows.combine_chunks()), False))

    return spread(before, old), spread(after, new)


def _have_records(*recipes: Selecting) -> bool:
    """Whether each record of the bitext is one pair, so that the recipes have the same pairs."""
    return all(chosen.plan.recipe.choose.keep == 1 for chosen in recipes)


def _ids(chosen: Selecting, number: int) -> pa.ChunkedArray:
    """The pair_ids of a part, which the first file that a selection reads has."""
    (_, file), *_ = chosen.tasks[number].inputs
    return read_columns(chosen.plan.workspace, file, [])["pair_id"]


def _pair_ids(before: Selecting, after: Selecting, number: int) -> pa.ChunkedArray:
    """The pair_ids of a part by one recipe, then those that only the other one has."""
    ids = _ids(before, number)
    if _have_records(before, after):
        return ids
    others = _ids(after, number)
    is_new = pc.invert(pc.is_in(others, value_set=ids.combine_chunks()))
    return pa.chunked_array([*ids.chunks, *others.filter(is_new).chunks], ids.type)


def _examples(
    before: Selecting, after: Selecting, chosen: Selecting, masks: Sequence[np.ndarray], count: int, seed: int
) -> list[dict[str, object]]:
    """`count` random pairs of those in the masks, with the columns that the conditions name.

    chosen: the recipe that has all of these pairs.
    """
    candidates: list[tuple[int, int, str]] = []  # hash, part, pair_id
    for number, mask in enumerate(masks):
        if not mask.any():
            continue
        ids = _pair_ids(before, after, number).filter(pa.array(mask)).to_pylist()
        hashes = seeded_hash(ids, seed)
        order = np.argsort(hashes, kind="stable")[:count]
        candidates += [(int(hashes[place]), number, ids[place]) for place in order]
        candidates = sorted(candidates)[:count]
    plan = chosen.plan
    ingest, translations = plan.stage("ingest"), plan.stage(translation_stage(plan.recipe))
    other = before if chosen is after else after
    pairs = []
    for _, number, pair_id in candidates:
        texts = {ingest.file(number): ["source", "reference"], translations.file(number): ["translation"]}
        pair = _row(read_joined(plan.workspace, texts), pair_id)
        for selection in (chosen, other):
            pair |= _row(selection.table(selection.tasks[number]), pair_id)
        pairs.append(pair)
    return pairs


def _row(table: pa.Table, pair_id: str) -> dict[str, object]:
    """The pair with this id; empty if the table has none."""
    row = pc.index(table["pair_id"], pair_id).as_py()
    return {} if row < 0 else table.slice(row, 1).to_pylist()[0]
