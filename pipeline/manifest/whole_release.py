"""Compares the Parquet files of a release with its manifest whenever some of them are opened."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from ...base.errors import InputError
from ...base.streams import exists, file_system, reaching, read_ahead
from ...base.terminal import printable_cell
from ...transforms.storage.release_files import FileInfo
from ...transforms.storage.sealed_parquet import Footer
from .manifest import MANIFEST
from .release_parquet import MANIFEST_FILE, file_name, read_footer, read_text, release_folder

_AT_ONCE = 16
_SHOWN = 3  # problems in a message


def check_whole(files: Sequence[str]) -> dict[str, Footer]:
    """Compare Parquet files that are about to be read with the manifest of the release that they are in.

    If no other file of the release is there, they stand for the release: it must have all files that the
    manifest lists, and no others. If others are there too, some files were chosen, and are compared alone.
    Compared are names, rows, and the hash of the footer. It contains the size and the hashes of all content,
    which readers compare with what they read; so files that were swapped or replaced are found as well.
    `paranmt verify` compares every byte.

    Returns the footers that were read. Files in no folder with a manifest are left alone. InputError says
    what is missing, added or different.
    """
    releases: dict[str, list[str]] = {}
    for file in files:
        if (folder := release_folder(file)) is not None:
            releases.setdefault(folder, []).append(file)
    footers = {}
    for folder, named in releases.items():
        if (listed := _listed(folder)) is not None:
            footers.update(_compared(folder, named, listed))
    return footers


def check_inputs(paths: Sequence[str]) -> None:
    """InputError if some of these files and folders are of a release that is not whole; see `check_whole`.

    A folder that is a release stands for all of it, even if it has no data.
    """
    check_whole([path for path in paths if path.lower().endswith(".parquet")])
    for path in paths:
        folder = path.rstrip("/")
        if (listed := _listed(folder)) is not None:
            fs, inner = file_system(folder)
            with reaching(folder):
                found = fs.glob(f"{inner}/data/*.parquet")
            _compared(folder, [f"{folder}/data/{file_name(file)}" for file in found], listed)


def _compared(folder: str, files: Sequence[str], listed: Mapping[str, FileInfo]) -> dict[str, Footer]:
    """The footers of some files of a release, or of all that are there."""
    named = {f"data/{file_name(file)}": file for file in files}
    problems = [f"{name} is not in {MANIFEST_FILE}" for name in sorted(named.keys() - listed.keys())]
    others = [name for name in listed if name not in named]
    if not any(read_ahead(_exists, (f"{folder}/{name}" for name in others), _AT_ONCE)):
        problems += [f"{name} is missing" for name in others]
    known = [name for name in named if name in listed]
    footers = {}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda name: _footer(named[name], name, listed[name]), known)
        for name, footer in zip(known, found, strict=True):
            if isinstance(footer, str):
                problems.append(footer)
            else:
                footers[named[name]] = footer
    if problems:
        more = f", and {len(problems) - _SHOWN:,} more" if len(problems) > _SHOWN else ""
        message = f"{folder} is not whole: {'; '.join(problems[:_SHOWN])}{more}"
        raise InputError(
            printable_cell(f"{message}; fetch it again (`paranmt verify` names all that is wrong with it)")
        )
    return footers


def _listed(folder: str) -> Mapping[str, FileInfo] | None:
    """The files with pairs that a manifest lists; None if there is none, or it is of another program."""
    url = f"{folder}/{MANIFEST_FILE}"
    if not _exists(url):
        return None
    text = read_text(url)
    return None if MANIFEST.is_foreign(text) else MANIFEST.parse(text, url).files


def _footer(url: str, name: str, listed: FileInfo) -> Footer | str:
    """A file's footer, or how the file differs from what the manifest lists."""
    try:
        footer = read_footer(url)
    except InputError as error:
        return _other_size(url, name, listed) or str(error)
    if (rows := footer.metadata.num_rows) != listed.rows:
        return f"{name} has {rows:,} pairs, expected {listed.rows:,}"
    if footer.digest != listed.footer:
        return _other_size(url, name, listed) or f"{name} is another file than {MANIFEST_FILE} lists"
    return footer


def _other_size(url: str, name: str, listed: FileInfo) -> str:
    fs, path = file_system(url)
    with reaching(url):
        size = fs.size(path)
    return f"{name} has {size:,} bytes, expected {listed.bytes:,}" if size not in (None, listed.bytes) else ""


def _exists(url: str) -> bool:
    fs, path = file_system(url)
    with reaching(url):
        return exists(fs, path)
