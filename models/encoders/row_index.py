"""A vocabulary as a compiled table: the rows of all units of a column at once."""

import numpy as np
import pyarrow as pa

from ...base.compiled import compiled
from ...tokens.columns import (
    Texts,
    count_spaced,
    hash_texts,
    hash_tokens,
    hash_trigrams,
    lower_tokens,
    spaced_tokens,
)
from ...tokens.definition import EncoderTokens, cut_and_case
from .subword_units import SubwordVocabulary
from .token_ids import TokenIds
from .vocabulary import END_TAG, START_TAG, TAG_UNITS, Vocabulary, words

_EMPTY = -1


def spaced_words(sentences: Texts, tokens: EncoderTokens) -> pa.LargeStringArray:
    """The words of each sentence, joined by single spaces; empty where it is null.

    >>> spaced_words(pa.array(["It rained.", None]), "words").to_pylist()
    ['it rained .', '']
    """
    cut, lower_case = cut_and_case(tokens)
    if cut != "moses":
        return lower_tokens(sentences, cut) if lower_case else spaced_tokens(sentences, cut)
    spaced = (" ".join(words(sentence or "", tokens)) for sentence in sentences.to_pylist())
    return pa.array(spaced, pa.large_string())


def count_words(sentences: Texts, tokens: EncoderTokens) -> np.ndarray:
    """(n,) int64: how many words each sentence has; a null has none."""
    return count_spaced(spaced_words(sentences, tokens))


class RowIndex:
    """Does for columns what `Vocabulary.ids` does for one sentence."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._units, self._tokens = vocabulary.units, vocabulary.tokens
        self._subwords = vocabulary if isinstance(vocabulary, SubwordVocabulary) else None
        tags = {tag: vocabulary.row(tag) for tag in TAG_UNITS[vocabulary.tags]}
        self._start, self._end = tags.get(START_TAG), tags.get(END_TAG)
        hashes = hash_texts(pa.array(vocabulary.entries, pa.large_string()))
        slots = 1 << int(4 * len(hashes) + 1).bit_length()
        self._keys, self._rows = np.empty(slots, np.uint64), np.full(slots, _EMPTY, np.int32)
        _fill(hashes, self._keys, self._rows)

    def token_ids(self, sentences: Texts) -> TokenIds:
        """The row of each unit of each sentence; a null has none."""
        spaced = spaced_words(sentences, self._tokens)
        if self._subwords is not None:
            return self._subwords.rows(spaced.to_pylist())
        units = hash_tokens(spaced, "whitespace") if self._units == "words" else hash_trigrams(spaced)
        ids = np.empty(len(units.hashes), np.int32)
        _look_up(units.hashes, self._keys, self._rows, ids)
        return TokenIds(ids, units.starts).tagged(self._start, self._end)


@compiled
def _fill(hashes: np.ndarray, keys: np.ndarray, rows: np.ndarray) -> None:
    mask = np.uint64(len(keys) - 1)
    for entry in range(len(hashes)):
        slot = hashes[entry] & mask
        while rows[slot] != _EMPTY:
            slot = slot + np.uint64(1) & mask
        keys[slot] = hashes[entry]
        rows[slot] = entry + 1  # row 0 is for unknown units


@compiled
def _look_up(hashes: np.ndarray, keys: np.ndarray, rows: np.ndarray, ids: np.ndarray) -> None:
    mask = np.uint64(len(keys) - 1)
    for unit in range(len(hashes)):
        slot = hashes[unit] & mask
        while rows[slot] != _EMPTY and keys[slot] != hashes[unit]:
            slot = slot + np.uint64(1) & mask
        ids[unit] = max(rows[slot], 0)
