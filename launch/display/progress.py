"""The progress of a run: finished parts, the time left, and a line after each stage, or after each kind.

`Progress` writes plain lines, for a log; `LiveProgress` draws bars on a terminal. Both are context
managers, and any thread may call them.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from ...base.durations import duration
from ...base.terminal import printable
from ...pipeline.recipe.name import StageName
from .console import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

Clock = Callable[[], float]

_NAMED_SECONDS = 10.0
"""A stage that takes longer than this and most of its group's time is named in the line of the group."""


@dataclass
class Pace:
    """How far a stage is.

    `parts`: how many it has, None if unknown; `done`: how many are finished. `share`, `note`: how far the
    work is that is not cut into parts, if it is known, and what it says of itself. `first`: when it was
    first known, and its value then.
    """

    parts: int | None
    done: int
    started: float
    done_before: int = 0
    pairs: int = 0
    share: float | None = None
    note: str = ""
    first: tuple[float, float] | None = None

    def pairs_per_second(self, now: float) -> float:
        """The average speed of the stage so far; 0 before anything is finished."""
        seconds = now - self.started
        return self.pairs / seconds if seconds > 0 else 0.0

    def seconds_left(self, now: float) -> float | None:
        """The time left if this run's speed stays the same; None before the first and after the last part."""
        if self.share is not None:
            began, share = self.first or (now, self.share)
            return (now - began) * (1 - self.share) / (self.share - share) if self.share > share else None
        done_here = self.done - self.done_before
        if self.parts is None or done_here <= 0 or self.done >= self.parts:
            return None
        return (now - self.started) / done_here * (self.parts - self.done)


@dataclass
class RunPace:
    """How far a run is: the stages to compute with their expected seconds, if known, and those done.

    finished: stage → the seconds that it took.
    """

    expected: dict[str, float | None] = field(default_factory=dict)
    finished: dict[str, float] = field(default_factory=dict)

    @property
    def stages(self) -> int:
        """How many stages the run computes."""
        return len(self.expected.keys() | self.finished.keys())

    def text(self, running: Mapping[str, Pace], now: float) -> str:
        """The run's share and the time left, where the times of all stages are known."""
        done = f"{len(self.finished):,} of {counted(self.stages, 'stage')}"
        left = 0.0
        for name, seconds in self.expected.items():
            pace = running.get(name)
            measured = None if pace is None else pace.seconds_left(now)
            if name in self.finished:
                continue
            if measured is None and seconds is None:
                return done
            spent = 0.0 if pace is None else now - pace.started
            left += measured if measured is not None else max(0.0, (seconds or 0.0) - spent)
        spent = sum(self.finished.values()) + sum(now - pace.started for pace in running.values())
        share = f", {spent / (spent + left):.0%}" if spent + left > 0 else ""
        return f"{done}{share}, about {duration(left)} left" if left else done


@dataclass(frozen=True)
class _Finished:
    name: str
    seconds: float
    pairs: int
    computed: int


