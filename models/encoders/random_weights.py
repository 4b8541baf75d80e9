"""The random numbers that weights start from: those of a seed are the same on every processor.

They are NumPy's, because torch's normal and uniform numbers differ between its code for different processors.
"""

import math
from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import torch

Network = TypeVar("Network", bound=torch.nn.Module)

_BLOCK = 1 << 16


@runtime_checkable
class Drawn(Protocol):
    """A layer with weights of its own, which training starts from random numbers."""

    def draw(self, random: np.random.Generator) -> None:
        """Draws these weights, and those of layers inside that are not `Drawn` themselves."""


def draw_weights(network: Network, seed: int) -> Network:
    """Draws the weights of a new network on the CPU, layer by layer in the order in which it has them.

    It returns the network. Until then the weights are those of torch's constructors, or zeros.
    """
    random = np.random.default_rng(seed)
    for layer in network.modules():
        if isinstance(layer, Drawn):
            layer.draw(random)
    return network


class Linear(torch.nn.Linear):
    """torch's linear layer. Weights and biases start uniform within ± 1 / √(numbers that go in)."""

    def draw(self, random: np.random.Generator) -> None:
        """Draws the weights and the biases."""
        for weights in self.parameters():
            draw_uniform(weights, 1 / math.sqrt(self.in_features), random)


def draw_normal(weights: torch.Tensor, deviation: float, random: np.random.Generator) -> None:
    """Fills weights with numbers from N(0, deviation²)."""
    _fill(weights, lambda count: random.standard_normal(count) * deviation)


def draw_uniform(weights: torch.Tensor, bound: float, random: np.random.Generator) -> None:
    """Fills weights with numbers that are uniform within ± bound."""
    _fill(weights, lambda count: (2 * random.random(count) - 1) * bound)


def _fill(weights: torch.Tensor, numbers: Callable[[int], np.ndarray]) -> None:
    """numbers: that many in float64, from operations that every processor rounds alike."""
    flat = weights.detach().view(-1).numpy()
    for start in range(0, len(flat), _BLOCK):
        block = flat[start : start + _BLOCK]
        block[:] = numbers(len(block))
