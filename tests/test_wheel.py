"""The built wheel: it holds every module, and the tests pass against it, away from the checkout."""

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Quick tests from every layer, of which some start processes of their own.
QUICK_TESTS = (
    "test_columns.py",
    "test_doctests.py",
    "test_demo_bitext.py",
    "test_histogram.py",
    "test_inputs.py",
    "test_recipe.py",
    "test_scores.py",
    "test_text.py",
)

pytestmark = [
    pytest.mark.wheel,
    pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="not in a checkout"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the tree, so that nothing of an older build gets in."""
    folder = tmp_path_factory.mktemp("wheel")
    tree, dist = folder / "tree", folder / "dist"
    skip = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "work", "tests", "benchmarks", "docs")
    shutil.copytree(ROOT, tree, ignore=lambda path, names: skip(path, names) if Path(path) == ROOT else set())
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", dist, tree], check=True, timeout=300)
    (built,) = dist.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel; everything else comes from the one that runs this."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    install = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", wheel], check=True, timeout=300)
    # A path in a .pth file; the .pth files there, the editable checkout's among them, are not followed.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder


def test_it_holds_every_module_and_data_file(wheel: Path) -> None:
    here = {f"paranmt/{file.relative_to(ROOT).as_posix()}" for file in _package_files()}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        there = {name for name in names if name.startswith("paranmt/")}
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        assert b"paranmt = paranmt.launch.cli:main" in archive.read(entry_points)
        assert any(name.endswith("licenses/LICENSE") for name in names)
        assert all(ast.parse(archive.read(name)) for name in there if name.endswith(".py"))
    assert there == here


def _package_files() -> list[Path]:
    """Modules, and what stands beside them; the image's own files apart."""
    folders = [folder for folder in ROOT.iterdir() if (folder / "__init__.py").exists()]
    files = [
        *ROOT.glob("*.py"),
        *(file for folder in folders for file in folder.rglob("*") if file.is_file()),
    ]
    return [file for file in files if file.suffix not in (".pyc", ".sh")]


def test_the_tests_pass_against_it(environment: Path, tmp_path: Path) -> None:
    """A quick part of the suite, from a copy outside the tree; all of it is at least imported."""
    tests = tmp_path / "tests"
    shutil.copytree(ROOT / "tests", tests, ignore=shutil.ignore_patterns("__pycache__"))
    (tests / "test_where.py").write_text(
        "import paranmt\n\n\ndef test_it_is_the_wheel():\n"
        f"    assert paranmt.__file__.startswith({str(environment)!r})\n"
        "    assert 'site-packages' in paranmt.__file__\n",
        encoding="utf-8",
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n    wheel\ntimeout = 300\n")
    python = environment / "bin" / "python"
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))
    }
    pytest_command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    collected = subprocess.run(
        [*pytest_command, "--collect-only"],
        cwd=tmp_path,
        env=kept,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert collected.returncode == 0, collected.stdout[-5_000:]
    quick = [f"tests/{name}" for name in (*QUICK_TESTS, "test_where.py") if (tests / name).exists()]
    done = subprocess.run(
        [*pytest_command, "-m", "not slow and not wheel", *quick],
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
