import gzip
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from bitexts import faults, file_of, read, single, texts, tmx, unit

from paranmt.base.errors import InputError
from paranmt.transforms.bitexts.readers import Batch, read_records

TMX = [
    ("a unit", unit(("cs", "A"), ("en", "a")), ("A", "a")),
    ("any order", unit(("en", "a"), ("cs", "A")), ("A", "a")),
    ("longer tags", unit(("cs-CZ", "A"), ("EN_us", "a")), ("A", "a")),
    ("the exact tag first", unit(("cs-CZ", "B"), ("cs", "A"), ("en-GB", "b"), ("en", "a")), ("A", "a")),
    ("the first of equal tags", unit(("cs", "A"), ("cs", "B"), ("en", "a")), ("A", "a")),
    ("other languages", unit(("csb", "X"), ("cs", "A"), ("de", "Y"), ("en", "a")), ("A", "a")),
    ("lang of TMX 1.1",
     '<tu><tuv lang="CS"><seg>A</seg></tuv><tuv lang="EN"><seg>a</seg></tuv></tu>', ("A", "a")),
    ("predefined entities and references", unit(("cs", "A &amp; &lt;B&gt; &#x161;"), ("en", "&#39;a&apos;")),
     ("A & <B> š", "'a'")),
    ("HTML entities stay", unit(("cs", "A &amp;quot;"), ("en", "a")), ("A &quot;", "a")),
    ("character data", unit(("cs", "<![CDATA[A <b>]]>"), ("en", "a")), ("A <b>", "a")),
    ("a comment", unit(("cs", "A<!-- no -->B"), ("en", "a")), ("AB", "a")),
    ("codes",
     unit(("cs", '<bpt i="1">&lt;b&gt;</bpt>A<ept i="1">&lt;/b&gt;</ept> <ph x="1">{1}</ph>B'),
          ("en", "<it>x</it>a<ut>y</ut>")), ("A B", "a")),
    ("a highlight", unit(("cs", "A <hi>B</hi> C"), ("en", "a")), ("A B C", "a")),
    ("a footnote in a code", unit(("cs", "A<ph>x<sub>note</sub>y</ph> B"), ("en", "a")), ("A B", "a")),
    ("codes in a highlight", unit(("cs", "A <hi>B<ph>x</ph>C</hi>"), ("en", "a")), ("A BC", "a")),
    ("newlines inside", unit(("cs", "A\n  B"), ("en", "\n a\r\n")), ("A   B", "a")),
    ("properties and notes are not text",
     '<tu><prop type="x">P</prop><note>N</note>' + unit(("cs", "A"), ("en", "a"))[4:], ("A", "a")),
]  # fmt: skip


@pytest.mark.parametrize("xml, pair", [case[1:] for case in TMX], ids=[case[0] for case in TMX])
def test_tmx(tmp_path: Path, xml: str, pair: tuple[str, str]) -> None:
    assert texts(read(single(tmp_path, "tmx", tmx(xml)))) == [("1", *pair, None)]


def test_tmx_units_lacking_a_side_are_rejects(tmp_path: Path) -> None:
    units = [
        unit(("de", "x"), ("en", "a")),
        unit(("cs", "A")),
        unit(("cs", ""), ("en", "a")),
        "<tu/>",
        unit(("cs", "A"), ("en", "a")),
    ]
    batch = read(single(tmp_path, "tmx", tmx(*units)))
    assert faults(batch) == [
        (1, "source", "empty_source", "no segment in cs; the unit has de, en"),
        (2, "reference", "empty_reference", "no segment in en; the unit has cs"),
        (3, "source", "empty_source", ""),
        (4, "source", "empty_source", "no segment in cs; the unit has nothing"),
    ]
    assert texts(batch) == [("5", "A", "a", None)]


