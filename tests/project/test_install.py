"""What is installed beside the package: fairseq, KenLM, and the checks before it."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import paranmt
from paranmt import install

SCRIPT = Path(paranmt.__file__).with_name("install.py")
ROOT = Path(__file__).resolve().parents[2]
in_checkout = pytest.mark.skipif(not (ROOT / "Makefile").exists(), reason="not in a checkout")


@pytest.fixture
def prefix() -> Path:
    """The environment of these tests, which has KenLM."""
    place = Path(sys.executable).parent.parent
    if not install.kenlm_works(place):
        pytest.skip(f"KenLM is not in {place}; {install.install_command()} installs it")
    return place


def test_nothing_is_done_where_everything_works(prefix: Path) -> None:
    before = (prefix / "bin" / "lmplz").stat()
    # Isolated from the package, as it is before anything is installed.
    done = subprocess.run([sys.executable, "-I", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout == f"fairseq and KenLM are installed in {prefix}\n"
    assert done.stderr == ""
    assert (prefix / "bin" / "lmplz").stat() == before


def test_the_programs_work_wherever_they_are_moved_to(prefix: Path, tmp_path: Path) -> None:
    assert not install.kenlm_works(tmp_path)
    programs = [prefix / "bin" / name for name in install.PROGRAMS]
    install._install_programs(programs, prefix / "lib" / "kenlm", tmp_path)
    assert install.kenlm_works(tmp_path)
    shutil.move(tmp_path / "lib", tmp_path / "elsewhere")
    assert not install.kenlm_works(tmp_path)


def test_all_that_is_missing_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(sys, "argv", ["install.py", "--check"])
    assert install.main() == 2
    (line,) = capsys.readouterr().err.splitlines()
    named = re.search(r"apt-get install python3\S*-venv python3\S*-dev g\+\+ ", line)
    assert named and "ensurepip" in line and "Python.h" in line and sys.executable in line


def test_a_compiler_of_any_name_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clang++").write_text("#!/bin/sh\n")
    (tmp_path / "clang++").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert install._compiler() == ["clang++"]
    monkeypatch.setenv("CXX", "ccache g++")
    assert install._compiler() == ["ccache", "g++"]


def test_an_environment_without_pip_borrows_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    pip = install._pip(tmp_path)
    assert pip == install._pip(tmp_path) and str(pip[0]).startswith(str(tmp_path))
    done = subprocess.run([*pip, "show", "numpy"], capture_output=True, text=True, timeout=120)
    assert f"Version: {importlib.metadata.version('numpy')}" in done.stdout, done.stderr


def test_without_any_pip_the_error_names_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def create(*_: object, **__: object) -> None:
        raise subprocess.CalledProcessError(1, "ensurepip")

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(install.venv, "create", create)
    with pytest.raises(install.InstallError, match=f"uv pip install --python {sys.executable} pip"):
        install._pip(tmp_path)


def test_a_step_that_fails_says_which_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(install.InstallError, match=r"(?s)compiling failed: .* ended with 4:\nno space left"):
        install._run("compiling", ["sh", "-c", "echo no space left >&2; exit 4"])
    assert re.fullmatch(r"compiling …\ncompiling: 0 min 0\d s, failed\n", capsys.readouterr().err)


def test_only_libraries_that_are_loaded_are_installed(tmp_path: Path) -> None:
    """A program loads one library, which loads another one; a third is loaded by nobody."""
    for name, loads in (("lmplz", "a"), ("libboost_a.so.1.2", "b"), ("libboost_b.so.1.2", "b")):
        (tmp_path / name).write_bytes(b"\0ELF libc.so.6\0libboost_%s.so.1.2\0" % loads.encode())
    (tmp_path / "libboost_c.so.1.2").touch()
    loaded = install._loaded([tmp_path / "lmplz"], tmp_path)
    assert loaded == {"libboost_a.so.1.2", "libboost_b.so.1.2"}


@pytest.mark.parametrize(
    ("editable", "expected"),
    [
        (None, ["building fairseq"]),
        (".", ["installing packages"]),
        ("/home/fairseq/paranmt[dask]", ["installing packages"]),
        (".[fairseq]", ["installing packages", "building fairseq"]),
        (".[dask, fairseq]", ["installing packages", "building fairseq"]),
    ],
)
def test_a_checkout_without_the_extra_gets_no_fairseq(
    editable: str | None, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    monkeypatch.setattr(install, "kenlm_works", lambda prefix: True)
    monkeypatch.setattr(install, "check_needs", lambda: None)
    monkeypatch.setattr(install, "_is_installed", lambda name: name != "fairseq")
    monkeypatch.setattr(install, "_run", lambda step, command: steps.append(step))
    install.install(editable)
    assert steps == expected


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what fairseq imports: a command that installs fairseq alone would lead in a circle."""
    assert install.missing("fairseq", "kenlm", *install.PROGRAMS) == ""
    monkeypatch.setattr(install, "_is_installed", lambda name: name not in ("kenlm", "bitarray"))
    remedy = f"to install: {sys.executable} -m paranmt.install"
    assert install.missing("fairseq") == f"not installed here: bitarray; {remedy}"
    assert install.missing("fairseq", "kenlm") == f"not installed here: kenlm, bitarray; {remedy}"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder for PATH with a shell and nothing that make and its recipes do not need."""
    for name in ("sh", "mkdir", "touch"):
        (tmp_path / name).symlink_to(shutil.which(name) or pytest.skip(f"there is no {name}"))
    return tmp_path


def _make(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [shutil.which("make") or pytest.skip("there is no make"), *arguments, f"VENV={path / 'venv'}"]
    environment = {"PATH": str(path), "HOME": str(path)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


def _python(file: Path, version: str) -> None:
    """A Python that only knows whether it is supported."""
    status = 0 if version in ("3.11", "3.12", "3.13") else 1
    answer = f'case "$*" in *--version*) echo Python {version};; *) exit {status};; esac\n'
    file.write_text(f"#!/bin/sh\n{answer}")
    file.chmod(0o755)


@in_checkout
@pytest.mark.parametrize("version", [None, "3.9.2", "3.15.0"])
def test_make_without_a_python_that_will_do(bare: Path, version: str | None) -> None:
    if version is not None:
        _python(bare / "python3", version)
    for named in ((), ("PYTHON=python3",)):
        done = _make(bare, "demo", *named)
        error, end = done.stderr.splitlines()
        assert error.startswith("error: paranmt needs Python 3.11, 3.12 or 3.13 ")
        assert "apt-get install python3-venv python3-dev g++" in error
        assert error.endswith(f"(here is: {f'Python {version}' if version else 'no Python'})")
        assert done.returncode == 2 and "Error 2" in end and not (bare / "venv").exists()


@in_checkout
def test_make_takes_the_first_python_that_works(bare: Path) -> None:
    _python(bare / "python3", "3.9.2")
    _python(bare / "python3.13", "3.9.2")  # a shim of pyenv, say
    _python(bare / "python3.12", "3.12")
    assert "python3.12 -m venv" in _make(bare, "--dry-run", "demo").stdout


@in_checkout
def test_the_demo_is_installed_without_what_only_the_tests_need() -> None:
    fresh = f"VENV={os.devnull}/venv"
    plans = {
        target: subprocess.run(
            ["make", "--dry-run", target, fresh], cwd=ROOT, capture_output=True, text=True, timeout=60
        ).stdout
        for target in ("demo", "demo-model", "test")
    }
    assert "install.py --editable .\n" in plans["demo"] and "fairseq" not in plans["demo"]
    everything = "'.[fairseq,dask,dev,docs]'"
    assert everything in plans["test"] and everything in plans["demo-model"]


@in_checkout
def test_the_supported_versions_are_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {
        match[1] for line in project["classifiers"] if (match := re.search(r"Python :: (3\.\d+)$", line))
    }
    assert found == {"3.11", "3.12", "3.13"}
    for file in ("README.md", "docs/install.md", "Makefile"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(r"Python 3\.11,\s3\.12\sor\s3\.13", text), file
    assert "<= (3, 13)" in (ROOT / "Makefile").read_text(encoding="utf-8")
