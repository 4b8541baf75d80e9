"""Gradients of a loss over many sentences that are encoded a few at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from ..encoders.token_ids import Streams


def backward_in_chunks(
    encode: Callable[[Streams], torch.Tensor],
    chunks: Sequence[Streams],
    loss_of: Callable[[torch.Tensor], torch.Tensor],
    gather: Callable[[torch.Tensor], torch.Tensor] = lambda own: own,
    share: slice | np.ndarray = slice(None),
) -> torch.Tensor:
    """The loss of the vectors of all chunks, after adding its gradients to those of the parameters.

    Every chunk is encoded twice: first without a graph, for the loss and the gradient of each vector; then
    with one, under the random numbers of the first time, to pass these gradients on. So a graph needs the
    memory of one chunk, and the gradients are those of encoding all at once. Gao et al. 2021. A single chunk
    is encoded once.

    gather: gives all vectors that the loss is of, if those of the chunks are a share of them. share: where
    these are among all. Only their gradients are passed on.
    """
    states, vectors = [], []
    is_single = len(chunks) == 1
    with torch.set_grad_enabled(is_single):
        for chunk in chunks:
            states.append(_RandomState())
            vectors.append(encode(chunk))
    whole = gather(torch.cat(vectors).detach()).requires_grad_()
    loss = loss_of(whole)
    loss.backward()
    assert whole.grad is not None
    gradients = whole.grad[share].split([*map(len, vectors)])
    if is_single:
        vectors[0].backward(gradients[0])
        return loss.detach()
    for chunk, state, gradient in zip(chunks, states, gradients, strict=True):
        with state.again():
            encode(chunk).backward(gradient)
    return loss.detach()


class _RandomState:
    """The state of torch's random numbers when it was made."""

    def __init__(self) -> None:
        self._cpu = torch.get_rng_state()
        self._gpu = torch.cuda.get_rng_state() if torch.cuda.is_initialized() else None

    @contextmanager
    def again(self) -> Iterator[None]:
        """A block with these random numbers, after which they go on as if it had not been."""
        with torch.random.fork_rng([] if self._gpu is None else [torch.cuda.current_device()]):
            torch.set_rng_state(self._cpu)
            if self._gpu is not None:
                torch.cuda.set_rng_state(self._gpu)
            yield
