"""Functions compiled by numba, once per machine: the machine's cache keeps their code.

A kernel may only call kernels of its own module: the cache notices changes of that file alone.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba
import xxhash

from .host_cache import cache_folder

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """A kernel: it is compiled when it is called first, and releases Python's lock while it runs."""
    source = xxhash.xxh3_64_hexdigest(Path(inspect.getfile(function)).read_bytes())
    numba.config.CACHE_DIR = str(cache_folder("kernels") / source)  # type: ignore[attr-defined]
    try:
        return _jit(function, cache=True)
    except RuntimeError:  # the cache cannot be written; then every process compiles for itself
        return _jit(function)


def helper(function: F) -> F:
    """A function for kernels of the same module. A call with arrays is slow: pass a sentence, not a token."""
    kernel: F = numba.njit(function, error_model="numpy")
    return kernel


def _jit(function: F, cache: bool = False) -> F:
    kernel: F = numba.njit(function, cache=cache, nogil=True, error_model="numpy")
    return kernel
