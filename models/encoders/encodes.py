"""What training and evaluation need of an encoder: `SentenceEncoder` has it, and a user's own model may."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Encodes(Protocol):
    """Anything that gives vectors for sentences: `SentenceEncoder`, or a user's own model."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """(n, dimension) float32."""
        ...
