"""An LSTM with peepholes, as in the papers: the gates see the state of the memory cells.

With σ the logistic function and ⊙ the product of single numbers:

    i = σ(W_i x + U_i h + p_i ⊙ c + b_i)        c' = f ⊙ c + i ⊙ tanh(W_c x + U_c h + b_c)
    f = σ(W_f x + U_f h + p_f ⊙ c + b_f)        h' = o ⊙ tanh(c')
    o = σ(W_o x + U_o h + p_o ⊙ c' + b_o)

h and c start at zero. torch's own LSTM has no peepholes. This one is a loop over time steps whose gradient is
written by hand, so that the gradients of the weights are one matrix product for all steps.
"""

from typing import Any

import numpy as np
import torch

from .encoders.token_ids import TokenIds

_INITIAL_SCALE = 0.1  # of all weights, as in the papers' code; biases start at zero


class PeepholeLSTM(torch.nn.Module):
    """The last state of each sentence; an empty sentence has the zero vector. Nothing is padded.

    `weight`, `recurrent` and `bias` have the rows of i, f, c, o in this order, `peepholes` those of i, f, o.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4 * dimension, dimension) * _INITIAL_SCALE)
        self.recurrent = torch.nn.Parameter(torch.randn(4 * dimension, dimension) * _INITIAL_SCALE)
        self.peepholes = torch.nn.Parameter(torch.randn(3, dimension) * _INITIAL_SCALE)
        self.bias = torch.nn.Parameter(torch.zeros(4 * dimension))

    def forward(self, words: torch.Tensor, sentences: TokenIds) -> torch.Tensor:
        """(words, dimension) vectors, of which the sentences' ids are rows, to (sentences, dimension)."""
        order, tokens, sizes = by_time_step(sentences)
        # A word that occurs several times is multiplied once.
        projected = torch.nn.functional.linear(words, self.weight, self.bias)
        inputs = projected.index_select(0, torch.from_numpy(sentences.ids[tokens].astype(np.int64)))
        states = _LastStates.apply(inputs, self.recurrent, self.peepholes, sizes)
        vectors = torch.zeros(len(sentences), words.shape[1], dtype=words.dtype)
        return vectors.index_copy(0, torch.from_numpy(order[: len(states)]), states)


def by_time_step(sentences: TokenIds) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The order of sentences, longest first, the places of their tokens by time step, and each step's size.

    >>> order, tokens, sizes = by_time_step(TokenIds.of([[7], [4, 5, 6], [8, 9]]))
    >>> order.tolist(), tokens.tolist(), sizes
    ([1, 2, 0], [1, 4, 0, 2, 5, 3], [3, 2, 1])
    """
    lengths = sentences.lengths()
    order = np.argsort(-lengths, kind="stable")
    steps = np.arange(int(lengths.max(initial=0)))
    sizes = np.searchsorted(-lengths[order], -steps, side="left")
    ranks = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order, sentences.starts[order[ranks]] + np.repeat(steps, sizes), sizes.tolist()


class _LastStates(torch.autograd.Function):
    """Inputs (tokens, 4 d) by time step to the last states (sentences with a token, d), longest first."""

    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, recurrent: torch.Tensor, peepholes: torch.Tensor, sizes: list[int]
    ) -> torch.Tensor:
        d, start = recurrent.shape[1], 0
        gates = torch.empty_like(inputs)
        cells, squashed, states = (inputs.new_empty(len(inputs), d) for _ in range(3))
        h, c = (inputs.new_zeros(max(sizes, default=0), d) for _ in range(2))
        last, weights = torch.zeros_like(h), recurrent.t()
        for size in sizes:
            last[size : len(h)] = h[size:]  # these sentences have ended
            step = slice(start, start + size)
            h, c = h[:size], c[:size]
            i, f, z, o = torch.addmm(inputs[step], h, weights, out=gates[step]).view(size, 4, d).unbind(1)
            gates[step, : 2 * d].view(size, 2, d).addcmul_(c[:, None], peepholes[:2]).sigmoid_()
            c = torch.mul(f, c, out=cells[step]).addcmul_(i, z.tanh_())
            o.addcmul_(c, peepholes[2]).sigmoid_()
            h = torch.mul(o, torch.tanh(c, out=squashed[step]), out=states[step])
            start += size
        last[: len(h)] = h
        ctx.save_for_backward(gates, cells, squashed, states, recurrent, peepholes)
        ctx.sizes = sizes
        return last

    @staticmethod
    def backward(ctx: Any, last: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        gates, cells, squashed, states, recurrent, peepholes = ctx.saved_tensors
        d, sizes = recurrent.shape[1], ctx.sizes
        earlier_cells, earlier_states = _earlier(cells, sizes), _earlier(states, sizes)
        # The gradient of what the gates got is first the part that does not depend on later steps.
        i, f, z, o = gates.split(d, dim=1)
        through_state = o * (1 - squashed.square())
        of_gates = (
            z * i * (1 - i),
            earlier_cells * f * (1 - f),
            i * (1 - z.square()),
            squashed * o * (1 - o),
        )
        gradient = torch.cat(of_gates, dim=1)
        dh, dc, end = last.clone(), torch.zeros_like(last), len(gates)
        for size in reversed(sizes):
            step = slice(end - size, end)
            h, c = dh[:size], dc[:size]
            di, df, _, do = gradient[step].split(d, dim=1)
            c.addcmul_(h, through_state[step]).addcmul_(do.mul_(h), peepholes[2])
            gradient[step, : 3 * d].view(size, 3, d).mul_(c[:, None])
            c.mul_(f[step]).addcmul_(di, peepholes[0]).addcmul_(df, peepholes[1])
            torch.mm(gradient[step], recurrent, out=h)
            end -= size
        di, df, _, do = gradient.split(d, dim=1)
        of_peepholes = ((di, earlier_cells), (df, earlier_cells), (do, cells))
        dp = torch.stack([(left * right).sum(0) for left, right in of_peepholes])
        return gradient, gradient.t() @ earlier_states, dp, None


def _earlier(values: torch.Tensor, sizes: list[int]) -> torch.Tensor:
    """The values of the step before; zeros in the first step. (tokens, d) to (tokens, d)."""
    earlier = torch.zeros_like(values)
    if len(sizes) > 1:
        rows = np.arange(sizes[0], len(values)) - np.repeat(sizes[:-1], sizes[1:])
        torch.index_select(values, 0, torch.from_numpy(rows), out=earlier[sizes[0] :])
    return earlier
