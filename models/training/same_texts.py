"""Texts that recur in a mega-batch: which sentences are then no negatives for each other."""

from functools import cached_property
from itertools import pairwise

import numpy as np
import torch

from ..encoders.token_ids import Streams
from .train_options import NegativesExclude

MANY = 0.5
"""The share of a mega-batch from which texts that recur and sentences without a negative are warned of."""


def text_numbers(sentences: Streams) -> np.ndarray:
    """A number for each sentence, equal where the encoder reads equal units, (count,) int64 from 0."""
    texts = [
        [ids.ids[start:end].tobytes() for start, end in pairwise(ids.starts)] for ids in sentences.values()
    ]
    number: dict[tuple[bytes, ...], int] = {}
    return np.array([number.setdefault(text, len(number)) for text in zip(*texts, strict=True)], np.int64)


def linked_pairs(texts: np.ndarray) -> np.ndarray:
    """Which pairs share a text, (n, n) bool; texts: the numbers of n references, then of their translations.

    Translation j is then also a paraphrase of reference i, if paraphrases of a paraphrase are.
    """
    sides = np.split(texts, 2)
    linked: np.ndarray = np.logical_or.reduce(
        [np.equal.outer(left, right) for left in sides for right in sides]
    )
    return linked


class Exclusions:
    """Which sentences of a mega-batch are never negatives of which.

    texts: the numbers of n references, then of their translations. rule:

    - `own_pair`: the sentence and its partner, as in the papers' code. They count as having cosine 0, so that
      one of them is chosen after all where no other sentence has a positive cosine.
    - `equal_texts`: all sentences that are equal to the sentence or to its partner, wherever they stand.

    labels: two numbers for each sentence, int32; it excludes all whose first number is one of its two.
    """

    def __init__(self, texts: np.ndarray, rule: NegativesExclude) -> None:
        self.count = len(texts)
        self.rule = rule
        self._pairs = np.arange(self.count) % max(1, self.count // 2)
        self._numbers = texts
        labels = torch.from_numpy((self._pairs if rule == "own_pair" else texts).astype(np.int32))
        self.labels = labels, labels.roll(self.count // 2)

    @cached_property
    def _recurs(self) -> torch.Tensor:
        """Which sentences belong to a pair that shares a text with another, (count,) bool; takes a sort."""
        texts = self._numbers
        text_of = np.unique(texts * self.count + self._pairs) // max(
            1, self.count
        )  # once for each pair of a text
        several = torch.from_numpy(np.bincount(text_of, minlength=1)[texts] > 1)
        return several | several.roll(self.count // 2)

    @property
    def cosine(self) -> float:
        """The cosine that an excluded sentence counts as having."""
        return 0.0 if self.rule == "own_pair" else -torch.inf

    @property
    def recurring(self) -> float:
        """The share of pairs of which a text also stands in another pair."""
        return float(self._recurs.double().mean())

    def between(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Whether each sentence of `left` excludes that of `right`; indices of shapes that broadcast."""
        labels, partners = self.labels
        return (labels[right] == labels[left]) | (labels[right] == partners[left])

    def cells(self, rows: np.ndarray, columns: slice) -> tuple[np.ndarray, np.ndarray]:
        """The excluded cells of a block of cosines: positions in `rows`, and in `columns`.

        A cell may be there twice. Where few texts recur, few are compared.
        """
        here = np.arange(len(rows))
        found = [(here, rows), (here, (rows + self.count // 2) % self.count)]
        if self.rule != "own_pair":
            left = torch.from_numpy(np.flatnonzero(self._recurs.numpy()[rows]))
            right = torch.arange(columns.start, columns.stop)[self._recurs[columns]]
            if len(left) and len(right):
                first, second = self.between(torch.from_numpy(rows)[left][:, None], right).nonzero().unbind(1)
                found.append((left[first].numpy(), right[second].numpy()))
        row, column = map(np.concatenate, zip(*found, strict=True))
        inside = (columns.start <= column) & (column < columns.stop)
        return row[inside], column[inside] - columns.start
