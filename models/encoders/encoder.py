"""One interface for every sentence encoder: token ids and lengths in, sentence vectors out."""

from typing import ClassVar, Protocol

import torch


class Encoder(Protocol):
    """A module that embeds sentences; its parameters are all that a checkpoint holds.

    `type` is its name in `ENCODERS` and in an encoder folder's config.json.
    """

    type: ClassVar[str]
    dimension: int

    def __call__(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Sentence vectors, (batch, dimension) float32.

        ids: (batch, longest) int64, padded with anything; lengths: (batch,) int64, 0 allowed (its
        vector is zero).
        """
        ...
