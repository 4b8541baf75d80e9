"""The margin loss of the papers, and the cosine it is made of."""

import torch


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
) -> torch.Tensor:
    """Mean over the pairs of how far each side's negative comes within `margin` of its partner.

    [margin − cos(s1, s2) + cos(s1, t1)]₊ + [margin − cos(s1, s2) + cos(s2, t2)]₊ with s1, s2 the pair
    and t1, t2 the negatives of either side; all (n, dimension). Gradients flow through all four.
    ParaNMT, section 4.2.
    """
    s1, s2, t1, t2 = map(unit_vectors, (reference, translation, reference_negative, translation_negative))
    partner = (s1 * s2).sum(dim=-1)
    first = torch.relu(margin - partner + (s1 * t1).sum(dim=-1))
    second = torch.relu(margin - partner + (s2 * t2).sum(dim=-1))
    return (first + second).mean()
