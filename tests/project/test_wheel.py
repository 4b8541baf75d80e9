"""The wheel and source archive hold every file, and the tests pass against the wheel, away from the tree."""

import ast
import email
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from paranmt import __version__

ROOT = Path(__file__).resolve().parents[2]
# Quick tests from several layers, of which some read files of the package.
QUICK_TESTS = (
    "test_dataset_columns.py",
    "test_demo_bitext.py",
    "test_histogram.py",
    "test_inputs.py",
    "test_report.py",
    "test_text.py",
)

pytestmark = [
    pytest.mark.wheel,
    pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="not in a checkout"),
]


def test_it_is_built_without_a_warning(wheel: Path) -> None:
    log = (wheel.parents[1] / "build.log").read_text(encoding="utf-8")
    assert "Successfully built paranmt" in log
    assert not re.findall(r"^.*Warning: .*$", log, re.M)


def test_it_holds_every_module_and_data_file(wheel: Path) -> None:
    here = {f"paranmt/{file.relative_to(ROOT).as_posix()}" for file in _package_files()}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        there = {name for name in names if name.startswith("paranmt/")}
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        assert b"paranmt = paranmt.__main__:main" in archive.read(entry_points)
        assert any(name.endswith("licenses/LICENSE") for name in names)
        assert all(ast.parse(archive.read(name)) for name in there if name.endswith(".py"))
    assert there == here


def test_the_source_archive_holds_the_files_of_the_clone(source_archive: Path) -> None:
    """All but what serves the forge alone, and what setuptools adds."""
    tree = source_archive.parents[1]
    left_out = (".ci/", ".github/", ".gitignore", "dist/", "paranmt.egg-info/")
    here = {file.relative_to(tree).as_posix() for file in tree.rglob("*") if file.is_file()}
    with tarfile.open(source_archive) as archive:
        names = {each.name.partition("/")[2] for each in archive.getmembers() if each.isfile()}
    added = {name for name in names if name.startswith("paranmt.egg-info/")} | {"PKG-INFO", "setup.cfg"}
    assert names - added == {name for name in here if not name.startswith(left_out)}
    assert {"Makefile", "docs/status.md", "recipes/static.yaml", "tests/project/test_wheel.py"} <= names


def test_the_source_archive_gives_the_same_wheel(wheel: Path, wheel_of_source_archive: Path) -> None:
    """The same names, and the same hash of each file."""
    records = []
    for file in (wheel, wheel_of_source_archive):
        with zipfile.ZipFile(file) as archive:
            (record,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
            records.append(sorted(archive.read(record).decode().splitlines()))
    assert records[0] == records[1]


def test_its_metadata_are_those_of_the_project(wheel: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    assert (metadata["Name"], metadata["Version"]) == ("paranmt", __version__)
    assert (metadata["License-Expression"], metadata["License-File"]) == ("Apache-2.0", "LICENSE")
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata.get_all("Classifier") == project["classifiers"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload(decode=True) == (ROOT / "README.md").read_bytes()


def _package_files() -> list[Path]:
    """Modules, and what stands beside them; the image's own files apart."""
    folders = [folder for folder in ROOT.iterdir() if (folder / "__init__.py").exists()]
    files = [
        *ROOT.glob("*.py"),
        ROOT / "py.typed",
        *(file for folder in folders for file in folder.rglob("*") if file.is_file()),
    ]
    return [file for file in files if file.suffix not in (".pyc", ".sh")]


INSTALLED = """
import importlib
import pkgutil

import paranmt


def test_it_is_the_wheel():
    assert paranmt.__file__.startswith({environment!r})
    assert "site-packages" in paranmt.__file__


def test_every_module_is_imported():
    names = [each.name for each in pkgutil.walk_packages(paranmt.__path__, "paranmt.")]
    assert len(names) > 400
    for name in names:
        importlib.import_module(name)
"""


def test_the_tests_pass_against_it(environment: Path, tmp_path: Path) -> None:
    """A quick part of the suite, from a copy outside the tree, and an import of every module."""
    tests = tmp_path / "tests"
    shutil.copytree(ROOT / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    (tests / "test_installed.py").write_text(INSTALLED.format(environment=str(environment)), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n    wheel\ntimeout = 300\n")
    python = environment / "bin" / "python"
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))
    }
    quick = [next(tests.rglob(name)) for name in (*QUICK_TESTS, "test_installed.py")]
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not wheel", *quick],
        cwd=tmp_path,
        env=kept,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-10_000:]


def test_the_command_is_there(environment: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [environment / "bin" / "paranmt", "--help"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout
