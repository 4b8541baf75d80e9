from pathlib import Path

import pyarrow as pa
import pytest
from bitexts import faults, parquet, read, single, texts

from paranmt.base.errors import InputError
from paranmt.transforms.bitexts.readers import read_records


def test_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "source": ["A", None, "C", "D\n"],
            "reference": ["a", "b", "", "d"],
            "mt": ["x", "y", "z", None],
            "n": [1, 2, 3, 4],
        }
    )
    batch = read(parquet(tmp_path, table, translation="mt"))
    assert texts(batch) == [("1", "A", "a", "x"), ("4", "D", "d", None)]
    assert faults(batch) == [(2, "source", "empty_source", ""), (3, "reference", "empty_reference", "")]
    assert batch.rejects["file"].to_pylist() == ["file.parquet"] * 2
    assert batch.cleaned == {"control_characters": 1, "source_control_lines": 1}


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_parquet_types(tmp_path: Path, kind: pa.DataType) -> None:
    column = pa.array(["A", "B", None, "A"]).cast(kind)
    batch = read(parquet(tmp_path, pa.table({"source": column, "reference": column})))
    assert [row[1] for row in texts(batch)] == ["A", "B", "A"]


def test_parquet_structs(tmp_path: Path) -> None:
    table = pa.table(
        {"translation": [{"cs": "A", "en": "a"}, None, {"cs": "C", "en": "c"}], "x.y": ["p", "q", "r"]}
    )
    batch = read(
        parquet(tmp_path, table, source="translation.cs", reference="translation.en", translation="x.y")
    )
    assert texts(batch) == [("1", "A", "a", "p"), ("3", "C", "c", "r")]
    assert faults(batch) == [(2, "source", "empty_source", "")]


def test_parquet_with_bytes_that_are_not_text(tmp_path: Path) -> None:
    raw = pa.array([b"A", b"\xff", b"C" * 10_000], pa.binary())
    strings = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    batch = read(parquet(tmp_path, pa.table({"source": strings, "reference": ["a", "b", "c"]})))
    assert texts(batch) == [("1", "A", "a", None)]
    assert [fault[2] for fault in faults(batch)] == ["not_utf8", "too_long"]


@pytest.mark.parametrize("row_group_size", [1, 700, 1_000_000])
def test_parquet_rows_are_numbered_across_row_groups(tmp_path: Path, row_group_size: int) -> None:
    column = [str(number) for number in range(1, 2_502)]
    file = parquet(tmp_path, pa.table({"source": column, "reference": column}), row_group_size=row_group_size)
    found = list(read_records(file, 100, 800))
    assert [batch.pairs.num_rows for batch in found] == [800, 800, 800, 101]
    rows = [row for batch in found for row in batch.pairs.to_pylist()]
    assert [row["pair_id"] for row in rows] == [f"c/file.parquet:{row['source']}" for row in rows]


@pytest.mark.parametrize(
    "entry, message",
    [
        ({"source": "cs"}, "no column 'cs'; .* columns of text, which are: source, reference, s.cs"),
        ({"source": "n"}, "column 'n' contains int64, not text"),
        ({"source": "s"}, "column 's' contains struct<cs: string>, not text"),
        ({"source": "s.en"}, "no column 's.en'"),
    ],
)
def test_parquet_without_the_columns_is_an_error(tmp_path: Path, entry: dict[str, str], message: str) -> None:
    table = pa.table({"source": ["A"], "reference": ["a"], "n": [1], "s": [{"cs": "A"}]})
    with pytest.raises(InputError, match=message):
        read(parquet(tmp_path, table, **entry))


def test_a_damaged_parquet_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="damaged"):
        read(single(tmp_path, "parquet", b"no parquet at all"))
    parquet(tmp_path, pa.table({"source": ["A"] * 9_000, "reference": ["a"] * 9_000}))
    whole = (tmp_path / "file.parquet").read_bytes()
    with pytest.raises(InputError, match="damaged"):
        read(single(tmp_path, "parquet", whole[: len(whole) // 2]))
