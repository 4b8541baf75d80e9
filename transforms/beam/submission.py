"""Submits a stage's job to a cluster that may fail, or that must finish another job first."""

import logging
import time
from collections.abc import Callable

from ...base.interrupts import check

logger = logging.getLogger(__name__)

TRIES = 3
"""How often a job is submitted if it fails each time without finishing another part."""
PAUSE_SECONDS = 10.0


def outlive_failures(submit: Callable[[], None], progress: Callable[[], int], label: str) -> None:
    """Submit a job; if it fails, submit it again as long as it makes progress, and a few times without.

    Flink without a restart strategy ends a job when it loses its first worker, Spark when it loses the
    fourth, Dask when three workers died with the same part. Finished parts are kept, so each time less work
    is left.
    """
    tries, done = 0, progress()
    while True:
        try:
            return submit()
        except Exception as error:
            check()  # an interrupt that the runner turned into an error of its own
            before, done = done, progress()
            tries = 1 if done > before else tries + 1
            if tries >= TRIES:
                raise
            lines = str(error).strip().splitlines() or [type(error).__name__]
            logger.warning("%s: the job failed and is being submitted again: %s", label, lines[0][:300])
            time.sleep(PAUSE_SECONDS)


BUSY_SECONDS = 3600.0
"""How long to wait for an earlier job to end."""


def when_free(submit: Callable[[], None], is_busy: Callable[[str], bool], label: str) -> None:
    """Submit a job, and again as long as the cluster says that an earlier job must end first.

    A driver that died left that job behind. The parts that it finishes are used.
    """
    until = time.monotonic() + BUSY_SECONDS
    has_warned = False
    while True:
        try:
            return submit()
        except Exception as error:
            check()
            if not is_busy(str(error)) or time.monotonic() > until:
                raise
        if not has_warned:
            logger.warning("%s: waiting for a job that an earlier run left on the cluster", label)
            has_warned = True
        time.sleep(PAUSE_SECONDS)
