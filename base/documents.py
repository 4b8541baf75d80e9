"""JSON as users and other programs write it: one way to read it, and one error if it is wrong."""

import json
import re
from pathlib import Path
from typing import Any

LARGEST = 1 << 28
"""The bytes of a file that is held in memory as a whole, after it was decompressed."""

LARGEST_JSON = 1 << 26
"""The bytes of a JSON file that is read: its values take up to 27 times the memory."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(text: bytes | str) -> Any:
    r"""The value of a JSON text. ValueError if it is not one, or not UTF-8, or nested too deeply to be read.

    Half of a surrogate pair is an error too, because a text with it cannot be written again.

    >>> parse_json(r'["\ud83d\ude00"]')
    ['😀']
    >>> parse_json(r'["\ud83d"]')
    Traceback (most recent call last):
    ...
    ValueError: it has half of a surrogate pair (\ud83d), which stands for no character
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        value = json.loads(data.decode("utf-8"))
        if _SURROGATE.search(data):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start].encode("utf-8", "backslashreplace").decode("ascii")
        raise ValueError(f"it has half of a surrogate pair ({half}), which stands for no character") from None
    return value


def read_json(path: Path) -> Any:
    """The value of a local JSON file. OSError and ValueError as for `read_document` and `parse_json`."""
    return parse_json(read_document(path, LARGEST_JSON))


def read_document(path: Path, largest: int = LARGEST) -> bytes:
    """A local file that is held in memory as a whole. OSError if there is none.

    ValueError for what is not a file, such as a pipe, which may never end, and for one of more bytes.
    """
    if path.exists() and not path.is_file():
        raise ValueError("expected a file, but it is a folder, a device or a pipe")
    with path.open("rb") as file:
        content = file.read(min(path.stat().st_size, largest) + 1)
    if len(content) > largest:
        raise ValueError(f"it has more than {largest:,} bytes")
    return content
