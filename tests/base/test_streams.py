import gzip
import threading
import time
import tracemalloc
from pathlib import Path
from random import Random
from unittest.mock import Mock

import fsspec
import pytest
from bitexts import COMPRESS

from paranmt.base import streams
from paranmt.base.errors import InputError
from paranmt.base.streams import (
    LONGEST_LINE,
    LineReader,
    numbered_lines,
    open_stream,
    read_ahead,
    utf8_lines,
)

PACKED = [suffix for suffix in COMPRESS if suffix]


def lines_of(path: Path | str, limit: int = 100) -> list[bytes]:
    with LineReader(str(path), limit) as reader:
        return reader.read(1_000_000)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data, lines",
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\n\n", [b"a", b""]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\r\nb\r", [b"a", b"b"]),
        (b"a\r\r\nb", [b"a\r", b"b"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"a\x0bb\x0cc\x1cd\n", [b"a\x0bb\x0cc\x1cd"]),
        ("a\u2028b\u2029c\x85d\n".encode(), ["a\u2028b\u2029c\x85d".encode()]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", [b"a", b"\xef\xbb\xbfb"]),
        (b"\xef\xbb\xbf", []),
        (b"a\x00b\n", [b"a\x00b"]),
    ],
)
def test_lines_are_split_at_newlines_alone(tmp_path: Path, data: bytes, lines: list[bytes]) -> None:
    assert lines_of(write(tmp_path / "file", data)) == lines


def test_lines_are_numbered(tmp_path: Path) -> None:
    lines = [b"%d" % number for number in range(1, 2_502)]
    url = str(write(tmp_path / "file", b"\n".join(lines)))
    assert list(numbered_lines(url)) == list(enumerate(lines, start=1))
    long = str(write(tmp_path / "long", b"a" * LONGEST_LINE + b"\n" + b"b" * (LONGEST_LINE + 9) + b"\nc"))
    assert [(number, line[:1]) for number, line in numbered_lines(long)] == [(1, b"a"), (2, b"b"), (3, b"c")]
    with pytest.raises(InputError, match=r"long: line 2 has more than 1,048,576 bytes"):
        list(utf8_lines(long, numbered_lines(long)))


def test_lines_of_another_encoding(tmp_path: Path) -> None:
    url = str(write(tmp_path / "file", "a\nzaháčkovaný\nbílý".encode("iso-8859-2")))
    lines = utf8_lines(url, numbered_lines(url))
    assert next(lines) == (1, "a")
    with pytest.raises(InputError, match=r"file: line 2 is not UTF-8 \(byte 4\); convert the file"):
        next(lines)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_every_compression_reads_the_same(tmp_path: Path, suffix: str) -> None:
    data = b"".join(b"line %d\n" % number for number in range(50_000))
    lines = lines_of(write(tmp_path / f"file{suffix}", COMPRESS[suffix](data)))
    assert lines == data.split(b"\n")[:-1]


@pytest.mark.parametrize("suffix", PACKED)
def test_several_members_are_one_file(tmp_path: Path, suffix: str) -> None:
    compress = COMPRESS[suffix]
    path = write(
        tmp_path / f"file{suffix}", compress(b"a\nb") + compress(b"c\n") + compress(b"") + compress(b"d")
    )
    assert lines_of(path) == [b"a", b"bc", b"d"]


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"line %d %d\n" % (number, number * 2654435761 % 2**32) for number in range(first, last))


@pytest.mark.parametrize("suffix", PACKED)
def test_one_bit_in_a_later_stream_is_an_error_or_changes_nothing(tmp_path: Path, suffix: str) -> None:
    """Half of the bits are flipped in the first bytes, which say that a stream begins, and in the last."""
    first, second = (COMPRESS[suffix](numbered(*bounds)) for bounds in ((0, 150), (150, 300)))
    lines, choose, errors = numbered(0, 300).split(b"\n")[:-1], Random(1), 0
    ends = [*range(16), *range(len(second) - 16, len(second))]
    for number in range(400):
        place = choose.choice(ends) if number % 2 else choose.randrange(len(second))
        damaged = bytearray(second)
        damaged[place] ^= 1 << choose.randrange(8)
        try:
            assert lines_of(write(tmp_path / f"file{suffix}", first + damaged)) == lines, place
        except InputError as error:
            assert "damaged" in str(error)
            errors += 1
    assert errors > 300


