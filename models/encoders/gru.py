"""GRU: the last state of a gated recurrent unit, in one direction or in both."""

from typing import TYPE_CHECKING

import numpy as np
import torch

from .recurrence import Recurrent, Steps, draw_recurrent, run_packed
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_kinds import BiGruOptions, GruOptions


class GruLayer(torch.nn.GRU):
    """torch's GRU over sentences step by step."""

    def draw(self, random: np.random.Generator) -> None:
        """Draws all weights, uniform within ± 1 / √(size of the state)."""
        draw_recurrent(self, random)

    def forward(self, inputs: torch.Tensor, steps: Steps) -> torch.Tensor:  # type: ignore[override]
        """(units, inputs) to the states h, (units, size)."""
        return run_packed(super().forward, inputs, steps)


class Gru(Recurrent):
    """The last state of a GRU; in both directions the last states of both, concatenated.

    InferSent, section 3.2.1, which calls the second BiGRU-last.
    """

    def __init__(self, rows: int, options: "GruOptions | BiGruOptions", units: Units, both: bool) -> None:
        super().__init__(rows, options, units)
        size = options.state_size
        self.dimension = 2 * size if both else size
        self.forwards = GruLayer(options.dimension, size)
        self.backwards = GruLayer(options.dimension, size) if both else None

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (sentences, dimension)."""
        if self.backwards is None:
            return steps.last(self.forwards(vectors, steps))
        backwards = self.backwards(steps.mirrored(vectors), steps)
        return torch.cat([steps.last(self.forwards(vectors, steps)), steps.last(backwards)], dim=1)
