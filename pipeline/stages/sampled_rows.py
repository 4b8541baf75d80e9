"""Random rows of a plan's parts, of which only a few are read."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ...base.hashing import seeded_hash
from ...transforms.storage.dataset import read_joined
from .planned import Plan
from .stage import Stage


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


def read_rows(plan: Plan, place: int, rows: int, wanted: Collection[str], seed: int) -> pa.Table:
    """Rows of the part at a place, drawn by seeded hash of `pair_id`, in their order.

    wanted: columns that stages add to the release; `pair_id` is always included.
    """
    columns = {stage.file(place): names for stage in plan.stages if (names := _columns(stage, wanted))}
    pairs = read_joined(plan.workspace, columns)
    drawn = np.sort(seeded_hash(pairs["pair_id"].to_pylist(), seed).argsort(kind="stable")[:rows])
    return pairs.take(pa.array(drawn))


def _columns(stage: Stage, wanted: Collection[str]) -> list[str]:
    """The wanted columns that a stage adds to the release."""
    return [column.name for column in stage.columns if column.name in wanted]
