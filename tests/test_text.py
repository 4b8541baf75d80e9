import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranmt.transforms.text import clean_column, clean_text

CASES = [
    ("plain", "Two dogs run.", "Two dogs run.", 0),
    ("outer whitespace", "  Two dogs. \u00a0\u3000", "Two dogs.", 0),
    ("inner whitespace stays", "a  b\u00a0c", "a  b\u00a0c", 0),
    ("tab", "a\tb", "a b", 1),
    ("newline inside a cell", "a\nb", "a b", 1),
    ("null", "a\x00b", "a b", 1),
    ("delete", "a\x7fb", "a b", 1),
    ("vertical tab and next line", "a\x0bb\x85c", "a b c", 2),
    ("C1 that was CP1252", "Tu\x9eme se pod\x9a\xed", "Tu me se pod \xed", 2),
    ("line and paragraph separators", "a\u2028b\u2029c", "a b c", 2),
    ("byte order mark inside", "a\ufeffb", "a b", 1),
    ("only control characters", "\x01\x02", "", 2),
    ("NFC", "s\u030c", "\u0161", 0),
    ("NFC of a singleton", "\u212b", "\xc5", 0),
    ("entities stay", "A &amp; B &#39;", "A &amp; B &#39;", 0),
    ("zero-width joiner stays", "a\u200db", "a\u200db", 0),
    ("empty", "", "", 0),
]


@pytest.mark.parametrize(
    "raw, cleaned, controls", [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_clean_text(raw: str, cleaned: str, controls: int) -> None:
    assert clean_text(raw) == (cleaned, controls)


@given(st.text(max_size=30))
def test_clean_text_is_idempotent_nfc_and_free_of_line_ends(text: str) -> None:
    cleaned, _ = clean_text(text)
    assert clean_text(cleaned) == (cleaned, 0)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert cleaned.splitlines() in ([], [cleaned])


@given(st.lists(st.binary(max_size=12) | st.text(max_size=12).map(lambda text: text.encode()), max_size=8))
def test_a_column_is_cleaned_like_its_single_lines(lines: list[bytes]) -> None:
    column = clean_column(lines, max_characters=8, max_bytes=11)
    alone = [clean_column([line], max_characters=8, max_bytes=11) for line in lines]
    assert column.texts == [one.texts[0] for one in alone]
    assert column.faults == {index: one.faults[0] for index, one in enumerate(alone) if one.faults}
    assert column.control_lines == sum(one.control_lines for one in alone)
    assert column.control_characters == sum(one.control_characters for one in alone)


def test_details_of_faults() -> None:
    lines = [b"fine", b"b\xffd", b"abcdefghijk", b"x" * 51, b"ab" + b" " * 49, "\u0161".encode() * 10]
    column = clean_column(lines, max_characters=10, max_bytes=50)
    assert column.texts == ["fine", "", "", "", "", "\u0161" * 10]
    assert column.faults == {
        1: ("not_utf8", "byte 0xff at position 2"),
        2: ("too_long", "11 characters; at most 10"),
        3: ("too_long", "more than 50 bytes"),
        4: ("too_long", "more than 50 bytes"),
    }


@pytest.mark.parametrize("raw", [b"\xed\xa0\x80", b"\xc0\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x82"])
def test_surrogates_overlong_forms_and_cut_characters_are_not_utf8(raw: bytes) -> None:
    assert clean_column([raw], 10, 100).faults[0][0] == "not_utf8"


def test_length_is_counted_in_characters_after_cleaning() -> None:
    decomposed = b"  " + "s\u030c".encode() * 10 + b"  "
    assert clean_column([decomposed], max_characters=10, max_bytes=1_000).texts == ["\u0161" * 10]


def test_controls_are_counted_by_line_and_by_character() -> None:
    column = clean_column([b"a\tb\tc", b"clean", b"d\te"], 100, 100)
    assert (column.control_lines, column.control_characters) == (2, 3)


def test_ten_thousand_clean_lines_take_milliseconds() -> None:
    lines = ["D\u011bv\u010de stoj\xed na chodn\xedku p\u0159ed n\u011bjak\xfdmi koly.".encode()] * 10_000
    best = min(_seconds(lines) for _ in range(3))
    assert best < 0.1


def _seconds(lines: list[bytes]) -> float:
    start = time.perf_counter()
    clean_column(lines, 2_000, 40_000)
    return time.perf_counter() - start
