"""A small network that predicts the relatedness of two sentences from their vectors (Tai et al. 2015)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..sts.correlation import comparable, pearson
from ..training.head_options import Course
from ..training.head_training import HeadLoop, Learner, Losses
from ..training.heads import divergence, layered, sparse_targets
from ..training.updates import SmallTables, Updates

HIDDEN = 50
BATCH = 25
LEARNING_RATE = 0.05
EPOCHS = 50
PENALTIES = (5e-6, 5e-5, 5e-4, 5e-3)


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """The vectors (pairs, dimension) of both sentences of each pair, and the scores (pairs,) people gave."""

    left: np.ndarray
    right: np.ndarray
    gold: np.ndarray


@dataclass(frozen=True, eq=False)
class Prediction:
    """The predicted scores (pairs,) of the test pairs, and the choices made on the dev pairs.

    dev: Pearson's r on the dev pairs by which the penalty and the epochs were chosen; None without any.
    """

    scores: np.ndarray
    dev: float | None
    penalty: float
    epochs: int


def predict(
    train: EncodedPairs, dev: EncodedPairs, test: EncodedPairs, levels: np.ndarray, seed: int
) -> Prediction:
    """The scores of the test pairs by the network that is best on the dev pairs.

    One network for each of `PENALTIES` is trained on the train pairs for `EPOCHS`. The number of epochs and
    the penalty with the highest Pearson's r on the dev pairs are chosen; between equals the fewest epochs,
    then the smallest penalty. levels: the scores of the classes, in steps of 1. seed: decides the first
    weights and the order of the pairs, which are the same for all penalties.
    """
    scales = _scales(train)
    features = [torch.from_numpy(_features(part, scales)) for part in (train, dev, test)]
    targets = torch.from_numpy(sparse_targets(train.gold, levels))
    networks = Networks(features[0], targets, features[1], dev.gold, levels, seed)
    course = Course(epochs=EPOCHS, batch=BATCH, learning_rate=LEARNING_RATE)
    state = HeadLoop(networks, course).run()
    r = networks.correlations()
    best = max(range(len(r)), key=lambda index: comparable(r[index]))  # the first of equals
    return Prediction(networks.scores(features[2])[best], r[best], PENALTIES[best], state.best)


class Networks(Learner):
    """Several networks of the same shape, one for each of `PENALTIES`, which start alike.

    A network is softmax(sigmoid(x W + b) V + c): features x (pairs, 2 · dimension), 50 hidden numbers, and a
    probability for each class. Its first weights are uniform within ± 1 / √(numbers that go in).
    """

    def __init__(
        self,
        features: torch.Tensor,
        targets: torch.Tensor,
        dev: torch.Tensor,
        dev_gold: np.ndarray,
        levels: np.ndarray,
        seed: int,
    ) -> None:
        self._features, self._targets, self._dev, self._dev_gold = features, targets, dev, dev_gold
        self._levels = levels.astype(np.float64)
        self._random = np.random.default_rng(seed)
        inputs, classes = features.shape[1], targets.shape[1]
        self.parameters = [
            self._uniform(inputs, HIDDEN, into=inputs),
            self._uniform(1, HIDDEN, into=inputs),
            self._uniform(HIDDEN, classes, into=HIDDEN),
            self._uniform(1, classes, into=HIDDEN),
        ]
        self.updates = Updates({str(i): p for i, p in enumerate(self.parameters)}, {}, "adagrad")

    def _uniform(self, *shape: int, into: int) -> torch.Tensor:
        values = self._random.uniform(-1, 1, shape) / np.sqrt(into)
        return torch.from_numpy(np.repeat(values[None], len(PENALTIES), axis=0)).requires_grad_()

    def order(self, epoch: int, begins: bool) -> np.ndarray:
        """All pairs at random."""
        return self._random.permutation(len(self._targets))

    def loss(self, rows: np.ndarray, epoch: int, number: int) -> Losses:
        """The sums over the networks, which train each by itself: none has a number of another's."""
        losses, penalties = self.losses(self._features[rows], self._targets[rows])
        return losses.sum(), (losses + penalties).sum(), SmallTables()

    def losses(self, features: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Each network's mean divergence KL(target ‖ prediction), and penalty · its squared numbers."""
        squares = sum((numbers**2).sum(dim=(1, 2)) for numbers in self.parameters)
        penalties = torch.tensor(PENALTIES, dtype=torch.float64) * squares
        return divergence(self._logits(features), targets).mean(dim=1), penalties

    def quality(self) -> float | None:
        """The highest r of the networks on the dev pairs."""
        return max(self.correlations(), key=comparable)

    def correlations(self) -> list[float | None]:
        """Each network's r on the dev pairs."""
        return [pearson(scores, self._dev_gold) for scores in self.scores(self._dev)]

    def scores(self, features: torch.Tensor) -> np.ndarray:
        """The expected level of each pair, (networks, pairs) float64, to eight decimals."""
        with torch.no_grad():
            probabilities = self._logits(features).log_softmax(dim=2).exp().numpy()
        # A row's place in a matrix changes its last decimals, and equal pairs must have equal scores.
        scores: np.ndarray = (probabilities @ self._levels).round(8)
        return scores

    def _logits(self, features: torch.Tensor) -> torch.Tensor:
        """(networks, pairs, classes)."""
        first, first_bias, second, second_bias = self.parameters
        return layered(features, [(first, first_bias), (second, second_bias)], torch.sigmoid)


def _scales(train: EncodedPairs) -> tuple[float, float]:
    """What divides u · v and |u − v|: their root mean squares on the train pairs; 1 if all are 0."""
    squares = [float(np.mean(part**2)) for part in _parts(train)]
    product, difference = (float(np.sqrt(square)) or 1.0 for square in squares)
    return product, difference


def _features(pairs: EncodedPairs, scales: Sequence[float]) -> np.ndarray:
    return np.hstack([part / scale for part, scale in zip(_parts(pairs), scales, strict=True)])


def _parts(pairs: EncodedPairs) -> tuple[np.ndarray, np.ndarray]:
    left, right = pairs.left.astype(np.float64), pairs.right.astype(np.float64)
    return left * right, np.abs(left - right)
