import io
import re
import threading

import pytest
from rich.console import Console

from paranmt.base.durations import duration
from paranmt.launch.display.progress import (
    LiveProgress,
    Pace,
    Progress,
    RunPace,
    counted,
    finished_line,
    progress_on,
    state,
)
from paranmt.pipeline.recipe.name import StageName


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_plain_lines() -> None:
    out, clock = io.StringIO(), Clock()
    with Progress(out, every=30, clock=clock) as progress:
        progress.stages_planned({StageName("translate"): None, StageName("ingest"): None})
        progress.stage_started("translate", 12, 4)
        clock.now = 20
        progress.part_done("translate", 10_000)
        clock.now = 40
        progress.part_done("translate", 10_000)
        progress.message("a word")
        clock.now = 60
        progress.part_done("translate", 10_000)
        progress.stage_finished("translate", 61.0, 120_000, 30_000)
        progress.stage_started("ingest", None, 0)
    assert out.getvalue().splitlines() == [
        "to compute: 2 stages: translate, ingest",
        "translate: started, 12 parts (4 already finished)",
        "translate: 6 of 12 parts, 500 pairs/s, 2 min 0 s left; 0 of 2 stages",
        "a word",
        "translate: 30,000 of 120,000 pairs computed in 1 min 1 s, 492 pairs/s",
    ]


def test_a_training_says_how_far_it_is() -> None:
    out, clock = io.StringIO(), Clock()
    with Progress(out, every=30, clock=clock) as progress:
        progress.stage_started("train/avg", 1, 0)
        clock.now = 40
        progress.stage_goes_on("train/avg", None, "")
        clock.now = 60
        progress.stage_goes_on("train/avg", 0.1, "epoch 2 of 10")  # not shown, but time counts from here
        clock.now = 80
        progress.stage_goes_on("train/avg", 0.5, "epoch 6 of 10")
    assert out.getvalue().splitlines() == [
        "train/avg: 40 s so far",
        "train/avg: 50%, epoch 6 of 10, 25 s left",  # 20 s for four tenths
    ]


def test_the_whole_run_has_a_share_where_all_times_are_known() -> None:
    run = RunPace({"ingest": 10.0, "translate": 60.0, "release": 30.0}, {"ingest": 20.0})
    # 20 s are over, and 30 s of translate; left are 30 s by its pace and 30 s of release.
    running = {"translate": Pace(2, 1, 100.0)}
    assert run.text(running, 130.0) == "1 of 3 stages, 45%, about 1 min 0 s left"
    # Before its first part, the expected time counts.
    assert run.text({"translate": Pace(2, 0, 100.0)}, 110.0) == "1 of 3 stages, 27%, about 1 min 20 s left"
    run.expected["release"] = None
    assert run.text(running, 130.0) == "1 of 3 stages"


@pytest.mark.parametrize(
    ("pace", "shown"),
    [
        (Pace(12, 0, 0.0), "0 of 12 parts"),
        (Pace(1, 0, 0.0), "10 s so far"),
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
    assert finished_line("report", 0.5, 0, 0) == "report: 0.5 s"
    assert finished_line("ingest", 0.0, 5, 5) == "ingest: 5 pairs in 0.0 s"


def test_what_was_not_computed_has_no_speed() -> None:
    line = finished_line("score/translation_cost", 0.5, 980, 0)
    assert line == "score/translation_cost: 0 of 980 pairs computed in 0.5 s"


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
        progress.stage_finished("translate", 2.0, 200, 200)
        progress.part_done("ingest", 5)
        progress.message("[a] word")
    assert "translate: 200 pairs in 2.0 s, 100 pairs/s" in out.getvalue()
    assert "[a] word" in out.getvalue()


def _kept_lines(verbose: bool, interrupted: bool = False) -> list[str]:
    """The lines that a run of four stages leaves on a terminal, without those of the bars."""
    out, names = io.StringIO(), [StageName(name) for name in ("ingest", "score/a", "score/b", "report")]
    console = Console(file=out, force_terminal=True, width=60, color_system=None)
    with LiveProgress(console, verbose=verbose) as progress:
        progress.stages_planned(dict.fromkeys(names, 1.0))
        for name, seconds in zip(names, (1.0, 20.0, 1.5, 2.0), strict=True):
            progress.stage_started(name, 1, 0)
            progress.stage_finished(name, seconds, 10, 10)
            if interrupted and name == "score/a":
                break
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).replace("\r", "\n")
    return [line.rstrip() for line in shown.split("\n") if re.match(r"\w+(/\w+)?: ", line)]


def test_stages_of_a_kind_leave_one_line() -> None:
    assert _kept_lines(verbose=False) == [
        "ingest: 10 pairs in 1.0 s, 10 pairs/s",
        "score: 2 of 2, 22 s, 20 s of it score/a",
        "report: 10 pairs in 2.0 s, 5.0 pairs/s",
    ]
    assert _kept_lines(verbose=True)[1:3] == [
        "score/a: 10 pairs in 20 s, 0.5 pairs/s",
        "score/b: 10 pairs in 1.5 s, 6.7 pairs/s",
    ]
    assert _kept_lines(verbose=False, interrupted=True)[1:] == ["score: 1 of 2, 20 s, 20 s of it score/a"]


def test_bars_are_no_wider_than_the_terminal() -> None:
    out, clock = io.StringIO(), Clock()
    console = Console(file=out, force_terminal=True, width=60, color_system=None)
    with LiveProgress(console, clock=clock) as progress:
        progress.stages_planned({StageName("score/paraphrase_similarity"): 1e5, StageName("release"): 1e5})
        progress.stage_started("score/paraphrase_similarity", 1_200, 0)
        clock.now = 60
        progress.part_done("score/paraphrase_similarity", 10_000)
        progress._bars.refresh()
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).replace("\r", "\n")
    assert "the whole run" in shown
    assert max(map(len, shown.split("\n"))) <= 60


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
