"""The cache that a machine keeps between runs: hashes of big files, and downloaded and converted models."""

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """A file or folder of this machine's cache: below $PARANMT_CACHE, or in the user's cache folder.

    Its content can always be made again, so it may be removed whenever nothing is running.
    """
    chosen = os.environ.get("PARANMT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(chosen) if chosen else Path(base) / "paranmt"
    return folder / name
