"""The seal of Parquet files: damage anywhere is an error before Arrow decodes anything."""

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paranmt.base.errors import DamagedError, InputError
from paranmt.pipeline.release.open_release import open_release
from paranmt.transforms.storage import dataset
from paranmt.transforms.storage.dataset import part_file, read_columns, read_range, write_part
from paranmt.transforms.storage.sealed_parquet import check_blocks, open_parquet, read_footer, seal_parquet
from paranmt.transforms.storage.workspace import Workspace

ROWS = 300
TABLE = pa.table(
    {
        "id": pa.array(range(0, 2 * ROWS, 2), pa.uint64()),
        "text": [f"a sentence {row % 7}" for row in range(ROWS)],
        "list": [[row, None] for row in range(ROWS)],
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE, path, row_group_size=100, write_page_index=True)
    seal_parquet(path)
    return path


def flipped(content: bytes, every: int = 1) -> Iterator[bytes]:
    """The content with one bit flipped, at each place in turn."""
    for place in range(0, len(content), every):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        yield bytes(changed)


def read(content: bytes) -> pa.Table:
    file = io.BytesIO(content)
    return open_parquet(file, read_footer(file)).read()


def test_arrow_reads_a_sealed_file_too(file: Path) -> None:
    assert read(file.read_bytes()).equals(TABLE)
    assert pq.read_table(file).equals(TABLE)


def test_no_flipped_bit_is_silent(file: Path) -> None:
    content = file.read_bytes()
    noticed = 0
    for changed in flipped(content):
        try:
            assert read(changed).equals(TABLE)  # only what no reader asks for may be damaged: the page index
        except OSError:
            noticed += 1
        with pytest.raises(OSError):  # noqa: PT012
            stream = io.BytesIO(changed)
            check_blocks(stream, read_footer(stream))
    assert noticed > 0.7 * len(content)


def test_bytes_that_are_cut_off_or_added_are_noticed(file: Path) -> None:
    content = file.read_bytes()
    for changed in (b"", content[:5], content[:-1], content[1:], content[:50] + content[51:], b"x" + content):
        with pytest.raises(OSError):
            read(changed)


def test_only_what_is_read_is_compared(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[pq.read_metadata(file).row_group(1).column(0).data_page_offset + 3] ^= 1
    stream = io.BytesIO(content)
    parquet = open_parquet(stream, read_footer(stream), pre_buffer=False)
    assert parquet.read(columns=["text"]).equals(TABLE.select(["text"]))
    assert parquet.read_row_group(0).equals(TABLE.slice(0, 100))
    with pytest.raises(OSError, match="its content is damaged"):
        parquet.read(columns=["id"])


def test_a_file_of_another_program_is_read_only_where_that_is_allowed(file: Path) -> None:
    pq.write_table(TABLE, file)
    with open(file, "rb") as opened:
        with pytest.raises(OSError, match="another program wrote it"):
            read_footer(opened)
        footer = read_footer(opened, sealed=False)
        assert open_parquet(opened, footer).read().equals(TABLE)


def test_a_damaged_length_does_not_make_a_file_another_programs(file: Path) -> None:
    for place in (-8, -7, -6, -5):
        content = bytearray(file.read_bytes())
        content[place] ^= 1
        with pytest.raises(OSError):
            read_footer(io.BytesIO(content), sealed=False)


def test_no_flipped_bit_of_a_part_is_silent(tmp_path: Path) -> None:
    """Also of the parts that are read by ranges: `fingerprints`, `links` and `groups`."""
    workspace = Workspace(str(tmp_path))
    write_part(workspace, "groups", "0", "key", TABLE, row_group_rows=100)
    name = part_file("groups", "0", "key")
    expected = TABLE.slice(40, 101)
    content = (tmp_path / name).read_bytes()
    for changed in flipped(content, every=3):
        (tmp_path / name).write_bytes(changed)
        try:
            assert read_range(workspace, name, "id", 80, 281).equals(expected)
        except DamagedError as error:
            assert error.files == (name,)
    (tmp_path / part_file("groups", "1", "key")).write_bytes(content)
    with pytest.raises(DamagedError, match="it contains 0 of groups"):
        read_range(workspace, part_file("groups", "1", "key"), "id", 0, 1)


def test_a_part_that_another_program_wrote_again_is_damaged(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    table = pa.table({"pair_id": ["a", "b"], "x": [1, 2]})
    name = write_part(workspace, "score/x", "0", "key", table).file
    pq.write_table(pq.read_table(tmp_path / name), tmp_path / name)
    with pytest.raises(DamagedError, match="another program wrote it"):
        read_columns(workspace, name)
    assert dataset.adopt_part(workspace, "score/x", "0", "key") is None


def test_no_flipped_bit_of_a_release_gives_other_pairs(tmp_path: Path) -> None:
    file = tmp_path / "train.parquet"
    with pq.ParquetWriter(file, TABLE.schema, write_page_checksum=True) as writer:
        for start in range(0, ROWS, 100):
            writer.write_table(TABLE.slice(start, 100))
    seal_parquet(file)
    content = file.read_bytes()
    for changed in flipped(content, every=9):
        file.write_bytes(changed)
        try:
            assert open_release(tmp_path).pairs().to_table().equals(TABLE)
        except InputError as error:
            assert str(file) in str(error)
