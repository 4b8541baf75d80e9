"""Kernels for GPUs: one pass over the logits instead of the three that torch would make.

`scoring` has a plain version of everything here; `usable` decides which of the two is used for a tensor.
"""

import functools
import importlib.util
from collections.abc import Sequence

import torch
from torch import Tensor

_TILE = 2048


def usable(logits: Tensor) -> bool:
    """Whether the kernels can read these logits: float32 rows on a CUDA device, with Triton installed."""
    return logits.is_cuda and logits.dtype == torch.float32 and logits.is_contiguous() and _has_triton()


def scan(logits: Tensor, banned: Sequence[int], block: int) -> tuple[Tensor, Tensor]:
    """log Σ exp of each row, (rows,), and the maxima of the row's blocks, (rows, types / block).

    At most two `banned` words are set to −inf in place: the sum includes them, the maxima do not. logits:
    contiguous (rows, types), where `types` is a multiple of `block`.
    """
    first, second = (*banned, -1, -1)[:2]
    rows, types = logits.shape
    normalisers = logits.new_empty(rows)
    maxima = logits.new_empty(rows, types // block)
    if rows:
        # Triton is not installed everywhere, and takes a second to import.
        from .triton_kernels import scan_kernel

        scan_kernel[(rows,)](
            logits, normalisers, maxima, types, types // block, first, second, BLOCK=block, TILE=_TILE
        )
    return normalisers, maxima


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None
