"""Models kept in memory: each is loaded once per process, shared by its threads, and kept between bundles."""

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from .timing import phase

T = TypeVar("T")

_lock = threading.Lock()
_models: dict[Hashable, object] = {}
_CAPACITY = 2


def cached_model(key: Hashable, load: Callable[[], T]) -> T:
    """The model with this key, loaded when it is first needed.

    Only the two newest models are kept, so that a worker does not collect every model of a run's stages.
    """
    with _lock:
        if key not in _models:
            while len(_models) >= _CAPACITY:
                _models.pop(next(iter(_models)))
            with phase("load"):
                _models[key] = load()
        return _models[key]  # type: ignore[return-value]


model_lock = threading.Lock()
"""Held while a model works, because the engines do not support several threads at once."""
