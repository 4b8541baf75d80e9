"""Forbidden words: they make a translation too short, too long, repetitive, or leave its prefix."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ..search_options import SearchOptions
from .continuations import Edit
from .weights import Symbols


class Rules:
    """The words forbidden to each sentence; they depend only on the sentence and on its own step.

    Everything is decided on the host, which knows the step of every sentence. Sentences are named by their
    numbers. limits: the most words of each sentence's translation, not counting the end symbol; at least the
    minimum of the options. prefixes: target ids that each translation must begin with, or None.
    """

    def __init__(
        self,
        options: SearchOptions,
        symbols: Symbols,
        limits: Sequence[int],
        prefixes: Sequence[Sequence[int]] | None,
    ) -> None:
        self._symbols, self._minimum = symbols, options.min_length
        self.limits = np.array(limits)
        self._no_repeat = options.no_repeat_ngram
        self._prefixes = prefixes or [()] * len(limits)
        self._prefix_lengths = np.array([len(prefix) for prefix in self._prefixes])

    @property
    def needs_words(self) -> bool:
        """Whether `edit` reads the hypotheses' words."""
        return self._no_repeat > 0

    def banned(self, steps: np.ndarray) -> list[int]:
        """The words with which no hypothesis may continue; steps: (sentences,)."""
        pad = [self._symbols.pad]
        return [*pad, self._symbols.end] if (steps < self._minimum).all() else pad

    def edit(self, numbers: np.ndarray, steps: np.ndarray, words: Tensor | None) -> Edit | None:
        """The change of logits (sentences * beams, types) at these steps; None for most steps.

        numbers, steps: (sentences,). words: (sentences, beams, words), if `needs_words`; the ids of a
        hypothesis are the last of its row, the others are −1.
        """
        short = steps < self._minimum
        short &= not short.all()  # `banned` has the end symbol
        repeats = words is not None and words.shape[2] + 1 >= self._no_repeat
        forced = self._forced(numbers, steps)
        if not (short.any() or repeats or forced is not None):
            return None

        def change(logits: Tensor) -> None:
            if repeats and words is not None:
                forbid_repeats(logits, words.flatten(0, 1), self._no_repeat)
            per_sentence = logits.unflatten(0, (len(numbers), -1))
            if short.any():
                is_short = torch.from_numpy(short).to(logits.device)
                per_sentence[:, :, self._symbols.end].masked_fill_(is_short[:, None], -math.inf)
            if forced is not None:
                _allow_only(per_sentence, torch.from_numpy(forced).to(logits.device))

        return change

    def _forced(self, numbers: np.ndarray, steps: np.ndarray) -> np.ndarray | None:
        """(sentences,) the only word with which a sentence may continue, or −1; None if all are free."""
        ends = self.limits[numbers] <= steps
        prefixed = np.flatnonzero(steps < self._prefix_lengths[numbers])
        if not (len(prefixed) or ends.any()):
            return None
        forced = np.full(len(numbers), -1)
        for place in prefixed:
            forced[place] = self._prefixes[numbers[place]][steps[place]]
        forced[ends] = self._symbols.end
        return forced


def forbid_repeats(logits: Tensor, words: Tensor, size: int) -> None:
    """Forbid the words that would repeat an n-gram of `size` words.

    logits: (hypotheses, types), changed in place; words: (hypotheses, words) ids so far, after any number of
    −1.
    """
    if words.shape[1] < size:
        return
    grams = words.unfold(1, size, 1)  # (hypotheses, n-grams, size)
    last = words[:, words.shape[1] - size + 1 :]
    is_repeat = (grams[:, :, : size - 1] == last[:, None, :]).all(dim=2)
    repeated = grams[:, :, -1]
    is_repeat &= repeated.ge(0)
    # A word may occur several times in the index; `amin` lowers its logit and never raises it again.
    bound = torch.where(is_repeat, -math.inf, math.inf).to(logits.dtype)
    logits.scatter_reduce_(1, repeated.clamp(min=0), bound, reduce="amin", include_self=True)


def _allow_only(per_sentence: Tensor, words: Tensor) -> None:
    """Forbid all words except `words` to the hypotheses of each sentence; −1 forbids nothing.

    per_sentence: logits (sentences, beams, types); words: (sentences,).
    """
    bound = words.ge(0)[:, None, None]
    index = words.clamp(min=0)[:, None, None].expand(-1, per_sentence.shape[1], 1)
    kept = per_sentence.gather(2, index)
    per_sentence.masked_fill_(bound, -math.inf)
    per_sentence.scatter_(2, index, kept)
