"""The losses of pairs, the cosine they are made of, and the penalties on parameters.

Margin loss, as in the papers, and InfoNCE.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch

from .loss_kernels import margin_loss_of_rows


def unit_vectors(vectors: torch.Tensor) -> torch.Tensor:
    """Vectors of length 1, (…, dimension); a zero vector stays zero.

    A squared norm of zero becomes 1e-10, as in the papers' code.
    """
    squared = (vectors * vectors).sum(dim=-1, keepdim=True)
    return vectors / torch.where(squared == 0, torch.full_like(squared, 1e-10), squared).sqrt()


def cosine(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Cosine of each row of `left` with the same row of `right`, (n, dimension) each, to (n,)."""
    return (unit_vectors(left) * unit_vectors(right)).sum(dim=-1)


def margin_loss(
    reference: torch.Tensor,
    translation: torch.Tensor,
    reference_negative: torch.Tensor,
    translation_negative: torch.Tensor,
    margin: float,
    compared: torch.Tensor | None = None,
) -> torch.Tensor:
    """Mean over the pairs of how far each side's negative comes within `margin` of its partner.

    [margin − cos(s1, s2) + cos(s1, t1)]₊ + [margin − cos(s1, s2) + cos(s2, t2)]₊ with s1, s2 the pair
    and t1, t2 the negatives of either side; all (n, dimension). Gradients flow through all four.
    compared: (2, n) bool, false where a side has no negative; its term is then 0. ParaNMT, section 4.2.
    """
    s1, s2, t1, t2 = map(unit_vectors, (reference, translation, reference_negative, translation_negative))
    partner = (s1 * s2).sum(dim=-1)
    first = torch.relu(margin - partner + (s1 * t1).sum(dim=-1))
    second = torch.relu(margin - partner + (s2 * t2).sum(dim=-1))
    if compared is not None:
        first, second = (term.where(side, 0.0) for term, side in zip((first, second), compared, strict=True))
    return (first + second).mean()


class MarginLossOfRows(torch.autograd.Function):
    """`margin_loss` on a CPU, of vectors that may stand in it several times; 1 ms faster a mini-batch."""

    @staticmethod
    def forward(
        ctx: Any, vectors: torch.Tensor, sides: np.ndarray, compared: np.ndarray, margin: float
    ) -> torch.Tensor:
        """vectors: (rows, dimension) float32. sides: (4, n), the rows of s1, s2, t1, t2. compared: (2, n)."""
        vectors = vectors.contiguous()
        gradient = torch.zeros_like(vectors)
        loss = margin_loss_of_rows(vectors.numpy(), sides, compared, margin, gradient.numpy())
        ctx.save_for_backward(gradient)
        return vectors.new_tensor(loss)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        return ctx.saved_tensors[0] * gradients[0], None, None, None


def info_nce(
    reference: torch.Tensor,
    translation: torch.Tensor,
    temperature: float,
    excluded: torch.Tensor | None = None,
    mask_above: float | None = None,
) -> torch.Tensor:
    """Mean over both sides of −log of the partner's share of exp(cos / temperature) over the other side.

    reference, translation: (n, dimension). excluded: (n, n) bool, references and translations that are not
    compared. mask_above: nor are those with a higher cosine, which are taken for paraphrases. A sentence is
    always compared with its partner. After van den Oord et al. 2018, section 2.3.
    """
    cosines = unit_vectors(reference) @ unit_vectors(translation).T
    partners = torch.arange(len(cosines), device=cosines.device)
    skipped = torch.zeros_like(cosines, dtype=torch.bool) if excluded is None else excluded.clone()
    if mask_above is not None:
        skipped |= cosines.detach() > mask_above
    skipped[partners, partners] = False
    scores = (cosines / temperature).masked_fill(skipped, -torch.inf)
    sides = [torch.nn.functional.cross_entropy(side, partners) for side in (scores, scores.T)]
    return (sides[0] + sides[1]) / 2


def regularised(
    loss: torch.Tensor,
    parameters: Iterable[tuple[str, torch.Tensor]],
    weight: Callable[[str], float],
    start: Mapping[str, torch.Tensor],
) -> torch.Tensor:
    """The loss plus weight · ‖p‖² of each parameter p; if `start` has it, of its distance from there.

    As the papers print it (ParaNMT, section 4.2); their code has half of it.
    """
    for name, parameter in parameters:
        if factor := weight(name):
            change = parameter - start[name] if name in start else parameter
            loss = loss + factor * change.square().sum()
    return loss
