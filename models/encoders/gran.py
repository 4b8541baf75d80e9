"""GRAN: gates decide how much of each unit's vector, and of the LSTM's state, counts in the mean."""

from typing import TYPE_CHECKING

import torch

from ...base.errors import RecipeError
from .lstm import lstm_layer
from .recurrence import Dense, NormalStart, Recurrent, Steps, zeros
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_kinds import BiGranOptions, GranOptions, RecurrentOptions

_RUNNING = (3, 4)  # the variants whose last state is the sentence's


class GatedLayer(NormalStart):
    """The gated states a of GRAN 1 to 5, (units, size), from the vectors x and the states h of an LSTM.

    Gates are σ(W_x x + W_h h + b). 1: a = x ⊙ g. 2: a = h ⊙ g. 3: a_t = a_{t−1} ⊙ g1 + x ⊙ g2 with a_0 = 0.
    4: as 3, and the gates see a_{t−1} too. 5: a = x ⊙ g1 + h ⊙ g2.
    """

    def __init__(self, options: "RecurrentOptions", variant: int) -> None:
        super().__init__()
        inputs, states = options.dimension, options.state_size
        if variant == 5 and inputs != states:
            raise RecipeError(
                f"variant 5 adds states to vectors, so size must be dimension, {inputs}; it is {states}"
            )
        self.variant = variant
        self.size = states if variant == 2 else inputs
        self.lstm = lstm_layer(options)
        self.gates = Dense(inputs + states, self.size * (1 if variant in (1, 2) else 2))
        self.of_average = zeros(2 * self.size, self.size) if variant == 4 else None
        self.open = torch.nn.Sigmoid()  # a module, so that an analysis can watch the gates

    def forward(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (units, size)."""
        states = self.lstm(vectors, steps)
        gates = self.gates(vectors, states)
        if self.variant in _RUNNING:
            return self._running(vectors, gates, steps)
        if self.variant == 5:
            of_vectors, of_states = self.open(gates).chunk(2, dim=1)
            return vectors * of_vectors + states * of_states
        return (vectors if self.variant == 1 else states) * self.open(gates)

    def _running(self, vectors: torch.Tensor, gates: torch.Tensor, steps: Steps) -> torch.Tensor:
        averages: list[torch.Tensor] = []
        for start, end in steps.spans():
            gate = gates[start:end]
            before = averages[-1][: end - start] if averages else None
            if before is not None and self.of_average is not None:
                gate = torch.addmm(gate, before, self.of_average.T)
            of_average, of_vectors = self.open(gate).chunk(2, dim=1)
            added = vectors[start:end] * of_vectors
            averages.append(added if before is None else torch.addcmul(added, before, of_average))
        return torch.cat(averages)


class Gran(Recurrent):
    """The gated recurrent averaging network. Revisiting recurrent networks, section 3.1.

    The mean of the gated states; in variants 3 and 4 the last of them, divided by the sentence's length.
    Without gates, the mean of f(W_x x + W_h h + b) (footnote 2).
    """

    def __init__(self, rows: int, options: "GranOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        self.gated = GatedLayer(options, options.variant)
        self.dimension = self.gated.size
        functions = {"tanh": torch.tanh, "relu": torch.relu, None: None}
        self._ungated = functions[options.without_gate]

    @property
    def is_ungated(self) -> bool:
        """Whether it has no gates."""
        return self._ungated is not None

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (sentences, dimension)."""
        if self._ungated is not None:
            states = self.gated.lstm(vectors, steps)
            return steps.mean(self._ungated(self.gated.gates(vectors, states)))
        gated = self.gated(vectors, steps)
        return steps.last(gated) / steps.lengths if self.gated.variant in _RUNNING else steps.mean(gated)


class BiGran(Recurrent):
    """GRAN in both directions, combined at each unit and averaged; backwards it is always variant 1."""

    def __init__(self, rows: int, options: "BiGranOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        self.forwards, self.backwards = GatedLayer(options, options.variant), GatedLayer(options, 1)
        sizes = self.forwards.size, self.backwards.size
        self.both = Dense(sum(sizes), options.dimension) if options.combine == "tanh" else None
        if self.both is None and sizes[0] != sizes[1]:
            raise RecipeError(
                f"states of size {sizes[0]} cannot be added to vectors of dimension {sizes[1]}: set combine "
                "to tanh, or size to dimension"
            )

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (sentences, dimension)."""
        forwards = self.forwards(vectors, steps)
        backwards = steps.mirrored(self.backwards(steps.mirrored(vectors), steps))
        return steps.mean(
            forwards + backwards if self.both is None else self.both(forwards, backwards).tanh()
        )
