"""Locks on files: who waits, who is refused, and what happens where a file system has none."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from paranmt.base.file_locks import locked

_HOLD = """
import sys
from pathlib import Path
from paranmt.base.file_locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_held_lock_is_refused_until_its_process_is_killed(
    tmp_path: Path, holder: "subprocess.Popen[str]"
) -> None:
    with pytest.raises(BlockingIOError), locked(tmp_path / "lock"):
        pytest.fail("two processes hold one lock")
    holder.kill()
    holder.communicate()
    for _ in range(2):
        with locked(tmp_path / "lock") as refusal:
            assert refusal is None


def test_one_that_waits_gets_the_lock_when_it_is_free(
    tmp_path: Path, holder: "subprocess.Popen[str]"
) -> None:
    threading.Timer(0.3, holder.communicate).start()
    with locked(tmp_path / "lock", wait=True) as refusal:
        assert refusal is None and holder.wait() == 0


@pytest.mark.parametrize("wait", [True, False])
def test_a_file_system_without_locks(tmp_path: Path, wait: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: int, how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", refuse)
    with locked(tmp_path / "lock", wait) as refusal:
        assert "Function not implemented" in str(refusal)


def test_an_error_in_the_block_is_not_taken_for_a_refusal(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="of the block"), locked(tmp_path / "lock"):
        raise OSError("of the block")
