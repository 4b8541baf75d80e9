"""Positional encoding: a mean of units' vectors that depends on the order of the units."""

import torch

from .embedding import UnitEncoder, positions
from .token_ids import Streams


class Positional(UnitEncoder):
    """The mean of l_j ⊙ v_j over the units j = 1 … J of a sentence, with v_j their vectors.

    l_j has the numbers (1 − j/J) − (k/d)(1 − 2j/J) for k = 1 … d, the dimension. Sukhbaatar et al. 2015
    (End-to-end memory networks), section 4.1, which has the sum; InferSent, table 4.
    """

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        ids, lengths = sentences[self.units].padded(self.embedding.weight.device)
        place = (1 + torch.arange(ids.shape[1], device=ids.device)) / lengths[:, None]
        number = torch.arange(1, self.dimension + 1, device=ids.device) / self.dimension
        weights = (1 - place[..., None]) - number * (1 - 2 * place[..., None])
        weights = weights * positions(ids, lengths)[..., None]
        return (self.embedding(ids) * weights).sum(dim=1) / lengths[:, None]