class Progress:
    """Plain lines: one for each stage, and at most one every `every` seconds in between."""

    def __init__(
        self, out: IO[str] | None = None, every: float = 30.0, clock: Clock = time.monotonic
    ) -> None:
        self._out = out
        self._every = every
        self._clock = clock
        self._lock = threading.Lock()
        self._paces: dict[str, Pace] = {}
        self._run = RunPace()
        self._last_line = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def stages_planned(self, expected: Mapping[StageName, float | None]) -> None:
        """The stages that the run computes from now on, in order; the first time, say how many they are."""
        with self._lock:
            is_new = not self._run.expected
            self._run.expected = {name: seconds for name, seconds in expected.items()}
            for name in expected:
                self._run.finished.pop(name, None)  # it is computed again
            if is_new and expected:
                self._planned()

    def stage_started(self, name: str, parts: int | None, done: int) -> None:
        """A stage starts; `done` of its `parts` are already finished."""
        with self._lock:
            now = self._clock()
            self._paces[name] = Pace(parts, done, now, done)
            self._last_line = now
            self._started(name, self._paces[name])

    def stage_goes_on(self, name: str, share: float | None, note: str) -> None:
        """A stage is still computed; share, note: as of `Observer`."""
        with self._lock:
            pace = self._paces.get(name)
            if pace is not None:
                pace.share, pace.note = share, note
                if share is not None and pace.first is None:
                    pace.first = self._clock(), share
                self._advanced(name, pace)

    def part_done(self, name: str, pairs: int) -> None:
        """One more part of a stage is finished; it has this many pairs."""
        with self._lock:
            pace = self._paces.setdefault(name, Pace(None, 0, self._clock()))
            pace.done += 1
            pace.pairs += pairs
            self._advanced(name, pace)

    def stage_finished(self, name: str, seconds: float, pairs: int, computed: int) -> None:
        """A stage is finished; computed: of how many of its pairs it computed something."""
        with self._lock:
            self._ended(name)
            self._paces.pop(name, None)
            self._run.finished[name] = seconds
            self._finished(_Finished(name, seconds, pairs, computed))

    def message(self, text: str) -> None:
        """Print a separate line."""
        with self._lock:
            self._line(text)

    def _planned(self) -> None:
        self._line(f"to compute: {grouped(self._run.expected)}")

    def _started(self, name: str, pace: Pace) -> None:
        if pace.done and pace.parts is not None:
            self._line(f"{name}: started, {counted(pace.parts, 'part')} ({pace.done:,} already finished)")

    def _advanced(self, name: str, pace: Pace) -> None:
        now = self._clock()
        if now - self._last_line >= self._every:
            self._last_line = now
            whole = f"; {self._run.text(self._paces, now)}" if self._run.stages > 1 else ""
            self._line(f"{name}: {state(pace, now)}{whole}")

    def _ended(self, name: str) -> None:
        return None

    def _finished(self, stage: _Finished) -> None:
        self._line(finished_line(stage.name, stage.seconds, stage.pairs, stage.computed))

    def _line(self, text: str) -> None:
        say(text, self._out)


class LiveProgress(Progress):
    """Bars on a terminal: of what is computed and of the whole run. A line for each kind of stage stays.

    verbose: whether each stage has its line. Stages that were not planned always have one.
    """

    def __init__(self, console: "Console", clock: Clock = time.monotonic, verbose: bool = False) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bars  # every command imports this module, and few draw bars
        from rich.table import Column

        super().__init__(clock=clock)
        self._live = False
        self._console = console
        self._verbose = verbose
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", table_column=Column(no_wrap=True)),
            BarColumn(bar_width=min(30, max(6, console.width - 74))),
            TextColumn("{task.fields[state]}", table_column=Column(no_wrap=True, overflow="ellipsis")),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._whole: TaskID | None = None
        self._groups: dict[str, list[_Finished]] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
        for name in list(self._groups):
            self._end_group(name)

    def _planned(self) -> None:
        return None

    def _started(self, name: str, pace: Pace) -> None:
        self._ended(name)
        if not self._live:  # the run may ask a question before its first stage
            self._bars.start()
            self._live = True
        self._show_run()  # first, so that it is the upper bar
        self._tasks[name] = self._bars.add_task(
            name, total=pace.parts, completed=pace.done, state=state(pace, self._clock())
        )

    def _advanced(self, name: str, pace: Pace) -> None:
        if name not in self._tasks:
            self._started(name, pace)
        total, completed = pace.parts, float(pace.done)
        if pace.share is not None:
            total, completed = 1, pace.share
        now = self._clock()
        self._bars.update(self._tasks[name], total=total, completed=completed, state=state(pace, now))
        self._show_run()

    def _show_run(self) -> None:
        if self._run.stages < 2:
            return
        text = self._run.text(self._paces, self._clock())
        done, stages = len(self._run.finished), self._run.stages
        if self._whole is None:
            self._whole = self._bars.add_task("the whole run", total=stages, completed=done, state=text)
        self._bars.update(self._whole, total=stages, completed=done, state=text)

    def _ended(self, name: str) -> None:
        if name in self._tasks:
            self._bars.remove_task(self._tasks.pop(name))

    def _finished(self, stage: _Finished) -> None:
        kind = StageName(stage.name).kind
        if self._verbose or stage.name not in self._run.expected:
            super()._finished(stage)
            return
        self._groups.setdefault(kind, []).append(stage)
        if self._left(kind) == 0:
            self._end_group(kind)

    def _left(self, kind: str) -> int:
        left = self._run.expected.keys() - self._run.finished.keys()
        return sum(StageName(name).kind == kind for name in left)

    def _end_group(self, kind: str) -> None:
        stages = self._groups.pop(kind)
        if len(stages) == 1 and not self._left(kind):
            super()._finished(stages[0])
            return
        seconds = sum(stage.seconds for stage in stages)
        line = f"{kind}: {len(stages):,} of {len(stages) + self._left(kind):,}, {duration(seconds)}"
        longest = max(stages, key=lambda stage: stage.seconds)
        if longest.seconds > max(_NAMED_SECONDS, seconds / 2):
            line += f", {duration(longest.seconds)} of it {longest.name}"
        self._line(line)

    def _line(self, text: str) -> None:
        # Else rich's own thread may draw bars between the two steps of a print, and the cursor is a line off.
        with self._bars.live._lock:
            self._console.print(printable(text), markup=False, highlight=False)


