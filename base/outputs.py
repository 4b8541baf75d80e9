"""Files and folders that a command writes for its user: whole, and never in the place of others."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import xxhash

from .documents import read_document
from .errors import InputError
from .whole_files import put, temporary_folder, temporary_path

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
    with ExitStack() as stack:
        try:
            temporary = stack.enter_context(temporary_path(path.parent))
            file = open(temporary, "xb")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error}; choose another name") from None
        with file:
            yield file
        check_absent(path)
        put(temporary, path)


def put_new_folder(finished: Path, folder: Path) -> None:
    """Give a finished folder of the same file system its name; InputError if there is anything at it."""
    check_absent(folder, "folder")
    finished.rename(folder)


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
    try:
        return None if path.is_symlink() else read_document(path)
    except (OSError, ValueError):
        return None


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder that gets its name once everything is written. An error before that leaves nothing.

    InputError if there is anything but an empty folder in its place, or if it cannot be written.
    """
    check_empty(folder)
    with ExitStack() as stack:
        try:
            temporary = stack.enter_context(temporary_folder(folder.parent))
        except OSError as error:
            raise InputError(f"{folder} cannot be written: {error}; choose another folder") from None
        yield temporary
        check_empty(folder)
        os.replace(temporary, folder)


def check_empty(folder: Path) -> None:
    """InputError if there is anything but an empty folder at a path."""
    if not folder.name or folder.is_symlink() or not folder.is_dir() or any(folder.iterdir()):
        check_absent(folder, "folder")
