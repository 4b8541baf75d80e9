"""Tables over all code points, made from Python's own `str` and `unicodedata`, for compiled kernels."""

import unicodedata
from collections.abc import Iterator
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .definition import Tokens

SPACE, WORD, SIGN = 0, 1, 2
_CODES = 0x110000
_HANGUL = ((0x1161, 0x1176), (0x11A8, 0x11C3))  # vowels and final consonants


@cache
def classes(tokens: Tokens) -> np.ndarray:
    """SPACE, WORD or SIGN for each code point, as `tokens.tokenize` sees it; (0x110000,) uint8.

    With `whitespace` everything but spaces is WORD.
    """
    table = np.full(_CODES, SIGN if tokens == "words" else WORD, np.uint8)
    for code, character in _assigned():
        if character.isspace():
            table[code] = SPACE
        elif character.isalnum() or character == "_":
            table[code] = WORD
    return table


@cache
def may_not_be_nfc() -> np.ndarray:
    """Whether a text with this code point may differ from its NFC form; (0x110000,) bool.

    A text without such code points is in NFC (Unicode Standard Annex 15, section 9).
    """
    table = np.zeros(_CODES, np.bool_)
    for start, end in _HANGUL:
        table[start:end] = True
    for code, character in _assigned():
        if unicodedata.combining(character) or not unicodedata.is_normalized("NFC", character):
            table[code] = True
        decomposition = unicodedata.decomposition(character)
        if decomposition and decomposition[0] != "<":
            _, *second = decomposition.split()
            table[[int(code, 16) for code in second]] = True
    return table


@cache
def lower_case() -> np.ndarray:
    """The lower-case code point of each code point; (0x110000,) int32.

    -1 if Python's `lower` depends on the characters around it, or gives several characters, or a character of
    another class.
    """
    table = np.arange(_CODES, dtype=np.int32)
    for code, character in _assigned():
        lower = character.lower()
        if lower != character:
            table[code] = ord(lower) if len(lower) == 1 else -1
    table[ord("Σ")] = -1  # lower-cased by its place in the word
    kinds = classes("words")
    table[kinds[table] != kinds] = -1
    return table


@cache
def english() -> np.ndarray:
    """Each code point as scans for English words and numbers read it; (0x110000,) int32.

    Letters in lower case, decimal digits as ASCII, and a space instead of every sign that is not ASCII.
    """
    table, kinds = lower_case().copy(), classes("words")
    table[kinds == SIGN] = ord(" ")
    table[:0x80] = lower_case()[:0x80]
    table[table == -1] = ord("_")
    for code, character in _assigned():
        if character.isdecimal():
            table[code] = ord("0") + unicodedata.decimal(character)
    return table


@cache
def letters_of(script: str) -> np.ndarray:
    """1 for each letter, 2 for each letter of the script, otherwise 0; (0x110000,) uint8.

    script: its name in Unicode, such as Latin or Cyrillic. Scripts and letters are those of Arrow's regular
    expressions, because Python's `unicodedata` has no scripts.
    """
    codes = [code for code, _ in _assigned() if not 0xD800 <= code < 0xE000]  # UTF-8 has no surrogates
    characters = pa.array(list(map(chr, codes)))
    table = np.zeros(_CODES, np.uint8)
    for value, pattern in ((1, r"\pL"), (2, rf"[^\PL\P{{{script}}}]")):
        matches = pc.match_substring_regex(characters, pattern)
        table[np.array(codes)[matches.to_numpy(zero_copy_only=False)]] = value
    return table


def _assigned() -> Iterator[tuple[int, str]]:
    """The planes of Unicode that have characters, but for private use."""
    for start, end in ((0, 0x40000), (0xE0000, 0xE1000)):
        for code in range(start, end):
            yield code, chr(code)
