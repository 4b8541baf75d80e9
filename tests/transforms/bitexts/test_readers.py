import gzip
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bitexts import COMPRESS, faults, file_of, moses, parquet, read, single, texts, tmx, unit

from paranmt.base.dataset_columns import INGEST
from paranmt.base.errors import InputError
from paranmt.transforms.bitexts.cleaning import Cleaning, clean_text
from paranmt.transforms.bitexts.inputs import BitextInput, input_files
from paranmt.transforms.bitexts.readers import PAIRS, READERS, Batch, raw_record, read_records


def test_every_format_has_a_reader() -> None:
    assert list(READERS) == ["moses", "tsv", "czeng", "tmx", "parquet"]
    assert PAIRS.names == [column.name for column in INGEST]


# Moses

MOSES = [
    ("pairs", b"A\nB\n", b"a\nb\n", None, [("1", "A", "a", None), ("2", "B", "b", None)], []),
    ("no last newline", b"A\nB", b"a\nb\n", None, [("1", "A", "a", None), ("2", "B", "b", None)], []),
    ("nothing", b"", b"", None, [], []),
    ("one empty line", b"\n", b"a\n", None, [], [(1, "source", "empty_source", "")]),
    ("whitespace is empty", b"A\n", b" \xc2\xa0\t\n", None, [], [(1, "reference", "empty_reference", "")]),
    ("the first fault counts", b"\n", b"\xff\n", None, [], [(1, "source", "empty_source", "")]),
    ("not UTF-8", b"A\nB\xe9\nC", b"a\nb\nc", None, [("1", "A", "a", None), ("3", "C", "c", None)],
     [(2, "source", "not_utf8", "byte 0xe9 at position 2")]),
    ("over-long", b"A\n" + b"B" * 101, b"a\nb", None, [("1", "A", "a", None)],
     [(2, "source", "too_long", "101 characters; at most 100")]),
    ("far too long", b"A\n" + b"B" * 9_999, b"a\nb", None, [("1", "A", "a", None)],
     [(2, "source", "too_long", "more than 5,696 bytes")]),
    ("CRLF and a byte order mark", b"\xef\xbb\xbfA\r\nB\r\n", b"a\nb\n", None,
     [("1", "A", "a", None), ("2", "B", "b", None)], []),
    ("other line ends", "A\u2028B\x0bC\x85D\n".encode(), b"a\n", None, [("1", "A B C D", "a", None)], []),
    ("translations", b"A\nB\nC", b"a\nb\nc", b"x\n\nz\n",
     [("1", "A", "a", "x"), ("2", "B", "b", None), ("3", "C", "c", "z")], []),
    ("bad translations", b"A\nB\nC", b"a\nb\nc", b"\xff\n" + b"y" * 101 + b"\nz", [("3", "C", "c", "z")],
     [(1, "translation", "not_utf8", "byte 0xff at position 1"),
      (2, "translation", "too_long", "101 characters; at most 100")]),
]  # fmt: skip


@pytest.mark.parametrize(
    "source, reference, translation, pairs, rejects",
    [case[1:] for case in MOSES],
    ids=[case[0] for case in MOSES],
)
def test_moses(
    tmp_path: Path,
    source: bytes,
    reference: bytes,
    translation: bytes | None,
    pairs: list[Any],
    rejects: list[Any],
) -> None:
    batch = read(moses(tmp_path, source, reference, translation))
    assert texts(batch) == pairs
    assert faults(batch) == rejects


@pytest.mark.parametrize("format", ["tsv", "moses", "parquet"])
def test_pairs_without_a_source(tmp_path: Path, format: str) -> None:
    sides = {"reference": ["One.", "", "Three."], "translation": ["1", "2", ""]}
    if format == "moses":
        for side, lines in sides.items():
            (tmp_path / side).write_text("".join(f"{line}\n" for line in lines))
        entry = {side: side for side in sides}
    elif format == "parquet":
        pq.write_table(pa.table({"r": sides["reference"], "t": sides["translation"]}), tmp_path / "pairs")
        entry = {"path": "pairs", "reference": "r", "translation": "t"}
    else:
        lines = zip(*sides.values(), strict=True)
        (tmp_path / "pairs").write_text("".join(f"{a}\t{b}\t0.9\n" for a, b in lines))
        entry = {"path": "pairs", "reference": 1, "translation": 2}
    batch = read(file_of(tmp_path, {"format": format, "source_language": None, **entry}))
    pairs, rejects = batch.pairs, batch.rejects
    assert pairs.drop("pair_id").to_pylist() == [
        {"source": None, "reference": "One.", "translation": "1"},
        {"source": None, "reference": "Three.", "translation": None},
    ]
    name = "reference" if format == "moses" else "pairs"
    assert pairs["pair_id"].to_pylist() == [f"c/{name}:1", f"c/{name}:3"]
    assert [(row["file"], row["side"], row["reason"]) for row in rejects.to_pylist()] == [
        (name, "reference", "empty_reference")
    ]