def progress_on(console: "Console", verbose: bool = False) -> Progress:
    """Bars if the console is a terminal, else plain lines."""
    return LiveProgress(console, verbose=verbose) if console.is_terminal else Progress(console.file)


def state(pace: Pace, now: float) -> str:
    """How far a stage is, in one line.

    >>> state(Pace(parts=12, done=4, started=0.0, done_before=1, pairs=30_000), now=60.0)
    '4 of 12 parts, 500 pairs/s, 2 min 40 s left'
    """
    if pace.share is not None:
        shown = f"{pace.share:.0%}" + (f", {pace.note}" if pace.note else "")
    elif pace.parts is None:
        shown = counted(pace.done, "part")
    elif pace.parts == 1:
        shown = f"{duration(now - pace.started)} so far"
    else:
        shown = f"{pace.done:,} of {counted(pace.parts, 'part')}"
    rate = f", {rated(pace.pairs_per_second(now))}" if pace.pairs else ""
    left = pace.seconds_left(now)
    return shown + rate + ("" if left is None else f", {duration(left)} left")


def finished_line(name: str, seconds: float, pairs: int, computed: int) -> str:
    """The line that stays on the terminal when a stage has finished; its speed is that of what was computed.

    >>> finished_line("translate", 343.2, 118_399, 118_399)
    'translate: 118,399 pairs in 5 min 43 s, 345 pairs/s'
    >>> finished_line("translate", 10.0, 7_000, 6_020)
    'translate: 6,020 of 7,000 pairs computed in 10 s, 602 pairs/s'
    """
    if not pairs:
        return f"{name}: {duration(seconds)}"
    what = (
        counted(pairs, "pair") if computed == pairs else f"{computed:,} of {counted(pairs, 'pair')} computed"
    )
    rate = f", {rated(computed / seconds)}" if computed and seconds >= 0.05 else ""
    return f"{name}: {what} in {duration(seconds)}{rate}"


def grouped(names: Iterable[str]) -> str:
    """Stages in a line, those of a kind together.

    >>> grouped(["ingest", "score/perplexity", "score/source_length", "train/avg"])
    '4 stages: ingest, score (2), train/avg'
    """
    names = list(names)
    kinds = Counter(StageName(name).kind for name in names)
    of = {StageName(name).kind: name for name in names}
    texts = [of[kind] if count == 1 else f"{kind} ({count:,})" for kind, count in kinds.items()]
    return f"{counted(len(names), 'stage')}: {', '.join(texts)}"


def counted(number: int, what: str) -> str:
    """A number with its noun: "1 part", "1,200 parts"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def rated(pairs_per_second: float) -> str:
    """Pairs per second, with one decimal below ten."""
    return f"{pairs_per_second:,.1f} pairs/s" if pairs_per_second < 10 else f"{pairs_per_second:,.0f} pairs/s"
