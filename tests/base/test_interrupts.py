"""Ctrl-C and SIGTERM end a command as an interrupt, whatever libraries make of them on the way."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from paranmt.base import interrupts
from paranmt.base.errors import RecipeError
from paranmt.base.interrupts import Signals
from paranmt.launch.display.console import ending
from paranmt.launch.runners.worker_processes import fork_server
from paranmt.transforms.beam import stage_pipeline
from paranmt.transforms.beam.submission import outlive_failures, when_free

KEPT = "finished work is kept: run the same command again to continue"


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What an interrupt changes for the rest of the process, given back."""
    for module, name in ((threading, "excepthook"), (sys, "unraisablehook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(interrupts, "AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(interrupts, "_actions", set())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    logging.disable(logging.NOTSET)


def send(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def swallow(number: int) -> None:
    try:
        send(number)
        time.sleep(10)
    except BaseException:
        pass


class Swallowing:
    """Python cannot raise what comes out of a finalizer."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        send(self.number)


def end_normally(number: int) -> None:
    swallow(number)


def end_normally_after_a_finalizer(number: int) -> None:
    Swallowing(number)


def blame_the_recipe(number: int) -> None:
    try:
        send(number)
        time.sleep(10)
    except BaseException as error:
        raise RecipeError("Invalid Input Error: KeyboardInterrupt") from error


def fail(number: int) -> None:
    swallow(number)
    raise RuntimeError("the worker is gone")


def exit_otherwise(number: int) -> None:
    swallow(number)
    raise typer.Exit(3)


def abort(number: int) -> None:
    swallow(number)
    raise typer.Abort


@pytest.mark.parametrize(
    "body",
    [end_normally, end_normally_after_a_finalizer, blame_the_recipe, fail, exit_otherwise, abort],
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_any_end_after_a_signal_counts_as_interrupted(
    body: Callable[[int], None], number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def run() -> None:
        body(number)

    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGURG)]
    with pytest.raises(typer.Exit) as ended:
        ending(run)()
    assert ended.value.exit_code == 128 + number
    assert capsys.readouterr().err == f"\nparanmt: interrupted; {KEPT}\n"
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGURG)] == before


@pytest.mark.parametrize("lose", [swallow, Swallowing], ids=["except", "a finalizer"])
def test_a_swallowed_interrupt_is_raised_again(lose: Callable[[int], Any]) -> None:
    steps = []

    def command() -> None:
        lose(signal.SIGTERM)
        steps.append("swallowed")
        time.sleep(20)
        steps.append("went on")

    with pytest.raises(typer.Exit):
        ending(command)()
    assert steps == ["swallowed"]


def test_a_cleanup_that_has_begun_is_not_interrupted() -> None:
    steps = []

    def command() -> None:
        try:
            send()
            time.sleep(20)
        finally:
            time.sleep(0.5)  # five times as long as until an interrupt is raised again
            steps.append("cleaned")
            try:
                raise KeyError("an error within the cleanup")
            except KeyError:
                time.sleep(0.5)
                steps.append("mended")

    with pytest.raises(typer.Exit):
        ending(command)()
    assert steps == ["cleaned", "mended"]


def test_an_interrupt_waits_for_a_deferred_block() -> None:
    steps = []

    def command() -> None:
        with interrupts.deferred():
            send()
            time.sleep(0.5)
            steps.append("done")
        time.sleep(20)
        steps.append("went on")

    with pytest.raises(typer.Exit) as ended:
        ending(command)()
    assert steps == ["done"]
    assert ended.value.exit_code == 130


def test_without_a_signal_nothing_changes() -> None:
    def command() -> None:
        interrupts.check()
        with interrupts.deferred():
            pass
        assert not interrupts.is_interrupted()

    ending(command)()

    def stumble() -> None:
        raise RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError, match="a fault of ours"):
        ending(stumble)()


def test_an_ignored_interrupt_stays_ignored() -> None:
    """A shell starts what it does not wait for so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    steps = []

    def command() -> None:
        send()
        steps.append("went on")

    ending(command)()
    assert steps == ["went on"]


@pytest.mark.parametrize("listening", [True, False])
def test_the_main_thread_is_interrupted_for_another_reason(listening: bool) -> None:
    ends: list[str] = []
    interrupts.at_interrupt(lambda: ends.append("workers"))
    signals = Signals()
    if listening:
        signals.listen()
    try:
        with pytest.raises(KeyboardInterrupt), interrupts.interruptible():
            threading.Timer(0.1, interrupts.interrupt_main).start()
            time.sleep(20)
        assert signals.received is None
        assert ends == ["workers"]
    finally:
        signals.stop()


def test_a_signal_ends_the_processes_that_work_for_this_one() -> None:
    def command() -> None:
        ended = fork_server().fork({"CONTROL_API_SERVICE_DESCRIPTOR": "url: 'localhost:1'"})
        other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(601)"])
        try:
            send(signal.SIGTERM)
            time.sleep(10)
        finally:
            with open(ended, "rb") as file:
                assert file.read() == b""
            assert other.poll() is None
            other.kill()
            other.wait()

    with pytest.raises(typer.Exit) as ended:
        ending(command)()
    assert ended.value.exit_code == 143


def test_a_forked_process_ends_by_the_signal() -> None:
    signals = Signals()
    signals.listen()
    try:
        child = os.fork()
        if child == 0:
            send(signal.SIGTERM)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGTERM
        assert signals.received is None
    finally:
        signals.stop()


# --- jobs


class Job:
    """A pipeline and its result, at which a signal comes."""

    def __init__(self, submit: Callable[[], None], wait: Callable[[], None]) -> None:
        self._submit, self._wait = submit, wait
        self.is_submitted = self.is_cancelled = False

    def run(self) -> "Job":
        self._submit()
        self.is_submitted = True
        return self

    def wait_until_finish(self) -> None:
        self._wait()

    def cancel(self) -> None:
        self.is_cancelled = True


def be_made_an_error() -> None:
    try:
        send()
        time.sleep(10)
    except KeyboardInterrupt:
        pass
    raise RuntimeError("the job's stream has ended")


def handle_signals() -> None:
    """Beam's job servers do so when they start."""
    signal.signal(signal.SIGINT, lambda number, frame: None)


def send_and_wait() -> None:
    send()
    time.sleep(1)


def nothing() -> None:
    return None


@pytest.mark.parametrize(
    ("submit", "wait"),
    [
        (send, nothing),
        (nothing, send),
        (nothing, lambda: swallow(signal.SIGINT)),
        (nothing, be_made_an_error),
    ],
    ids=["while it is submitted", "while it runs", "swallowed", "made an error"],
)
def test_an_interrupted_driver_cancels_its_job(submit: Callable[[], None], wait: Callable[[], None]) -> None:
    job = Job(submit, wait)
    with pytest.raises(typer.Exit) as ended:
        ending(lambda: stage_pipeline._finish(job, elsewhere=True))()  # type: ignore[arg-type]
    assert ended.value.exit_code == 130
    assert job.is_submitted and job.is_cancelled


def test_a_job_that_an_interrupt_made_fail_is_not_submitted_again() -> None:
    submitted = []

    def submit() -> None:
        submitted.append(1)
        be_made_an_error()

    with pytest.raises(typer.Exit):
        ending(lambda: outlive_failures(submit, lambda: 0, "translate"))()
    with pytest.raises(typer.Exit):
        ending(lambda: when_free(submit, lambda refusal: True, "translate"))()
    assert len(submitted) == 2


# --- whole processes

SLOW = """
import time
from paranmt.launch.display.console import ending
def run():
    try:
        print("works", flush=True)
        time.sleep(60)
    finally:
        print("cleans up", flush=True)
        time.sleep(60)
ending(run)()
"""


def hearing() -> None:
    # A shell starts what it does not wait for with SIGINT ignored, and the tests may be that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_second_signal_ends_a_long_cleanup() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hearing,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "works\n"
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)  # `timeout` signals a process and then its group: that is one
    assert process.stdout.readline() == "cleans up\n"
    time.sleep(1.5 * interrupts.SAME_SECONDS)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=30)
    assert process.returncode == 130
    assert text == f"\nparanmt: interrupted; {KEPT}\n"


ENDING = """
import os, signal, threading, time
from paranmt.__main__ import main
from paranmt.launch.cli import app
from paranmt.launch.display.console import ending
from paranmt.base import interrupts
interrupts.LEAVE_SECONDS = 0.3
@app.command("interrupted")
@ending
def run(seconds: float):
    threading.Thread(target=time.sleep, args=(seconds,)).start()
    exec("os.kill(os.getpid(), signal.SIGTERM)")
main()
"""


@pytest.mark.parametrize("seconds", ["0", "60"])
def test_an_interrupted_process_ends_with_its_code(seconds: str, tmp_path: Path) -> None:
    """Python would wait for the thread, and kill itself with SIGINT for the interrupt within `exec`."""
    (tmp_path / "interrupted.py").write_text(ENDING)
    done = subprocess.run(
        [sys.executable, "-m", "interrupted", "interrupted", seconds],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=50,
    )  # fmt: skip
    assert done.returncode == 143, done.stderr
    assert done.stderr == f"\nparanmt: interrupted; {KEPT}\n"


EARLY = """
import os, signal, sys, types
from paranmt.__main__ import main
class Importing(types.ModuleType):
    def __getattr__(self, name):
        os.kill(os.getpid(), signal.SIGINT)
sys.modules["paranmt.launch.cli"] = Importing("paranmt.launch.cli")
main()
"""


def test_an_interrupt_while_modules_are_imported_leaves_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, preexec_fn=hearing
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
