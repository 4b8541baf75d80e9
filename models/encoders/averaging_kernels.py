"""The compiled loops of averages: of their sums, and of their gradients."""

import numpy as np

from ...base.compiled import compiled


@compiled
def add_to_rows(gradient: np.ndarray, ids: np.ndarray, starts: np.ndarray, table: np.ndarray) -> None:
    """Adds the gradient of each sentence's sum to the row of each of its units, in the order of the units."""
    for sentence in range(len(starts) - 1):
        added = gradient[sentence]
        for place in range(starts[sentence], starts[sentence + 1]):
            row = table[ids[place]]
            for i in range(len(row)):
                row[i] += added[i]


@compiled
def sums_of_rows(table: np.ndarray, ids: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
    """Adds the rows of each sentence's units to its row of `out`, in the order of the units."""
    for sentence in range(len(starts) - 1):
        total = out[sentence]
        for place in range(starts[sentence], starts[sentence + 1]):
            row = table[ids[place]]
            for i in range(len(row)):
                total[i] += row[i]
