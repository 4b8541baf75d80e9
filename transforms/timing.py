"""How long a unit of work took, by what its cost depends on.

The phases: `load` (a model, once a process), `read` (what a piece of work reads of all pairs before it
trains on some), and `work`, all the rest. They go into the manifest, and from there into forecasts.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WORK = "work"

_running: ContextVar[dict[str, float] | None] = ContextVar("_running", default=None)


@contextmanager
def unit_seconds() -> Iterator[dict[str, float]]:
    """A dict that has, once the block ended, the seconds of every phase in it; `work` is what is left."""
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
    """Counts the block's time to a phase of the unit that is at work, if one is. Phases do not nest."""
    began = time.perf_counter()
    try:
        yield
    finally:
        phases = _running.get()
        if phases is not None:
            phases[name] = phases.get(name, 0.0) + time.perf_counter() - began
