"""Mojibake: UTF-8 that was decoded with another encoding, and CP1252 or CP1250 that was decoded as Latin-1.

ftfy decides what is mojibake and repairs it. Its own check takes much longer than all other cleaning, so
`suspects` first rules out nearly all texts, a column at a time.
"""

import itertools
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# What ftfy also takes for a continuation byte: a space that was a no-break space, and marks of lost bytes.
_LOST = "?\x1a\ufffd"
_ALSO_SPACE = " " + _LOST
_LAST = 0xFFFF  # no character of a mojibake is above it; not a character itself
_DASHES_BEFORE_SPACES = "macroman"  # ftfy takes no space for a continuation byte in this encoding


def repair(text: str) -> str:
    """The text without its mojibake, as ftfy repairs it.

    >>> repair("R\u00c3\u00a4tt p\u0159edev\x9a\u00edm")
    'R\u00e4tt p\u0159edev\u0161\u00edm'
    """
    from ftfy import fix_encoding

    return str(fix_encoding(text))


def suspects(texts: Sequence[str]) -> list[int]:
    """The indices of all texts that `repair` may change, and of few others.

    ftfy changes a text only if it has a C1 control character, or characters that are a sequence of UTF-8 in
    one of the encodings that it tries.
    """
    rows = [row for row, text in enumerate(texts) if not text.isascii()]
    if not rows:
        return []
    tables = _tables()
    foreign = [texts[row] for row in rows]
    codes = np.frombuffer("\n".join(foreign).encode("utf-32-le"), dtype="<u4")
    codes = np.append(np.minimum(codes, _LAST), np.zeros(3, codes.dtype))
    places = np.flatnonzero(codes >= 0x80)
    begun = tables.leads[codes[places]] & tables.following[codes[places + 1]]
    third = begun & tables.following[codes[places + 2]]
    fourth = third & tables.following[codes[places + 3]]
    sequences = (begun & tables.of_two) | (third & tables.of_three) | (fourth & tables.of_four)
    found = places[(sequences != 0) | (codes[places] < 0xA0)]
    starts = list(itertools.accumulate((len(text) + 1 for text in foreign), initial=0))
    return [rows[place] for place in np.unique(np.searchsorted(starts, found, side="right") - 1)]


class _Tables(NamedTuple):
    """For each code point, a bit per encoding and length of sequence.

    leads: whether the character is the first byte of a sequence of this length in the encoding. following:
    whether it is a later byte, which does not depend on the length. of_two, …: the bits of each length.
    """

    leads: npt.NDArray[np.uint32]
    following: npt.NDArray[np.uint32]
    of_two: np.uint32
    of_three: np.uint32
    of_four: np.uint32


@cache
def _tables() -> _Tables:
    from ftfy.chardata import CHARMAP_ENCODINGS

    count = len(CHARMAP_ENCODINGS)
    leads, following = np.zeros(_LAST + 1, np.uint32), np.zeros(_LAST + 1, np.uint32)
    masks = [np.uint32(((1 << count) - 1) << (length * count)) for length in range(3)]
    for place, encoding in enumerate(CHARMAP_ENCODINGS):
        bits = [np.uint32(1 << (length * count + place)) for length in range(3)]
        for bit, (first, last) in zip(bits, ((0xC0, 0xDF), (0xE0, 0xEF), (0xF0, 0xF7)), strict=True):
            leads[_codes(encoding, first, last)] |= bit
        lost = _LOST if encoding == _DASHES_BEFORE_SPACES else _ALSO_SPACE
        following[[*_codes(encoding, 0x80, 0xBF), *map(ord, lost)]] |= bits[0] | bits[1] | bits[2]
    return _Tables(leads, following, *masks)


def _codes(encoding: str, first: int, last: int) -> list[int]:
    """The code points of the bytes from `first` to `last` in an encoding."""
    characters = bytes(range(first, last + 1)).decode(encoding, "ignore")
    return [ord(character) for character in characters]
