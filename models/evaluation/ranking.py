"""The ranks of captions and images that are queries for each other, in one space."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

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
        return Captioned(unit(data.captions @ self.captions), unit(data.images @ self.images), data.owners)


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


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors with the length 1, (n, dimension); those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _similarities(data: Captioned) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of captions and their similarity to every image, (rows, images); some captions at a time.

    Rounded, because a row's place in a matrix changes its last decimals, and equal vectors must tie.
    """
    for start in range(0, len(data.captions), _RANKED_AT_ONCE):
        rows = np.arange(start, min(start + _RANKED_AT_ONCE, len(data.captions)))
        yield rows, (data.captions[rows] @ data.images.T).round(8)
