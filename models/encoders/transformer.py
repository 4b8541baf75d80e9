"""A small Transformer: the mean of the states of its last layer."""

import math
from typing import TYPE_CHECKING

import numpy as np
import torch

from .embedding import UnitEncoder, positions
from .random_weights import draw_uniform
from .token_ids import Streams
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_kinds import TransformerOptions


class Transformer(UnitEncoder):
    """The mean of a Transformer's last states over the units. Layers after Vaswani et al. 2017, section 3.

    Each of their two parts is normalised before it (not after it), which trains without a warm-up. Positions
    are sines and cosines, so a sentence may have any length.
    """

    def __init__(self, rows: int, options: "TransformerOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        layer = torch.nn.TransformerEncoderLayer(
            options.dimension,
            options.heads,
            options.feed_forward,
            dropout=0.0,
            batch_first=True,
            norm_first=True,
        )
        self.layers = torch.nn.TransformerEncoder(
            layer, options.layers, torch.nn.LayerNorm(options.dimension), enable_nested_tensor=False
        )

    def draw(self, random: np.random.Generator) -> None:
        """Draws the layers' weights, uniform as by Glorot and Bengio 2010. Biases start from 0.

        What scales a normalised state starts from 1, as torch made it.
        """
        for name, weights in self.layers.named_parameters():
            if weights.dim() > 1:
                draw_uniform(weights, math.sqrt(6 / sum(weights.shape)), random)
            elif name.endswith("bias"):
                weights.detach().zero_()

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        ids, lengths = sentences[self.units].padded(self.embedding.weight.device)
        here = positions(ids, lengths)
        vectors = self.embedding(ids) * self.dimension**0.5
        vectors = vectors + sinusoids(ids.shape[1], self.dimension).to(vectors)
        states = self.layers(vectors, src_key_padding_mask=~here)
        return (states * here[..., None]).sum(dim=1) / lengths[:, None]


def sinusoids(length: int, dimension: int) -> torch.Tensor:
    """(length, dimension): sines in the even and cosines in the odd columns, of ever longer waves.

    >>> sinusoids(2, 4)[1].tolist() == [*torch.tensor([1.0]).sin(), *torch.tensor([1.0]).cos(),
    ...                                 *torch.tensor([0.01]).sin(), *torch.tensor([0.01]).cos()]
    True
    """
    columns = torch.arange(dimension)
    rates = 10_000.0 ** (-2 * (columns // 2) / dimension)
    angles = torch.arange(length)[:, None] * rates
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())
