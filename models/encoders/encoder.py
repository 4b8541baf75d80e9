"""One interface for every sentence encoder: the units of sentences in, sentence vectors out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import torch

from .token_ids import Streams
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_options import EncoderOptions


class Encoder(torch.nn.Module):
    """A network that embeds sentences; a checkpoint holds its parameters and nothing else.

    options: from which `build` makes another one. dimension: how many numbers a sentence's vector has.
    tables: the names of the parameters that are embedding tables, each with the units of its rows. A
    table is only ever looked up by row, so that the trainer can put the rows of one mini-batch in its place.
    """

    options: "EncoderOptions"
    dimension: int
    tables: Mapping[str, Units]

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32, on the device of the parameters.

        sentences: on the host, in any order, each with at least one unit in every stream of the encoder. The
        vector of a sentence must not depend on the other sentences.
        """
        raise NotImplementedError


def embed(encoder: Encoder, sentences: Streams, batch: int) -> torch.Tensor:
    """The vectors of any sentences, in their order: (sentences, dimension) float32, without gradients.

    A sentence without units has the zero vector. Sentences of similar length go through the encoder together,
    `batch` at a time.
    """
    lengths = sentences.lengths()
    order = np.argsort(lengths, kind="stable")
    order = order[np.count_nonzero(lengths == 0) :]
    device = next(encoder.parameters()).device
    vectors = torch.zeros(len(lengths), encoder.dimension, device=device)
    with torch.no_grad():
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            vectors[torch.from_numpy(rows).to(device)] = encoder(sentences.take(rows)).float()
    return vectors
