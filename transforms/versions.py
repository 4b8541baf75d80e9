"""The versions of the packages that compute results. They go into manifests, run.json and the release."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version

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


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
