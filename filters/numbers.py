"""Numbers: whether both sides of a pair name the same ones."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from .score import Score
from .text_columns import Texts, paired_blocks, with_nulls

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
_TEENS = "seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: value for value, word in enumerate(f"{_UNITS} {_TEENS}".split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}
"""The English words that are numbers. "one" by itself is not, because it is a pronoun more often."""


def number_consistency(reference: Texts, translation: Texts, number_words: bool = True) -> pa.FloatArray:
    """The numbers that both sides have over those of the side with more, in [0, 1]; float32.

    A number counts as often as both sides have it. It is a run of decimal digits of any script, without
    leading zeros; commas before groups of three digits do not matter, and neither do zeros that end a
    fraction. With `number_words` the English words of zero to ninety-nine are numbers too, except "one" by
    itself. 1 where neither side has a number; null where a side is null.

    >>> reference, translation = pa.array(["two of 1,000 men"] * 2), pa.array(["2 of 1000 men", "two men"])
    >>> number_consistency(reference, translation).to_pylist()
    [1.0, 0.5]
    """
    from .kernels.number_kernels import agreements  # imports numba, which planning does not need

    words = {word: value for word, value in NUMBER_WORDS.items() if number_words}
    shares = np.empty(len(reference))
    for rows in paired_blocks(reference, translation):
        agreements(*_numbers(reference[rows], words), *_numbers(translation[rows], words), shares[rows])
    return with_nulls(shares, pa.float32(), reference, translation)


@dataclass(frozen=True)
class NumberConsistency(Score):
    """Share of the numbers that both sides have, of those of the side that has more, from 0 (none) to 1 (all,
    or there are no numbers, as in the empty sentence). A low value means that a number was changed, lost or
    added. 1,000 is 1000, 2.50 is 2.5, and "two" is 2. Not from a paper.
    """

    score: Literal["number_consistency"] = "number_consistency"
    number_words: bool = True
    """Whether English number words up to ninety-nine count as numbers ("one" by itself never does)."""

    version = 1
    reads = ("reference", "translation")
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = True

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `number_consistency`."""
        return number_consistency(pairs["reference"], pairs["translation"], self.number_words)


def _numbers(texts: Texts, words: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of all texts, as hashes, and where each text's numbers start; (texts + 1,)."""
    # import numba, which planning does not need
    from ..tokens.columns import english_bytes
    from .kernels.number_kernels import find_numbers

    data, offsets = english_bytes(texts)
    packed = sorted((_packed(word), value) for word, value in words.items())
    keys, values = np.array(packed, np.uint64).reshape(-1, 2).T.copy()
    numbers, starts = np.empty(offsets[-1], np.uint64), np.empty(len(offsets), np.int64)
    find_numbers(data, offsets, keys, values.astype(np.int64), numbers, starts)
    return numbers, starts


def _packed(word: str) -> int:
    """The letters of a word as one number of five bits for each."""
    number = 0
    for letter in word:
        number = number << 5 | ord(letter) & 31
    return number
