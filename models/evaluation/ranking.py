"""Linear maps that bring captions and images into one space, by a ranking loss (InferSent, section 4.2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

DIMENSION = 512
MARGIN = 0.2
CONTRASTS = 30
BATCH = 128
LEARNING_RATE = 1e-3
EPOCHS = 30
PATIENCE = 3  # epochs without a better result on dev, after which training ends
CUTS = (1, 5, 10)

_RANKED_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class Captioned:
    """Images with their captions: the vectors of both, and the row of each caption's image.

    captions: (captions, dimension). images: (images, features). owners: (captions,), from 0; every image has
    a caption.
    """

    captions: np.ndarray
    images: np.ndarray
    owners: np.ndarray

    def subset(self, images: np.ndarray) -> "Captioned":
        """Some of the images, by their rows, with all of their captions."""
        rows = np.full(len(self.images), -1)
        rows[images] = np.arange(len(images))
        kept = rows[self.owners] >= 0
        return Captioned(self.captions[kept], self.images[images], rows[self.owners[kept]])


@dataclass(frozen=True, eq=False)
class Maps:
    """The linear map of captions (dimension, joint) and that of images (features, joint)."""

    captions: np.ndarray
    images: np.ndarray

    def apply(self, data: Captioned) -> Captioned:
        """Both sides in the joint space, as vectors of length 1 or 0."""
        return Captioned(_unit(data.captions @ self.captions), _unit(data.images @ self.images), data.owners)


def learn(train: Captioned, dev: Captioned, seed: int) -> tuple[Maps, int]:
    """The maps after the epoch with the highest sum of recalls on dev, and the number of this epoch.

    The recalls are those at 1, 5 and 10 in both directions; between equals the first epoch. seed: decides the
    first maps, the order of the captions and the negative examples.
    """
    scales = tuple(float(np.sqrt(np.mean(side**2))) or 1.0 for side in (train.captions, train.images))
    scaled = Captioned(train.captions / scales[0], train.images / scales[1], train.owners)
    best, chosen = (-1.0, 0), Maps(np.empty(0), np.empty(0))
    for epoch, learned in enumerate(_trained(scaled, seed), start=1):
        maps = Maps(learned.captions / scales[0], learned.images / scales[1])
        result = sum(recall(ranks, cut) for ranks in both_ranks(maps.apply(dev)) for cut in CUTS)
        if result > best[0]:
            best, chosen = (result, epoch), maps
        elif epoch - best[1] >= PATIENCE:
            break
    return chosen, best[1]


def both_ranks(data: Captioned) -> tuple[np.ndarray, np.ndarray]:
    """The ranks of caption retrieval, one for each image, and of image retrieval, one for each caption.

    data: in the joint space. Caption retrieval: an image is the query, and its rank is that of the first of
    its captions. Image retrieval: a caption is the query, and its rank is that of its image. Ranks start at
    1, and a wrong answer that is as similar as the right one is ranked before it.
    """
    best = np.full(len(data.images), -np.inf)
    of_captions = np.empty(len(data.owners), dtype=np.int64)
    for rows, similar in _similarities(data):
        own = similar[np.arange(len(rows)), data.owners[rows]]
        of_captions[rows] = (similar >= own[:, None]).sum(axis=1)  # which counts the right image as well
        np.maximum.at(best, data.owners[rows], own)
    of_images = np.ones(len(data.images), dtype=np.int64)
    for rows, similar in _similarities(data):
        wrong = np.arange(len(data.images)) != data.owners[rows][:, None]
        of_images += (wrong & (similar >= best)).sum(axis=0)
    return of_images, of_captions


def recall(ranks: np.ndarray, cut: int) -> float:
    """The share of the queries whose rank is at most `cut`."""
    return float((ranks <= cut).mean())


def ranking_loss(
    captions: "torch.Tensor", images: "torch.Tensor", contrasts: tuple["torch.Tensor", "torch.Tensor"]
) -> "torch.Tensor":
    """The mean over the pairs of the sums of max(0, margin − s(pair) + s(contrast)) in both directions.

    captions, images: (pairs, joint), of which the rows of one place are a pair; s is the cosine. contrasts:
    (pairs, pairs) booleans: which images are contrasted with each caption, and which captions with each
    image. InferSent, section 4.2.
    """
    from torch.nn.functional import normalize

    similar = normalize(captions) @ normalize(images).T
    right = similar.diagonal()[:, None]
    with_images, with_captions = ((MARGIN - right + side).clamp(min=0) for side in (similar, similar.T))
    return (with_images * contrasts[0] + with_captions * contrasts[1]).sum() / len(similar)


def draw_contrasts(owners: np.ndarray, random: "np.random.Generator") -> np.ndarray:
    """For each pair, 30 others of another image at random, or all if there are fewer: (pairs, pairs)."""
    keys = random.random((len(owners), len(owners)))
    keys[owners[:, None] == owners] = 2.0
    order = keys.argsort(axis=1).argsort(axis=1)
    contrasts: np.ndarray = (order < CONTRASTS) & (keys < 2.0)
    return contrasts


def _trained(train: Captioned, seed: int) -> Iterator[Maps]:
    """The maps after each epoch."""
    import torch

    random = np.random.default_rng(seed)
    sides = [torch.from_numpy(side.astype(np.float32)) for side in (train.captions, train.images)]
    maps = []
    for side in sides:
        values = random.uniform(-1, 1, (side.shape[1], DIMENSION)) / np.sqrt(side.shape[1])
        maps.append(torch.from_numpy(values.astype(np.float32)).requires_grad_())
    optimizer = torch.optim.Adam(maps, lr=LEARNING_RATE)
    for _ in range(EPOCHS):
        order = random.permutation(len(train.owners))
        for rows in np.split(order, range(BATCH, len(order), BATCH)):
            owners = train.owners[rows]
            drawn = [torch.from_numpy(draw_contrasts(owners, random)) for _ in range(2)]
            optimizer.zero_grad()
            ranking_loss(
                sides[0][torch.from_numpy(rows)] @ maps[0],
                sides[1][torch.from_numpy(owners)] @ maps[1],
                (drawn[0], drawn[1]),
            ).backward()
            optimizer.step()
        yield Maps(*(numbers.detach().numpy().astype(np.float64) for numbers in maps))


def _similarities(data: Captioned) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of captions and their similarity to every image, (rows, images); some captions at a time.

    Rounded, because a row's place in a matrix changes its last decimals, and equal vectors must tie.
    """
    for start in range(0, len(data.captions), _RANKED_AT_ONCE):
        rows = np.arange(start, min(start + _RANKED_AT_ONCE, len(data.captions)))
        yield rows, (data.captions[rows] @ data.images.T).round(8)


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
