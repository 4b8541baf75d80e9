"""What the time of a training was spent on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

IDLE = ("data", "checkpoints", "waiting", "other")
"""The activities in which no vectors, negatives, gradients or scores are computed: taking pairs from files
and scrambling them, writing checkpoints, waiting for other processes, and the rest, such as progress."""


class Clock:
    """Adds up the seconds of each activity. The activities of a training follow each other.

    Time spent on an activity inside another counts for the inner one alone.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inner = 0.0

    @contextmanager
    def spent(self, activity: str) -> Iterator[None]:
        """Adds the time of the block to an activity."""
        outer, self._inner, began = self._inner, 0.0, time.perf_counter()
        try:
            yield
        finally:
            taken = time.perf_counter() - began
            self.seconds[activity] = self.seconds.get(activity, 0.0) + taken - self._inner
            self._inner = outer + taken
