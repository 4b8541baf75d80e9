"""Translation cost: how unlikely the translation model finds its own translation."""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from .score import Score


def translation_cost(
    log_prob: pa.FloatArray | pa.ChunkedArray, tokens: pa.Int32Array | pa.ChunkedArray
) -> pa.FloatArray:
    """-log_prob / tokens, in nats per token; float32. Null where either is null or `tokens` is 0.

    >>> translation_cost(pa.array([-3.0, None], pa.float32()), pa.array([4, 4], pa.int32())).to_pylist()
    [0.75, None]
    """
    import pyarrow.compute as pc  # takes a tenth of a second, and reading a recipe does not need it

    # Subtracted from zero instead of negated, so that a translation of probability 1 costs 0, not -0.
    nats = pc.subtract(0.0, pc.cast(log_prob, pa.float64()))
    positive_tokens = pc.if_else(
        pc.greater(tokens, 0), pc.cast(tokens, pa.float64()), pa.scalar(None, pa.float64())
    )
    cost = pc.cast(pc.divide(nats, positive_tokens), pa.float32())
    return cost.combine_chunks() if isinstance(cost, pa.ChunkedArray) else cost


@dataclass(frozen=True)
class TranslationCost(Score):
    """Negative log-likelihood of the translation under the translation model, divided by its number of tokens
    (those of the model, including the end symbol). A low value means that the model is confident. Null for
    existing translations that no model scored. Wieting et al. 2017, section 5.6.
    """

    score: Literal["translation_cost"] = "translation_cost"

    version = 1
    reads = ("translation_log_prob", "translation_tokens")
    dtype = pa.float32()
    unit = "nats per token"
    higher_is_better = False

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `translation_cost`."""
        return translation_cost(pairs["translation_log_prob"], pairs["translation_tokens"])
