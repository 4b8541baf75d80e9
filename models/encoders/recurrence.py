"""Recurrent networks without padding: sentences are sorted by length and computed step by step.

Step t holds the unit t of every sentence that has one. As the longest sentences come first, those of a step
are the first rows of the step before it. Lengths stay on the host, so a GPU never has to be waited for.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import numpy as np
import torch

from .embedding import UnitEncoder
from .products import linear, product
from .random_weights import draw_normal, draw_uniform
from .token_ids import Streams, TokenIds

_SIMILAR, _GROUP = 0.8, 32


class Steps:
    """The order of the units of some sentences step by step; a network's states have the same order.

    sizes: how many sentences have a unit at each step. lengths: (sentences, 1) int64, on the device.
    """

    def __init__(self, ids: TokenIds, device: torch.device) -> None:
        lengths = ids.lengths()
        order = np.argsort(-lengths, kind="stable")
        steps = np.arange(lengths.max(initial=0))
        self._ids, self._device = ids, device
        self.lengths = torch.from_numpy(lengths[:, None]).to(device)
        self._starts = torch.from_numpy(ids.starts[:-1]).to(device)
        ends = np.searchsorted(-lengths[order], -steps, side="left")  # sentences with more units than `steps`
        self.sizes: list[int] = ends.tolist()
        step = np.repeat(steps, ends)
        sentence = order[np.arange(len(step)) - np.repeat(np.cumsum(ends) - ends, ends)]
        self._unit = ids.starts[sentence] + step  # the unit at each place
        self._place = np.empty(len(step), np.int64)
        self._place[self._unit] = np.arange(len(step))
        self._mirror = self._place[ids.starts[sentence] + lengths[sentence] - 1 - step]

    def unit_ids(self) -> torch.Tensor:
        """(units,) int64: the ids of the units."""
        return self._to_device(self._ids.ids[self._unit].astype(np.int64))

    def mirrored(self, states: torch.Tensor) -> torch.Tensor:
        """(units, …) with each sentence's units in the opposite order; twice changes nothing."""
        return states.index_select(0, self._to_device(self._mirror))

    def in_order(self, states: torch.Tensor) -> torch.Tensor:
        """(units, …) with the units sentence by sentence, as the ids are."""
        return states.index_select(0, self._to_device(self._place))

    def last(self, states: torch.Tensor) -> torch.Tensor:
        """(units, d) to (sentences, d): the state of each sentence's last unit."""
        return states.index_select(0, self._to_device(self._place[self._ids.starts[1:] - 1]))

    def total(self, states: torch.Tensor) -> torch.Tensor:
        """(units, d) to (sentences, d): the sum over each sentence."""
        return self._pooled(states, "sum")

    def mean(self, states: torch.Tensor) -> torch.Tensor:
        """(units, d) to (sentences, d): the mean over each sentence."""
        return self.total(states) / self.lengths

    def maximum(self, states: torch.Tensor) -> torch.Tensor:
        """(units, d) to (sentences, d): the highest value of each number over each sentence."""
        return self._pooled(states, "max")

    def spread(self, sentences: torch.Tensor) -> torch.Tensor:
        """(sentences, d) to (units, d): each unit has the values of its sentence."""
        rows = np.repeat(np.arange(len(self._ids)), self._ids.lengths())[self._unit]
        return sentences.index_select(0, self._to_device(rows))

    def spans(self) -> Iterator[tuple[int, int]]:
        """The first place of each step, and the place after its last."""
        start = 0
        for size in self.sizes:
            yield start, start + size
            start += size

    def similar_lengths(self) -> Iterator[np.ndarray]:
        """Groups of sentences: for each (steps, sentences), the places of their units, −1 behind a sentence.

        The shortest sentence of a group has at least _SIMILAR times the length of the longest, or is among
        its first _GROUP.
        """
        sizes = np.array(self.sizes, np.int64)
        starts = np.cumsum(sizes) - sizes
        sentences = np.arange(max(self.sizes, default=0))
        lengths = np.searchsorted(-sizes, -sentences, side="left")  # longest first
        begin = 0
        while begin < len(lengths):
            similar = int(np.count_nonzero(lengths >= _SIMILAR * lengths[begin]))
            group = sentences[begin : max(similar, begin + _GROUP)]
            longest = lengths[begin]
            yield np.where(group < sizes[:longest, None], starts[:longest, None] + group, -1)
            begin += len(group)

    def previous(self) -> torch.Tensor:
        """The place of the unit before, for each place after the first step."""
        before = np.repeat(np.array(self.sizes[:-1], np.int64), self.sizes[1:])
        return self._to_device(np.arange(len(before)) + self.sizes[0] - before)

    def _pooled(self, states: torch.Tensor, mode: str) -> torch.Tensor:
        places = self._to_device(self._place)
        return torch.nn.functional.embedding_bag(places, states, self._starts, mode=mode)

    def _to_device(self, places: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(places).to(self._device)


class Recurrent(UnitEncoder):
    """The base class of encoders that read a sentence unit by unit; they define `compose`."""

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        steps = Steps(sentences[self.units], self.embedding.weight.device)
        return self.compose(self.embedding(steps.unit_ids()), steps)

    def compose(self, vectors: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, d), the vectors of the units step by step, to (sentences, dimension)."""
        raise NotImplementedError


def zeros(*shape: int) -> torch.nn.Parameter:
    """Weights of zero."""
    return torch.nn.Parameter(torch.zeros(shape))


class NormalStart(torch.nn.Module):
    """A layer whose own weights start from N(0, 0.1²), and its biases from 0, as in the papers' code."""

    def draw(self, random: np.random.Generator) -> None:
        """Draws the weights."""
        for weights in self.parameters(recurse=False):
            if weights.dim() > 1:
                draw_normal(weights, 0.1, random)


class Dense(NormalStart):
    """A linear layer."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = zeros(outputs, inputs)
        self.bias = zeros(outputs)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """(…, inputs) to (…, outputs); several inputs are concatenated."""
        return linear(torch.cat(inputs, dim=-1), self.weight, self.bias)


class PeepholeLstm(NormalStart):
    """The LSTM of Gers et al. 2003, whose gates see the cell.

    i, f = σ(W x_t + U h_{t−1} + p ⊙ c_{t−1} + b); c_t = f ⊙ c_{t−1} + i ⊙ tanh(W x_t + U h_{t−1} + b);
    o = σ(W x_t + U h_{t−1} + p ⊙ c_t + b); h_t = o ⊙ tanh(c_t), with W, U, p, b of their own each. Without an
    output gate h_t = tanh(c_t), a variant in the papers' code.
    """

    def __init__(self, inputs: int, size: int, output_gate: bool = True) -> None:
        super().__init__()
        self.of_input = Dense(inputs, 4 * size)
        self.of_state = zeros(4 * size, size)
        self.peepholes = zeros(3, size)  # of i, f and o
        self.output_gate = output_gate

    def forward(self, inputs: torch.Tensor, steps: Steps) -> torch.Tensor:
        """(units, inputs) to the states h, (units, size)."""
        # The steps are float32 in mixed precision too.
        projected = self.of_input(inputs).to(self.of_state.dtype)
        states: torch.Tensor = _PeepholeSteps.apply(
            projected, self.of_state, self.peepholes, steps, self.output_gate
        )
        return states


class TorchLstm(torch.nn.LSTM):
    """torch's LSTM, without peepholes; cuDNN computes it on a GPU, and oneDNN on a CPU.

    oneDNN computes only sentences of one length, so those of similar length are padded to the longest there.
    torch's own steps, which it takes for other lengths, take two to five times as long.
    """

    def draw(self, random: np.random.Generator) -> None:
        """Draws all weights, uniform within ± 1 / √(size of the state)."""
        draw_recurrent(self, random)

    def forward(self, inputs: torch.Tensor, steps: Steps) -> torch.Tensor:  # type: ignore[override]
        """(units, inputs) to the states h, (units, size)."""
        if inputs.device.type != "cpu":
            return run_packed(super().forward, inputs, steps)
        states, places, computed = [], np.empty(len(inputs), np.int64), 0
        for group in steps.similar_lengths():
            here = group >= 0
            padded = inputs.index_select(0, torch.from_numpy(np.where(here, group, 0).ravel()))
            states.append(super().forward(padded.view(*group.shape, -1))[0].flatten(0, 1))
            places[group[here]] = computed + np.flatnonzero(here)
            computed += group.size
        return torch.cat(states).index_select(0, torch.from_numpy(places))


def draw_recurrent(layer: torch.nn.RNNBase, random: np.random.Generator) -> None:
    """Draws all weights of one of torch's recurrent networks, uniform within ± 1 / √(size of the state)."""
    for weights in layer.parameters():
        draw_uniform(weights, 1 / math.sqrt(layer.hidden_size), random)


def run_packed(network: Callable[..., Any], inputs: torch.Tensor, steps: Steps) -> torch.Tensor:
    """The states of one of torch's own recurrent networks, (units, size)."""
    packed = torch.nn.utils.rnn.PackedSequence(inputs, torch.tensor(steps.sizes))
    states: torch.Tensor = network(packed)[0].data
    return states


class _PeepholeSteps(torch.autograd.Function):
    """The steps of a `PeepholeLstm`, with the gradient written out.

    autograd would record a dozen operations a step, and would add up the gradient of `of_state` step by step
    instead of in a single product. On a CPU, kernels do all of a step but its product of matrices.
    """

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        projected: torch.Tensor,
        of_state: torch.Tensor,
        peepholes: torch.Tensor,
        steps: Steps,
        output_gate: bool,
    ) -> torch.Tensor:
        """projected: (units, 4 size), what the gates i, f, o and the new content get from the input."""
        compiled = _can_compile(projected)
        if compiled:
            projected, peepholes = projected.contiguous(), peepholes.contiguous()
        gates = torch.empty_like(projected)  # i, f, o and tanh of the new content
        cells, states = (gates.new_empty(len(gates), of_state.shape[1]) for _ in range(2))
        squashed = torch.empty_like(cells)  # tanh of the cells
        values = gates, cells, squashed, states, peepholes
        step = _compiled_forward_step(*values) if compiled else partial(_forward_step, *values)
        before = 0
        for start, end in steps.spans():
            if start:
                of_former = product(states[before : before + end - start], of_state)
                torch.add(projected[start:end], of_former, out=gates[start:end])
            else:
                gates[:end] = projected[:end]
            step((before, start, end), output_gate)
            before = start
        ctx.save_for_backward(gates, cells, squashed, states, of_state, peepholes)
        ctx.steps, ctx.output_gate = steps, output_gate  # type: ignore[attr-defined]
        return states

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, of_states: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None, None]:
        """of_states: the gradient of the states."""
        gates, cells, squashed, states, of_state, peepholes = ctx.saved_tensors  # type: ignore[attr-defined]
        steps, output_gate = ctx.steps, ctx.output_gate  # type: ignore[attr-defined]
        size, most = of_state.shape[1], max(steps.sizes, default=0)
        slopes = torch.empty_like(gates)  # the gradients before the squashing functions
        # What a step gets from the one after it: the gradients of its states and of its cells.
        of_later = tuple(gates.new_empty(most, size) for _ in range(2))
        values = gates, cells, squashed, peepholes, of_states.contiguous(), slopes, *of_later
        step = _compiled_backward_step(*values) if _can_compile(gates) else partial(_backward_step, *values)
        from_state = of_state.T.contiguous()
        spans, later = list(steps.spans()), 0
        for number, (start, end) in reversed(list(enumerate(spans))):
            before = spans[max(0, number - 1)][0]
            step((before, start, end), later, output_gate)
            later = end - start
            if number:
                of_later[0][:later] = product(slopes[start:end], from_state)
        since, previous = slopes[steps.sizes[0] :], steps.previous()
        of_peepholes = torch.stack(
            [(since[:, part * size : (part + 1) * size] * cells[previous]).sum(dim=0) for part in (0, 1)]
            + [(slopes[:, 2 * size : 3 * size] * cells).sum(dim=0)]
        )
        return slopes, product(since.T, states[previous].T), of_peepholes, None, None


