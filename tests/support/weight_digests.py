"""Hashes of the random starts of encoders."""

from collections.abc import Iterator

import torch
import xxhash
from small_encoders import SMALL

from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.training.heads import Head, HeadShape
from paranmt.models.training.start import Start
from paranmt.models.training.train_options import TrainOptions

SHAPE = HeadShape(objective="nli", dimension=40, hidden=(30,), activation="tanh", outputs=("a", "b"))


def starts() -> Iterator[tuple[str, torch.nn.Module]]:
    """A new network of every kind that is trained."""
    for name, options in SMALL.items():
        start = Start(TrainOptions(encoder=options, seed=3))
        yield name, start.encoder(dict.fromkeys(options.streams("words"), 5_000))
    yield "head", draw_weights(Head(SHAPE), 3)


def digests() -> dict[str, str]:
    """A hash of the weights of each of these networks."""
    return {
        f"{name} {parameter}": xxhash.xxh3_64_hexdigest(weights.detach().numpy().tobytes())
        for name, network in starts()
        for parameter, weights in network.named_parameters()
    }
