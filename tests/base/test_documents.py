"""The one reader of JSON."""

import os
from pathlib import Path

import pytest

from paranmt.base.documents import LARGEST_JSON, parse_json, read_json


@pytest.mark.parametrize("text", ['{"a": [1, "\\u00e9", null]}', '{"a": [1, "é", null]}'.encode()])
def test_what_is_read(text: bytes | str) -> None:
    assert parse_json(text) == {"a": [1, "é", None]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (r'{"a": ["\ud800"]}', r"half of a surrogate pair \(\\ud800\)"),
        (r'{"\uDfFf": 1}', r"half of a surrogate pair \(\\udfff\)"),
        (b'{"a": "\xff"}', "utf-8"),
        ("", "Expecting value"),
        ("1" * 10_000, "digits"),
    ],
)
def test_what_is_an_error(text: bytes | str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_json(text)


def test_an_escaped_backslash_is_no_surrogate() -> None:
    assert parse_json(r'"\\ud800"') == r"\ud800"


def test_what_is_not_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ValueError, match="a folder, a device or a pipe"):
            read_json(path)
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "none")


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST_JSON + 1)
    with pytest.raises(ValueError, match="it has more than 67,108,864 bytes"):
        read_json(tmp_path / "large")
