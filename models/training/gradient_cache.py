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
            states.append(_random_state())
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
        with _again(*state):
            encode(chunk).backward(gradient)
    return loss.detach()


def _random_state() -> tuple[torch.Tensor, torch.Tensor | None]:
    """The state of torch's random numbers on the CPU, and on the GPU if one is used."""
    return torch.get_rng_state(), torch.cuda.get_rng_state() if torch.cuda.is_initialized() else None


@contextmanager
def _again(cpu: torch.Tensor, gpu: torch.Tensor | None) -> Iterator[None]:
    """A block with the random numbers of these states, after which they go on as if it had not been."""
    with torch.random.fork_rng([] if gpu is None else [torch.cuda.current_device()]):
        torch.set_rng_state(cpu)
        if gpu is not None:
            torch.cuda.set_rng_state(gpu)
        yield
