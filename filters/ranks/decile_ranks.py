"""Exact deciles: decile 1 holds the lowest tenth of a score's values (Wieting and Gimpel 2018, section 3).

decile = floor(10 * rank / n) + 1 over the n values that are not null, where ranks begin at 0. NaN counts
as null and -0.0 as 0.0. Equal values are ordered by the seeded hash of their pair_id, never by position: a
fifth of real trigram overlaps are exactly 0, and corpus order would make deciles a proxy for domain.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.types as types

from ...base.hashing import seeded_hash
from .radix import STEP_BITS, Cuts, Key, Keys, find_cuts

DECILES = 10

_SIGN = np.uint32(2**31)
_EXACT_IN_FLOAT32 = 2**24

Json = dict[str, object]


def decile_starts(n: int) -> tuple[int, ...]:
    """The goal of a search for deciles: the rank at which each of the deciles 2 to 10 begins.

    ceil(n * k / 10) for k = 1 to 9: the lowest rank with floor(10 * rank / n) >= k.

    >>> decile_starts(25)
    (3, 5, 8, 10, 13, 15, 18, 20, 23)
    """
    return tuple(-(-n * k // DECILES) for k in range(1, DECILES))


def score_keys(values: pa.Array | pa.ChunkedArray | np.ndarray, hashes: np.ndarray) -> Keys:
    """The keys by which rows are ranked: the value (32 bits, in order), then the hash (64 bits).

    values: (n,) float32, or integers from -2**24 to 2**24, which float32 holds exactly; null and NaN are
    not ranked. hashes: (n,) uint64, the hashes of the pair_ids. float64 is a TypeError: round it to
    float32 first, so that the values that are ranked are those that are stored. Integers outside the
    range are a ValueError.
    """
    if len(values) != len(hashes):
        raise ValueError(f"{len(values)} values and {len(hashes)} hashes")
    numbers = _as_float32(values)
    valid = ~np.isnan(numbers)
    bits = (numbers + np.float32(0)).view(np.uint32)  # -0.0 + 0.0 is 0.0
    ordered = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    lead = ordered.astype(np.uint64) << np.uint64(32) | hashes >> np.uint64(32)
    return Keys(lead, hashes.astype(np.uint32), valid)


def assign(keys: Keys, cuts: Cuts) -> pa.Int8Array:
    """The decile, 1 to 10, of each key; null where the key is not valid.

    cuts: found from the keys of all rows of the dataset, not only of these.
    """
    cut_leads = np.array([cut.lead for cut in cuts.keys], np.uint64)
    # Nearly every row's decile follows from its top 16 bits. Only cells with a cut need a closer look.
    tops = np.arange(2**STEP_BITS, dtype=np.uint64) << np.uint64(64 - STEP_BITS)
    decile_of_top = (1 + np.searchsorted(cut_leads, tops, side="right")).astype(np.int8)
    cut_tops = cut_leads >> np.uint64(64 - STEP_BITS)
    decile_of_top[cut_tops.astype(np.int64)] = 0
    deciles = decile_of_top[(keys.lead >> np.uint64(64 - STEP_BITS)).astype(np.int64)]
    rows = np.flatnonzero(deciles == 0)
    lead, rest = keys.lead[rows], keys.rest[rows]
    close = 1 + np.searchsorted(cut_leads, lead, side="left")
    tied = np.flatnonzero(np.isin(lead, cut_leads))
    for cut in cuts.keys:
        close[tied] += (lead[tied] == np.uint64(cut.lead)) & (rest[tied] >= np.uint32(cut.rest))
    deciles[rows] = close
    return pa.array(deciles, mask=~keys.valid)


def exact_deciles(
    values: pa.Array | pa.ChunkedArray | np.ndarray, pair_ids: Iterable[str], seed: int
) -> pa.Int8Array:
    """The deciles of one column in memory, (n,) int8 with nulls; `seed` orders equal values."""
    keys = score_keys(values, seeded_hash(pair_ids, seed))
    return assign(keys, find_cuts(keys, decile_starts))


def cuts_to_json(cuts: Cuts) -> Json:
    """The entry of one score in cuts.json: rows, nulls, extremes, and where each decile begins.

    `value` is the value of a decile's first row, and `hash` (16 hexadecimal digits) its hash, which counts
    among equal values. With fewer than ten rows some deciles are empty: an empty decile begins where the
    next one does, or is left out. Infinities are the strings "inf" and "-inf".
    """
    hashes = [(cut.lead & (2**32 - 1)) << 32 | cut.rest for cut in cuts.keys]
    begins = [
        {"decile": decile, "value": _value(cut.lead >> 32), "hash": f"{hash_:016x}"}
        for decile, (cut, hash_) in enumerate(zip(cuts.keys, hashes, strict=True), start=2)
    ]
    return {
        "rows": cuts.n,
        "nulls": cuts.nulls,
        "minimum": None if cuts.lowest is None else _value(cuts.lowest >> 32),
        "maximum": None if cuts.highest is None else _value(cuts.highest >> 32),
        "cuts": begins,
    }


def cuts_from_json(content: Mapping[str, object]) -> Cuts:
    """The cuts that `cuts_to_json` wrote, enough to assign deciles; the hashes of the extremes are 0."""

    def lead(value: object) -> int:
        return int(score_keys(np.array([float(str(value))], np.float32), np.zeros(1, np.uint64)).lead[0])

    begins = content["cuts"]
    assert isinstance(begins, list)
    values_and_hashes = [(lead(cut["value"]), int(cut["hash"], 16)) for cut in begins]
    keys = [Key(value | hash_ >> 32, hash_ & (2**32 - 1)) for value, hash_ in values_and_hashes]
    lowest, highest = (
        None if content[name] is None else lead(content[name]) for name in ("minimum", "maximum")
    )
    return Cuts(int(str(content["rows"])), int(str(content["nulls"])), lowest, highest, tuple(keys))


def _as_float32(values: pa.Array | pa.ChunkedArray | np.ndarray) -> np.ndarray:
    """The values with null as NaN."""
    if not isinstance(values, np.ndarray):
        dtype = values.type
        if not (types.is_integer(dtype) or types.is_float32(dtype) or types.is_float16(dtype)):
            raise TypeError(f"deciles can rank float32 and whole numbers, not {dtype}")
        chunked = isinstance(values, pa.ChunkedArray)
        values = values.to_numpy() if chunked else values.to_numpy(zero_copy_only=False)
        if values.dtype == np.float64:  # how numpy holds integers with nulls
            return _checked(values)
    if values.dtype.kind in "iu":
        return _checked(values)
    if values.dtype not in (np.float32, np.float16):
        raise TypeError(f"deciles can rank float32 and whole numbers, not {values.dtype}")
    return values.astype(np.float32, copy=False)


def _checked(whole: np.ndarray) -> np.ndarray:
    if np.any(np.abs(whole.astype(np.float64)) > _EXACT_IN_FLOAT32):
        raise ValueError(f"whole numbers beyond {_EXACT_IN_FLOAT32} cannot be ranked as float32")
    return whole.astype(np.float32)


def _value(ordered: int) -> float | str:
    """The float32 with these ordered bits, as the shortest decimal that reads back to it."""
    bits = np.uint32(ordered) ^ (_SIGN if ordered >> 31 else np.uint32(2**32 - 1))
    number = np.array([bits], np.uint32).view(np.float32)[0]
    return float(str(number)) if np.isfinite(number) else str(number)
