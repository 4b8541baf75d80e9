"""One interface for every sentence encoder: token ids and lengths in, sentence vectors out."""

from typing import Protocol

import torch


class Encoder(Protocol):
    """A module that embeds sentences; a checkpoint holds its parameters and nothing else.

    Its name is its key in `ENCODERS`, and the `type` of an encoder in a recipe and in config.json.
    """

    dimension: int

    def __call__(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Sentence vectors, (batch, dimension) float32.

        ids: (batch, longest) int64, padded with any value; lengths: (batch,) int64. A length may be 0, and
        the vector is zero then.
        """
        ...
