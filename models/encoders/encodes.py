"""What training and evaluation need of an encoder: `SentenceEncoder` has it, and a user's own model may."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Encodes(Protocol):
    """Anything that gives vectors for sentences: `SentenceEncoder`, or a user's own model."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """(n, dimension) float32."""
        ...


def development_of(encoder: Encodes) -> Sequence[str]:
    """The development sets on which the training of an encoder of ours chose it; other encoders have none."""
    return getattr(encoder, "development", ())
