"""What results are computed with: versions of packages, and the kind of processor.

They go into manifests, run.json and the release. Nothing here identifies a machine.
"""

import platform
import re
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PROCESSOR, THREADS = "processor", "threads"

PACKAGES = (
    "paranmt",
    "apache-beam",
    "ctranslate2",
    "duckdb",
    "fairseq",
    "ftfy",
    "kenlm",
    "numpy",
    "pyarrow",
    "sentencepiece",
    "torch",
)


def package_versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Package → version; packages that are not installed are left out."""
    versions = {name: _version(name) for name in packages}
    return {name: known for name, known in versions.items() if known is not None}


def made_with(packages: Iterable[str], device: str = "cpu") -> dict[str, str]:
    """The versions of packages and the kind of processor that a result is made with here.

    With torch among the packages, also its threads; device: where it computes, `cpu` or `cuda`. Where all of
    this is the same, a result is the same to the last bit.
    """
    versions = package_versions(packages)
    if "torch" not in versions:
        return {**versions, PROCESSOR: _processor()}
    import torch  # whoever names it computes with it

    if device == "cuda":
        return {**versions, PROCESSOR: torch.cuda.get_device_name()}
    instructions = torch.backends.cpu.get_cpu_capability()
    return {
        **versions,
        PROCESSOR: f"{_processor()} {instructions}",
        THREADS: str(torch.get_num_threads()),
    }


@cache
def source_commit() -> str | None:
    """The commit that paranmt runs from, ending in `-dirty` if its files differ; None outside a checkout."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


@cache
def _processor() -> str:
    """The processor's architecture and, where the system says it, its maker."""
    try:
        maker = re.search(r"^vendor_id\s*:\s*(\S+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        maker = None
    return f"{platform.machine()} {maker[1]}" if maker else platform.machine()


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
