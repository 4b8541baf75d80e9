"""The progress of a run: finished parts, pairs per second, time left, and a line after each stage.

`Progress` writes plain lines, for a log; `LiveProgress` draws bars on a terminal. Both are context
managers, and any thread may call them.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from ...base.terminal import printable
from .console import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

Clock = Callable[[], float]


@dataclass
class Pace:
    """How far a stage is.

    `parts`: how many it has, None if unknown; `done`: how many are finished. `place`: its number among the
    stages, and how many these are.
    """

    parts: int | None
    done: int
    started: float
    done_before: int = 0
    pairs: int = 0
    place: tuple[int, int] | None = None

    def pairs_per_second(self, now: float) -> float:
        """The average speed of the stage so far; 0 before anything is finished."""
        seconds = now - self.started
        return self.pairs / seconds if seconds > 0 else 0.0

    def seconds_left(self, now: float) -> float | None:
        """The time left if this run's speed stays the same; None before the first and after the last part."""
        done_here = self.done - self.done_before
        if self.parts is None or done_here <= 0 or self.done >= self.parts:
            return None
        return (now - self.started) / done_here * (self.parts - self.done)


class Progress:
    """Plain lines at the start and end of a stage, and at most one every `every` seconds in between."""

    def __init__(
        self, out: IO[str] | None = None, every: float = 30.0, clock: Clock = time.monotonic
    ) -> None:
        self._out = out
        self._every = every
        self._clock = clock
        self._lock = threading.Lock()
        self._paces: dict[str, Pace] = {}
        self._last_line = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def stage_started(
        self, name: str, parts: int | None, done: int, place: tuple[int, int] | None = None
    ) -> None:
        """A stage starts; `done` of its `parts` are already finished. place: as of `Observer`."""
        with self._lock:
            now = self._clock()
            self._paces[name] = Pace(parts, done, now, done, place=place)
            self._last_line = now
            self._started(name, self._paces[name])

    def part_done(self, name: str, pairs: int) -> None:
        """One more part of a stage is finished; it has this many pairs."""
        with self._lock:
            pace = self._paces.setdefault(name, Pace(None, 0, self._clock()))
            pace.done += 1
            pace.pairs += pairs
            self._advanced(name, pace)

    def stage_finished(self, name: str, seconds: float, pairs: int, detail: str = "") -> None:
        """A stage is finished; `detail` is added to the line about it."""
        with self._lock:
            self._ended(name)
            self._paces.pop(name, None)
            self._line(finished_line(name, seconds, pairs, detail))

    def message(self, text: str) -> None:
        """Print a separate line."""
        with self._lock:
            self._line(text)

    def _started(self, name: str, pace: Pace) -> None:
        parts = "" if pace.parts is None else f", {counted(pace.parts, 'part')}"
        finished = f" ({pace.done:,} already finished)" if pace.done else ""
        place = "" if pace.place is None else f", stage {pace.place[0]:,} of {pace.place[1]:,}"
        self._line(f"{name}: started{place}{parts}{finished}")

    def _advanced(self, name: str, pace: Pace) -> None:
        now = self._clock()
        if now - self._last_line >= self._every:
            self._last_line = now
            self._line(f"{name}: {state(pace, now)}")

    def _ended(self, name: str) -> None:
        return None

    def _line(self, text: str) -> None:
        say(text, self._out)


class LiveProgress(Progress):
    """Bars on a terminal, each replaced by one line when its stage ends."""

    def __init__(self, console: "Console", clock: Clock = time.monotonic) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bars  # every command imports this module, and few draw bars

        super().__init__(clock=clock)
        self._live = False
        self._console = console
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[state]}"),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def _started(self, name: str, pace: Pace) -> None:
        self._ended(name)
        if not self._live:  # the run may ask a question before its first stage
            self._bars.start()
            self._live = True
        shown = state(pace, self._clock())
        place = "" if pace.place is None else f"{pace.place[0]:,}/{pace.place[1]:,} "
        self._tasks[name] = self._bars.add_task(
            f"{place}{name}", total=pace.parts, completed=pace.done, state=shown
        )

    def _advanced(self, name: str, pace: Pace) -> None:
        if name not in self._tasks:
            self._started(name, pace)
        self._bars.update(self._tasks[name], completed=pace.done, state=state(pace, self._clock()))

    def _ended(self, name: str) -> None:
        if name in self._tasks:
            self._bars.remove_task(self._tasks.pop(name))

    def _line(self, text: str) -> None:
        self._console.print(printable(text), markup=False, highlight=False, soft_wrap=True)


def progress_on(console: "Console") -> Progress:
    """Bars if the console is a terminal, else plain lines."""
    return LiveProgress(console) if console.is_terminal else Progress(console.file)


def state(pace: Pace, now: float) -> str:
    """How far a stage is, in one line.

    >>> state(Pace(parts=12, done=4, started=0.0, done_before=1, pairs=30_000), now=60.0)
    '4 of 12 parts, 500 pairs/s, 2 min 40 s left'
    """
    parts = (
        counted(pace.done, "part")
        if pace.parts is None
        else f"{pace.done:,} of {counted(pace.parts, 'part')}"
    )
    rate = f", {rated(pace.pairs_per_second(now))}" if pace.pairs else ""
    left = pace.seconds_left(now)
    return parts + rate + ("" if left is None else f", {duration(left)} left")


def finished_line(name: str, seconds: float, pairs: int, detail: str = "") -> str:
    """The line that stays on the terminal when a stage has finished.

    >>> finished_line("translate", 343.2, 118_399, "2 failed")
    'translate: 118,399 pairs in 5 min 43 s, 345 pairs/s; 2 failed'
    """
    done = f"{counted(pairs, 'pair')} in {duration(seconds)}" if pairs else duration(seconds)
    rate = f", {rated(pairs / seconds)}" if pairs and seconds > 0 else ""
    return f"{name}: {done}{rate}" + (f"; {detail}" if detail else "")


def counted(number: int, what: str) -> str:
    """A number with its noun: "1 part", "1,200 parts"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def rated(pairs_per_second: float) -> str:
    """Pairs per second, with one decimal below ten."""
    return f"{pairs_per_second:,.1f} pairs/s" if pairs_per_second < 10 else f"{pairs_per_second:,.0f} pairs/s"


def duration(seconds: float) -> str:
    """A duration in readable units.

    >>> duration(0.42), duration(59), duration(61), duration(7_322), duration(200_000)
    ('0.4 s', '59 s', '1 min 1 s', '2 h 2 min', '2 d 7 h')
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86_400:
        return f"{whole // 3_600} h {whole % 3_600 // 60} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3_600} h"
