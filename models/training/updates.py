"""The optimisers of a training: torch's Adam, and `RowAdam` for the rows of tables in a mini-batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch

from ..encoders.encoder import Encoder
from ..encoders.token_ids import Streams, TokenIds
from .options import TrainOptions
from .parallel import Processes
from .precision import LossScale
from .row_adam import RowAdam


@dataclass(frozen=True)
class SmallTables:
    """Tables of the rows of a mini-batch alone, so that their gradients are small.

    sentences: with ids of these tables. tables, rows: for each table its vectors, and the rows of the whole
    table that they are. Both are empty where whole tables are updated.
    """

    sentences: Streams
    tables: dict[str, torch.Tensor] = field(default_factory=dict)
    rows: dict[str, torch.Tensor] = field(default_factory=dict)


class Updates:
    """Changes the parameters of an encoder by their gradients.

    steps: how many mini-batches were done. total_steps: how many the whole training has, for the schedule.
    """

    def __init__(self, encoder: Encoder, options: TrainOptions, total_steps: int) -> None:
        self.parameters = dict(encoder.named_parameters())
        self.steps = 0
        self._options, self._total_steps = options, total_steps
        self.scale = LossScale(options.resolved_precision)
        self._streams = encoder.tables if options.embedding_updates == "rows" else {}
        self._rows = {name: RowAdam(self.parameters[name], options.learning_rate) for name in self._streams}
        self._whole = {name: value for name, value in self.parameters.items() if name not in self._rows}
        # In a group, because torch refuses a plain list that is empty. Fused: five times as fast on a CPU.
        group = {"params": list(self._whole.values())}
        self._adam = torch.optim.Adam([group], options.learning_rate, fused=True)

    def small_tables(self, sentences: Streams) -> SmallTables:
        """The tables to compute a mini-batch with, instead of the encoder's."""
        if not self._rows:
            return SmallTables(sentences)
        renumbered, rows_of_stream = Streams(), {}
        for units, ids in sentences.items():
            rows_of_stream[units], local = _distinct_rows(ids.ids)
            renumbered[units] = TokenIds(local, ids.starts)
        rows = {
            name: torch.from_numpy(rows_of_stream[units]).to(self.parameters[name].device)
            for name, units in self._streams.items()
        }
        tables = {
            name: self.parameters[name].detach().index_select(0, index).requires_grad_()
            for name, index in rows.items()
        }
        return SmallTables(renumbered, tables, rows)

    def add_up(self, small: SmallTables, processes: Processes) -> None:
        """Adds up the gradients of all processes; a parameter that none has a gradient of gets zeros."""
        leaves = [*small.tables.values(), *self._whole.values()]
        for leaf in leaves:
            if leaf.grad is None:
                leaf.grad = torch.zeros_like(leaf)
        processes.add([leaf.grad for leaf in leaves if leaf.grad is not None])

    def step(self, small: SmallTables) -> None:
        """One step by the gradients of `small` and of the parameters, which are cleared.

        The gradients are those of the loss times `scale`; nothing is changed where they overflowed.
        """
        self.steps += 1
        options = self._options
        leaves = [*small.tables.values(), *self._whole.values()]
        if not self.scale.take_off([leaf.grad for leaf in leaves if leaf.grad is not None]):
            self._adam.zero_grad()
            return
        if options.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(leaves, options.clip_norm)
        rate = options.learning_rate * self.rate_factor()
        for name, table in small.tables.items():
            if table.grad is not None:
                self._rows[name].rate = rate
                self._rows[name].update(small.rows[name], table.grad, self.steps)
        if self._whole:
            self._adam.param_groups[0]["lr"] = rate
            self._adam.step()
            self._adam.zero_grad()

    def rate_factor(self) -> float:
        """By what the schedule multiplies the learning rate in the current step, the first being step 1."""
        warmup = self._options.warmup_steps
        if self.steps <= warmup:
            return self.steps / (warmup + 1)
        if self._options.schedule == "constant":
            return 1.0
        return (self._total_steps + 1 - self.steps) / (self._total_steps - warmup)

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that a step changes."""
        tensors: dict[str, torch.Tensor] = {}
        for name, parameter in self.parameters.items():
            tensors[f"parameter/{name}"] = parameter
        for name, rows in self._rows.items():
            tensors |= {f"first/{name}": rows.first, f"second/{name}": rows.second}
        for name, parameter in self._whole.items():
            for key, tensor in self._adam.state[parameter].items():
                tensors[f"adam/{name}/{key}"] = tensor
        return tensors | ({"scale": self.scale.state} if self.scale.is_used else {})

    def restore(self, tensors: Mapping[str, torch.Tensor], steps: int) -> None:
        """Takes up what `tensors` gave after `steps` steps."""
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                tensor.copy_(tensors[name])
        # torch's Adam has no tensors before its first step, and none of a parameter that no gradient reached.
        for name, parameter in self._whole.items():
            prefix = f"adam/{name}/"
            self._adam.state[parameter] = {
                key.removeprefix(prefix): tensor.to(parameter.device, copy=True)
                for key, tensor in tensors.items()
                if key.startswith(prefix)
            }
        self.steps = steps


def _distinct_rows(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that occur, rising, and which of them each id is, both int64: np.unique without sorting."""
    is_there = np.zeros(ids.max(initial=-1) + 1, bool)
    is_there[ids] = True
    rows = np.flatnonzero(is_there)
    number = np.empty(len(is_there), np.int64)
    number[rows] = np.arange(len(rows))
    return rows, number[ids]
