"""Runs and cleanings that are killed, also while they publish: the next run ends in the same bytes."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from random import Random

from file_operations import FileOperations
from outcomes import Broken, Steps, Verdict
from workspaces import (
    CHANGED,
    copy_folder,
    differences,
    finished_files,
    not_fresh,
    published,
    small_project,
)

# A process that has imported all this, and begun no thread, is forked for each command.
IMPORTED = [
    "torch",
    "torch._dynamo",
    "triton",
    "pytest",
    "paranmt.launch.cli",
    "paranmt.launch.runners.local",
    "paranmt.models.training.trainer",
    "paranmt.pipeline.running.clean",
    "paranmt.pipeline.running.run",
    "apache_beam.runners.portability.fn_api_runner",
]
forking = multiprocessing.get_context("forkserver")
forking.set_forkserver_preload(IMPORTED)
_asking = threading.Lock()  # a process tells its exit status once, and `start` asks all those before

OPERATIONS = {
    "run": 1200,
    "run another selection": 460,
    "run the first recipe again": 145,
    "clean --older": 52,
}
"""From how many changes of files a moment is drawn: about all that each makes, two thirds of a first run."""


@dataclass(frozen=True)
class Moment:
    """Before the `number`-th change of a file below `folder`, and `delay` seconds later."""

    folder: Path
    number: int
    delay: float = 0.0


def kills(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """Several kills in a row, then a run to the end."""
    choose = Random(seed)
    place = folder / "kept"
    if seed % 2:
        steps.kind = "`run` killed several times"
        place.mkdir(parents=True)
        small_project().write(place)
        commands = [("run", ["run"])] * choose.randint(2, 4)
    else:
        steps.kind = "another recipe's `run`, `clean --older` and `run` killed while they publish or remove"
        copy_folder(shared / "finished", place)
        another = ("run another selection", ["run", *(f"--set={override}" for override in CHANGED)])
        older = ("clean --older", ["clean", "--older"])
        back = ("run the first recipe again", ["run"])
        commands = [choose.choice((another, another, back, older)) for _ in range(choose.randint(2, 4))]
    before: dict[str, tuple[int, int]] = {}
    for what, arguments in commands:
        moment = Moment(place, choose.randint(1, OPERATIONS[what]), choose.choice((0.0, 0.0, 0.01, 0.05)))
        process = start(place, arguments, moment)
        wait_for(process)
        where = f"at change {moment.number}" + (f" and {moment.delay} s later" if moment.delay else "")
        ended = "killed" if process.exitcode == -signal.SIGKILL else f"ended with {process.exitcode} before"
        steps.append(f"{what}: {ended}, {where}")
        if process.exitcode != -signal.SIGKILL:
            check_end(process, place)
        if what.startswith("clean"):
            stale = not_fresh(place)
            if stale:
                raise Broken("lost", f"after clean --older `plan` shows {stale}")
            before = {}
        else:
            before = _check_kept(place, before)
    _finish(place, before, steps, others="_built-" if seed % 2 == 0 else "")
    project = small_project()
    differ = differences(published(shared / "finished", project), published(place, project))
    if differ:
        raise Broken("silent", f"unlike the undisturbed run: {'; '.join(differ)}")
    return "right"


def _finish(place: Path, before: dict[str, tuple[int, int]], steps: Steps, others: str) -> None:
    """A run to the end: it makes nothing again, and leaves nothing but its result.

    others: how work in progress of another recipe begins, which is kept for that one.
    """
    process = start(place, ["run"])
    wait_for(process)
    steps.append("run")
    check_end(process, place)
    _check_kept(place, before)
    left = sorted(path.name for path in (place / "work/_temporary").glob("*"))
    left = [name for name in left if not others or not name.startswith(others)]
    left += [name for name in ("_run.json", "_lock.json") if (place / "work" / name).exists()]
    if left:
        raise Broken("unclear", f"left behind: {', '.join(left)}")
    stale = not_fresh(place)
    if stale:
        raise Broken("unclear", f"after the run `plan` shows {stale}")


def check_end(process: ForkServerProcess, place: Path) -> None:
    """Broken where a command that nobody killed failed."""
    if process.exitcode:
        log = f"ended with {process.exitcode}: {log_of(place)}"
        raise Broken("traceback" if "Traceback" in log else "unclear", log)


def _check_kept(place: Path, before: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Every finished part with its inode and time; Broken where one of before is gone or was made again."""
    now = finished_parts(place)
    for name, made in before.items():
        if name not in now:
            raise Broken("lost", f"the finished part {name} is gone")
        if now[name] != made:
            raise Broken("unclear", f"the finished part {name} was made again")
    return now


def finished_parts(place: Path) -> dict[str, tuple[int, int]]:
    """Every finished part, with what tells that it was made again: its inode and its time.

    The matches of a certificate are finished once the certificate is there, which is written after them.
    """
    finished = set(finished_files(place / "work"))
    names = [
        name for name in finished if name.endswith(".parquet") and _certificate(name) in (None, *finished)
    ]
    stats = {name: (place / "work" / name).stat() for name in names}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


def _certificate(name: str) -> str | None:
    """The certificate that a file of matches belongs to; None for other files."""
    return name.removesuffix(".parquet") + ".json" if "/cards/" in name else None


def start(place: Path, arguments: Sequence[str], moment: Moment | None = None) -> ForkServerProcess:
    """`paranmt` with the folder's recipe, in a process group of its own; moment: when it is killed."""
    command, *options = arguments
    given = [command, str(place / "recipe.yaml"), *options, *(["--yes"] if command == "run" else [])]
    process = forking.Process(target=_command, args=(given, str(place / "log.txt"), moment))
    with _asking:
        process.start()
    return process


def wait_for(process: ForkServerProcess) -> None:
    """Until it ends; unlike `join`, while another thread starts processes."""
    multiprocessing.connection.wait([process.sentinel])
    with _asking:
        process.join()


def kill(process: ForkServerProcess) -> None:
    """SIGKILL to a command and all that it started."""
    try:
        os.killpg(process.pid or 0, signal.SIGKILL)
    except ProcessLookupError:
        pass
    wait_for(process)


def log_of(place: Path) -> str:
    """The end of what the commands of a folder printed."""
    return (place / "log.txt").read_text()[-600:]


def _command(arguments: list[str], log: str, moment: Moment | None) -> None:
    os.setsid()
    # A shell starts what it does not wait for with SIGINT ignored, and the tests may be that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.argv = ["paranmt", *arguments]
    from paranmt.launch.cli import main

    if moment is None:
        main()
        return
    with FileOperations(moment.folder, moment.number, lambda: _kill_own_group(moment.delay)):
        main()


def _kill_own_group(delay: float) -> None:
    if delay:
        threading.Timer(delay, _kill_own_group, [0.0]).start()
    else:
        os.killpg(os.getpgid(0), signal.SIGKILL)
