"""The Parquet files of a release, wherever they are."""

import hashlib
import os
from collections import Counter
from pathlib import PurePosixPath
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from ...base.arrow_types import is_text
from ...base.dataset_columns import PAIR_ID, RELEASE_TEXT
from ...base.documents import LARGEST_JSON
from ...base.errors import InputError
from ...base.streams import exists, file_system, open_raw, reaching, reading
from ...transforms.storage import sealed_parquet
from ...transforms.storage.sealed_parquet import Footer
from .manifest import MANIFEST
from .release_summary import ReleaseSummary
from .typed_json import TypedJson

_BLOCK = 1 << 20
_FIRST = b"PAR1"
MANIFEST_FILE = "manifest.json"
_T = TypeVar("_T")
_PLACES = ("data/*.parquet", "*.parquet", "release/data/*.parquet")


def data_files(url: str) -> list[str]:
    """A Parquet file itself, or the Parquet files of a release's or a workspace's folder, in natural order.

    InputError if there are none, or if it is a file of another kind, such as a bitext.
    """
    fs, inner = file_system(url)
    if fs.isfile(inner):
        if not url.endswith(".parquet"):
            _refuse_other_files(url)
        return [url]
    folder = url.rstrip("/")
    for pattern in _PLACES:
        from natsort import natsorted

        files = natsorted(fs.glob(f"{inner.rstrip('/')}/{pattern}"))
        if files:
            return [fs.unstrip_protocol(file) if "://" in url else file for file in files]
    raise InputError(f"{folder}: expected a Parquet file, or a release's folder with data/*.parquet in it")


def release_folder(file: str) -> str | None:
    """The folder with card and manifest, if this Parquet file is of a release; None if it cannot be."""
    # Beside the files themselves, their paths do not say where they are.
    located = file if "://" in file or file.count("/") > 1 else os.path.abspath(file)
    parent, _, name = located.rpartition("/")
    folder, _, data = parent.rpartition("/")
    return (folder or "/") if data == "data" and name else None


def _refuse_other_files(url: str) -> None:
    """InputError if a file does not begin as Parquet files do."""
    with reading(url), open_raw(url) as file:
        is_parquet = file.read(len(_FIRST)) == _FIRST
    if not is_parquet:
        raise InputError(
            f"{url}: expected a release or one of its Parquet files, got a file of another kind; to make a "
            f"release of a bitext or of pairs: paranmt init {url}, then paranmt run recipe.yaml"
        )


def check_columns(url: str, schema: pa.Schema) -> None:
    """InputError if two columns have the same name, or a text of a release has another type than text."""
    try:
        names = schema.names
    except UnicodeDecodeError:
        raise InputError(
            f"{url}: a column's name is not UTF-8; the file is damaged: fetch it again"
        ) from None
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(
                f"{url}: expected one column {name!r}, got {count}; it cannot be told which to read"
            )
    for column in (PAIR_ID, *RELEASE_TEXT):
        if column.name in names and not is_text(schema.field(column.name).type):
            kind = schema.field(column.name).type
            raise InputError(f"{url}: expected text in the column {column.name!r}, got values of type {kind}")


def read_footer(url: str) -> Footer:
    """The footer of a Parquet file; InputError if it is damaged."""
    with reading(url), open_raw(url) as file:
        return sealed_parquet.read_footer(file, sealed=False)


def open_parquet(url: str, footer: Footer | None = None) -> pq.ParquetFile:
    """A Parquet file to read from; InputError if it is damaged. footer: its footer, if already known.

    What is read from it is compared with its seal, if it has one: use it in a block of `reading`.
    """
    with reading(url):
        file = open_raw(url)
        footer = footer or sealed_parquet.read_footer(file, sealed=False)
        return sealed_parquet.open_parquet(file, footer, pre_buffer=False)


def file_name(path: str) -> str:
    """The last name of a path or URL."""
    return PurePosixPath(path.rstrip("/")).name


def sha256(url: str) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with reading(url), open_raw(url) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def read_manifest(folder: str) -> ReleaseSummary | None:
    """What the `manifest.json` in a release's folder says; None if there is none.

    InputError if it is not what paranmt wrote.
    """
    url = f"{folder}/{MANIFEST_FILE}"
    fs, path = file_system(url)
    with reaching(url):
        is_there = exists(fs, path)
    return read_typed(url, MANIFEST) if is_there else None


def read_typed(url: str, format: TypedJson[_T]) -> _T:
    """The object that a JSON file of a release holds; InputError if it is not what paranmt wrote."""
    return format.parse(read_text(url), url)


def read_text(url: str) -> bytes:
    """The content of a JSON file of a release; InputError if it is too long."""
    with reading(url), open_raw(url) as file:
        content = file.read(LARGEST_JSON + 1)
    if len(content) > LARGEST_JSON:
        raise InputError(f"{url}: expected at most {LARGEST_JSON:,} bytes, but there are more")
    return content
