"""Ways to choose how hypotheses continue: the best, the best of diverse groups, or at random."""

import math
from typing import NamedTuple, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..search_options import SearchOptions
from .continuations import Continuations, Scan, best_continuations, numbers

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Step(NamedTuple):
    """Everything that a choice may depend on.

    logits: (sentences, beams, types), as the scan left them; at a sentence's step 0 there is one beam.
    totals: (sentences, beams), the hypotheses' log-probabilities. keys: (sentences,) uint64, a hash of each
    sentence. numbers: (sentences,) the step of each sentence, from 0. full: whether every sentence is known
    to have as many ways to continue as there are candidates.
    """

    logits: Tensor
    scanned: Scan
    totals: Tensor
    keys: np.ndarray
    numbers: np.ndarray
    full: bool


class Choice(Protocol):
    """A way to choose. The beam is cut into `groups` of equal size that never share a hypothesis.

    on_device: whether it depends only on the tensors of a step, and never on `keys` or `numbers`.
    """

    groups: int
    on_device: bool

    def __call__(self, step: Step) -> Continuations:
        """Fields (sentences, groups, candidates), best first; `beams` are numbered over the whole sentence.

        There are twice as many candidates as a group has beams. A candidate that does not exist has the score
        −inf.
        """
        ...


def choice(options: SearchOptions, beam: int, end: int, pad: int) -> Choice:
    """The way to choose that the options set. end, pad: the symbols' ids."""
    if options.sampling:
        return _Drawn(options, beam, pad)
    if options.groups > 1:
        return _Diverse(options.groups, options.diversity, beam // options.groups, end, pad)
    return _Best(beam, pad)


def going_on(ends: Tensor, beams: int) -> Tensor:
    """The places of the first `beams` candidates that do not end; (..., candidates) to (..., beams)."""
    count = ends.shape[-1]
    order = torch.add(numbers(count, ends.device), ends, alpha=count)
    return order.topk(beams, dim=-1, largest=False).indices


class _Best:
    """Beam search."""

    groups = 1
    on_device = True

    def __init__(self, beam: int, pad: int) -> None:
        self._beam, self._pad = beam, pad

    def __call__(self, step: Step) -> Continuations:
        best = best_continuations(step.logits, step.scanned, step.totals, 2 * self._beam)
        if not step.full:
            best = _filled(best, 2 * self._beam, self._pad)
        return Continuations(*(field.unsqueeze(1) for field in best))


class _Diverse:
    """Diverse beam search: a word's score falls by `diversity` each time an earlier group chose it.

    This changes only the choice: the scores and log-probabilities returned are the model's.
    """

    on_device = True

    def __init__(self, groups: int, diversity: float, beams: int, end: int, pad: int) -> None:
        self.groups, self._diversity, self._beams = groups, diversity, beams
        self._end, self._pad = end, pad

    def __call__(self, step: Step) -> Continuations:
        sentences, _, types = step.logits.shape
        loss = step.logits.new_zeros(sentences, types)
        blocks = step.scanned.maxima.shape[1]
        normalisers = step.scanned.normalisers.view(step.totals.shape)
        chosen = []
        for group in range(self.groups):
            # At step 0 all groups continue the single empty hypothesis.
            first = 0 if step.logits.shape[1] == 1 else group * self._beams
            beams = slice(first, first + self._beams)
            logits = step.logits[:, beams] - loss[:, None]
            maxima = logits.unflatten(2, (blocks, -1)).amax(dim=3).flatten(0, 1)
            scanned = Scan(normalisers[:, beams].flatten(), maxima)
            best = best_continuations(logits, scanned, step.totals[:, beams], 2 * self._beams)
            best = _filled(best, 2 * self._beams, self._pad)
            lost = loss.gather(1, best.words)
            best = best._replace(
                scores=best.scores + lost, log_probs=best.log_probs + lost, beams=best.beams + beams.start
            )
            chosen.append(best)
            taken = best.words.gather(1, going_on(best.words.eq(self._end), self._beams))
            loss.scatter_add_(1, taken, torch.full_like(taken, self._diversity, dtype=loss.dtype))
        return Continuations(*(torch.stack(fields, dim=1) for fields in zip(*chosen, strict=True)))


class _Drawn:
    """Sampling: every beam is a group of its own and draws its next word.

    The random number depends on the seed, the sentence, the sample and the step, never on the batch.
    """

    on_device = False

    def __init__(self, options: SearchOptions, beam: int, pad: int) -> None:
        self.groups, self._pad = beam, pad
        self._top_k, self._top_p, self._seed = options.top_k, options.top_p, options.seed

    def __call__(self, step: Step) -> Continuations:
        sentences, beams, types = step.logits.shape
        probabilities = step.logits.flatten(0, 1).softmax(dim=1)
        words: Tensor | None = None
        if self._top_k or self._top_p < 1:
            count = min(self._top_k or types, types)
            probabilities, words = probabilities.topk(count, dim=1)
            before = probabilities.cumsum(dim=1) - probabilities
            probabilities = probabilities.masked_fill(before >= self._top_p, 0.0)
        # In float32, sums of 32,000 probabilities would shift the boundaries between words.
        edges = probabilities.double().cumsum(dim=1)
        draws = torch.from_numpy(uniforms(step.keys, self._seed, step.numbers, self.groups))
        # At step 0 all samples continue the single empty hypothesis.
        at = draws.to(edges.device).view(sentences * beams, -1) * edges[:, -1:]
        place = torch.searchsorted(edges, at, right=True).clamp_(max=edges.shape[1] - 1)
        word = place if words is None else words.gather(1, place)
        chosen = step.logits.flatten(0, 1).gather(1, word)
        log_probs = (chosen - step.scanned.normalisers[:, None]).view(sentences, self.groups, 1)
        beam = torch.arange(self.groups, device=word.device).clamp(max=beams - 1).expand(sentences, -1)
        scores = log_probs + step.totals.gather(1, beam)[:, :, None]
        drawn = Continuations(scores, beam[:, :, None], word.view(sentences, self.groups, 1), log_probs)
        return _filled(drawn, 2, self._pad)


def uniforms(keys: np.ndarray, seed: int, steps: np.ndarray, count: int) -> np.ndarray:
    """(len(keys), count) numbers in [0, 1), float64; each a hash of its row's key, seed, step and column.

    keys: (rows,) uint64; steps: (rows,). The mixing is SplitMix64's (Steele, Lea and Flood 2014).
    """
    with np.errstate(over="ignore"):
        place = steps.astype(np.uint64)[:, None] << np.uint64(32) | np.arange(count, dtype=np.uint64)
        mixed = _mix(
            _mix(keys + _GOLDEN * np.uint64(seed & (2**64 - 1)))[:, None] + _GOLDEN * (place + np.uint64(1))
        )
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _filled(continuations: Continuations, count: int, pad: int) -> Continuations:
    """The continuations with `count` candidates; those that do not exist are `pad` with a score of −inf."""
    short = count - continuations.scores.shape[-1]
    if short > 0:
        scores = F.pad(continuations.scores, (0, short), value=-math.inf)
        continuations = Continuations(scores, *(F.pad(field, (0, short)) for field in continuations[1:]))
    # A candidate with −inf may be a column that only pads the projection, so it is replaced by a real word.
    impossible = continuations.scores.isneginf()
    return continuations._replace(words=continuations.words.masked_fill(impossible, pad))
