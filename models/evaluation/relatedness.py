"""A small network that predicts the relatedness of two sentences from their vectors (Tai et al. 2015)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..sts.correlation import pearson

if TYPE_CHECKING:
    import torch

HIDDEN = 50
BATCH = 25
LEARNING_RATE = 0.05
EPOCHS = 50
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)


@dataclass(frozen=True, eq=False)
class Pairs:
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


def predict(train: Pairs, dev: Pairs, test: Pairs, levels: np.ndarray, seed: int) -> Prediction:
    """The scores of the test pairs by the network that is best on the dev pairs.

    One network for each of `PENALTIES` is trained on the train pairs for `EPOCHS`. The penalty and the number
    of epochs with the highest Pearson's r on the dev pairs are chosen; between equals the smallest penalty,
    then the fewest epochs. levels: the scores of the classes, in steps of 1. seed: decides the first weights
    and the order of the pairs, which are the same for all penalties.
    """
    from ..training.heads import sparse_targets  # imports torch, which planning does without

    scales = _scales(train)
    dev_features, test_features = (_features(part, scales) for part in (dev, test))
    targets = sparse_targets(train.gold, levels)
    best, chosen = (-np.inf, 0.0, 0), Prediction(np.empty(0), None, 0.0, 0)
    for epoch, networks in enumerate(_trained(_features(train, scales), targets, seed), start=1):
        for index, (penalty, scores) in enumerate(
            zip(PENALTIES, networks.scores(dev_features, levels), strict=True)
        ):
            r = pearson(scores, dev.gold)
            rank = (-2.0 if r is None else r, -penalty, -epoch)
            if rank > best:
                scores = networks.scores(test_features, levels)[index]
                best, chosen = rank, Prediction(scores, r, penalty, epoch)
    return chosen


class Networks:
    """Several networks of the same shape, one for each of `PENALTIES`, which start alike.

    A network is softmax(sigmoid(x W + b) V + c): features x (pairs, 2 · dimension), 50 hidden numbers, and a
    probability for each class. Its first weights are uniform within ± 1 / √(numbers that go in).
    """

    def __init__(self, inputs: int, classes: int, random: "np.random.Generator") -> None:
        import torch

        def uniform(*shape: int, into: int) -> "torch.Tensor":
            values = random.uniform(-1, 1, shape) / np.sqrt(into)
            return torch.from_numpy(np.repeat(values[None], len(PENALTIES), axis=0)).requires_grad_()

        self.parameters = [
            uniform(inputs, HIDDEN, into=inputs),
            uniform(1, HIDDEN, into=inputs),
            uniform(HIDDEN, classes, into=HIDDEN),
            uniform(1, classes, into=HIDDEN),
        ]

    def logits(self, features: "torch.Tensor") -> "torch.Tensor":
        """(networks, pairs, classes)."""
        import torch

        from ..training.heads import layered

        first, first_bias, second, second_bias = self.parameters
        return layered(features, [(first, first_bias), (second, second_bias)], torch.sigmoid)

    def losses(self, features: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """Each network's mean divergence KL(target ‖ prediction) plus penalty / 2 · its squared numbers."""
        import torch

        from ..training.heads import divergence

        squares = sum((numbers**2).sum(dim=(1, 2)) for numbers in self.parameters)
        penalties = torch.tensor(PENALTIES, dtype=torch.float64) / 2 * squares
        return divergence(self.logits(features), targets).mean(dim=1) + penalties

    def scores(self, features: "torch.Tensor", levels: np.ndarray) -> np.ndarray:
        """The expected level of each pair, (networks, pairs) float64, to eight decimals."""
        import torch

        with torch.no_grad():
            probabilities = self.logits(features).log_softmax(dim=2).exp().numpy()
        # A row's place in a matrix changes its last decimals, and equal pairs must have equal scores.
        scores: np.ndarray = (probabilities @ levels.astype(np.float64)).round(8)
        return scores


def _trained(features: "torch.Tensor", targets: np.ndarray, seed: int) -> Iterator[Networks]:
    """The networks after each epoch; they go on changing afterwards."""
    import torch

    random = np.random.default_rng(seed)
    networks = Networks(features.shape[1], targets.shape[1], random)
    wanted = torch.from_numpy(targets)
    optimizer = torch.optim.Adagrad(networks.parameters, lr=LEARNING_RATE)
    for _ in range(EPOCHS):
        order = torch.from_numpy(random.permutation(len(targets)))
        for rows in order.split(BATCH):
            optimizer.zero_grad()
            # The sum trains each network by itself: no network has a number of another's.
            networks.losses(features[rows], wanted[rows]).sum().backward()
            optimizer.step()
        yield networks


def _scales(train: Pairs) -> tuple[float, float]:
    """What divides u · v and |u − v|: their root mean squares on the train pairs; 1 if all are 0."""
    squares = [float(np.mean(part**2)) for part in _parts(train)]
    product, difference = (float(np.sqrt(square)) or 1.0 for square in squares)
    return product, difference


def _features(pairs: Pairs, scales: Sequence[float]) -> "torch.Tensor":
    import torch

    return torch.from_numpy(
        np.hstack([part / scale for part, scale in zip(_parts(pairs), scales, strict=True)])
    )


def _parts(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    left, right = pairs.left.astype(np.float64), pairs.right.astype(np.float64)
    return left * right, np.abs(left - right)
