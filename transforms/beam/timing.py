"""How long a task took, by phase, because the cost of each phase depends on something else.

The phases: `load` (loading a model, once per process), `read` (when training reads all pairs before it
trains on some of them), and `work`, all the rest. They go into the manifest, and from there into forecasts.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WORK = "work"

_running: ContextVar[dict[str, float] | None] = ContextVar("_running", default=None)


@contextmanager
def task_seconds() -> Iterator[dict[str, float]]:
    """A dict that has, after the block, the seconds of each of its phases; `work` has the remaining time."""
    phases: dict[str, float] = {}
    before = _running.set(phases)
    began = time.perf_counter()
    try:
        yield phases
    finally:
        _running.reset(before)
        phases[WORK] = time.perf_counter() - began - sum(phases.values())


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Add the block's time to a phase of the task that is being worked on, if any. Phases do not nest."""
    began = time.perf_counter()
    try:
        yield
    finally:
        phases = _running.get()
        if phases is not None:
            phases[name] = phases.get(name, 0.0) + time.perf_counter() - began
