"""The compiled loops of `RowAdam`: the bits that torch's operations give, in one pass over the rows."""

import numpy as np

from ...compiled import compiled, fused


@compiled
def move_moments(
    first: np.ndarray,
    second: np.ndarray,
    rows: np.ndarray,
    gradient: np.ndarray,
    weights: np.ndarray,
    moved: np.ndarray,
) -> None:
    """m ← m + (1 − β1)·(g − m); v ← β2·v + (1 − β2)·g·g. `moved` gets the new v.

    weights: 1 − β1, β2 and 1 − β2. All arrays but `rows` are of the same type.
    """
    of_first, decay, of_square = weights
    for place in range(len(rows)):
        m, v, g, new = first[rows[place]], second[rows[place]], gradient[place], moved[place]
        for i in range(len(g)):
            m[i] = fused(of_first, g[i] - m[i], m[i])
            v[i] = fused(of_square * g[i], g[i], v[i] * decay)
            new[i] = v[i]


@compiled
def move_values(
    table: np.ndarray, first: np.ndarray, rows: np.ndarray, roots: np.ndarray, weights: np.ndarray
) -> None:
    """row ← row + rate·m / (√v + ε). roots: √v. weights: rate and ε."""
    rate, epsilon = weights
    for place in range(len(rows)):
        values, m, root = table[rows[place]], first[rows[place]], roots[place]
        for i in range(len(root)):
            values[i] += rate * m[i] / (root[i] + epsilon)
