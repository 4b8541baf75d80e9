"""What a machine keeps between runs: hashes of big files, fetched and converted models."""

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """A folder of this machine's cache: below $PARANMT_CACHE, or the user's cache folder.

    Everything in it can be made again; it may be removed at any time when nothing runs.
    """
    chosen = os.environ.get("PARANMT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(chosen) if chosen else Path(base) / "paranmt"
    return folder / name
