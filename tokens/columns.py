"""Tokens of whole columns, compiled: as hashes, to be compared and counted, or as text with single spaces.

`tokens.tokenize` is the definition. The functions here do the same on Arrow's own bytes, because one Python
object per token would take many times as long. Two different tokens have the same hash with a probability of
2⁻⁶⁴.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import kernels
from .characters import classes, english, letters_of, lower_case, may_not_be_nfc
from .definition import Tokens, nfc

Texts: TypeAlias = pa.StringArray | pa.LargeStringArray | pa.ChunkedArray
"""A column of sentences; null where a sentence is missing."""


@dataclass(frozen=True)
class HashedTokens:
    """Sentence i has the tokens `hashes[starts[i]:starts[i + 1]]`; a null has none.

    hashes: (tokens,) uint64; starts: (sentences + 1,) int64.
    """

    hashes: np.ndarray
    starts: np.ndarray

    def counts(self) -> np.ndarray:
        """(sentences,) int64: the number of tokens of each sentence."""
        return np.diff(self.starts)


def hash_tokens(texts: Texts, tokens: Tokens = "words") -> HashedTokens:
    """The tokens of each sentence of a column, as hashes.

    >>> hashed = hash_tokens(pa.array(["a rose is a rose.", None, ""]))
    >>> hashed.counts().tolist(), len(set(hashed.hashes.tolist()))
    ([6, 0, 0], 4)
    """
    data, offsets = _bytes_of(texts, tokens)
    hashes, starts = np.empty(len(data), np.uint64), np.empty(len(offsets), np.int64)
    kernels.hash_tokens(data, _windows(data), offsets, classes(tokens), hashes, starts)
    return HashedTokens(hashes[: starts[-1]], starts)


def hash_trigrams(sentences: pa.LargeStringArray) -> HashedTokens:
    """The character trigrams of sentences from `lower_tokens`, each with a space before and after it."""
    padded = [pa.scalar(text, pa.large_string()) for text in ("", " ")]
    data, offsets = _buffers(pc.binary_join_element_wise(padded[0], sentences, *padded))
    hashes, starts = np.empty(len(data), np.uint64), np.empty(len(offsets), np.int64)
    kernels.hash_trigrams(data, _windows(data), offsets, hashes, starts)
    return HashedTokens(hashes[: starts[-1]], starts)


def ngrams(tokens: HashedTokens, n: int) -> HashedTokens:
    """The n-grams of each sentence, as hashes; none if it has fewer than n tokens."""
    if n == 1:
        return tokens
    keys, starts = np.empty(len(tokens.hashes), np.uint64), np.empty(len(tokens.starts), np.int64)
    kernels.ngrams(tokens.hashes, tokens.starts, n, keys, starts)
    return HashedTokens(keys[: starts[-1]], starts)


def count_tokens(texts: Texts, tokens: Tokens = "words") -> np.ndarray:
    """The number of tokens of each sentence, 0 for a null; (n,) int64."""
    data, offsets = _bytes_of(texts, tokens)
    counts = np.empty(len(offsets) - 1, np.int64)
    kernels.count_tokens(data, offsets, classes(tokens), counts)
    return counts


def count_characters(texts: Texts, tokens: Tokens = "words") -> np.ndarray:
    """The number of characters of each token, in the order of `hash_tokens`; (tokens,) int32.

    >>> count_characters(pa.array(["Un café.", None])).tolist()
    [2, 4, 1]
    """
    data, offsets = _bytes_of(texts, tokens)
    counts = np.empty(len(data), np.int32)
    return counts[: kernels.count_characters(data, offsets, classes(tokens), counts)]


def hash_texts(texts: Texts) -> np.ndarray:
    """The hash that each text has as a token; (n,) uint64."""
    data, offsets = _buffers(_large(texts))
    hashes = np.empty(len(offsets) - 1, np.uint64)
    kernels.hash_texts(_windows(data), offsets, hashes)
    return hashes


def spaced_tokens(texts: Texts, tokens: Tokens = "words", *, only_words: bool = False) -> pa.LargeStringArray:
    """The tokens of each sentence joined by single spaces; empty where a sentence is null.

    only_words: leave out punctuation.

    >>> spaced_tokens(pa.array(["It didn't  rain.", None])).to_pylist()
    ["It didn ' t rain .", '']
    """
    data, offsets = _bytes_of(texts, tokens)
    out, out_offsets = np.empty(2 * len(data), np.uint8), np.empty(len(offsets), np.int64)
    kernels.space_tokens(data, offsets, classes(tokens), only_words, out, out_offsets)
    return _array(out, out_offsets)


def count_spaced(sentences: pa.LargeStringArray) -> np.ndarray:
    """How many tokens `spaced_tokens` gave each sentence; (n,) int64."""
    data, offsets = _buffers(sentences)
    counts = np.empty(len(sentences), np.int64)
    kernels.count_spaced(data, offsets, counts)
    return counts


def hash_characters(texts: Texts) -> HashedTokens:
    """The characters of each NFC text, which are their own hashes.

    >>> hash_characters(pa.array(["ab", None])).hashes.tolist()
    [97, 98]
    """
    data, offsets = _bytes_of(texts, "words")
    codes, starts = np.empty(len(data), np.uint64), np.empty(len(offsets), np.int64)
    kernels.code_points(data, offsets, codes, starts)
    return HashedTokens(codes[: starts[-1]], starts)


def count_letters(texts: Texts, script: str) -> tuple[np.ndarray, np.ndarray]:
    """How many letters each NFC text has, and how many of the script; (n,) int64 each."""
    data, offsets = _bytes_of(texts, "words")
    counts = np.empty((len(offsets) - 1, 3), np.int64)
    kernels.count_values(data, offsets, letters_of(script), counts)
    return counts[:, 1] + counts[:, 2], counts[:, 2]


def english_bytes(texts: Texts) -> tuple[np.ndarray, np.ndarray]:
    """Each text in the characters of `characters.english`: UTF-8 bytes and offsets.

    A byte of 0x80 or more belongs to a word.
    """
    return _translated(*_bytes_of(texts, "words"), english())[:2]


def normalised(texts: Texts) -> pa.LargeStringArray:
    """`tokens.normalise` of each text; empty where a text is null.

    >>> normalised(pa.array(["  Two dogs,  running! ", "?"])).to_pylist()
    ['two dogs running', '?']
    """
    words = spaced_tokens(lower(texts), only_words=True)
    without = pc.equal(pc.binary_length(words), 0).to_numpy(zero_copy_only=False)
    return _replaced(words, _large(texts), without, str.strip)


def lower(texts: Texts) -> pa.LargeStringArray:
    """Each text in lower case, exactly as `str.lower` gives it; empty where a text is null.

    >>> lower(pa.array(["Two DOGS", "ΣΟΦΟΣ"])).to_pylist()
    ['two dogs', 'σοφος']
    """
    array = _large(texts)
    out, offsets, special = _translated(*_buffers(array), lower_case())
    return _replaced(_array(out, offsets), array, special, str.lower)


def lower_tokens(texts: Texts, tokens: Tokens = "words") -> pa.LargeStringArray:
    """The tokens of each sentence, each in lower case, joined by single spaces; empty where it is null.

    A token by itself may have another lower case than in its sentence: "Σ" at the end of a word is "ς".
    """
    spaced = spaced_tokens(texts, tokens)
    out, offsets, special = _translated(*_buffers(spaced), lower_case())
    return _replaced(
        _array(out, offsets), spaced, special, lambda text: " ".join(map(str.lower, text.split(" ")))
    )


def _bytes_of(texts: Texts, tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """A column's UTF-8 bytes and offsets, in NFC if `tokens` asks for it."""
    array = _large(texts)
    data, offsets = _buffers(array)
    if tokens == "whitespace":
        return data, offsets
    doubtful = np.zeros(len(array), np.bool_)
    kernels.mark_rows(data, offsets, may_not_be_nfc(), doubtful)
    if not doubtful.any():
        return data, offsets
    return _buffers(_replaced(array, array, doubtful, nfc))


