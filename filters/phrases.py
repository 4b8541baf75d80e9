"""Lists of words and phrases, and how many of them a sentence has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..tokens.definition import Tokens
from .text_columns import Texts, blocks

_MARKS = 2**14


@dataclass(frozen=True)
class Phrases:
    """Words and phrases to look for, in any case.

    keys: (phrases,) uint64, their hashes, ascending. marks: (16_384,) bool, true at the lowest bits of each
    hash, so that most other hashes are known at a glance. longest: the most tokens of a phrase, or 0.
    """

    keys: np.ndarray
    marks: np.ndarray
    longest: int
    tokens: Tokens

    @classmethod
    def of(cls, phrases: Sequence[str], tokens: Tokens = "words") -> "Phrases":
        """The phrases of a list; those without a token are left out."""
        # import numba, which planning does not need
        from ..tokens.columns import hash_tokens, lower
        from .kernels.phrase_kernels import join_phrases

        column = pa.array(phrases, pa.string())
        counts = hash_tokens(lower(column), tokens).counts()
        hashed = hash_tokens(lower(column.filter(pa.array(counts > 0))), tokens)
        keys = np.empty(len(hashed.starts) - 1, np.uint64)
        join_phrases(hashed.hashes, hashed.starts, keys)
        marks = np.zeros(_MARKS, np.bool_)
        marks[keys & np.uint64(_MARKS - 1)] = True
        return cls(np.unique(keys), marks, int(counts.max(initial=0)), tokens)

    def count(self, texts: Texts) -> np.ndarray:
        """How many phrases each sentence has, 0 for a null; (n,) int64.

        Phrases do not overlap: the one that starts first counts, and of these the longest.

        >>> Phrases.of(["new york", "York"]).count(pa.array(["In New York, York", "new", None])).tolist()
        [2, 0, 0]
        """
        # import numba, which planning does not need
        from ..tokens.columns import hash_tokens, lower
        from .kernels.phrase_kernels import count_phrases

        counts = np.empty(len(texts), np.int64)
        for rows in blocks(len(texts)):
            hashed = hash_tokens(lower(texts[rows]), self.tokens)
            count_phrases(hashed.hashes, hashed.starts, self.keys, self.marks, self.longest, counts[rows])
        return counts
