"""A run that is killed at any moment goes on where it was, and ends in the same bytes."""

import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from corpus import recipe_text
from test_run import ROWS, go, load, one, release_hashes, states

from paranmt.pipeline.recipe import Recipe

KILLS = 20
LAST_WORDS = "interrupted; what is finished is kept: the same command goes on from there"


def start(folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    """`paranmt run` of the folder's recipe, in a process group of its own."""
    command = [
        sys.executable,
        "-m",
        "paranmt",
        "run",
        str(folder / "recipe.yaml"),
        "--yes",
        *options,
    ]
    log = open(folder / "log.txt", "ab")  # noqa: SIM115
    # A shell starts what it does not wait for with SIGINT ignored, and the tests may be that.
    hearing = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, preexec_fn=hearing)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to the run and all it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("undisturbed")
    go(load(folder, recipe_text(folder, ROWS)))
    return folder


def part_files(folder: Path) -> dict[Path, int]:
    """Every finished part, with the time it was written at."""
    found = {}
    for parent, folders, files in os.walk(folder / "work"):  # which does not mind folders that vanish
        folders[:] = [name for name in folders if name != "_temporary"]
        paths = [Path(parent, name) for name in files if name.endswith(".parquet")]
        found.update({path: path.stat().st_mtime_ns for path in paths})
    return found


@pytest.mark.timeout(900)
def test_killed_at_random_moments(undisturbed: Path, tmp_path: Path) -> None:
    load(tmp_path, recipe_text(tmp_path, ROWS))
    choose = random.Random(20)
    kills = finished = 0
    before: dict[Path, int] = {}
    while kills < KILLS:
        began = time.monotonic()
        process = start(tmp_path)
        # The moment is drawn from what has appeared since, so that kills fall into every stage, however
        # fast the machine is; and from time, so that they fall between parts too.
        wanted = len(before) + choose.randrange(1, 12)
        while process.poll() is None and len(part_files(tmp_path)) < wanted and time.monotonic() - began < 60:
            time.sleep(0.01)
        time.sleep(choose.random() * 0.3)
        if process.poll() is not None:
            assert process.returncode == 0, (tmp_path / "log.txt").read_text()
            finished += 1
            # What is done is done: go on with a fresh workspace.
            assert release_hashes(tmp_path) == release_hashes(undisturbed)
            subprocess.run(["rm", "-rf", str(tmp_path / "work")], check=True)
            before = {}
            continue
        kill(process)
        kills += 1
        now = part_files(tmp_path)
        assert {path: now.get(path) for path in before} == before, "a finished part was lost or made again"
        before = now
    assert start(tmp_path).wait() == 0, (tmp_path / "log.txt").read_text()
    assert {path: part_files(tmp_path).get(path) for path in before} == before
    assert release_hashes(tmp_path) == release_hashes(undisturbed)
    pairs = one(f"select count(*), count(distinct pair_id) from '{tmp_path}/work/release/data/*.parquet'")
    assert pairs == (350, 350)


def test_another_recipe_killed_midway_harms_nothing(undisturbed: Path, tmp_path: Path) -> None:
    subprocess.run(["cp", "-r", f"{undisturbed}/.", tmp_path], check=True)
    text = (tmp_path / "recipe.yaml").read_text().replace(str(undisturbed), str(tmp_path))
    (tmp_path / "recipe.yaml").write_text(text)
    before = release_hashes(tmp_path)
    process = start(tmp_path, "--set", "scores.trigram_overlap.counting=legacy", "--set", "seed=5")
    parts = len(part_files(tmp_path))
    while process.poll() is None and len(part_files(tmp_path)) < parts + 25:
        time.sleep(0.01)
    assert process.poll() is None
    kill(process)
    assert set(states(tmp_path).values()) == {"fresh"}
    assert go(Recipe.load(tmp_path / "recipe.yaml")).computed == ()
    assert release_hashes(tmp_path) == before


def test_a_second_run_of_a_workspace_stops(tmp_path: Path) -> None:
    load(tmp_path, recipe_text(tmp_path, {"first": 230}))
    first = start(tmp_path)
    try:
        while first.poll() is None and not (tmp_path / "work/ingest/_manifest.json").exists():
            time.sleep(0.01)
        second = subprocess.run(
            [sys.executable, "-m", "paranmt", "run", str(tmp_path / "recipe.yaml")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert first.poll() is None, "the first run ended too early for the test"
        assert second.returncode == 2
        assert f"another run (process {first.pid}" in second.stderr
        assert "Traceback" not in second.stderr
        assert first.wait() == 0
    finally:
        kill(first)


@pytest.mark.timeout(300)
def test_interrupted_at_random_moments(undisturbed: Path, tmp_path: Path) -> None:
    load(tmp_path, recipe_text(tmp_path, ROWS))
    choose = random.Random(41)
    log = tmp_path / "log.txt"
    for tenths, number in ((0, signal.SIGINT), (2, signal.SIGTERM), (6, signal.SIGINT)):
        log.write_text("")
        process = start(tmp_path)
        wanted = int((tenths + choose.random()) / 10 * len(part_files(undisturbed)))
        while process.poll() is None and len(part_files(tmp_path)) < wanted:
            time.sleep(0.01)
        time.sleep(choose.random() * 0.3)
        assert process.poll() is None, log.read_text()
        os.killpg(process.pid, number)  # as a terminal does, whose Ctrl-C goes to the workers too
        code = process.wait(60)
        text = log.read_text()
        if tenths == 0 and not text:  # while modules are imported
            assert code == -number
        else:
            assert code == 128 + number, text
            assert text.splitlines()[-2:] == ["", f"paranmt: {LAST_WORDS}"]
            assert "Traceback" not in text and "Exception" not in text
        assert not (tmp_path / "work/_lock.json").exists()
        assert not (tmp_path / "work/_run.json").exists()
    assert start(tmp_path).wait() == 0
    assert release_hashes(tmp_path) == release_hashes(undisturbed)
