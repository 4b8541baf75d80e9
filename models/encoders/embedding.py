"""The first layer of every encoder: the embedding table, and its dropout in training."""

import numpy as np
import torch

from .encoder import Encoder
from .encoder_options import UnitOptions
from .random_weights import draw_normal
from .vocabulary import Units


class UnitEmbedding(torch.nn.Embedding):
    """Vectors of units, with dropout or word dropout while training."""

    def __init__(self, rows: int, options: UnitOptions) -> None:
        super().__init__(rows, options.dimension)
        self.initial_scale = options.initial_scale
        self.dropout, self.word_dropout = options.dropout, options.word_dropout

    def reset_parameters(self) -> None:
        """Zeros, instead of torch's random numbers."""
        torch.nn.init.zeros_(self.weight)

    def draw(self, random: np.random.Generator) -> None:
        """Draws the table from N(0, initial_scale²)."""
        draw_normal(self.weight, self.initial_scale, random)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(…) int64 rows to (…, dimension)."""
        vectors = super().forward(ids)
        if self.word_dropout:
            ones = torch.ones_like(vectors[..., :1])
            return vectors * torch.nn.functional.dropout(ones, self.word_dropout, self.training)
        return torch.nn.functional.dropout(vectors, self.dropout, self.training)


class UnitEncoder(Encoder):
    """An `Encoder` over one embedding table, which it looks up through `self.embedding`."""

    def __init__(self, rows: int, options: UnitOptions, units: Units) -> None:
        super().__init__()
        self.options = options
        self.dimension = options.dimension
        self.units = units
        self.tables = {"embedding.weight": units}
        self.embedding = UnitEmbedding(rows, options)


def positions(ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """(batch, longest) bool: which positions hold a unit of the sentence, not padding."""
    return torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
