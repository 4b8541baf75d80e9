"""A note to workers about the run that they work for."""

import time
import uuid
from dataclasses import dataclass


@dataclass(frozen=True)
class RunNote:
    """id: the run's id in logs, heartbeats and run.json. log_level: the level of the workers' logs.

    lease: the token with which the run holds its workspace; "" if it does not hold it.
    """

    id: str
    log_level: str = "INFO"
    lease: str = ""


def new_run_id() -> str:
    """An id that no other run has, and that sorts by time: `20270131T120000Z-1f0c9a`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + uuid.uuid4().hex[:6]
