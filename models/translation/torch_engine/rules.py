"""Forbidden words: they make a translation too short, too long, repetitive, or leave its prefix."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ..search_options import SearchOptions
from .scoring import Edit
from .weights import Symbols


class Rules:
    """The words forbidden to each sentence of a batch at each step; they depend only on that sentence.

    limits: the most words of each sentence's translation, not counting the end symbol; at least the minimum
    of the options. prefixes: target ids that each translation must begin with, or None.
    """

    def __init__(
        self,
        options: SearchOptions,
        symbols: Symbols,
        limits: Sequence[int],
        prefixes: Sequence[Sequence[int]] | None,
        device: torch.device,
    ) -> None:
        self._symbols, self._minimum = symbols, options.min_length
        self._shortest_limit, self.longest_limit = min(limits), max(limits)
        self._limits = torch.tensor(limits, device=device)
        self._prefixes: Tensor | None = None
        self._no_repeat = options.no_repeat_ngram
        if prefixes is not None and any(prefixes):
            width = max(map(len, prefixes))
            padded = [[*row, *[symbols.pad] * (width - len(row))] for row in prefixes]
            self._prefixes = torch.tensor(padded, device=device)

    @property
    def needs_words(self) -> bool:
        """Whether `edit` reads the hypotheses' words."""
        return self._no_repeat > 0

    def banned(self, step: int) -> list[int]:
        """The words with which no hypothesis of the batch may continue."""
        pad = [self._symbols.pad]
        too_short = step < self._minimum and not self._prefixed(step)
        return [*pad, self._symbols.end] if too_short else pad

    def edit(self, step: int, words: Tensor | None) -> Edit | None:
        """The change of logits (sentences * beams, types) at this step; None for most steps.

        words: (sentences, beams, step) the ids so far, if `needs_words`.
        """
        limited = step >= self._shortest_limit
        repeats = words is not None and step + 1 >= self._no_repeat > 0
        if not (limited or repeats or self._prefixed(step)):
            return None

        def change(logits: Tensor) -> None:
            if repeats and words is not None:
                forbid_repeats(logits, words.flatten(0, 1), self._no_repeat)
            if self._prefixed(step):
                self._keep_to_prefix(logits, step)
            if limited:
                over = self._limits <= step
                _allow_only(logits, torch.where(over, self._symbols.end, -1))

        return change

    def at_limit(self, step: int) -> Tensor:
        """(sentences,) whether a sentence's translations must all end at this step."""
        return self._limits <= step

    def select(self, rows: Tensor) -> None:
        """Keep only these sentences."""
        self._limits = self._limits.index_select(0, rows)
        if self._prefixes is not None:
            self._prefixes = self._prefixes.index_select(0, rows)

    def _prefixed(self, step: int) -> bool:
        return self._prefixes is not None and step < self._prefixes.shape[1]

    def _keep_to_prefix(self, logits: Tensor, step: int) -> None:
        assert self._prefixes is not None
        prefix_words = self._prefixes[:, step].masked_fill(self.at_limit(step), self._symbols.pad)
        if step < self._minimum:
            # `banned` does not decide about the end symbol: it is forbidden where no prefix sets the word.
            beams = len(logits) // len(prefix_words)
            free = prefix_words.eq(self._symbols.pad).repeat_interleave(beams)
            logits[:, self._symbols.end].masked_fill_(free, -math.inf)
        _allow_only(logits, torch.where(prefix_words.eq(self._symbols.pad), -1, prefix_words))


def forbid_repeats(logits: Tensor, words: Tensor, size: int) -> None:
    """Forbid the words that would repeat an n-gram of `size` words.

    logits: (hypotheses, types), changed in place; words: (hypotheses, step) ids so far.
    """
    if words.shape[1] < size:
        return
    grams = words.unfold(1, size, 1)  # (hypotheses, n-grams, size)
    last = words[:, words.shape[1] - size + 1 :]
    is_repeat = (grams[:, :, : size - 1] == last[:, None, :]).all(dim=2)
    # A word may occur several times in the index; `amin` lowers its logit and never raises it again.
    penalty = torch.zeros_like(is_repeat, dtype=logits.dtype).masked_fill_(is_repeat, -math.inf)
    logits.scatter_reduce_(1, grams[:, :, -1], penalty, reduce="amin", include_self=True)


def _allow_only(logits: Tensor, words: Tensor) -> None:
    """Forbid all words except `words` to the hypotheses of each sentence; −1 forbids nothing."""
    per_sentence = logits.unflatten(0, (len(words), -1))
    bound = words.ge(0)[:, None, None]
    index = words.clamp(min=0)[:, None, None].expand(-1, per_sentence.shape[1], 1)
    kept = per_sentence.gather(2, index)
    per_sentence.masked_fill_(bound, -math.inf)
    per_sentence.scatter_(2, index, kept)