def _can_compile(values: torch.Tensor) -> bool:
    """Whether there are kernels for these values."""
    return values.device.type == "cpu" and values.dtype == torch.float32


def _compiled_forward_step(*values: torch.Tensor) -> Callable[..., None]:
    from .recurrence_kernels import forward_step  # numba takes a while to import

    return partial(cast(Callable[..., None], forward_step), *_arrays(values))


def _compiled_backward_step(*values: torch.Tensor) -> Callable[..., None]:
    from .recurrence_kernels import backward_step

    return partial(cast(Callable[..., None], backward_step), *_arrays(values))


def _arrays(values: tuple[torch.Tensor, ...]) -> Iterator[np.ndarray]:
    return (value.detach().numpy() for value in values)


def _forward_step(
    gates: torch.Tensor,
    cells: torch.Tensor,
    squashed: torch.Tensor,
    states: torch.Tensor,
    peepholes: torch.Tensor,
    span: tuple[int, int, int],
    output_gate: bool,
) -> None:
    """What `recurrence_kernels.forward_step` computes, for values that it does not take."""
    before, start, end = span
    size = cells.shape[1]
    z = gates[start:end]
    i, f, o, content = z.split(size, dim=1)
    former = cells[before : before + end - start]
    if start:
        z[:, : 2 * size].unflatten(1, (2, size)).addcmul_(former[:, None], peepholes[:2])
    z[:, : 2 * size].sigmoid_()
    content.tanh_()
    cell = torch.mul(i, content, out=cells[start:end])
    if start:
        cell.addcmul_(f, former)
    o.addcmul_(cell, peepholes[2]).sigmoid_()
    torch.tanh(cell, out=squashed[start:end])
    if output_gate:
        torch.mul(o, squashed[start:end], out=states[start:end])
    else:
        states[start:end] = squashed[start:end]


