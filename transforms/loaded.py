"""Models in memory: one a process, however many threads run bundles, kept between bundles."""

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from .timing import phase

T = TypeVar("T")

_lock = threading.Lock()
_models: dict[Hashable, object] = {}
_KEPT = 2


def loaded(key: Hashable, load: Callable[[], T]) -> T:
    """The model of that key, loaded by the first who asks.

    The newest two are kept: a worker that goes on to the next stage does not hold every model of the run.
    """
    with _lock:
        if key not in _models:
            while len(_models) >= _KEPT:
                _models.pop(next(iter(_models)))
            with phase("load"):
                _models[key] = load()
        return _models[key]  # type: ignore[return-value]


use = threading.Lock()
"""Held while a model works: the engines are not made for several threads at once."""
