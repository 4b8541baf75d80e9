"""The pairs on which its training chose an encoder: evaluations on them are no tests."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ...base.hashing import seeded_hash
from ...tokens.definition import normalise
from .encodes import Encodes

Development = Mapping[str, np.ndarray]
"""By the name of a development set, the hashes of its pairs, (pairs,) uint64."""

NO_DEVELOPMENT: Development = MappingProxyType({})


def pair_hashes(left: Sequence[str], right: Sequence[str]) -> np.ndarray:
    """A hash of each pair of sentences, (pairs,) uint64: the same in either order, case and punctuation.

    >>> pair_hashes(["A dog."], ["Two dogs!"]) == pair_hashes(["two dogs"], ["a dog"])
    array([ True])
    """
    pairs = zip(map(normalise, left), map(normalise, right), strict=True)
    return seeded_hash(["\t".join(sorted(pair)) for pair in pairs], 0)


def development_of(encoder: Encodes) -> Development:
    """The development sets on which the training of an encoder of ours chose it; other encoders have none."""
    found: Development = getattr(encoder, "development", NO_DEVELOPMENT)
    return found


def pairs_chosen_on(encoder: Encodes, left: Sequence[str], right: Sequence[str]) -> int:
    """On how many of these pairs the encoder was chosen, whatever the set is called that they came in."""
    known = development_of(encoder).values()
    if not known:
        return 0
    return int(np.isin(pair_hashes(left, right), np.concatenate(list(known))).sum())


def chosen_note(chosen: int, pairs: int) -> str:
    """The note of a result on `pairs` pairs, on some of which the encoder was chosen; empty for none.

    >>> chosen_note(285, 1379)
    'no test: the encoder was chosen on 285 of its 1,379 pairs'
    """
    what = "it" if chosen == pairs else f"{chosen:,} of its {pairs:,} pairs"
    return f"no test: the encoder was chosen on {what}" if chosen else ""


def to_json(development: Development) -> dict[str, str]:
    """The hashes of each set as one hexadecimal number."""
    return {name: hashes.astype(">u8").tobytes().hex() for name, hashes in development.items()}


def from_json(content: Any) -> Development:
    """What `to_json` wrote; TypeError or ValueError for anything else."""
    return {
        str(name): np.frombuffer(bytes.fromhex(hashes), ">u8").astype(np.uint64)
        for name, hashes in dict(content).items()
    }
