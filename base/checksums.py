"""Checksums of the files in a folder, written when the folder is finished, to detect damage later."""

import json
from collections.abc import Collection, Iterable
from hashlib import file_digest
from pathlib import Path

import xxhash

from .documents import read_json
from .errors import ModelError, first_line

CHECKSUMS = "paranmt-checksums.json"


def write_checksums(folder: Path, but_for: Collection[str] = ()) -> None:
    """Write the xxh3-64 of every file of the folder, by its path in the folder, into a file of the folder.

    but_for: the names of files that are there for people, who may change or remove them.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in but_for)
    checksums = {path.relative_to(folder).as_posix(): _checksum(path) for path in files}
    checksums.pop(CHECKSUMS, None)
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


def check_files(
    folder: Path, names: Iterable[str], there: Collection[str] | None = None, called: str = ""
) -> None:
    """ModelError if one of these files of a folder is not as it was when `write_checksums` read it.

    ModelError too if a file beside them is missing. there, called: the names of the files in the folder that
    this one is a copy of, and its name. Without checksums nothing is checked, and neither is a file that has
    none.
    """
    path = folder / CHECKSUMS
    if not path.exists():
        return
    there = {file.name for file in folder.iterdir()} if there is None else there
    called = called or str(folder)
    again = f"fetch or copy the folder again, or remove {CHECKSUMS} if you changed it yourself"
    try:
        checksums = read_json(path)
        if not isinstance(checksums, dict):
            raise ValueError("expected a checksum for each file")
        missing = [name for name in checksums if "/" not in name and name not in there]
        wrong = [name for name in names if name in checksums and _checksum(folder / name) != checksums[name]]
    except (OSError, ValueError) as error:
        raise ModelError(f"{called}/{CHECKSUMS} cannot be used ({first_line(error)}); {again}") from error
    if missing:
        raise ModelError(f"{called} has no {missing[0]}, which {CHECKSUMS} lists; {again}")
    if wrong:
        raise ModelError(
            f"{called}/{wrong[0]} is damaged: its checksum is not the one in {CHECKSUMS}; {again}"
        )


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, xxhash.xxh3_64).hexdigest()
