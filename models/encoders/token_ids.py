"""Many sentences as flat arrays of ids: training stores them like this, and encoders read them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from .vocabulary import Tags, Units

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class TokenIds:
    """Sentence i is `ids[starts[i]:starts[i + 1]]`.

    ids: (tokens,) int32; starts: (sentences + 1,) int64, rising from 0.
    """

    ids: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, sentences: Sequence[Sequence[int]]) -> "TokenIds":
        """Joins lists of ids."""
        starts = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum([len(sentence) for sentence in sentences], out=starts[1:])
        flat = chain.from_iterable(sentences)
        return cls(np.fromiter(flat, dtype=np.int32, count=int(starts[-1])), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lengths(self) -> np.ndarray:
        """(sentences,) int64: the number of tokens of each sentence."""
        return np.diff(self.starts)

    def take(self, rows: np.ndarray) -> "TokenIds":
        """The sentences `rows`, in that order, copied into memory."""
        first = self.starts[rows]
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(self.starts[rows + 1] - first, out=starts[1:])
        source = np.arange(starts[-1]) + np.repeat(first - starts[:-1], np.diff(starts))
        return TokenIds(self.ids[source], starts)

    def tagged(self, start: int | None, end: int | None) -> "TokenIds":
        """Each sentence with `start` before it and `end` behind it; those that are None are left out.

        An empty sentence stays empty.
        """
        if start is None and end is None:
            return self
        lengths, before, behind = self.lengths(), start is not None, end is not None
        some = lengths > 0
        starts = np.concatenate([[0], np.cumsum(lengths + (before + behind) * some)])
        ids = np.empty(starts[-1], self.ids.dtype)
        shift = starts[:-1] + before * some - self.starts[:-1]
        ids[np.arange(len(self.ids)) + np.repeat(shift, lengths)] = self.ids
        if before:
            ids[starts[:-1][some]] = start
        if behind:
            ids[starts[1:][some] - 1] = end
        return TokenIds(ids, starts)

    def flat(self, device: "torch.device") -> "torch.Tensor":
        """(tokens,) int64: the ids of all sentences."""
        import torch

        return torch.from_numpy(self.ids.astype(np.int64, copy=False)).to(device)

    def padded(self, device: "str | torch.device" = "cpu") -> "tuple[torch.Tensor, torch.Tensor]":
        """(sentences, longest) int64 ids, zero beyond a sentence's end, and (sentences,) int64 lengths."""
        import torch

        lengths = self.lengths()
        ids = np.zeros((len(self), int(lengths.max(initial=0))), dtype=np.int64)
        ids[np.arange(ids.shape[1]) < lengths[:, None]] = self.ids
        return torch.from_numpy(ids).to(device), torch.from_numpy(lengths).to(device)


class Streams(dict[Units, TokenIds]):
    """The same sentences as units of one or several kinds, such as words and trigrams."""

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return len(next(iter(self.values())))

    def take(self, rows: np.ndarray) -> "Streams":
        """The sentences `rows`, in that order, copied into memory."""
        return Streams({units: ids.take(rows) for units, ids in self.items()})

    def with_words(self, rows: np.ndarray, tags: Tags, change: Callable[[np.ndarray], None]) -> "Streams":
        """The sentences after `change` has changed the words of each of the `rows`, in that order, in place.

        Their tags, where there are any, and units that are not words stay.
        """
        words = self["words"]
        ids = words.ids.copy()
        start, end = (int(tags in (side, "both")) for side in ("start", "end"))
        for row in rows:
            change(ids[words.starts[row] + start : words.starts[row + 1] - end])
        return Streams({**self, "words": TokenIds(ids, words.starts)})

    def lengths(self) -> np.ndarray:
        """(sentences,) int64: the number of units of each sentence in all streams, 0 if one has none."""
        lengths = np.stack([ids.lengths() for ids in self.values()])
        return np.where((lengths == 0).any(axis=0), 0, lengths.sum(axis=0))
