"""Trials that try to break a workspace at random; `make trials` does many more of them.

Each has a seed, and a failure names the seed, what was done, and the command that repeats it.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from damage import damage, damage_resumed
from edits import edits
from incomplete import releases, streams
from kills import finished_parts, kill, kills, log_of, start
from outcomes import Trial
from translation_models import damaged_models, kills_of_training
from users_files import users_files
from workspaces import differences, published, small_project

from paranmt import install

needs_fairseq = pytest.mark.skipif(
    bool(install.missing("fairseq")), reason="training a translation model needs fairseq"
)
Tried = Callable[[Trial, int], None]
pytestmark = pytest.mark.timeout(900 * int(os.environ.get("TRIALS_COUNT", "1")))


def test_edits(tried: Tried) -> None:
    tried(edits, 2)


def test_kills(tried: Tried) -> None:
    tried(kills, 4)


def test_damage(tried: Tried) -> None:
    tried(damage, 12)


def test_damage_resumed(tried: Tried) -> None:
    tried(damage_resumed, 6)


@needs_fairseq
def test_damaged_models(tried: Tried) -> None:
    tried(damaged_models, 4)


@needs_fairseq
def test_kills_of_training(tried: Tried) -> None:
    tried(kills_of_training, 2)


def test_users_files(tried: Tried) -> None:
    tried(users_files, 4)


def test_streams(tried: Tried) -> None:
    tried(streams, 8)


def test_releases(tried: Tried) -> None:
    tried(releases, 7)


def test_a_second_run_of_a_workspace_stops(finished: Path, tmp_path: Path) -> None:
    """While a run holds its workspace, another says who holds it and ends with 2."""
    place = tmp_path / "kept"
    place.mkdir()
    small_project().write(place)
    first = start(place, ["run"])
    try:
        while first.is_alive() and not (place / "work/ingest/_manifest.json").exists():
            time.sleep(0.01)
        os.kill(first.pid or 0, signal.SIGSTOP)  # so that it cannot end too early for the test
        second = start(place, ["run"])
        second.join()
        assert second.exitcode == 2
        assert f"another run (process {first.pid}" in log_of(place)
        assert "Traceback" not in log_of(place)
        os.kill(first.pid or 0, signal.SIGCONT)
        first.join()
        assert first.exitcode == 0
    finally:
        kill(first)


def test_interrupting_leaves_a_resumable_workspace(finished: Path, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    place.mkdir()
    small_project().write(place)
    first = start(place, ["run"])
    while first.is_alive() and not (place / "work/score/trigram_overlap").exists():
        time.sleep(0.01)
    os.kill(first.pid or 0, signal.SIGINT)
    first.join(30)
    assert first.exitcode == 130
    assert "Traceback" not in log_of(place)
    parts = finished_parts(place)
    again = start(place, ["run"])
    again.join()
    assert again.exitcode == 0
    assert {name: finished_parts(place).get(name) for name in parts} == parts
    project = small_project()
    assert differences(published(finished / "finished", project), published(place, project)) == []
