"""Inner attention: several weighted means of the states of a bidirectional LSTM."""

from typing import TYPE_CHECKING

import torch

from .lstm import both_directions, lstm_layer
from .random_weights import Linear
from .recurrence import Recurrent, Steps
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_kinds import InnerAttentionOptions


class InnerAttention(Recurrent):
    """For each view a mean of the states h, with the weights softmax(u · tanh(W h + b)) over the sentence.

    The views have queries u of their own and share W and b; their means are concatenated. InferSent,
    section 3.2.3.
    """

    def __init__(self, rows: int, options: "InnerAttentionOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        size = 2 * options.state_size
        self.dimension = options.views * size
        self.forwards, self.backwards = lstm_layer(options), lstm_layer(options)
        self.keys = Linear(size, size)
        self.queries = Linear(size, options.views, bias=False)

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (sentences, dimension)."""
        states = torch.cat(both_directions(self.forwards, self.backwards, vectors, steps), dim=1)
        scores = self.queries(self.keys(states).tanh())
        # Without a sentence's highest score, which changes no weight, exp does not overflow.
        weights = (scores - steps.spread(steps.maximum(scores.detach()))).exp()
        weights = weights / steps.spread(steps.total(weights))
        return torch.cat([steps.total(states * view) for view in weights.split(1, dim=1)], dim=1)
