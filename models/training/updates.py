"""The optimisers of a training: torch's, and those that move the rows of tables in a mini-batch alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
import torch

from ..encoders.token_ids import Streams, TokenIds
from ..encoders.vocabulary import Units
from .mixed_precision import LossScale
from .parallel import Processes
from .row_adam import RowAdam

# Fused: five times as fast on a CPU.
_OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": partial(torch.optim.Adam, fused=True),
    "sgd": torch.optim.SGD,
    "adagrad": torch.optim.Adagrad,
}


class RowSgd:
    """Stochastic gradient descent on the rows of a table that a mini-batch holds, as `RowAdam` does its."""

    def __init__(self, table: torch.Tensor, rate: float = 1e-3) -> None:
        self._table, self.rate = table.detach(), rate

    def update(self, rows: torch.Tensor, gradient: torch.Tensor, step: int) -> None:
        """Moves the given rows, each named once."""
        self._table.index_copy_(0, rows, self._table.index_select(0, rows) - self.rate * gradient)


_BY_ROWS: dict[str, type[RowAdam | RowSgd]] = {"adam": RowAdam, "sgd": RowSgd}


@dataclass(frozen=True)
class SmallTables:
    """Tables of the rows of a mini-batch alone, so that their gradients are small.

    sentences: with ids of these tables. tables, rows: for each table its vectors, and the rows of the whole
    table that they are. Both are empty where whole tables are updated.
    """

    sentences: Streams = field(default_factory=Streams)
    tables: dict[str, torch.Tensor] = field(default_factory=dict)
    rows: dict[str, torch.Tensor] = field(default_factory=dict)


class Updates:
    """Changes parameters by their gradients.

    parameters: by their names, in the order in which the norm of all gradients is summed up. tables: those of
    them that are moved by rows, with the units of their rows. clip_norm: gradients are scaled down to this
    norm. steps: how many mini-batches were done.
    """

    def __init__(
        self,
        parameters: Mapping[str, torch.Tensor],
        tables: Mapping[str, Units],
        optimiser: Literal["adam", "sgd", "adagrad"] = "adam",
        clip_norm: float | None = None,
        precision: str = "float32",
    ) -> None:
        self.parameters, self.tables = dict(parameters), dict(tables)
        self.steps = 0
        self._clip_norm = clip_norm
        self.scale = LossScale(precision)
        self._rows = {name: _BY_ROWS[optimiser](self.parameters[name]) for name in self.tables}
        self._whole = {name: value for name, value in self.parameters.items() if name not in self._rows}
        # In a group, because torch refuses a plain list that is empty.
        self._optimiser = _OPTIMISERS[optimiser]([{"params": list(self._whole.values())}])

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
            for name, units in self.tables.items()
        }
        tables = {
            name: self.parameters[name].detach().index_select(0, index).requires_grad_()
            for name, index in rows.items()
        }
        return SmallTables(renumbered, tables, rows)

    def add_up(self, small: SmallTables, processes: Processes) -> None:
        """Adds up the gradients of all processes; a parameter that none has a gradient of gets zeros."""
        leaves = self._leaves(small)
        for leaf in leaves:
            if leaf.grad is None:
                leaf.grad = torch.zeros_like(leaf)
        processes.add([leaf.grad for leaf in leaves if leaf.grad is not None])

    def step(self, small: SmallTables, rate: float) -> None:
        """One step by the gradients of `small` and of the parameters, which are cleared.

        rate: the learning rate. The gradients are those of the loss times `scale`; nothing is changed where
        they overflowed.
        """
        self.steps += 1
        leaves = self._leaves(small)
        if not self.scale.take_off([leaf.grad for leaf in leaves if leaf.grad is not None]):
            self._optimiser.zero_grad()
            return
        if self._clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(leaves, self._clip_norm)
        for name, table in small.tables.items():
            if table.grad is not None:
                self._rows[name].rate = rate
                self._rows[name].update(small.rows[name], table.grad, self.steps)
        if self._whole:
            self._optimiser.param_groups[0]["lr"] = rate
            self._optimiser.step()
            self._optimiser.zero_grad()

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that a step changes."""
        tensors: dict[str, torch.Tensor] = {}
        for name, parameter in self.parameters.items():
            tensors[f"parameter/{name}"] = parameter
        for name, rows in self._rows.items():
            if isinstance(rows, RowAdam):
                tensors |= {f"first/{name}": rows.first, f"second/{name}": rows.second}
        for name, parameter in self._whole.items():
            for key, tensor in self._optimiser.state[parameter].items():
                tensors[f"optimiser/{name}/{key}"] = tensor
        return tensors | ({"scale": self.scale.state} if self.scale.is_used else {})

    def restore(self, tensors: Mapping[str, torch.Tensor], steps: int) -> None:
        """Takes up what `tensors` gave after `steps` steps."""
        # torch's Adam has no tensors before its first step, and none of a parameter that no gradient reached.
        for name, parameter in self._whole.items():
            prefix = f"optimiser/{name}/"
            self._optimiser.state[parameter] = {
                key.removeprefix(prefix): tensor.to(parameter.device, copy=True)
                for key, tensor in tensors.items()
                if key.startswith(prefix)
            }
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                tensor.copy_(tensors[name])
        self.steps = steps

    def _leaves(self, small: SmallTables) -> list[torch.Tensor]:
        """Where the gradients are."""
        return [small.tables.get(name, parameter) for name, parameter in self.parameters.items()]


def _distinct_rows(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that occur, rising, and which of them each id is, both int64: np.unique without sorting."""
    is_there = np.zeros(ids.max(initial=-1) + 1, bool)
    is_there[ids] = True
    rows = np.flatnonzero(is_there)
    number = np.empty(len(is_there), np.int64)
    number[rows] = np.arange(len(rows))
    return rows, number[ids]
