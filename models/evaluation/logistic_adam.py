"""Logistic regression as InferSent's authors fit it: by Adam in small batches, stopped early."""

import numpy as np
import torch

from ..training.head_options import Course
from ..training.head_training import HeadLoop, Learner, Losses
from ..training.heads import divergence
from ..training.updates import SmallTables, Updates
from .logistic import with_bias

BATCH = 64
PASSES = 4  # between two looks at the items that are held out, as in SentEval
EPOCHS = 50  # of so many passes: SentEval has at most 200 passes
PATIENCE = 5
HELD_OUT = 0.05
PENALTIES = (5e-6, 5e-5, 5e-4, 5e-3)
"""The λ of λ‖w‖² to choose from: half of SentEval's weight decays, 10⁻⁵ to 10⁻²."""

_LEARNING_RATE = 1e-3


def fit_by_adam(
    features: np.ndarray, targets: np.ndarray, chosen: np.ndarray, penalty: float, seed: int
) -> np.ndarray:
    """The weights (problems, classes, dimension + 1) float64 of regressions that are trained side by side.

    features, targets, chosen: as for `logistic.fit`. penalty: the weight of the squares of a problem's
    weights beside its mean cross-entropy. Each problem holds out a twentieth of its items: its weights are
    those after the passes with the lowest cross-entropy on them. A batch has `BATCH` items of a problem on
    average. InferSent, section 4; SentEval's code. seed: decides what is held out, and the order.
    """
    random = np.random.default_rng(seed)
    held = np.zeros_like(chosen)
    for problem, mask in enumerate(chosen.T):
        rows = np.flatnonzero(mask)
        held[random.permutation(rows)[: max(1, round(HELD_OUT * len(rows)))], problem] = True
    regressions = Regressions(features, targets, chosen & ~held, held, penalty, random)
    share = float((chosen & ~held)[regressions.rows].mean())
    batch = round(BATCH / share)
    course = Course(epochs=EPOCHS, batch=batch, learning_rate=_LEARNING_RATE, patience=PATIENCE)
    HeadLoop(regressions, course).run()
    return regressions.best.double().numpy()


class Regressions(Learner):
    """Softmax regressions of the same items, of which none has a number of another's.

    train, held: (items, problems), the items that a problem learns from, and those that choose its `best`
    weights (problems, classes, dimension + 1). rows: the items that any problem learns from.
    """

    def __init__(
        self,
        features: np.ndarray,
        targets: np.ndarray,
        train: np.ndarray,
        held: np.ndarray,
        penalty: float,
        random: np.random.Generator,
    ) -> None:
        self.rows = np.flatnonzero(train.any(axis=1))
        self._features = torch.from_numpy(with_bias(features)).float()
        self._targets = torch.from_numpy(targets[:, None, :]).float()
        self._train, self._held = (torch.from_numpy(mask).float() for mask in (train, held))
        self._penalty, self._random = penalty, random
        shape = train.shape[1], targets.shape[1], self._features.shape[1]
        self._weights = torch.zeros(shape, requires_grad=True)
        self.best, self._lowest = torch.zeros(shape), torch.full((shape[0],), torch.inf)
        self.updates = Updates({"weights": self._weights}, {}, "adam")
        self.buffers = {"best": self.best, "lowest": self._lowest}

    def order(self, epoch: int, begins: bool) -> np.ndarray:
        """All items at random, several times."""
        return np.concatenate([self._random.permutation(self.rows) for _ in range(PASSES)])

    def loss(self, rows: np.ndarray, epoch: int, number: int) -> Losses:
        """The sums over the problems, which train each by itself."""
        losses = self._losses(torch.from_numpy(rows), self._train).sum()
        return losses, losses + self._penalty * self._weights.square().sum(), SmallTables()

    def quality(self) -> float | None:
        """Minus the mean of the problems' lowest losses, to three decimals, so that training ends."""
        with torch.no_grad():
            losses = self._losses(torch.arange(len(self._features)), self._held)
            better = losses < self._lowest
            self.best[better] = self._weights[better]
            self._lowest[better] = losses[better]
        return -round(float(self._lowest.double().mean()), 3)

    def _losses(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy of each problem over those of the rows that the mask has, (problems,)."""
        scores = self._features[rows] @ self._weights.flatten(0, 1).mT
        losses = divergence(scores.unflatten(1, self._weights.shape[:2]), self._targets[rows])
        counts = mask[rows].sum(dim=0)
        return (losses * mask[rows]).sum(dim=0) / counts.clamp(min=1)
