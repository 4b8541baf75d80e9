"""Gradients of a loss over many sentences that are encoded a few at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch

from ..encoders.token_ids import Streams


def backward_in_chunks(
    encode: Callable[[Streams], torch.Tensor],
    chunks: Sequence[Streams],
    loss_of: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """The loss of the vectors of all chunks, after adding its gradients to those of the parameters.

    Every chunk is encoded twice: first without a graph, for the loss and the gradient of each vector; then
    with one, under the random numbers of the first time, to pass these gradients on. So a graph needs the
    memory of one chunk, and the gradients are those of encoding all at once. Gao et al. 2021.
    """
    states, vectors = [], []
    with torch.no_grad():
        for chunk in chunks:
            states.append(_RandomState())
            vectors.append(encode(chunk))
    whole = torch.cat(vectors).requires_grad_()
    loss = loss_of(whole)
    loss.backward()
    assert whole.grad is not None
    for chunk, state, gradient in zip(chunks, states, whole.grad.split([*map(len, vectors)]), strict=True):
        with state.again():
            encode(chunk).backward(gradient)
    return loss.detach()


class _RandomState:
    """The state of torch's random numbers when it was made."""

    def __init__(self) -> None:
        self._cpu = torch.get_rng_state()
        self._gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []

    @contextmanager
    def again(self) -> Iterator[None]:
        """A block with these random numbers, after which they go on as if it had not been."""
        with torch.random.fork_rng(range(len(self._gpus))):
            torch.set_rng_state(self._cpu)
            for device, state in enumerate(self._gpus):
                torch.cuda.set_rng_state(state, device)
            yield
