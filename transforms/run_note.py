"""What workers are told of the run that they work for."""

import time
import uuid
from dataclasses import dataclass


@dataclass(frozen=True)
class RunNote:
    """id: of the run, in logs, heartbeats and run.json. log_level: of the workers' logs.

    lease: the token by which the run holds its workspace; "" where it does not.
    """

    id: str
    log_level: str = "INFO"
    lease: str = ""


def new_run_id() -> str:
    """An id that no other run has, and that sorts by time: `20270131T120000Z-1f0c9a`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + uuid.uuid4().hex[:6]
