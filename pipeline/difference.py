"""`paranmt diff`: which pairs the selections of one recipe have that those of another have not."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import RecipeError
from ..base.hashing import seeded_hash
from ..filters.ranks.draws import Smallest, drawn, sample_keys
from ..filters.ranks.radix import Cuts, Keys, find_cuts
from ..transforms.storage.dataset import read_columns, read_joined
from .preview import Selecting, selecting
from .recipe.recipe import Recipe
from .stages.stage import translation_stage


@dataclass(frozen=True)
class SelectionDifference:
    """What the second recipe's selection gains and loses against the first recipe's, with random pairs.

    pairs: of the whole bitext. both: those that are in both selections. An example has pair_id, reference,
    translation and the columns that the conditions name.
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
    masks = list(zip(_masks(before), _masks(after), strict=True))
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
        gained_examples=_examples(after, before, gained, examples, seed),
        lost_examples=_examples(before, after, lost, examples, seed),
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


def _examples(
    chosen: Selecting, other: Selecting, masks: Sequence[np.ndarray], count: int, seed: int
) -> list[dict[str, object]]:
    """`count` random pairs of those in the masks, with the columns that the conditions name."""
    workspace, ingest = chosen.plan.workspace, chosen.plan.stage("ingest")
    candidates: list[tuple[int, int, int]] = []  # hash, part, row
    for number, mask in enumerate(masks):
        if not mask.any():
            continue
        rows = np.flatnonzero(mask)
        ids = read_columns(workspace, ingest.file(number), ["pair_id"])["pair_id"].take(pa.array(rows))
        hashes = seeded_hash(ids.to_pylist(), seed)
        order = np.argsort(hashes, kind="stable")[:count]
        candidates += [(int(hashes[place]), number, int(rows[place])) for place in order]
        candidates = sorted(candidates)[:count]
    translate = chosen.plan.stage(translation_stage(chosen.plan.recipe))
    pairs = []
    for _, number, row in candidates:
        texts = {ingest.file(number): ["source", "reference"], translate.file(number): ["translation"]}
        pair = read_joined(workspace, texts).slice(row, 1).to_pylist()[0]
        for selection in (chosen, other):
            pair |= selection.table(selection.tasks[number]).slice(row, 1).to_pylist()[0]
        pairs.append(pair)
    return pairs