def test_tmx_languages_can_be_given(tmp_path: Path) -> None:
    data = tmx(unit(("cs", "A"), ("en-x-mt", "x"), ("en-GB", "a")), unit(("cs", "B"), ("en", "b")))
    batch = read(single(tmp_path, "tmx", data, translation="en-x-mt"))
    assert texts(batch) == [("1", "A", "a", "x"), ("2", "B", "b", None)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-2", "windows-1250"])
def test_tmx_encodings(tmp_path: Path, encoding: str) -> None:
    start = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    data = tmx(unit(("cs", "Žluťoučký kůň"), ("en", "a")), start=start).decode().encode(encoding)
    assert texts(read(single(tmp_path, "tmx", data))) == [("1", "Žluťoučký kůň", "a", None)]


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
REFUSED = [
    (f'<!DOCTYPE tmx [<!ENTITY l0 "ha">{LAUGHS}]>', "&l9;", "declares the entity 'l0'"),
    ('<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "&x;", "declares the entity 'x'"),
    ('<!DOCTYPE tmx [<!ENTITY % x SYSTEM "http://localhost:1/x.dtd"> %x;]>', "a", "declares the entity 'x'"),
    ("", "&x;", "not well-formed XML, after unit 1: undefined entity"),
    ("<html></html>", "a", "expected <tmx> as the outermost element, got <html>"),
    ("", "a</seg>", "not well-formed XML, after unit 1: mismatched tag"),
    ("", "a\x00", "not well-formed XML, after unit 1"),
]


@pytest.mark.parametrize("start, text, message", REFUSED)
def test_tmx_that_is_refused(tmp_path: Path, start: str, text: str, message: str) -> None:
    data = tmx(unit(("cs", "A"), ("en", "a")), unit(("cs", text), ("en", "a")), start=start)
    with pytest.raises(InputError, match=message):
        read(single(tmp_path, "tmx", data))


def test_a_dtd_is_not_fetched_and_its_entities_stay(tmp_path: Path) -> None:
    start = '<!DOCTYPE tmx SYSTEM "http://localhost:1/tmx14.dtd">'
    assert texts(read(single(tmp_path, "tmx", tmx(unit(("cs", "A&nbsp;B"), ("en", "a")), start=start)))) == [
        ("1", "A&nbsp;B", "a", None)
    ]


def test_tmx_cut_off_is_an_error_after_the_complete_units(tmp_path: Path) -> None:
    data = tmx(*(unit(("cs", f"A{n}"), ("en", "a")) for n in range(5_000)))
    found: Iterator[Batch] = read_records(single(tmp_path, "tmx", data[: len(data) // 2]), 100, 1_000)
    assert next(found).pairs.num_rows == 1_000
    with pytest.raises(InputError, match="file: not well-formed XML, after unit 2,[45]"):
        list(found)


def test_tmx_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "big.tmx.gz", "wb", 1) as out:
        out.write(b'<tmx version="1.4"><body>' + unit(("cs", "A"), ("en", "a")).encode())
        out.write(
            b'<tu><tuv xml:lang="cs"><seg>'
            + b"x" * 50_000_000
            + b'</seg></tuv><tuv xml:lang="en"><seg>a</seg></tuv></tu>'
        )
        out.write(unit(("cs", "B"), ("en", "b")).encode() * 20_000 + b"</body></tmx>")
    file = file_of(tmp_path, {"format": "tmx", "path": "big.tmx.gz"})
    tracemalloc.start()
    try:
        sizes = [
            (batch.pairs.num_rows, batch.rejects["reason"].to_pylist())
            for batch in read_records(file, 100, 10_001)
        ]
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert sizes == [(10_000, ["too_long"]), (10_001, [])]


def test_a_tag_without_end_is_an_error(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "big.tmx.gz", "wb", 1) as out:
        out.write(b'<tmx version="1.4"><body><!-- ' + b"x" * 10_000_000)
    with pytest.raises(InputError, match="has a tag of more than 4,194,304 bytes"):
        read(file_of(tmp_path, {"format": "tmx", "path": "big.tmx.gz"}))
