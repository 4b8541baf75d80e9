"""Logistic regression with an L2 penalty, for many training sets of the same items at once."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

_TOLERANCE = 1e-5  # of the gradient's largest number; scikit-learn's default is ten times as large
_STEPS = 1_000


def fit(
    features: np.ndarray,
    targets: np.ndarray,
    chosen: np.ndarray,
    strength: float,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """The weights (problems, classes, dimension + 1) float64 that minimise, for each problem,

        strength · Σ cross-entropy of the chosen items + ½ · the squared weights without the biases.

    features: (items, dimension). targets: (items, classes), the probability of each class. chosen: (items,
    problems), whether a problem trains on an item. strength: C of the literature. start: weights to start
    from, which only saves time. The last weight of a class is its bias. With two classes the first one's
    weights are 0, as in the usual binary form, and with more all classes have weights.

    The problems are solved by one L-BFGS in float64: they are separate terms of one convex sum, and one
    matrix product serves them all. Its unknowns are the weights in coordinates in which the second
    derivatives are at most about 1 (Böhning and Lindsay's bound), which saves most of its steps.
    """
    import torch

    problems, classes = chosen.shape[1], targets.shape[1]
    free = classes - 1 if classes == 2 else classes
    x = torch.from_numpy(with_bias(features))
    y = torch.from_numpy(targets[:, None, :].astype(np.float64))
    share = torch.from_numpy(chosen / chosen.sum(axis=0))  # each problem's loss is a mean
    penalty = torch.from_numpy(1 / (strength * chosen.sum(axis=0)))[:, None, None].expand(-1, free, -1)
    penalty = torch.cat([penalty.expand(-1, -1, features.shape[1]), torch.zeros(problems, free, 1)], dim=2)
    curvature = x.T @ x / (4 * len(x)) + torch.eye(x.shape[1], dtype=x.dtype) * float(penalty.max())
    lower = torch.linalg.cholesky(curvature)
    first = torch.zeros(problems, free, x.shape[1], dtype=x.dtype)
    if start is not None:
        first += torch.from_numpy(start[:, classes - free :]) @ lower
    inverse = torch.linalg.solve_triangular(lower, torch.eye(x.shape[1], dtype=x.dtype), upper=False)
    parameters = first.requires_grad_()
    solver = torch.optim.LBFGS(
        [parameters],
        max_iter=_STEPS,
        tolerance_grad=_TOLERANCE,
        tolerance_change=0,
        line_search_fn="strong_wolfe",
    )

    def loss() -> "torch.Tensor":
        with torch.no_grad():
            weights = parameters @ inverse
            logs = torch.log_softmax(_logits(x, weights, classes), dim=2)
            total = -((y * logs).sum(dim=2) * share).sum() + 0.5 * (penalty * weights**2).sum()
            errors = ((logs.exp() - y) * share[:, :, None])[:, :, classes - free :]
            slope = (x.T @ errors.reshape(len(x), -1)).T.reshape(weights.shape) + penalty * weights
            parameters.grad = (slope @ inverse.T).contiguous()
        return total

    solver.step(loss)
    weights = np.zeros((problems, classes, x.shape[1]))
    weights[:, classes - free :] = (parameters.detach() @ inverse).numpy()
    return weights


def probabilities(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The probability of each class, (items, problems, classes), from the weights that `fit` returned."""
    import torch

    scores = torch.from_numpy(with_bias(features)) @ torch.from_numpy(
        weights.reshape(-1, weights.shape[2]).T.copy()
    )
    result: np.ndarray = scores.reshape(len(features), *weights.shape[:2]).softmax(dim=2).numpy()
    return result


def with_bias(features: np.ndarray) -> np.ndarray:
    """The features in float64 with a column of ones at the end."""
    return np.concatenate([features, np.ones((len(features), 1))], axis=1, dtype=np.float64)


def _logits(x: "torch.Tensor", weights: "torch.Tensor", classes: int) -> "torch.Tensor":
    """(items, problems, classes)."""
    import torch

    scores = (x @ weights.reshape(-1, x.shape[1]).T).reshape(len(x), *weights.shape[:2])
    if weights.shape[1] == classes:
        return scores
    return torch.cat([torch.zeros_like(scores), scores], dim=2)