def _translated(
    data: np.ndarray, offsets: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts in the code points of a table: bytes, offsets, and the rows that the table cannot translate."""
    out, out_offsets = np.empty(3 * len(data) // 2, np.uint8), np.empty(len(offsets), np.int64)
    special = np.zeros(len(offsets) - 1, np.bool_)
    kernels.translate(data, offsets, table, out, out_offsets, special)
    return out, out_offsets, special


def _large(texts: Texts) -> pa.LargeStringArray:
    """One array without nulls, of valid UTF-8; `pa.ArrowInvalid` if the bytes are not UTF-8."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.cast(pa.large_string()).combine_chunks()
    array = texts.cast(pa.large_string())
    if array.null_count:
        array = pc.fill_null(array, "")
    array.validate(full=True)  # the kernels rely on it
    return array


def _buffers(array: pa.LargeStringArray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes, uint8, and the offsets, (texts + 1,) int64, of an array without nulls; both read-only."""
    _, offsets, data = array.buffers() if len(array) else (None, bytes(8), b"")
    places = _read_only(offsets, np.int64)[array.offset :][: len(array) + 1]
    return _read_only(data or b"", np.uint8)[places[0] : places[-1]], places - places[0]


def _read_only(buffer: object, kind: type[np.generic]) -> np.ndarray:
    """numba compiles once for arrays that can be written and once for those that cannot; so all are alike."""
    array = np.frombuffer(buffer, kind)  # type: ignore[call-overload]
    array.flags.writeable = False
    return array


def _windows(data: np.ndarray) -> np.ndarray:
    """For each place in the data the eight bytes before it, as one number; (n + 2,) uint64.

    The numbers overlap in memory: reading one is reading eight bytes at any address.
    """
    padded = np.zeros(len(data) + 16, np.uint8)
    padded[8:-8] = data
    return np.lib.stride_tricks.as_strided(padded[:8].view("<u8"), (len(data) + 2,), (1,))


def _array(data: np.ndarray, offsets: np.ndarray) -> pa.LargeStringArray:
    used = data[: offsets[-1]].copy()
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(used))


def _replaced(
    array: pa.LargeStringArray, texts: pa.LargeStringArray, rows: np.ndarray, change: Callable[[str], str]
) -> pa.LargeStringArray:
    """`array`, but in the given rows with `change` of the text in `texts`."""
    if not rows.any():
        return array
    changed = [change(text) for text in texts.filter(pa.array(rows)).to_pylist()]
    return pc.replace_with_mask(array, pa.array(rows), pa.array(changed, pa.large_string()))
