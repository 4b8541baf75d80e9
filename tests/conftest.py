import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "support"))

from image_context import image_context  # noqa: E402

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch is imported: see launch.cli.main
# Otherwise each of the many processes that tests start compiles torch's Python again, for three seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell starts background commands with SIGINT ignored, and so would be what the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test may fail because a machine is busy.
hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")


# Files that take minutes. They begin first, so that no process is left alone with one of them at the end.
LONGEST = {f"test_{name}.py" for name in ("engines", "trials", "run", "wheel", "cli", "readme")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files; the tests of a file keep their order."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and models that developers have beside the checkout."""
    folder = Path(os.environ.get("PARANMT_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs real data and models; there is no folder {folder} (set PARANMT_SHARED)")
    return folder


@pytest.fixture
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Hugging Face's loader, offline, with a cache that ends with the test."""
    # The variable HF_HUB_OFFLINE is read once, at import, and would leave the whole process offline.
    module: ModuleType = pytest.importorskip("datasets")
    for settings in (module.config, pytest.importorskip("huggingface_hub.constants")):
        monkeypatch.setattr(settings, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(module.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    return module


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what the image's wheel is built from, so nothing of an older build gets in.

    What the build prints is in `build.log`, in the folder above the wheel's.
    """
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("not in a checkout")
    folder = tmp_path_factory.mktemp("wheel")
    tree, dist = folder / "tree", folder / "dist"
    for name in image_context(ROOT):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    return _built_wheel(tree, dist)


@pytest.fixture(scope="session")
def source_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by `make dist`'s command from a copy of the clone's files."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if not ((ROOT / ".git").exists() and shutil.which("git")):
        pytest.skip("not in a clone")
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True, timeout=60).stdout
    folder = tmp_path_factory.mktemp("source")
    tree = folder / "tree"
    for name in filter(lambda name: (ROOT / name).is_file(), names.split("\0")):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (code,) = re.findall(r"python -c '(.*build_sdist.*)'", makefile)
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True, capture_output=True, timeout=300)
    (built,) = (tree / "dist").glob("*.tar.gz")
    return built


@pytest.fixture(scope="session")
def wheel_of_source_archive(source_archive: Path) -> Path:
    return _built_wheel(source_archive, source_archive.parent)


def _built_wheel(source: Path, folder: Path) -> Path:
    build = [sys.executable, "-m", "pip", "wheel", "--verbose", "--no-deps", "--no-build-isolation"]
    with (folder.parent / "build.log").open("w", encoding="utf-8") as log:
        command = [*build, "--wheel-dir", folder, source]
        subprocess.run(command, check=True, timeout=300, stdout=log, stderr=subprocess.STDOUT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
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
