"""The work that a worker does for one task of a stage; `stage` brings it to the worker.

Neither this module nor the modules with the work of each stage import Beam, because plans, and callers that
run a single job directly, do not need it.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from ..storage.dataset import Entry, adopt_part, write_part
from ..storage.versions import made_with
from ..storage.workspace import Workspace
from .timing import task_seconds

logger = logging.getLogger(__name__)

TOKENS = "tokens"
HALVINGS = "halvings"
COUNTERS = (TOKENS, HALVINGS)
"""The counts of a part that are also counters of Beam: tokens of its translations, and halved batches."""

T = TypeVar("T", contravariant=True)
S = TypeVar("S", covariant=True)
R = TypeVar("R")


@dataclass(frozen=True)
class Task:
    """A task for a worker: one part, and the files of the datasets that it is made from (stage → file)."""

    part: str
    key: str
    inputs: tuple[tuple[str, str], ...]

    def input(self, stage: str) -> str:
        return dict(self.inputs)[stage]


@dataclass(frozen=True)
class Failure:
    """A user's mistake that a worker found."""

    kind: str
    message: str
    files: tuple[str, ...] = ()  # damaged files of the workspace, if that is the mistake


Outcome = tuple[R | None, tuple[Failure, ...]]
"""The merged results of some tasks, if there are any, and the mistakes that others found."""


@contextmanager
def in_common() -> Iterator[None]:
    """Let the work inside the block share what it reads and computes, in `common`."""
    before = _common.set({})
    try:
        yield
    finally:
        _common.reset(before)


def common() -> dict[str, Any]:
    """What works that are done together share; an empty dict for work that is done alone."""
    shared = _common.get()
    return {} if shared is None else shared


_common: ContextVar[dict[str, Any] | None] = ContextVar("_common", default=None)


class Work(Protocol[T, S]):
    """The work that a worker does for one task. Small, and safe to send to a worker."""

    @property
    def stage(self) -> str: ...

    def __call__(self, workspace: Workspace, task: T) -> S: ...


class PartWork:
    """Work that makes one part of a dataset: subclasses make the table."""

    stage: str
    row_group_rows: int | None = None  # see `write_part`

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that compute the result, besides paranmt."""
        return ()

    @property
    def device(self) -> str:
        """Where torch computes, `cpu` or `cuda`."""
        return "cpu"

    def __call__(self, workspace: Workspace, task: Task) -> list[Entry]:
        adopted = adopt_part(workspace, self.stage, task.part, task.key)
        if adopted is not None:
            return [adopted]
        logger.info("part started")
        versions = made_with(("paranmt", *self.packages), self.device)
        with task_seconds() as seconds:
            table, counts = self.make(workspace, task)
            entry = write_part(
                workspace, self.stage, task.part, task.key, table, counts, versions, self.row_group_rows
            )
        return [replace(entry, seconds=seconds)]

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        """The part's table and the counts for its manifest entry."""
        raise NotImplementedError
