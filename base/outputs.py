"""Files and folders that a command writes for its user: they appear whole, and never in the place of others.

Until they are complete they lie beside their place, under a name that says which process writes them. What
killed processes left there goes when the next output is written into the same folder.
"""

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import xxhash

from .documents import LARGEST
from .errors import InputError
from .processes import process_name, sweep_folder

SEAL = "Written (xxh3 0000000000000000) by `paranmt"
"""Stands once in each text that may be replaced later, and is given the hash of the text."""

_SEAL = re.compile(rb"Written \(xxh3 [0-9a-f]{16}\) by `paranmt")


def check_absent(path: Path, what: str = "name") -> None:
    """InputError if there is anything at a path, a link that leads nowhere included."""
    if os.path.lexists(path):
        raise InputError(f"{path} already exists; choose another {what}, or remove it")


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name once everything is written. An error before that leaves nothing.

    InputError if there is anything at the path, before or after the writing, or if it cannot be written.
    """
    check_absent(path)
    try:
        temporary = temporary_beside(path)
        file = open(temporary, "xb")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}; choose another name") from None
    with _put(file, temporary, path):
        yield file
        check_absent(path)


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Like `new_file`, but for a file of ours, which replaces the one that is there."""
    temporary = temporary_beside(path)
    with _put(open(temporary, "xb"), temporary, path) as file:
        yield file


def sealed(text: str) -> str:
    """A text with its hash in the place of the zeros of `SEAL`, by which `check_replaceable` knows it."""
    digest = xxhash.xxh3_64_hexdigest(text.encode("utf-8"))
    return text.replace(SEAL, SEAL.replace("0" * 16, digest), 1)


def check_replaceable(*paths: Path) -> None:
    """InputError if there is anything at a path but a sealed text that nobody has changed since."""
    for path in paths:
        if os.path.lexists(path) and not is_unchanged(path):
            raise InputError(
                f"{path} is not, or no longer, as paranmt wrote it; move it away, or choose another folder"
            )


def is_unchanged(path: Path) -> bool:
    """Whether a file is a sealed text that nobody has changed since."""
    content = _own_text(path)
    seal = None if content is None else _SEAL.search(content)
    if content is None or seal is None:
        return False
    text = content[: seal.start()] + SEAL.encode() + content[seal.end() :]
    return seal[0] == SEAL.replace("0" * 16, xxhash.xxh3_64_hexdigest(text)).encode()


def has_seal(path: Path) -> bool:
    """Whether a file is a sealed text, changed or not."""
    content = _own_text(path)
    return content is not None and _SEAL.search(content) is not None


def _own_text(path: Path) -> bytes | None:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        return None
    try:
        return path.read_bytes()
    except OSError:
        return None


@contextmanager
def _put(file: IO[bytes], temporary: Path, path: Path) -> Iterator[IO[bytes]]:
    try:
        with file:
            yield file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder that gets its name once everything is written. An error before that leaves nothing.

    InputError if there is anything but an empty folder in its place, or if it cannot be written.
    """
    check_empty(folder)
    try:
        temporary = temporary_beside(folder)
        temporary.mkdir()
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error}; choose another folder") from None
    try:
        yield temporary
        check_empty(folder)
        os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_empty(folder: Path) -> None:
    """InputError if there is anything but an empty folder at a path."""
    if not folder.name or folder.is_symlink() or not folder.is_dir() or any(folder.iterdir()):
        check_absent(folder, "folder")


def temporary_beside(path: Path) -> Path:
    """A hidden name in a path's folder, which is made, for a file or folder of this process.

    Whatever processes that are dead now left in the folder under such names is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_folder(path.parent)
    return path.parent / f".{process_name()}-{uuid.uuid4().hex}"
