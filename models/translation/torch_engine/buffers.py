"""Sizes and places of the tensors that a decode step works on, chosen so that the same ones return."""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

_SPARE = 1.25  # memory that has become too small grows to so many times what is needed


class Buckets(NamedTuple):
    """The sizes that a step may have; others are rounded up, and a mask hides what is added.

    octave: how many numbers of sentences there are between a power of two and the next one, or 0 for all.
    tokens, nodes: the source tokens and the nodes of the prefix tree are multiples of these.
    """

    octave: int = 0
    tokens: int = 1
    nodes: int = 1

    @property
    def exact(self) -> bool:
        """Whether every size is allowed."""
        return self == Buckets()

    def rows(self, count: int) -> int:
        """The smallest number of sentences that is at least `count`.

        >>> [Buckets(octave=4).rows(count) for count in (3, 8, 9, 17)]
        [3, 8, 10, 20]
        """
        return rounded(count, self._step(count))

    def full_rows(self, count: int) -> int:
        """The largest number of sentences that is at most `count`, for a batch without padding.

        >>> [Buckets(octave=4).full_rows(count) for count in (3, 8, 9, 17)]
        [3, 8, 8, 16]
        """
        return count - count % self._step(count)

    def _step(self, count: int) -> int:
        return max(1, (1 << count.bit_length() - 1) // self.octave) if self.octave and count else 1


EXACT = Buckets()
# Finer sizes compute less padding, coarser ones return more often. 96 nodes are eight steps of beam 12.
CAPTURED = Buckets(octave=16, tokens=32, nodes=96)


def rounded(count: int, multiple: int) -> int:
    """The smallest multiple that is at least `count`."""
    return count + -count % multiple


class Buffers:
    """Memory on a device, under names; a tensor taken from it lies at the same address every time.

    What was in a name's memory stays readable through older tensors until it is written again.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._memory: dict[Hashable, Tensor] = {}
        self.moves = 0
        """How often an address changed, because a tensor was larger than all before it."""

    def take(self, name: Hashable, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """A contiguous tensor with any content, in the memory of this name. A name has one dtype."""
        size = math.prod(shape)
        memory = self._memory.get(name)
        if memory is None or len(memory) < size:
            spare = 1.0 if memory is None else _SPARE
            memory = torch.empty(int(spare * size), dtype=dtype, device=self._device)
            self._memory[name] = memory
            self.moves += 1
        return memory[:size].view(shape)

    def clear(self) -> None:
        """Let go of all memory."""
        self._memory.clear()
        self.moves += 1
