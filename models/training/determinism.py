"""Training that always gives the same numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def deterministic() -> Iterator[None]:
    """Deterministic algorithms and random numbers of our own, without a trace afterwards."""
    enabled = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    memory: Any = torch.utils.deterministic  # its one setting is a property that type checkers do not see
    filled = memory.fill_uninitialized_memory
    # On GPUs some gradients have no deterministic algorithm: there the same bytes are not promised.
    torch.use_deterministic_algorithms(True, warn_only=torch.cuda.is_available())
    memory.fill_uninitialized_memory = False  # nothing here reads what it did not write
    # Only of this process's GPU: to ask another one would take memory on it.
    gpus = [torch.cuda.current_device()] if torch.cuda.is_available() else []
    try:
        with torch.random.fork_rng(gpus):
            yield
    finally:
        torch.use_deterministic_algorithms(enabled, warn_only=warn_only)
        memory.fill_uninitialized_memory = filled


@contextmanager
def single_thread() -> Iterator[None]:
    """One thread for operations of torch, because sums depend on how many there are."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
