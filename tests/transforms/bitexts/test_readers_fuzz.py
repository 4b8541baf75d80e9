from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from bitexts import moses, read, single, tmx, unit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paranmt.base.errors import InputError
from paranmt.base.streams import COMPRESSIONS

LINE = (
    st.binary(max_size=20)
    | st.text(max_size=10).map(str.encode)
    | st.sampled_from([b"", b"\t", b"a\tb", b" ", b"\r"])
)
RELAXED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def of_another_kind(data: bytes) -> bool:
    return data.startswith((b"\xff\xfe", b"\xfe\xff", b"PK\x03\x04", *COMPRESSIONS.values()))


def lines_in(data: bytes) -> int:
    return data.removeprefix(b"\xef\xbb\xbf").count(b"\n") + (
        not data.endswith(b"\n") and data not in (b"", b"\xef\xbb\xbf")
    )


@RELAXED
@given(
    sides=st.lists(st.lists(LINE, max_size=12), min_size=2, max_size=3),
    part_rows=st.integers(1, 5),
    limit=st.integers(1, 12),
)
def test_fuzz_moses(tmp_path: Path, sides: list[list[bytes]], part_rows: int, limit: int) -> None:
    data = [b"".join(line.replace(b"\n", b" ") + b"\n" for line in side) for side in sides]
    counts = {lines_in(side) for side in data}
    file = moses(tmp_path, *data)
    try:
        batch = read(file, limit, part_rows)
    except InputError:
        assert len(counts) > 1 or any(map(of_another_kind, data))
        return
    assert {batch.pairs.num_rows + batch.rejects.num_rows} == counts
    for row in batch.pairs.to_pylist():
        for text in (row["source"], row["reference"], row["translation"]):
            assert text is None or 0 < len(text) <= limit


@RELAXED
@given(data=st.binary(max_size=200))
def test_fuzz_moses_with_any_bytes_on_both_sides(tmp_path: Path, data: bytes) -> None:
    try:
        batch = read(moses(tmp_path, data, data), 10, 3)
    except InputError:
        assert of_another_kind(data)
        return
    assert batch.pairs.num_rows + batch.rejects.num_rows == lines_in(data)


@RELAXED
@given(
    rows=st.lists(st.lists(LINE, max_size=4), max_size=10),
    columns=st.sampled_from([None, 2, 3]),
    format=st.sampled_from(["tsv", "czeng"]),
)
def test_fuzz_tsv_and_czeng(
    tmp_path: Path, rows: list[list[bytes]], columns: int | None, format: str
) -> None:
    data = b"\n".join(b"\t".join(row) for row in rows)
    try:
        batch = read(single(tmp_path, format, data, columns=columns, source=1, reference=2), 10, 3)
    except InputError:
        return
    records = batch.pairs.num_rows + batch.rejects.num_rows
    if not records:
        assert format == "czeng" or data in (b"", b"\xef\xbb\xbf")
        return
    assert records + batch.cleaned.get("document_boundaries", 0) == lines_in(data)


WHOLE_TMX = tmx(
    unit(("cs", "A <ph>x</ph> &amp; B"), ("en", "a")),
    unit(("cs-CZ", "C"), ("en-GB", "c")),
    start='<!DOCTYPE tmx SYSTEM "tmx14.dtd">',
)


@RELAXED
@given(data=st.data())
def test_fuzz_tmx(tmp_path: Path, data: st.DataObject) -> None:
    mutated = bytearray(WHOLE_TMX)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(mutated)))
        end = place + data.draw(st.integers(0, 30))
        piece = data.draw(
            st.binary(max_size=3)
            | st.sampled_from([b"<seg>", b"</seg>", b"<tu>", b"</tu>", b"<ph>", b"&x;", b"<!--", b"]]>"])
        )
        mutated[place:end] = piece
    try:
        batch = read(single(tmp_path, "tmx", bytes(mutated)))
    except InputError:
        return
    ends = mutated.count(b"</tu") + mutated.count(b"/>")  # some may stand in a comment or a literal
    assert batch.pairs.num_rows + batch.rejects.num_rows <= ends


@settings(RELAXED, max_examples=100)
@given(data=st.data())
def test_fuzz_parquet(tmp_path: Path, data: st.DataObject) -> None:
    table = pa.table({"source": ["A", "B", None], "reference": ["a", "b", "c"]})
    pq.write_table(table, tmp_path / "whole.parquet")
    mutated = bytearray((tmp_path / "whole.parquet").read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        mutated[data.draw(st.integers(0, len(mutated) - 1))] = data.draw(st.integers(0, 255))
    try:
        read(single(tmp_path, "parquet", bytes(mutated)))
    except InputError:
        pass
