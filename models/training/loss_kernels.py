"""The compiled margin loss, with its gradient: the formulas of `loss.margin_loss` in one pass."""

import numpy as np

from ...base.compiled import compiled, helper


@helper
def _product(left: np.ndarray, right: np.ndarray) -> float:
    """left · right, added up in the same order on every processor."""
    a, b, c, d = left[0] * 0, left[0] * 0, left[0] * 0, left[0] * 0
    whole = len(left) - len(left) % 4
    for i in range(0, whole, 4):
        a += left[i] * right[i]
        b += left[i + 1] * right[i + 1]
        c += left[i + 2] * right[i + 2]
        d += left[i + 3] * right[i + 3]
    for i in range(whole, len(left)):
        a += left[i] * right[i]
    return (a + b) + (c + d)


@compiled
def margin_loss_of_rows(
    vectors: np.ndarray, sides: np.ndarray, compared: np.ndarray, margin: float, gradient: np.ndarray
) -> float:
    """The loss of the vectors in `sides`, (4, n): rows of references, translations and the negatives of both.

    compared: (2, n) bool. gradient: zeros, like `vectors`, which get the gradient.
    """
    one = vectors.dtype.type(1)
    units, lengths = np.empty_like(vectors), np.empty(len(vectors), vectors.dtype)
    for row in range(len(vectors)):
        squared = _product(vectors[row], vectors[row])
        lengths[row] = np.sqrt(squared) if squared != 0 else vectors.dtype.type(1e-5)
        for i in range(vectors.shape[1]):
            units[row, i] = vectors[row, i] / lengths[row]
    total = 0.0
    for pair in range(sides.shape[1]):
        partner = _product(units[sides[0, pair]], units[sides[1, pair]])
        for side in range(2):
            if not compared[side, pair]:
                continue
            own, other, negative = sides[side, pair], sides[1 - side, pair], sides[2 + side, pair]
            loss = margin - partner + _product(units[own], units[negative])
            if loss <= 0:
                continue
            total += loss
            for i in range(vectors.shape[1]):
                gradient[own, i] += units[negative, i] - units[other, i]
                gradient[other, i] -= units[own, i]
                gradient[negative, i] += units[own, i]
    for row in range(len(vectors)):
        along = _product(gradient[row], units[row]) * (lengths[row] != vectors.dtype.type(1e-5))
        factor = one / (lengths[row] * sides.shape[1])
        for i in range(vectors.shape[1]):
            gradient[row, i] = (gradient[row, i] - along * units[row, i]) * factor
    return total / sides.shape[1]
