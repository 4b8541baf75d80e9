"""The compiled loop of `RowAdam`, in one pass over the rows."""

import numpy as np

from ...base.compiled import compiled, fused


@compiled
def move_rows(
    table: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    rows: np.ndarray,
    gradient: np.ndarray,
    weights: np.ndarray,
) -> None:
    """m ← m + (1 − β1)·(g − m); v ← β2·v + (1 − β2)·g·g; row ← row + rate·m / (√v + ε).

    weights: 1 − β1, β2, 1 − β2, rate and ε. All arrays but `rows` are of the same type.
    """
    of_first, decay, of_square, rate, epsilon = weights
    for place in range(len(rows)):
        row = rows[place]
        values, m, v, g = table[row], first[row], second[row], gradient[place]
        for i in range(len(g)):
            m[i] = fused(of_first, g[i] - m[i], m[i])
            v[i] = fused(of_square * g[i], g[i], v[i] * decay)
            values[i] += rate * m[i] / (np.sqrt(v[i]) + epsilon)
