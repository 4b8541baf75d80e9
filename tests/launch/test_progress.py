import io
import threading

import pytest
from rich.console import Console

from paranmt.launch.display.progress import (
    LiveProgress,
    Pace,
    Progress,
    counted,
    duration,
    finished_line,
    progress_on,
    state,
)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_plain_lines() -> None:
    out, clock = io.StringIO(), Clock()
    with Progress(out, every=30, clock=clock) as progress:
        progress.stage_started("translate", 12, 4, (2, 22))
        clock.now = 20
        progress.part_done("translate", 10_000)
        clock.now = 40
        progress.part_done("translate", 10_000)
        progress.message("a word")
        clock.now = 60
        progress.part_done("translate", 10_000)
        progress.stage_finished("translate", 61.0, 120_000, "2 failed")
        progress.stage_started("ingest", None, 0)
    assert out.getvalue().splitlines() == [
        "translate: started, stage 2 of 22, 12 parts (4 already finished)",
        "translate: 6 of 12 parts, 500 pairs/s, 2 min 0 s left",
        "a word",
        "translate: 120,000 pairs in 1 min 1 s, 1,967 pairs/s; 2 failed",
        "ingest: started",
    ]


@pytest.mark.parametrize(
    ("pace", "shown"),
    [
        (Pace(12, 0, 0.0), "0 of 12 parts"),
        (Pace(1, 0, 0.0), "0 of 1 part"),
        (Pace(None, 3, 0.0, 0, 30), "3 parts, 3.0 pairs/s"),
        (Pace(12, 4, 0.0, 4), "4 of 12 parts"),  # nothing of this run: no guess
        (Pace(12, 6, 0.0, 4, 100), "6 of 12 parts, 10 pairs/s, 30 s left"),
        (Pace(12, 12, 0.0, 4, 100), "12 of 12 parts, 10 pairs/s"),
    ],
)
def test_state(pace: Pace, shown: str) -> None:
    assert state(pace, 10.0) == shown


def test_words_for_numbers() -> None:
    assert [counted(n, "part") for n in (0, 1, 1_200)] == ["0 parts", "1 part", "1,200 parts"]
    assert [duration(s) for s in (0, 9.94, 9.96, 59.6, 3_599, 3_600, 86_400)] == [
        "0.0 s", "9.9 s", "10 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "1 d 0 h",
    ]  # fmt: skip
    assert finished_line("report", 0.5, 0) == "report: 0.5 s"
    assert finished_line("ingest", 0.0, 5) == "ingest: 5 pairs in 0.0 s"


def test_bars_on_a_terminal_leave_one_line_a_stage() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100)
    progress = progress_on(console)
    assert isinstance(progress, LiveProgress)
    with progress:
        assert out.getvalue() == ""  # a question may be asked before the first stage
        progress.stage_started("translate", 2, 0)
        progress.part_done("translate", 100)
        progress.part_done("translate", 100)
        progress.stage_finished("translate", 2.0, 200)
        progress.part_done("ingest", 5)
        progress.message("[a] word")
    assert "translate: 200 pairs in 2.0 s, 100 pairs/s" in out.getvalue()
    assert "[a] word" in out.getvalue()


def test_plain_lines_where_there_is_no_terminal() -> None:
    out = io.StringIO()
    progress = progress_on(Console(file=out))
    assert type(progress) is Progress
    progress.message("a word")
    assert out.getvalue() == "a word\n"


@pytest.mark.parametrize("live", [False, True])
def test_parts_may_be_told_from_many_threads(live: bool) -> None:
    out = io.StringIO()
    progress = LiveProgress(Console(file=out, force_terminal=True)) if live else Progress(out, every=1e9)
    with progress:
        progress.stage_started("score", 400, 0)
        threads = [
            threading.Thread(target=lambda: [progress.part_done("score", 1) for _ in range(100)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert progress._paces["score"].done == 400