def _scored(tmp_path: Path, format: str, **entry: Any) -> Batch:
    """Six pairs, five of which have something in the column of their score."""
    texts, numbers = list("abcdef"), ["0.5", "-1e-1", "", "nan", "1e39", "x"]
    if format == "moses":
        for name, lines in {"r": texts, "t": texts, "n": numbers}.items():
            (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        places: dict[str, Any] = {"reference": "r", "translation": "t", "scores": {"cosine": "n"}}
    elif format == "parquet":
        pq.write_table(pa.table({"r": texts, "t": texts, "n": numbers}), tmp_path / "r")
        places = {"path": "r", "reference": "r", "translation": "t", "scores": {"cosine": "n"}}
    else:
        (tmp_path / "r").write_text("".join(f"{a}\t{b}\t{a}\n" for a, b in zip(texts, numbers, strict=True)))
        places = {"path": "r", "reference": 1, "translation": 3, "scores": {"cosine": 2}}
    return read(file_of(tmp_path, {"format": format, "source_language": None, **places, **entry}))


@pytest.mark.parametrize("format", ["tsv", "moses", "parquet", "czeng"])
def test_numbers_that_come_with_pairs(tmp_path: Path, format: str) -> None:
    batch = _scored(tmp_path, format)
    assert batch.scores is not None and batch.scores["cosine"].type == pa.float32()
    assert batch.scores["pair_id"].equals(batch.pairs["pair_id"])
    assert batch.scores["cosine"].to_pylist() == [0.5, pytest.approx(-0.1), None, None, None]
    assert faults(batch) == [(6, None, "malformed", "cosine: expected a number, got 'x'")]


def test_pairs_out_of_the_bounds_of_their_score_are_rejected(tmp_path: Path) -> None:
    batch = _scored(tmp_path, "tsv", minimum_score=0.5)
    assert batch.scores is not None and batch.scores["cosine"].to_pylist() == [0.5]
    bound = "score_out_of_bounds"
    assert faults(batch) == [
        (2, None, bound, "cosine is -0.1"),
        *((record, None, bound, "cosine is null") for record in (3, 4, 5)),
        (6, None, "malformed", "cosine: expected a number, got 'x'"),
    ]
    assert len(_scored(tmp_path, "tsv", maximum_score=0.4).pairs) == 1


@pytest.mark.parametrize(
    "numbers",
    [
        pa.array([1, None, 3], pa.int32()),
        pa.array([1, float("nan"), 3], pa.float64()),
        pa.array([1, None, 3], pa.float16()),
        pa.array(["1", "", "3.0"]),
        pa.array([1, None, 3], pa.decimal128(5, 2)),
        pa.array(["1", None, "3"]).dictionary_encode(),
    ],
)
def test_a_column_of_numbers_of_any_type(tmp_path: Path, numbers: pa.Array) -> None:
    pq.write_table(pa.table({"r": list("abc"), "t": list("xyz"), "n": numbers}), tmp_path / "p")
    entry = {"path": "p", "reference": "r", "translation": "t", "scores": {"n": "n"}}
    batch = read(file_of(tmp_path, {"format": "parquet", "source_language": None, **entry}))
    assert batch.scores is not None and batch.scores["n"].to_pylist() == [1, None, 3]


def test_a_column_of_lists_is_no_score(tmp_path: Path) -> None:
    pq.write_table(pa.table({"r": ["a"], "t": ["x"], "n": [[1]]}), tmp_path / "p")
    entry = {"path": "p", "reference": "r", "translation": "t", "scores": {"n": "n"}}
    with pytest.raises(InputError, match="column 'n' contains list.*, not numbers; set `scores`"):
        read(file_of(tmp_path, {"format": "parquet", "source_language": None, **entry}))


def test_a_reject_names_the_file_of_its_side(tmp_path: Path) -> None:
    batch = read(moses(tmp_path, b"A\n\nC\nD", b"a\nb\n\xff\nd", b"x\ny\nz\n\xff"))
    assert batch.rejects["file"].to_pylist() == ["source", "reference", "translation"]
    assert batch.pairs["pair_id"].to_pylist() == ["c/source:1"]


def test_what_an_input_asks_for_is_cleaned_and_counted(tmp_path: Path) -> None:
    cleaning = Cleaning(entities=True, mojibake=True, invisible=True)
    source, reference = "R\u00c3\u00a4tt\nB\u200b\t\n&nbsp;\nD".encode(), b"&quot;a&quot;\nb\nc\n&#39;d"
    file = replace(moses(tmp_path, source, reference), cleaning=cleaning)
    batch = read(file)
    assert texts(batch) == [("1", "R\u00e4tt", '"a"', None), ("2", "B", "b", None), ("4", "D", "'d", None)]
    assert faults(batch) == [(3, "source", "empty_source", "")]
    assert batch.cleaned == {
        "control_characters": 1, "source_control_lines": 1, "entities": 4, "source_entity_lines": 1,
        "reference_entity_lines": 2, "source_mojibake_lines": 1, "invisible_characters": 1,
        "source_invisible_lines": 1,
    }  # fmt: skip


def test_cleaned_lines_are_counted(tmp_path: Path) -> None:
    batch = read(moses(tmp_path, b"A\tB\tC\nD\nE\t\xc2\x85\n\xff\t", b"a\nb\t\nc\td\ne"))
    assert batch.cleaned == {"control_characters": 6, "source_control_lines": 2, "reference_control_lines": 2}


@pytest.mark.parametrize("part_rows", [1, 2, 3, 999, 1_000, 1_001, 5_000])
def test_parts_are_cut_by_records(tmp_path: Path, part_rows: int) -> None:
    source = b"".join(b"%d\n" % number if number % 7 else b"\n" for number in range(1, 2_502))
    file = moses(tmp_path, source, b"x\n" * 2_501)
    found = list(read_records(file, 100, part_rows))
    sizes = [batch.pairs.num_rows + batch.rejects.num_rows for batch in found]
    assert sum(sizes) == 2_501
    assert set(sizes[:-1]) <= {part_rows}
    rows = [row for batch in found for row in batch.pairs.to_pylist()]
    assert [row["pair_id"] for row in rows] == [f"c/source:{row['source']}" for row in rows]
    assert [record for batch in found for record in batch.rejects["record"].to_pylist()] == list(
        range(7, 2_502, 7)
    )


@pytest.mark.parametrize(
    "counts", [(3, 2), (2, 3), (0, 1), (1, 0), (1_001, 1_000), (1_000, 1_001), (5, 5, 4), (5, 5, 6)]
)
def test_sides_of_different_lengths_are_an_error(tmp_path: Path, counts: tuple[int, ...]) -> None:
    file = moses(tmp_path, *(b"x\n" * count for count in counts))
    with pytest.raises(InputError, match=f"ends after line {min(counts):,}, .* has more"):
        list(read_records(file, 100, 10))


def test_three_files_in_natural_order(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        (tmp_path / f"x.{number}.tsv").write_bytes(b"A%d\ta\n" % number)
    entry = BitextInput(corpus="c", format="tsv", source_language="cs", path="x.*.tsv")
    pairs = [pair for file in input_files(entry, str(tmp_path)) for pair in read(file).pairs.to_pylist()]
    assert [(pair["pair_id"], pair["source"]) for pair in pairs] == [
        ("c/x.1.tsv:1", "A1"), ("c/x.2.tsv:1", "A2"), ("c/x.10.tsv:1", "A10")
    ]  # fmt: skip


# TSV

TSV = [
    ("two columns", b"A\ta\nB\tb\n", {}, [("1", "A", "a", None), ("2", "B", "b", None)], []),
    ("chosen columns", b"1\ta\tA\tx\n2\tb\tB\t\n", {"source": 3, "reference": 2, "translation": 4},
     [("1", "A", "a", "x"), ("2", "B", "b", None)], []),
    ("header", b"id\tcs\ten\n1\tA\ta\n", {"header": True, "source": "cs", "reference": "en"},
     [("2", "A", "a", None)], []),
    ("header and numbers", b"id\tcs\ten\n1\tA\ta\n", {"header": True, "source": 2, "reference": 3},
     [("2", "A", "a", None)], []),
    ("header with CRLF and mark", b"\xef\xbb\xbfcs\ten\r\nA\ta\r\n",
     {"header": True, "source": "cs", "reference": "en"},
     [("2", "A", "a", None)], []),
    ("wrong numbers of columns", b"A\ta\nB\n\nC\tc\tx\nD\td", {},
     [("1", "A", "a", None), ("5", "D", "d", None)],
     [(2, None, "malformed", "1 column, expected 2"), (3, None, "malformed", "1 column, expected 2"),
      (4, None, "malformed", "3 columns, expected 2")]),
    ("columns given", b"A\nB\tb\n", {"columns": 2}, [("2", "B", "b", None)],
     [(1, None, "malformed", "1 column, expected 2")]),
    ("nothing is quoted", b'"A\t"a"\n', {}, [("1", '"A', '"a"', None)], []),
    ("sides", b"\ta\nB\t \n\xff\tc\n", {}, [],
     [(1, "source", "empty_source", ""), (2, "reference", "empty_reference", ""),
      (3, "source", "not_utf8", "byte 0xff at position 1")]),
    ("bad bytes elsewhere do not matter", b"\xff\tA\ta\n", {"source": 2, "reference": 3},
     [("1", "A", "a", None)], []),
    ("an over-long line", b"A\ta\nB\tb" + b"x" * 2_000_000 + b"\nC\tc", {},
     [("1", "A", "a", None), ("3", "C", "c", None)],
     [(2, None, "too_long", "more than 1,065,664 bytes")]),
    ("nothing", b"", {}, [], []),
    ("nothing under a header", b"cs\ten", {"header": True, "source": "cs", "reference": "en"}, [], []),
    ("no header", b"", {"header": True, "source": "cs", "reference": "en"}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(
    "data, entry, pairs, rejects", [case[1:] for case in TSV], ids=[case[0] for case in TSV]
)
def test_tsv(
    tmp_path: Path, data: bytes, entry: dict[str, Any], pairs: list[Any], rejects: list[Any]
) -> None:
    batch = read(single(tmp_path, "tsv", data, **entry))
    assert texts(batch) == pairs
    assert faults(batch) == rejects


@pytest.mark.parametrize(
    "data, entry, message",
    [
        (b"A a\n", {}, "line 1 has 1 column separated by tabs, but the reference should be in column 2"),
        (
            b"A\ta\n",
            {"translation": 3},
            "line 1 has 2 columns separated by tabs, but the translation should be in column 3",
        ),
        (
            b"cs\tde\n",
            {"header": True, "source": "cs", "reference": "en"},
            "expected one column 'en' for the reference .*: cs, de",
        ),
        (b"cs\tcs\n", {"header": True, "source": "cs"}, "expected one column 'cs' for the source"),
        (b"cs\ten\n", {"header": True, "source": 1, "reference": 3}, "expected one column 3"),
    ],
)
def test_a_tsv_without_the_columns_is_an_error(
    tmp_path: Path, data: bytes, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(single(tmp_path, "tsv", data, **entry))


# CzEng

CZENG_1 = b"subtitlesM-b1-00train-f1-s1\t0.99\tA\ta\nsubtitlesM-b1-00train-f1-s2\t0.5\tB\tb\n"
CZENG_2 = b"\nd1-s1\t1.0\t0.9\t0.8\tA\ta\nd1-s2\t1.0\t0.9\t0.8\tB\tb\n\nd2-s1\t1.0\t0.9\t0.8\tC\t\n\n"


def test_czeng_1(tmp_path: Path) -> None:
    batch = read(single(tmp_path, "czeng", CZENG_1))
    assert texts(batch) == [("1", "A", "a", None), ("2", "B", "b", None)]


def test_czeng_2_has_empty_lines_between_documents(tmp_path: Path) -> None:
    batch = read(single(tmp_path, "czeng", CZENG_2))
    assert texts(batch) == [("2", "A", "a", None), ("3", "B", "b", None)]
    assert faults(batch) == [(5, "reference", "empty_reference", "")]
    assert batch.cleaned == {"document_boundaries": 3}


def test_czeng_parts_are_cut_by_records_not_by_lines(tmp_path: Path) -> None:
    data = b"".join(b"id\t1\tA%d\ta\n\n" % number for number in range(3_000))
    file = single(tmp_path, "czeng", b"\n" * 2_000 + data + b"\n" * 3_000)
    found = list(read_records(file, 100, 500))
    assert [batch.pairs.num_rows for batch in found] == [500] * 6
    assert sum(batch.cleaned["document_boundaries"] for batch in found) == 8_000
    assert found[0].pairs["pair_id"][0].as_py() == "c/file:2001"


def test_czeng_columns_can_be_given(tmp_path: Path) -> None:
    data = b"id\ta\tA\tx\ty\nid\tb\tB\n"
    batch = read(single(tmp_path, "czeng", data, source=3, reference=2, translation=4))
    assert texts(batch) == [("1", "A", "a", "x")]
    assert faults(batch) == [(2, None, "malformed", "3 columns, expected 5")]


def test_czeng_with_another_number_of_columns_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"line 2 has 3 columns separated by tabs; expected 4 \(CzEng 1.6, 1.7\) or 6"
    ):
        read(single(tmp_path, "czeng", b"\nid\tA\ta\n"))
    assert texts(read(single(tmp_path, "czeng", b"x\n" + CZENG_1, columns=4)))[0] == ("2", "A", "a", None)
    with pytest.raises(InputError, match="the translation should be in column 5"):
        read(single(tmp_path, "czeng", CZENG_1, translation=5))
    assert texts(read(single(tmp_path, "czeng", b""))) == []


# All formats


def every_format(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """The same three records in each text format: the files' content by name, and the entry."""
    (folder / "a.cs").write_bytes(b"A\n\nC\n")
    (folder / "a.en").write_bytes(b"a\nb\nc\n")
    (folder / "a.tsv").write_bytes(b"A\ta\n\tb\nC\tc\n")
    (folder / "a.czeng").write_bytes(b"i\t1\tA\ta\ni\t1\t\tb\ni\t1\tC\tc\n")
    (folder / "a.tmx").write_bytes(
        tmx(*(unit(("cs", s), ("en", r)) for s, r in [("A", "a"), ("", "b"), ("C", "c")]))
    )
    return [
        ("moses", {"source": "a.cs", "reference": "a.en"}),
        ("tsv", {"path": "a.tsv"}),
        ("czeng", {"path": "a.czeng"}),
        ("tmx", {"path": "a.tmx"}),
    ]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_every_format_in_every_compression(tmp_path: Path, suffix: str) -> None:
    for format, entry in every_format(tmp_path):
        packed = {key: name + suffix for key, name in entry.items()}
        for name in entry.values():
            (tmp_path / (name + suffix)).write_bytes(COMPRESS[suffix]((tmp_path / name).read_bytes()))
        batch = read(file_of(tmp_path, {"format": format, **packed}))
        assert texts(batch) == [("1", "A", "a", None), ("3", "C", "c", None)]
        assert faults(batch) == [(2, "source", "empty_source", "")]


def test_a_pair_id_leads_to_the_raw_record(tmp_path: Path) -> None:
    file = moses(tmp_path, b"A\n" + b"x\ty\xff" * 2_000 + b"\nC", b"a\nb\nc")
    assert raw_record(file, 2) == {"source": b"x\ty\xff" * 2_000, "reference": b"b"}
    assert raw_record(single(tmp_path, "tsv", b"h\ti\nA\tx\ty\n", header=True, source=1, reference=2), 2) == {
        "line": b"A\tx\ty"
    }
    assert raw_record(single(tmp_path, "czeng", CZENG_2), 4) == {"line": b""}
    data = tmx(*(unit(("cs", f" A{n}"), ("en", "a")) for n in range(1, 2_501)))
    assert raw_record(single(tmp_path, "tmx", data), 2_345) == {"source": b" A2345", "reference": b"a"}
    column = [str(number) for number in range(1, 2_501)]
    assert (
        raw_record(parquet(tmp_path, pa.table({"source": column, "reference": column})), 1_001)["source"]
        == b"1001"
    )
    for record in (0, 4):
        with pytest.raises(InputError, match="there is no record 4|from 1, got 0"):
            raw_record(file, record)


def test_a_cut_archive_names_the_file_and_the_record_reached(tmp_path: Path) -> None:
    draw = random.Random(1)
    lines = b"".join(b"%d\n" % draw.getrandbits(60) for _ in range(100_000))
    packed = gzip.compress(lines)
    (tmp_path / "a.cs.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "a.en").write_bytes(lines)
    file = file_of(tmp_path, {"format": "moses", "source": "a.cs.gz", "reference": "a.en"})
    with pytest.raises(InputError, match=r"a\.cs\.gz: cannot be read to its end, after line (49|50),"):
        read(file)


# Real text


def test_multi30k_all_rows_in(shared: Path) -> None:
    entry = BitextInput(
        corpus="multi30k", format="moses", source_language="cs", source="train.cs.gz", reference="train.en.gz"
    )
    (file,) = input_files(entry, str(shared / "data" / "multi30k"))
    found = list(read_records(file, 2_000, 10_000))
    assert [batch.pairs.num_rows for batch in found] == [10_000, 10_000, 9_000]
    assert found[2].pairs["pair_id"][-1].as_py() == "multi30k/train.cs.gz:29000"


def test_cp1252_in_wmt08_is_cleaned_and_counted(shared: Path) -> None:
    folder = shared / "data" / "cs-en-mt-outputs"
    entry = BitextInput(
        corpus="wmt08-google",
        format="moses",
        source_language="cs",
        source="wmt08.cs.gz",
        reference="wmt08.en.gz",
        translation="wmt08.google.en.gz",
    )
    batch = read(input_files(entry, str(folder))[0], 2_000, 10_000)
    raw = gzip.decompress((folder / "wmt08.cs.gz").read_bytes()).split(b"\n")
    damaged = [line for line in raw if any(bytes([0xC2, second]) in line for second in range(0x80, 0xA0))]
    assert batch.pairs.num_rows == 2_051
    assert batch.cleaned["source_control_lines"] == len(damaged) > 300
    assert not any("\x80" <= sign <= "\x9f" for text in batch.pairs["source"].to_pylist() for sign in text)
    assert batch.pairs["translation"].null_count == 0


def test_googles_entities_are_decoded_and_the_raw_line_is_found(shared: Path) -> None:
    folder = shared / "data" / "cs-en-mt-outputs"
    entry = BitextInput(
        corpus="wmt08-google",
        format="moses",
        source_language="cs",
        source="wmt08.cs.gz",
        reference="wmt08.en.gz",
        translation="wmt08.google.en.gz",
        clean=Cleaning(entities=True, mojibake=True, invisible=True),
    )
    (file,) = input_files(entry, str(folder))
    batch = read(file, 2_000, 10_000)
    raw = gzip.decompress((folder / "wmt08.google.en.gz").read_bytes())
    entity = rb"&(?:#39|quot|amp);"
    assert batch.cleaned["entities"] == len(re.findall(entity, raw)) > 1_000
    assert batch.cleaned["translation_entity_lines"] == sum(
        re.search(entity, line) is not None for line in raw.split(b"\n")
    )
    assert batch.cleaned["source_mojibake_lines"] > 300
    pairs = batch.pairs.to_pylist()
    assert not any("&quot;" in pair["translation"] or "&#39;" in pair["translation"] for pair in pairs)
    pair = next(pair for pair in pairs if "\u0161" in pair["source"] and '"' in pair["translation"])
    line = raw_record(file, int(pair["pair_id"].rpartition(":")[2]))
    for side, text in line.items():
        assert clean_text(text.decode(), entry.clean)[0] == pair[side]


def test_pud_has_a_header(shared: Path) -> None:
    entry = BitextInput(
        corpus="pud",
        format="tsv",
        source_language="cs",
        path="pud.cs-en.tsv.gz",
        header=True,
        source="cs",
        reference="en",
    )
    (file,) = input_files(entry, str(shared / "data" / "pud-cs-en"))
    batch = read(file, 2_000, 10_000)
    assert batch.pairs.num_rows == 1_000
    assert batch.pairs["pair_id"][0].as_py() == "pud/pud.cs-en.tsv.gz:2"
