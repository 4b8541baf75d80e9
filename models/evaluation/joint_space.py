"""Linear maps that bring captions and images into one space, by a ranking loss (InferSent, section 4.2)."""

import numpy as np
import torch

from ..training.head_options import Course
from ..training.head_training import HeadLoop, Learner, Losses
from ..training.updates import SmallTables, Updates
from .ranking import CUTS, Captioned, Maps, both_ranks, recall

DIMENSION = 512
MARGIN = 0.2
CONTRASTS = 30
BATCH = 128
LEARNING_RATE = 1e-3
EPOCHS = 30
PATIENCE = 3  # epochs without a better result on dev, after which training ends


def learn(train: Captioned, dev: Captioned, seed: int) -> tuple[Maps, int]:
    """The maps after the epoch with the highest sum of recalls on dev, and the number of this epoch.

    The recalls are those at 1, 5 and 10 in both directions; between equals the first epoch. seed: decides the
    first maps, the order of the captions and the negative examples.
    """
    learner = _Mapping(train, dev, seed)
    course = Course(epochs=EPOCHS, batch=BATCH, learning_rate=LEARNING_RATE, patience=PATIENCE)
    state = HeadLoop(learner, course).run()
    return learner.maps(), state.best


def ranking_loss(
    captions: torch.Tensor, images: torch.Tensor, contrasts: tuple[torch.Tensor, torch.Tensor]
) -> torch.Tensor:
    """The mean over the pairs of the sums of max(0, margin − s(pair) + s(contrast)) in both directions.

    captions, images: (pairs, joint), of which the rows of one place are a pair; s is the cosine. contrasts:
    (pairs, pairs) booleans: which images are contrasted with each caption, and which captions with each
    image. InferSent, section 4.2.
    """
    similar = torch.nn.functional.normalize(captions) @ torch.nn.functional.normalize(images).T
    right = similar.diagonal()[:, None]
    with_images, with_captions = ((MARGIN - right + side).clamp(min=0) for side in (similar, similar.T))
    return (with_images * contrasts[0] + with_captions * contrasts[1]).sum() / len(similar)


def draw_contrasts(owners: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """For each pair, 30 others of another image at random, or all if there are fewer: (pairs, pairs)."""
    keys = random.random((len(owners), len(owners)))
    keys[owners[:, None] == owners] = 2.0
    order = keys.argsort(axis=1).argsort(axis=1)
    contrasts: np.ndarray = (order < CONTRASTS) & (keys < 2.0)
    return contrasts


class _Mapping(Learner):
    """The maps that are learned, of vectors and features divided by their root mean squares."""

    def __init__(self, train: Captioned, dev: Captioned, seed: int) -> None:
        self._owners, self._dev, self._random = train.owners, dev, np.random.default_rng(seed)
        sides = train.captions, train.images
        self._scales = [float(np.sqrt(np.mean(side**2))) or 1.0 for side in sides]
        scaled = (side / scale for side, scale in zip(sides, self._scales, strict=True))
        self._sides = [torch.from_numpy(side.astype(np.float32)) for side in scaled]
        self._maps = [self._first(side.shape[1]) for side in sides]
        self.updates = Updates({"captions": self._maps[0], "images": self._maps[1]}, {})

    def _first(self, size: int) -> torch.Tensor:
        values = self._random.uniform(-1, 1, (size, DIMENSION)) / np.sqrt(size)
        return torch.from_numpy(values.astype(np.float32)).requires_grad_()

    def order(self, epoch: int, begins: bool) -> np.ndarray:
        """All captions at random."""
        return self._random.permutation(len(self._owners))

    def loss(self, rows: np.ndarray, epoch: int, number: int) -> Losses:
        """The ranking loss of some captions with their images; there is no penalty."""
        owners = self._owners[rows]
        contrasts = [torch.from_numpy(draw_contrasts(owners, self._random)) for _ in range(2)]
        (captions, images), (of_captions, of_images) = self._sides, self._maps
        loss = ranking_loss(
            captions[rows] @ of_captions, images[owners] @ of_images, (contrasts[0], contrasts[1])
        )
        return loss, loss, SmallTables()

    def quality(self) -> float:
        """The sum of the recalls on dev."""
        return sum(recall(ranks, cut) for ranks in both_ranks(self.maps().apply(self._dev)) for cut in CUTS)

    def maps(self) -> Maps:
        """The maps of vectors and features as they are."""
        maps = (numbers.detach().numpy().astype(np.float64) for numbers in self._maps)
        return Maps(*(numbers / scale for numbers, scale in zip(maps, self._scales, strict=True)))
