"""From logits to the best continuations, without normalising all logits.

A log-softmax subtracts the same number from all logits of a row. So the best words of a row have its highest
logits, and only the few that are chosen must be normalised. Maxima over blocks of words find them: the best n
words are in the best n blocks.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from . import gpu_kernels
from .network import TYPES_MULTIPLE as BLOCK

_CACHED_ROWS = 8
_PLACES = 2**29 - 1  # float64 has 29 bits more than float32
# Changes logits in place after their normalisers were computed.
Edit = Callable[[Tensor], None]


class Continuations(NamedTuple):
    """Ways to continue; fields are (..., candidates), best first.

    scores: of the hypothesis with its new word, natural log, −inf if there is no such candidate; beams: the
    beam that it continues, counted within the group; words: ids; log_probs: of the new word only.
    """

    scores: Tensor
    beams: Tensor
    words: Tensor
    log_probs: Tensor


class Scan(NamedTuple):
    """One pass over logits (rows, types): their log-sum-exp (rows,), and maxima (rows, types / BLOCK)."""

    normalisers: Tensor
    maxima: Tensor


def scan(logits: Tensor, banned: Sequence[int], edit: Edit | None = None) -> Scan:
    """Read rows of logits once. `banned` words become −inf in place, after normalisation.

    As in fairseq, forbidden words keep their share of the probability. logits: (rows, types).
    """
    if edit is None and gpu_kernels.usable(logits):
        return Scan(*gpu_kernels.scan(logits, banned, BLOCK))
    normalisers = log_normalisers(logits)
    for word in banned:
        logits[:, word].fill_(-math.inf)  # an assignment would take the number from the host
    if edit is not None:
        edit(logits)
    return Scan(normalisers, logits.unflatten(1, (-1, BLOCK)).amax(dim=2))


def log_normalisers(logits: Tensor) -> Tensor:
    """log Σ exp of each row, (rows,), for a network's logits, in which the first word's logit is finite."""
    if gpu_kernels.usable(logits):
        return gpu_kernels.scan(logits, (), BLOCK)[0]
    if logits.is_cuda:
        return logits.logsumexp(dim=1)
    # On a CPU log_softmax is the only fused kernel for this; a few rows at a time stay in the cache.
    normalisers = logits.new_empty(len(logits))
    for start in range(0, len(logits), _CACHED_ROWS):
        rows = logits[start : start + _CACHED_ROWS]
        normalisers[start : start + len(rows)] = rows[:, 0] - rows.log_softmax(dim=1)[:, 0]
    return normalisers


def best_continuations(logits: Tensor, scanned: Scan, totals: Tensor, count: int) -> Continuations:
    """The `count` best continuations of all beams together, or all if there are fewer.

    logits: (groups, beams, types), as `scan` left them; totals: (groups, beams), log-probabilities of the
    hypotheses so far. Equal scores are in the order of beam and word.
    """
    groups, beams, types = logits.shape
    normalisers = scanned.normalisers.view(groups, beams)
    # Costs are negative scores: the bits of positive floats are in the order of their values.
    offsets = normalisers - totals
    blocks = scanned.maxima.view(groups, beams, -1) - offsets[:, :, None]
    per_beam = blocks.shape[2]
    chosen = blocks.flatten(1).topk(min(count, beams * per_beam), dim=1, sorted=False).indices
    rows = logits.view(groups, -1, BLOCK).gather(1, chosen[:, :, None].expand(-1, -1, BLOCK))
    of_blocks = offsets.gather(1, torch.div(chosen, per_beam, rounding_mode="floor"))
    costs = of_blocks[:, :, None] - rows
    # A place is beam * types + word. It fits into the low bits of a float32 cost as float64, which are 0, so
    # that one selection orders by cost, then by place.
    places = torch.add(numbers(BLOCK, logits.device), chosen[:, :, None], alpha=BLOCK)
    keys = costs.double().view(torch.int64).add_(places).flatten(1)
    best = keys.topk(min(count, keys.shape[1]), dim=1, largest=False).values
    place = best & _PLACES
    beam, word = torch.div(place, types, rounding_mode="floor"), place % types
    log_probs = logits.view(groups, -1).gather(1, place) - normalisers.gather(1, beam)
    return Continuations(totals.gather(1, beam) + log_probs, beam, word, log_probs)


@functools.cache
def numbers(count: int, device: torch.device) -> Tensor:
    """0 to count − 1, made once."""
    return torch.arange(count, device=device)


def averaged(logits: Sequence[Tensor]) -> Tensor:
    """Log-probabilities of the mean of several networks' distributions; each is (rows, types)."""
    if len(logits) == 1:
        return logits[0]
    normal = torch.stack([rows.sub_(log_normalisers(rows)[:, None]) for rows in logits])
    return normal.logsumexp(dim=0) - math.log(len(logits))
