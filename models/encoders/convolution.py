"""Convolutions over the units of a sentence: CSE, and the hierarchical ConvNet of InferSent.

Only windows of the sentence itself are computed, never any of a batch's padding.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from .embedding import UnitEncoder
from .random_weights import Linear
from .token_ids import Streams, TokenIds
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_kinds import ConvNetOptions, CseOptions

_CONV_NET_LAYERS = 4


class Windows:
    """Runs of `width` successive units of each sentence, which may begin before it and end after it.

    outside: how many units a window may begin before the sentence and end after it, where vectors are zero. A
    sentence that is shorter than a window has one, which begins with it. counts: (sentences, 1) float32, on
    the device, how many windows each sentence has.
    """

    def __init__(self, ids: TokenIds, width: int, outside: int, device: torch.device) -> None:
        lengths = ids.lengths()
        counts = np.maximum(lengths + 2 * outside - width + 1, 1)
        ends = np.cumsum(counts)
        number = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
        places = (number - outside)[:, None] + np.arange(width)
        is_inside = (places >= 0) & (places < np.repeat(lengths, counts)[:, None])
        units = np.where(is_inside, places + np.repeat(ids.starts[:-1], counts)[:, None], ids.starts[-1])
        self._units = torch.from_numpy(units).to(device)
        self._starts = torch.from_numpy(ends - counts).to(device)
        self._order = torch.arange(len(units), device=device)
        self.counts = torch.from_numpy(counts[:, None].astype(np.float32)).to(device)

    def of(self, vectors: torch.Tensor) -> torch.Tensor:
        """(units, d) to (windows, width · d): the vectors in each window, one after the other."""
        return _padded(vectors)[self._units].flatten(1)

    def total(self, vectors: torch.Tensor) -> torch.Tensor:
        """(units, d) to (sentences, width · d): what the windows of each sentence add up to."""
        padded = _padded(vectors)
        sums = [
            torch.nn.functional.embedding_bag(places, padded, self._starts, mode="sum")
            for places in self._units.T.contiguous()
        ]
        return torch.cat(sums, dim=1)

    def pooled(self, features: torch.Tensor, mode: str) -> torch.Tensor:
        """(windows, d) to (sentences, d): the `sum` or the `max` over the windows of each sentence."""
        return torch.nn.functional.embedding_bag(self._order, features, self._starts, mode=mode)


def _padded(vectors: torch.Tensor) -> torch.Tensor:
    """(units, d) to (units + 1, d), with zeros for the places outside sentences."""
    return torch.cat([vectors, vectors.new_zeros(1, vectors.shape[1])])


class Cse(UnitEncoder):
    """For windows of each width the sum over the sentence of f(W x + b), concatenated. CSE, section 3.1."""

    def __init__(self, rows: int, options: "CseOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        self.widths = options.widths
        self.dimension = options.filters * len(options.widths)
        self.filters = torch.nn.ModuleList(
            Linear(width * options.dimension, options.filters) for width in options.widths
        )
        self.is_tanh = options.activation == "tanh"

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        ids, device = sentences[self.units], self.embedding.weight.device
        vectors = self.embedding(ids.flat(device))
        sums = []
        layers = cast(Iterable[Linear], self.filters)
        for width, layer in zip(self.widths, layers, strict=True):
            windows = Windows(ids, width, 0, device)
            if self.is_tanh:
                sums.append(windows.pooled(layer(windows.of(vectors)).tanh(), "sum"))
            else:  # adding up the windows first leaves one product a sentence
                sums.append(layer(windows.total(vectors)) + (windows.counts - 1) * layer.bias)
        return torch.cat(sums, dim=1)


class ConvNet(UnitEncoder):
    """Four layers of convolutions over three units, the maxima of each layer concatenated.

    InferSent, section 3.2.4.
    """

    def __init__(self, rows: int, options: "ConvNetOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        self.dimension = _CONV_NET_LAYERS * options.filters
        inputs = [options.dimension, *[options.filters] * (_CONV_NET_LAYERS - 1)]
        self.layers = torch.nn.ModuleList(Linear(3 * size, options.filters) for size in inputs)

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        ids, device = sentences[self.units], self.embedding.weight.device
        vectors = self.embedding(ids.flat(device))
        windows = Windows(ids, 3, 1, device)
        maxima = []
        for layer in self.layers:
            vectors = layer(windows.of(vectors)).relu()
            maxima.append(windows.pooled(vectors, "max"))
        return torch.cat(maxima, dim=1)
