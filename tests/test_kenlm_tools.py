import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import paranmt
from paranmt.launch import kenlm_tools

SCRIPT = Path(paranmt.__file__).parent / "launch" / "kenlm_tools.py"


@pytest.fixture
def prefix() -> Path:
    """The environment of these tests, which has the programs."""
    place = Path(sys.executable).parent.parent
    if not kenlm_tools.tools_work(place):
        pytest.skip(f"KenLM's programs are not in {place}; python launch/kenlm_tools.py builds them")
    return place


def _run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    # Isolated from the package, as it is before anything is installed.
    command = [sys.executable, "-I", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment or None)


def test_nothing_is_done_where_the_programs_work(prefix: Path) -> None:
    before = (prefix / "bin" / "lmplz").stat()
    done = _run("--prefix", prefix)
    assert done.returncode == 0 and "work" in done.stdout
    assert (prefix / "bin" / "lmplz").stat() == before


def test_the_programs_work_wherever_they_are_moved_to(prefix: Path, tmp_path: Path) -> None:
    assert not kenlm_tools.tools_work(tmp_path)
    kenlm_tools._install(kenlm_tools.PROGRAMS, prefix / "bin", prefix / "lib" / "kenlm", tmp_path)
    assert kenlm_tools.tools_work(tmp_path)
    shutil.move(tmp_path / "lib", tmp_path / "elsewhere")
    assert not kenlm_tools.tools_work(tmp_path)


def test_without_cmake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(kenlm_tools.BuildError, match="CMake.*apt-get install cmake"):
        kenlm_tools.build(tmp_path)


def test_a_step_that_fails_says_which_and_why(tmp_path: Path) -> None:
    with pytest.raises(kenlm_tools.BuildError, match=r"(?s)could not compile.*ended with 4:\nno space left"):
        kenlm_tools._run("compile", ["sh", "-c", "echo no space left >&2; exit 4"])
