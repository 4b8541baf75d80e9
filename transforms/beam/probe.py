"""Asks a runner's workers, before they get work, whether they can use the workspace and what they have."""

import json
import os
import platform
import socket
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ... import __version__
from ...base.errors import RunnerError, WorkspaceError
from ...base.processes import process_name
from ..storage.workspace import TEMPORARY, Workspace
from .gpus import gpu_names
from .runner import Runner
from .stage_pipeline import run_fold

TASKS = 16
"""Enough to see several workers, although not all workers of a large cluster."""


@dataclass(frozen=True)
class WorkerFacts:
    """One worker process: its machine and that machine's processors, the GPUs that it sees, its versions."""

    host: str
    process: int
    processors: int
    gpus: tuple[str, ...]
    python: str
    paranmt: str


@dataclass(frozen=True)
class _Probe:
    """Reads the file that the driver wrote, and returns the facts about its own process."""

    stage: str
    file: str
    content: str

    def __call__(self, workspace: Workspace, task: int) -> dict[str, list[object]]:
        with workspace.open(self.file) as file:
            if file.read().decode() != self.content:
                raise WorkspaceError(f"{workspace.path(self.file)} is not what the driver wrote")
        worker = facts()
        return {f"{worker.host}-{worker.process}": list(asdict(worker).values())}


def facts() -> WorkerFacts:
    """The facts about this process."""
    return WorkerFacts(
        socket.gethostname(),
        os.getpid(),
        os.cpu_count() or 1,
        gpu_names(),
        platform.python_version(),
        __version__,
    )


def probe_workers(runner: Runner, workspace: Workspace, gpu: bool) -> tuple[WorkerFacts, ...]:
    """The facts about the workers that answered; with `gpu`, about the workers for GPU stages.

    RunnerError if a job cannot run on the workers, if they cannot read and write the workspace, or if they
    have another version of this package or of Python than the driver.
    """
    name = f"{TEMPORARY}/{process_name()}-{uuid.uuid4().hex}-probe"
    workspace.write_bytes(name, name.encode())
    try:
        probe = _Probe("probe", name, name)
        content = run_fold(runner, workspace, range(TASKS), probe, _merge, _encode, 0.0, gpu, False)
    except WorkspaceError:
        raise RunnerError(
            f"the workers of --runner {runner.name} cannot read and write the workspace {workspace.url}; "
            "choose an object store, or a folder that every machine has at this path"
        ) from None
    except Exception as error:
        raise _refusal(runner, str(error)) from error
    finally:
        workspace.remove(name)
    workers = tuple(_decode(content))
    _require_same_versions(workers)
    return workers


def _merge(merged: dict[str, list[object]], more: dict[str, list[object]]) -> dict[str, list[object]]:
    return merged | more


def _encode(merged: dict[str, list[object]]) -> bytes:
    return json.dumps(list(merged.values())).encode()


def _decode(content: bytes) -> Sequence[WorkerFacts]:
    return [
        WorkerFacts(host, process, processors, tuple(gpus), python, paranmt)
        for host, process, processors, gpus, python, paranmt in sorted(json.loads(content))
    ]


def _refusal(runner: Runner, message: str) -> RunnerError:
    """The error for a job that failed on a runner, with one line of the runner's message."""
    if "No module named 'paranmt" in message:
        return RunnerError(
            f"the workers of --runner {runner.name} do not have paranmt, or have another version of it; use "
            "the project's image of this version there, or install the same wheel"
        )
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    last = next(
        (line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "no reason given"
    )
    return RunnerError(f"a first small job failed on --runner {runner.name}: {last[:500]}")


def _require_same_versions(workers: Sequence[WorkerFacts]) -> None:
    driver = facts()

    def versions(process: WorkerFacts) -> tuple[str, str]:
        return process.paranmt, ".".join(process.python.split(".")[:2])

    for worker in workers:
        if versions(worker) != versions(driver):
            raise RunnerError(
                f"the worker on {worker.host} has paranmt {worker.paranmt} with Python {worker.python}; "
                f"this machine has paranmt {driver.paranmt} with Python {driver.python}: install the same "
                "versions on both"
            )


def gpus_of(workers: Sequence[WorkerFacts]) -> dict[str, int]:
    """The number of GPUs of each machine that answered.

    >>> worker = WorkerFacts("a", 1, 8, ("GPU-0", "GPU-1"), "3.11.7", "0.1.0")
    >>> gpus_of([worker, WorkerFacts("b", 7, 8, (), "3.11.7", "0.1.0")])
    {'a': 2, 'b': 0}
    """
    seen: dict[str, set[str]] = {}
    for worker in workers:
        seen.setdefault(worker.host, set()).update(worker.gpus)
    return {host: len(gpus) for host, gpus in seen.items()}
