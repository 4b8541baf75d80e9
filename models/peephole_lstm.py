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
        d = recurrent.shape[1]
        gates = torch.empty_like(inputs)
        cells, squashed, states = (inputs.new_empty(len(inputs), d) for _ in range(3))
        h, c = (inputs.new_zeros(max(sizes, default=0), d) for _ in range(2))
        last, weights, start = torch.zeros_like(h), recurrent.t(), 0
        for size in sizes:
            last[size : len(h)] = h[size:]  # these sentences have ended
            step = slice(start, start + size)
            h, c = h[:size], c[:size]
            gate = torch.addmm(inputs[step], h, weights, out=gates[step])
            i, f, z, o = gate.split(d, dim=1)
            i.addcmul_(c, peepholes[0]).sigmoid_()
            f.addcmul_(c, peepholes[1]).sigmoid_()
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
        gradient = torch.empty_like(gates)  # of what the nonlinearities of the gates got
        earlier_cells, earlier_states = torch.zeros_like(cells), torch.zeros_like(states)
        dh, dc, end = last.clone(), torch.zeros_like(last), len(gates)
        for number in range(len(sizes) - 1, -1, -1):
            size = sizes[number]
            step = slice(end - size, end)
            if number:
                earlier = slice(step.start - sizes[number - 1], step.start - sizes[number - 1] + size)
                earlier_cells[step], earlier_states[step] = cells[earlier], states[earlier]
            i, f, z, o = gates[step].split(d, dim=1)
            di, df, dz, do = gradient[step].split(d, dim=1)
            h, c, tanh = dh[:size], dc[:size], squashed[step]
            torch.mul(h, tanh, out=do).mul_(o).mul_(1 - o)
            c.add_(h * o * (1 - tanh.square())).addcmul_(do, peepholes[2])
            torch.mul(c, z, out=di).mul_(i).mul_(1 - i)
            torch.mul(c, earlier_cells[step], out=df).mul_(f).mul_(1 - f)
            torch.mul(c, i, out=dz).mul_(1 - z.square())
            c.mul_(f).addcmul_(di, peepholes[0]).addcmul_(df, peepholes[1])
            torch.mm(gradient[step], recurrent, out=h)
            end = step.start
        di, df, _, do = gradient.split(d, dim=1)
        of_peepholes = ((di, earlier_cells), (df, earlier_cells), (do, cells))
        dp = torch.stack([(left * right).sum(0) for left, right in of_peepholes])
        return gradient, gradient.t() @ earlier_states, dp, None