@pytest.mark.parametrize("suffix", PACKED)
def test_a_later_stream_that_is_cut_off(tmp_path: Path, suffix: str) -> None:
    first, second = COMPRESS[suffix](numbered(0, 20)), COMPRESS[suffix](numbered(20, 40))
    for kept in range(1, len(second)):
        with pytest.raises(InputError, match="cut off or damaged"):
            lines_of(write(tmp_path / f"file{suffix}", first + second[:kept]))


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize(
    "more", [b"x", b"junk of some length", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", b"\x28"]
)
def test_what_follows_a_stream_is_a_stream(tmp_path: Path, suffix: str, more: bytes) -> None:
    with pytest.raises(InputError, match="cut off or damaged"):
        lines_of(write(tmp_path / f"file{suffix}", COMPRESS[suffix](b"a\nb\n") + more))


@pytest.mark.parametrize(
    ("suffix", "zeros", "is_padding"),
    [
        *[(".gz", 1, True), (".gz", 70_000, True)],
        *[
            (".xz", 4, True),
            (".xz", 70_000, True),
            (".xz", 1, False),
            (".xz", 6, False),
            (".xz", 70_001, False),
        ],
        *[(".bz2", 1, False), (".bz2", 4, False), (".zst", 1, False), (".zst", 4, False)],
    ],
)
def test_zero_bytes_after_a_stream(tmp_path: Path, suffix: str, zeros: int, is_padding: bool) -> None:
    first, second = COMPRESS[suffix](b"a\n"), COMPRESS[suffix](b"b\n")
    for content, lines in ((first + bytes(zeros), [b"a"]), (first + bytes(zeros) + second, [b"a", b"b"])):
        path = write(tmp_path / f"file{suffix}", content)
        if is_padding:
            assert lines_of(path) == lines
        else:
            with pytest.raises(InputError, match="damaged"):
                lines_of(path)


@pytest.mark.parametrize("suffix", PACKED)
def test_many_streams(tmp_path: Path, suffix: str) -> None:
    packed = b"".join(COMPRESS[suffix](b"line %d\n" % number) for number in range(500))
    lines = lines_of(write(tmp_path / f"file{suffix}", packed))
    assert lines == [b"line %d" % number for number in range(500)]


@pytest.mark.parametrize("suffix", PACKED)
def test_streams_end_where_pieces_do(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = numbered(0, 20)
    one = COMPRESS[suffix](data)
    path = write(tmp_path / f"file{suffix}", one + COMPRESS[suffix](b"") + one)
    for piece in (1, 7, len(one) - 1, len(one), len(one) + 1, 2 * len(one), len(data), len(data) - 1):
        monkeypatch.setattr(streams, "_PIECE", piece)
        assert lines_of(path) == 2 * data.split(b"\n")[:-1], piece


def test_skippable_zstd_frames_between_others(tmp_path: Path) -> None:
    frame = b"\x51\x2a\x4d\x18\x04\x00\x00\x00abcd"
    content = frame.join(COMPRESS[".zst"](text) for text in (b"a\n", b"b\n", b""))
    assert lines_of(write(tmp_path / "file.zst", content)) == [b"a", b"b"]
    with pytest.raises(InputError, match="cut off"):
        lines_of(write(tmp_path / "file.zst", content + frame[:-1]))


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("kept", [0.02, 0.5, 0.999])
def test_a_file_cut_off_names_itself_and_the_line_reached(tmp_path: Path, suffix: str, kept: float) -> None:
    data = b"".join(b"line %d %d\n" % (number, number * 2654435761 % 2**32) for number in range(20_000))
    packed = COMPRESS[suffix](data)
    path = write(tmp_path / f"file{suffix}", packed[: int(len(packed) * kept)])
    with pytest.raises(
        InputError, match=r"file\.\w+: cannot be read to its end, after line [\d,]+: .*cut off"
    ):
        lines_of(path)


@pytest.mark.parametrize("suffix", PACKED)
def test_a_damaged_file_is_an_input_error(tmp_path: Path, suffix: str) -> None:
    packed = bytearray(COMPRESS[suffix](bytes(range(256)) * 200))
    packed[len(packed) // 2 :] = b"\xff" * (len(packed) - len(packed) // 2)
    with pytest.raises(InputError, match="damaged"):
        lines_of(write(tmp_path / f"file{suffix}", bytes(packed)), limit=1_000)


@pytest.mark.parametrize("suffix", PACKED)
def test_the_name_and_the_first_bytes_must_agree(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(InputError, match="begins with the bytes 70 6c 61"):
        lines_of(write(tmp_path / f"file{suffix}", b"plain text"))
    with pytest.raises(InputError, match="it is empty"):
        lines_of(write(tmp_path / f"file{suffix}", b""))
    with pytest.raises(InputError, match=f"let its name end in {suffix}"):
        lines_of(write(tmp_path / "file.txt", COMPRESS[suffix](b"text")))


def test_a_skippable_zstd_frame_comes_first(tmp_path: Path) -> None:
    frame = b"\x51\x2a\x4d\x18\x04\x00\x00\x00abcd"
    assert lines_of(write(tmp_path / "file.zst", frame + COMPRESS[".zst"](b"a\n"))) == [b"a"]


def test_utf16_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected UTF-8, got UTF-16"):
        lines_of(write(tmp_path / "file", "text".encode("utf-16")))


def test_a_long_line_is_cut_and_the_next_is_whole(tmp_path: Path) -> None:
    exact, over = b"x" * 10, b"y" * 11
    data = b"\n".join([exact, over, exact + b"\r", b"z" * 5_000_000, b"next"])
    lines = lines_of(write(tmp_path / "file", data), limit=10)
    assert [line[:4] for line in lines] == [b"xxxx", b"yyyy", b"xxxx", b"zzzz", b"next"]
    assert [len(line) > 10 for line in lines] == [False, True, False, True, False]
    assert max(map(len, lines)) == 12


def test_a_line_of_many_megabytes_takes_little_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "file.gz", gzip.compress(b"x" * 100_000_000 + b"\nnext\n", 1))
    tracemalloc.start()
    try:
        assert lines_of(path)[1] == b"next"
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_reading_stops_at_a_budget_of_bytes(tmp_path: Path) -> None:
    with LineReader(str(write(tmp_path / "file", b"0123456789\n" * 100)), 100) as reader:
        assert len(reader.read(1_000, max_bytes=35)) == 4
        assert reader.lines_read == 4
        assert len(reader.read(50)) == 50
        assert len(reader.read(50)) == 46


def test_any_file_system() -> None:
    fsspec.filesystem("memory").pipe("/streams/file.gz", gzip.compress(b"a\nb\n"))
    assert lines_of("memory://streams/file.gz") == [b"a", b"b"]


@pytest.mark.parametrize(
    "url",
    [
        "nowhere.txt",
        "memory://nowhere",
        "teleport://nowhere",
        "github://lacks/arguments",
        "reference://lacks/arguments",
        "ftp://127.0.0.1:9/refused",
        "http://127.0.0.1:9/refused",
        "/",
        "/dev/zero",
    ],
)
def test_the_error_names_a_file_that_cannot_be_opened(url: str) -> None:
    with pytest.raises(InputError, match=f"^{url}: cannot be opened: .") as raised:
        open_stream(url)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("url, package", [("s3://bucket/a", "s3fs"), ("gs://bucket/a", "gcsfs")])
def test_a_driver_that_is_missing_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, url: str, package: str
) -> None:
    def missing(url: str, **options: object) -> None:
        raise ImportError(f"Install {package}")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(InputError, match=f"{url}: cannot be opened: .*pip install '{package}>=2025.2'"):
        open_stream(url)


def test_reading_ahead_keeps_the_order_and_is_bounded() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def read(number: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.001 * (number % 3))
        with lock:
            running -= 1
        if number == 50:
            raise ValueError("fifty")
        return number

    assert list(read_ahead(read, range(40), at_once=4)) == list(range(40))
    assert 2 <= most <= 4
    with pytest.raises(ValueError, match="fifty"):
        list(read_ahead(read, range(1_000), at_once=4))
    assert next(read_ahead(read, iter(int, 1), at_once=2)) == 0  # endless: no more is begun than is asked for


@pytest.mark.parametrize(
    ("error", "expected"), [(FileNotFoundError(), False), (PermissionError("no right"), None)]
)
def test_a_file_that_cannot_be_looked_for_is_not_called_missing(
    error: OSError, expected: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fsspec's own `exists` is False for any error of a driver that does not say otherwise."""
    memory = fsspec.filesystem("memory")
    monkeypatch.setattr(type(memory), "info", Mock(side_effect=error))
    if expected is None:
        with pytest.raises(PermissionError, match="no right"):
            streams.exists(memory, "/a")
    else:
        assert streams.exists(memory, "/a") is expected
