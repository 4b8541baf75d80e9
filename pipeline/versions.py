"""Versions of the packages that compute results; they go into run.json and the release."""

from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "paranmt",
    "apache-beam",
    "ctranslate2",
    "duckdb",
    "fairseq",
    "kenlm",
    "numpy",
    "pyarrow",
    "sentencepiece",
    "torch",
)


def package_versions() -> dict[str, str]:
    """Package → version; what is not installed is left out."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
