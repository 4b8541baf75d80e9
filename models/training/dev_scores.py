"""Evaluation on development sets while an encoder is trained, which finds the best of its states."""

from collections.abc import Sequence
from dataclasses import dataclass

import xxhash

from ..encoders.chosen_on import Development, pair_hashes
from ..encoders.encodes import Encodes
from ..sts.correlation import pearson, scored_sets
from ..sts.development_sets import read_development
from ..sts.sts_data import StsDataset
from .train_options import TrainOptions


@dataclass(frozen=True)
class DevScore:
    """How good an encoder was at some point of its training.

    epoch: passes over the pairs that were done, such as 1.25. step: mini-batches that were done. loss: the
    mean since the epoch began. pearson: Pearson's r times 100 of each development set; None if the cosines
    are all alike.
    """

    epoch: float
    step: int
    loss: float
    pearson: dict[str, float | None]

    @property
    def mean(self) -> float | None:
        """The unweighted mean over the sets; None if one of them has no correlation."""
        values = [value for value in self.pearson.values() if value is not None]
        return sum(values) / len(values) if len(values) == len(self.pearson) else None


def read_dev_sets(options: TrainOptions) -> list[StsDataset]:
    """The development sets that the options name; none without `dev`. InputError if there are none there."""
    return read_development(options.dev_folders, options.dev_sets) if options.dev else []


def key_of(datasets: Sequence[StsDataset]) -> str:
    """Another whenever the sets are others; empty for none."""
    return f" {xxhash.xxh3_64_hexdigest(repr(datasets).encode())}" if datasets else ""


def development_hashes(datasets: Sequence[StsDataset]) -> Development:
    """The pairs of the sets, by their labels, as an encoder that is chosen on them keeps them."""
    return {dataset.label: pair_hashes(dataset.left, dataset.right) for dataset in datasets}


def measure(encoder: Encodes, datasets: Sequence[StsDataset]) -> dict[str, float | None]:
    """Pearson's r times 100 between cosines and the scores that people gave, by the label of the set."""
    scored = zip(datasets, scored_sets(encoder, datasets), strict=True)
    values = {dataset.label: pearson(*sides) for dataset, sides in scored}
    return {label: None if value is None else 100 * value for label, value in values.items()}


def best_of(scores: Sequence[DevScore]) -> int | None:
    """The position of the highest mean, the first of equals; None if there is none."""
    means = {position: score.mean for position, score in enumerate(scores)}
    known = {position: mean for position, mean in means.items() if mean is not None}
    return max(known, key=lambda position: known[position], default=None)


def is_over(scores: Sequence[DevScore], patience: int | None) -> bool:
    """Whether the last `patience` scores brought nothing better."""
    best = best_of(scores)
    return patience is not None and best is not None and len(scores) - 1 - best >= patience
