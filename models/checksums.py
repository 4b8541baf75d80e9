"""Checksums of the files in a folder, written when the folder is finished, to detect damage later."""

import json
from hashlib import file_digest
from pathlib import Path

import xxhash

from ..base.documents import read_json

CHECKSUMS = "paranmt-checksums.json"


def write_checksums(folder: Path) -> None:
    """Write the xxh3-64 of every file of the folder, by its path in the folder, into a file of the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    checksums = {path.relative_to(folder).as_posix(): _checksum(path) for path in files}
    (folder / CHECKSUMS).write_text(json.dumps(checksums, indent=1) + "\n", encoding="utf-8")


def is_intact(folder: Path) -> bool:
    """Whether every file exists and has the content that it had when `write_checksums` read it.

    False for a folder without checksums. Files that were added later do not matter.
    """
    try:
        checksums = read_json(folder / CHECKSUMS)
        return all(_checksum(folder / name) == checksum for name, checksum in checksums.items())
    except (
        OSError,
        ValueError,
        AttributeError,
    ):  # a file is missing, or the checksums themselves are damaged
        return False


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, xxhash.xxh3_64).hexdigest()
