"""Functions compiled by numba, once per machine: the machine's cache keeps their code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import xxhash
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from .host_cache import cache_folder

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """A kernel: it is compiled when it is called first, and releases Python's lock while it runs.

    It is compiled again if its file changes, a constant of its module, or a file with a helper that it uses.
    """
    numba.config.CACHE_DIR = str(cache_folder("kernels") / _source_hash(function))  # type: ignore[attr-defined]
    try:
        return _jit(function, cache=True)
    except RuntimeError:  # the cache cannot be written; then every process compiles for itself
        return _jit(function)


def helper(function: F) -> F:
    """A function for kernels of any module. A call with arrays is slow: pass a sentence, not a token."""
    kernel: F = numba.njit(function, error_model="numpy")
    return kernel


def unordered(function: F) -> F:
    """A helper whose sums are added up in any order: their last bits depend on the processor."""
    kernel: F = numba.njit(function, error_model="numpy", fastmath={"reassoc", "contract"})
    return kernel


def _typed_fused(typing: Any, left: Any, right: Any, addend: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return addend(left, right, addend), code


# left · right + addend, rounded once; all three are of the same type of floating-point numbers.
fused: Any = intrinsic(_typed_fused)


def _jit(function: F, cache: bool = False) -> F:
    kernel: F = numba.njit(function, cache=cache, nogil=True, error_model="numpy")
    return kernel


def _source_hash(function: Callable[..., object]) -> str:
    """A hash of all that the code of a kernel is made from."""
    digest = xxhash.xxh3_64(Path(__file__).read_bytes())
    for scope in _scopes(function):
        digest.update(Path(scope["__file__"]).read_bytes())
        for name, value in sorted(scope.items()):
            if isinstance(value, int | float | np.generic):
                digest.update(f"{name}={value!r};".encode())
            elif isinstance(value, np.ndarray):
                digest.update(name.encode() + value.tobytes())
    return digest.hexdigest()


def _scopes(function: Callable[..., object]) -> list[dict[str, Any]]:
    """The globals of a function's module, and of the modules that its helpers are imported from."""
    scopes = [function.__globals__]
    for scope in scopes:
        for value in scope.values():
            if isinstance(value, Dispatcher):
                further = value.py_func.__globals__
                if not any(further is known for known in scopes):
                    scopes.append(further)
    return scopes
