"""The Parquet files of a release, wherever they are."""

from pathlib import PurePosixPath

import pyarrow.parquet as pq
from natsort import natsorted

from ...errors import InputError
from ...streams import file_system, open_raw, reading

_PLACES = ("data/*.parquet", "*.parquet", "release/data/*.parquet")


def data_files(url: str) -> list[str]:
    """A Parquet file itself, or the Parquet files of a release's or a workspace's folder, in natural order.

    InputError if there are none.
    """
    fs, inner = file_system(url)
    if fs.isfile(inner):
        return [url]
    folder = url.rstrip("/")
    for pattern in _PLACES:
        files = natsorted(fs.glob(f"{inner.rstrip('/')}/{pattern}"))
        if files:
            return [fs.unstrip_protocol(file) if "://" in url else file for file in files]
    raise InputError(f"{folder}: expected a Parquet file, or a release's folder with data/*.parquet in it")


def open_parquet(url: str, metadata: pq.FileMetaData | None = None) -> pq.ParquetFile:
    """A Parquet file to read from; InputError if it is damaged. metadata: its footer, if already known."""
    with reading(url):
        return pq.ParquetFile(open_raw(url), metadata=metadata)


def file_name(path: str) -> str:
    """The last name of a path or URL."""
    return PurePosixPath(path.rstrip("/")).name
