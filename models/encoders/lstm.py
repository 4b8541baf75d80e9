"""LSTM, its averages, and both directions: LSTM, LSTMAVG, BiLSTM and bidirectional pooling."""

from typing import TYPE_CHECKING

import torch

from .recurrence import Dense, PeepholeLstm, Recurrent, Steps, TorchLstm
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder_kinds import BiLstmOptions, LstmAveragingOptions, LstmOptions, RecurrentOptions


def lstm_layer(options: "RecurrentOptions") -> PeepholeLstm | TorchLstm:
    """The LSTM that the options describe, over vectors of units."""
    if options.peepholes is not False:
        return PeepholeLstm(options.dimension, options.state_size, options.output_gate)
    return TorchLstm(options.dimension, options.state_size)


class Lstm(Recurrent):
    """The last state of an LSTM, or the mean of its states. Revisiting recurrent networks, section 3.1."""

    def __init__(
        self, rows: int, options: "LstmOptions | LstmAveragingOptions", units: Units, averages: bool
    ) -> None:
        super().__init__(rows, options, units)
        self.dimension = options.state_size
        self.averages = averages
        self.lstm = lstm_layer(options)

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (sentences, dimension)."""
        states = self.lstm(vectors, steps)
        return steps.mean(states) if self.averages else steps.last(states)


class BiLstm(Recurrent):
    """Two LSTMs that read in opposite directions, their states pooled over the sentence.

    ParaNMT, section 4.1; with concatenated maxima InferSent, section 3.2.2.
    """

    def __init__(self, rows: int, options: "BiLstmOptions", units: Units) -> None:
        super().__init__(rows, options, units)
        size = options.state_size
        self.combine = options.combine
        self.dimension = {"add": size, "concatenate": 2 * size, "tanh": options.dimension}[self.combine]
        self.pools_maximum = options.pooling == "max"
        self.forwards, self.backwards = lstm_layer(options), lstm_layer(options)
        self.both = Dense(2 * size, options.dimension) if self.combine == "tanh" else None

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d) to (sentences, dimension)."""
        states = both_directions(self.forwards, self.backwards, vectors, steps)
        pool = steps.maximum if self.pools_maximum else steps.mean
        if self.both is not None:
            return pool(self.both(*states).tanh())
        forwards, backwards = map(pool, states)
        if self.combine == "concatenate":
            return torch.cat([forwards, backwards], dim=1)
        return torch.maximum(forwards, backwards) if self.pools_maximum else forwards + backwards


def both_directions(
    forwards: torch.nn.Module, backwards: torch.nn.Module, vectors: torch.Tensor, steps: Steps
) -> tuple[torch.Tensor, torch.Tensor]:
    """The states of a layer that reads forwards and of one that reads backwards, (units, size) each."""
    return forwards(vectors, steps), steps.mirrored(backwards(steps.mirrored(vectors), steps))
