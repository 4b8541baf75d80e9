"""One interface for every sentence encoder: token ids and lengths in, sentence vectors out."""

from typing import Protocol

import torch


class Encoder(Protocol):
    """A module that embeds sentences; its parameters are all that a checkpoint holds.

    Its name is its key in `ENCODERS`, and the `type` of a recipe's encoder and of config.json.
    """

    dimension: int

    def __call__(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Sentence vectors, (batch, dimension) float32.

        ids: (batch, longest) int64, padded with anything; lengths: (batch,) int64, 0 allowed (its
        vector is zero).
        """
        ...
