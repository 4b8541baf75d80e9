"""Signals that end a command: Ctrl-C (SIGINT) and what batch systems send (SIGTERM).

A signal raises KeyboardInterrupt in the main thread, whatever that is doing. Libraries can lose the
exception: in a bare `except`, in a `__del__`, or in C++ that turns it into an error of its own. So the signal
is remembered. A thread checks whether the main thread is handling the interrupt, and raises it again if not.
However a command ends after a signal, it counts as ended by the signal.
"""

import contextlib
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

AGAIN_SECONDS = 0.5
"""How long the main thread may take to begin its cleanup before the interrupt is raised again."""
SAME_SECONDS = 1.0
"""Signals closer together count as one: `timeout` and batch systems signal a process and then its group."""
LEAVE_SECONDS = 3.0
"""How long libraries may take for their own cleanup when an interrupted process exits."""
CODES = (128 + signal.SIGINT, 128 + signal.SIGTERM)
"""The exit codes of interrupted commands."""
# This signal is ignored by default, so it does no harm if it stays pending.
_WAKE = signal.SIGURG


class Signals:
    """The signals that arrive while a command runs. received: the first of them."""

    def __init__(self, last_words: str = "interrupted") -> None:
        self.received: int | None = None
        self._last_words = last_words
        self._process = os.getpid()
        self._ended = False
        self._deferred = 0
        self._before: dict[int, signal._HANDLER] = {}
        self._wakeup: tuple[int, int] | None = None

    def listen(self) -> None:
        """From now on, raise signals in the main thread. Does nothing if called in another thread."""
        global _listening
        if threading.current_thread() is not threading.main_thread():
            return
        _listening = self
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        # Unlike a handler, this is notified of signals while the main thread is busy in C++.
        self._wakeup = write_end, signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(read_end,), name="signals", daemon=True).start()
        for number in (signal.SIGINT, signal.SIGTERM, _WAKE):
            handler = signal.getsignal(number)
            # A shell starts background commands with SIGINT ignored.
            if handler != signal.SIG_IGN or number == _WAKE:
                self._before[number] = handler
        self.listen_again()

    def listen_again(self) -> None:
        """Install the handlers again after a library has replaced them."""
        for number in self._before:
            signal.signal(number, self._interrupt)

    def stop(self) -> None:
        """Raise no more interrupts, and give signals their former effect."""
        global _listening
        self._ended = True
        while self._before:
            signal.signal(*self._before.popitem())
        if self._wakeup is not None:
            write_end, before = self._wakeup
            self._wakeup = None
            signal.set_wakeup_fd(before)
            os.close(write_end)  # ends the thread, which closes the other end
        if _listening is self:
            _listening = None

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal arrived and the main thread is still at work."""
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and self.received is not None and not self._ended and not self._deferred:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Raise no interrupt inside the `with`."""
        self._deferred += 1
        try:
            yield
        finally:
            self._deferred -= 1

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._process:  # a forked child
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        is_new = self.received is None and number != _WAKE
        if is_new:
            self.received = number
            _be_quiet()
        if self._ended or self._deferred or (number == _WAKE and _is_from_interrupt(sys.exception())):
            return
        if is_new or number == _WAKE:
            raise KeyboardInterrupt

    def _watch(self, read_end: int) -> None:
        first = 0.0
        main = threading.main_thread().ident or 0
        while True:
            ready, _, _ = select.select([read_end], [], [], AGAIN_SECONDS if first else None)
            if ready:
                arrived = os.read(read_end, 100)
                if not arrived:
                    os.close(read_end)
                    return
                numbers = [number for number in arrived if number in (signal.SIGINT, signal.SIGTERM)]
                now = time.monotonic()
                if numbers and first and now - first > SAME_SECONDS:
                    self._exit_immediately(numbers[0])
                first = first or (now if numbers else 0.0)
            if first:
                _act()
            if not ready and self.received is not None and not (self._ended or self._deferred):
                if not _is_from_interrupt(_handled_by(main)):
                    signal.pthread_kill(main, _WAKE)

    def _exit_immediately(self, number: int) -> None:
        """Exit without cleanup, because the user does not want to wait for it."""
        cursor = "\x1b[?25h" if os.isatty(2) else ""  # shows the cursor, which progress bars hide
        with contextlib.suppress(OSError):
            os.write(2, f"{cursor}\nparanmt: {self._last_words}\n".encode())
        os._exit(128 + (self.received or number))


_listening: Signals | None = None


def check() -> None:
    """Raise KeyboardInterrupt if a signal arrived that a library swallowed. Called before new work begins."""
    if _listening is not None:
        _listening.check()


def at_interrupt(action: Callable[[], None]) -> None:
    """Call `action`, in another thread, at an interrupt; after a signal repeatedly until the command ends."""
    _actions.add(action)


_actions: set[Callable[[], None]] = set()


def _act() -> None:
    for action in tuple(_actions):
        action()


def listen_again() -> None:
    """Install our handlers again; called after a library that sets its own."""
    if _listening is not None and threading.current_thread() is threading.main_thread():
        _listening.listen_again()


def is_interrupted() -> bool:
    """Whether a signal arrived, or an interrupt is being handled now."""
    return (_listening is not None and _listening.received is not None) or _is_from_interrupt(sys.exception())


def deferred() -> contextlib.AbstractContextManager[None]:
    """For a cleanup that must be completed: a signal inside the `with` takes effect after it."""
    return _listening.deferred() if _listening is not None else contextlib.nullcontext()


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let `interrupt_main` work inside the `with`, also where no command listens and SIGINT is ignored."""
    if _listening is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(_WAKE, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(_WAKE, before)


def interrupt_main() -> None:
    """Raise KeyboardInterrupt in the main thread for another reason than a signal.

    The main thread is in `interruptible`, or a command listens. Unlike `_thread.interrupt_main`, this also
    wakes the main thread while it waits.
    """
    _act()
    signal.pthread_kill(threading.main_thread().ident or 0, _WAKE)


def end_by_default() -> None:
    """Let Ctrl-C end this process without a traceback, as SIGTERM does, until a command listens."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def leave_soon(code: int) -> None:
    """End this process with a code within seconds, whatever its threads and libraries are waiting for.

    An interrupt can leave threads behind that Python would wait for forever; and after an interrupt inside an
    `exec`, Python kills itself with SIGINT when it exits. Functions registered with `atexit` still run.
    """
    global _code
    _code = code
    timer = threading.Timer(LEAVE_SECONDS, os._exit, (code,))
    timer.daemon = True
    timer.start()


def leave() -> None:
    """Exit with the code of `leave_soon`. Register it with `atexit` first, so that it runs last."""
    if _code is not None:
        os._exit(_code)


_code: int | None = None


def _be_quiet() -> None:
    """Silence libraries and their threads: their messages about an interrupt do not help the user."""
    logging.disable()
    threading.excepthook = lambda args: None
    sys.unraisablehook = lambda args: None


def _handled_by(thread: int) -> BaseException | None:
    """The exception that a thread is handling, in an `except`, a `finally` or the end of a `with`."""
    handled = sys._current_exceptions().get(thread)
    return handled[1] if isinstance(handled, tuple) else handled  # a tuple before Python 3.12


def _is_from_interrupt(error: BaseException | None) -> bool:
    """Whether an exception is an interrupt, or was raised while one was handled."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__context__
    return False
