"""A random sample of pairs with a given number of tokens, drawn from a stream that is larger than memory."""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...base.hashing import seeded_hash
from ...tokens.definition import EncoderTokens

if TYPE_CHECKING:
    from ...models.training.pairs import PairStream

logger = logging.getLogger(__name__)

_CELLS = 1 << 16
_SHIFT = np.uint64(48)


@dataclass(frozen=True)
class TokenSample:
    """Random pairs of a stream until both sides together have a number of tokens; in the stream's order.

    So a corpus of phrases can be matched with one of sentences, whose tokens `token_total` counts (Revisiting
    recurrent networks, section 4.1.2). Pairs are taken in the order of a seeded hash of their text, so the
    sample does not depend on the order of the stream, and equal pairs are taken together. A stream with fewer
    tokens is taken whole. The stream is read three times; memory does not grow with it.
    """

    stream: "PairStream"
    size: int
    seed: int
    tokens: EncoderTokens = "words"

    @property
    def key(self) -> str:
        """Changes if the stream or the sample changes."""
        content = repr((self.stream.key, self.size, self.seed, self.tokens))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        last = self._last
        for first, second in self.stream:
            rows = np.flatnonzero(self._hashes(first, second) <= last).tolist()
            yield [first[row] for row in rows], [second[row] for row in rows]

    @cached_property
    def _last(self) -> np.uint64:
        """The highest hash of a pair that is taken: by its first 16 bits, then among those with them."""
        cells = np.zeros(_CELLS, np.int64)
        for hashes, sizes in self._sizes():
            np.add.at(cells, hashes >> _SHIFT, sizes)
        reached = np.cumsum(cells)
        if reached[-1] < self.size:
            logger.warning(
                "all pairs together have %s tokens, but %s were wanted: all are taken",
                f"{reached[-1]:,}",
                f"{self.size:,}",
            )
            return np.uint64(2**64 - 1)
        cell = int(np.searchsorted(reached, self.size))
        inside = [(h[here], n[here]) for h, n in self._sizes() if (here := h >> _SHIFT == cell).any()]
        hashes, sizes = (np.concatenate(column) for column in zip(*inside, strict=True))
        order = np.argsort(hashes, kind="stable")
        before = reached[cell] - cells[cell]
        return np.uint64(hashes[order][np.searchsorted(before + np.cumsum(sizes[order]), self.size)])

    def _sizes(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each batch the hash of each pair and how many tokens it has."""
        for first, second in self.stream:
            yield self._hashes(first, second), _tokens_of(first, second, self.tokens)

    def _hashes(self, first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        return seeded_hash([f"{a}\t{b}" for a, b in zip(first, second, strict=True)], self.seed)


def token_total(stream: "PairStream", tokens: EncoderTokens = "words") -> int:
    """How many tokens both sides of all pairs have."""
    return sum(int(_tokens_of(first, second, tokens).sum()) for first, second in stream)


def _tokens_of(first: Sequence[str], second: Sequence[str], tokens: EncoderTokens) -> np.ndarray:
    """(pairs,) int64: the tokens of both sides of each pair."""
    import pyarrow as pa

    # imports torch and numba, which reading a recipe does not need
    from ...models.encoders.row_index import count_words

    sides = (count_words(pa.array(side, pa.large_string()), tokens) for side in (first, second))
    return np.add(*sides)
