"""Submitting a stage's job to a cluster that may fail, or has another one to end first."""

import logging
import time
from collections.abc import Callable

from ..interrupts import check

logger = logging.getLogger(__name__)

TRIES = 3
"""How often a job is submitted that fails without having finished one more part."""
PAUSE_SECONDS = 10.0


def outlive_failures(submit: Callable[[], None], progress: Callable[[], int], label: str) -> None:
    """Submit a job again that failed on a cluster, for as long as it gets on, and a few times more.

    Flink without a restart strategy ends a job with the first worker it loses, Spark with the fourth,
    Dask where a part was on three that died. Finished parts are kept, so each time less is left to do.
    """
    tries, done = 0, progress()
    while True:
        try:
            return submit()
        except Exception as error:
            check()  # an interrupt that the runner made an error of its own of
            before, done = done, progress()
            tries = 1 if done > before else tries + 1
            if tries >= TRIES:
                raise
            lines = str(error).strip().splitlines() or [type(error).__name__]
            logger.warning("%s: its job failed and is submitted again: %s", label, lines[0][:300])
            time.sleep(PAUSE_SECONDS)


BUSY_SECONDS = 3600.0
"""How long a job before may take to end."""


def when_free(submit: Callable[[], None], is_busy: Callable[[str], bool], label: str) -> None:
    """Submit a job, again and again while the cluster says that one before it must end first.

    Such a one is what a driver that died has left behind; what it finishes is found.
    """
    until = time.monotonic() + BUSY_SECONDS
    told = False
    while True:
        try:
            return submit()
        except Exception as error:
            check()
            if not is_busy(str(error)) or time.monotonic() > until:
                raise
        if not told:
            logger.warning("%s: waits for the end of a job that an earlier run left on the cluster", label)
            told = True
        time.sleep(PAUSE_SECONDS)
