"""A note to workers about the run that they work for."""

import time
import uuid
from dataclasses import dataclass

from ...base.errors import BudgetError


@dataclass(frozen=True)
class RunNote:
    """id: the run's id in logs, heartbeats and run.json. log_level: the level of the workers' logs.

    lease: the token with which the run holds its workspace; "" if it does not hold it. ends: when no more
    parts are to be begun, in seconds since 1970; None: never.
    """

    id: str
    log_level: str = "INFO"
    lease: str = ""
    ends: float | None = None

    def check_budget(self) -> None:
        """BudgetError if no more work is to be begun."""
        if self.ends is not None and time.time() >= self.ends:
            raise BudgetError("the budget of this run is used up; run again to continue")


def new_run_id() -> str:
    """An id that no other run has, and that sorts by time: `20270131T120000Z-1f0c9a`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + uuid.uuid4().hex[:6]
