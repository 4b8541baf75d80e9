"""The few pairs that a dataset card shows: drawn by seeded hash, of the first selection if there is one."""

import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import PAIR_ID, REFERENCE, TRANSLATION, decile_name
from ...base.hashing import derive_seed, seeded_hash
from ..manifest.release_summary import ExamplePair, ReleaseSummary

EXAMPLES = 5
_CHARACTERS = 300
"""Longer texts are cut."""


def example_columns(primary: str, selection: str | None) -> list[str]:
    """The columns that `draw` and `example_pairs` read."""
    chosen = [] if selection is None else [selection]
    return [PAIR_ID.name, REFERENCE.name, TRANSLATION.name, primary, decile_name(primary), *chosen]


def first_selection(release: ReleaseSummary) -> str | None:
    """The selection whose pairs are shown; None for all pairs."""
    return release.selections[0].name if release.selections else None


def draw(pairs: pa.Table, selection: str | None, seed: int) -> pa.Table:
    """A few pairs with a translation; the same ones however many others there are between them."""
    wanted = pairs[TRANSLATION.name].is_valid()
    if selection is not None:
        wanted = pc.and_(wanted, pc.fill_null(pairs[selection], False))
    pairs = pairs.filter(wanted)
    hashes = seeded_hash(pairs[PAIR_ID.name].to_pylist(), derive_seed(seed, "card/examples"))
    return pairs.take(pa.array(hashes.argsort(kind="stable")[:EXAMPLES]))


def example_pairs(pairs: pa.Table, primary: str) -> list[ExamplePair]:
    """Pairs as the card shows them."""
    return [
        ExamplePair(
            _cut(row[REFERENCE.name]), _cut(row[TRANSLATION.name]), row[primary], row[decile_name(primary)]
        )
        for row in pairs.to_pylist()
    ]


def _cut(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS].rstrip()} …"