def _backward_step(
    gates: torch.Tensor,
    cells: torch.Tensor,
    squashed: torch.Tensor,
    peepholes: torch.Tensor,
    of_states: torch.Tensor,
    slopes: torch.Tensor,
    of_later_states: torch.Tensor,
    of_later_cells: torch.Tensor,
    span: tuple[int, int, int],
    later: int,
    output_gate: bool,
) -> None:
    """What `recurrence_kernels.backward_step` computes, for values that it does not take."""
    before, start, end = span
    size = cells.shape[1]
    i, f, o, content = gates[start:end].split(size, dim=1)
    di, df, do, dcontent = slopes[start:end].split(size, dim=1)
    tanh = squashed[start:end]
    dh = of_states[start:end].clone()
    dh[:later] += of_later_states[:later]
    dc = dh.addcmul(dh * tanh, tanh, value=-1)
    if output_gate:
        torch.mul(dh * tanh, o - o * o, out=do)
        dc.mul_(o).addcmul_(do, peepholes[2])
    else:
        do.zero_()
    dc[:later] += of_later_cells[:later]
    torch.mul(dc * i, 1 - content * content, out=dcontent)
    torch.mul(dc * content, i - i * i, out=di)
    if not start:
        df.zero_()
        return
    torch.mul(dc * cells[before : before + end - start], f - f * f, out=df)
    of_earlier_cells = (dc * f).addcmul_(di, peepholes[0]).addcmul_(df, peepholes[1])
    of_later_cells[: end - start] = of_earlier_cells
