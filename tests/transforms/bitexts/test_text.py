import time
import unicodedata
from dataclasses import replace
from random import Random

import pytest
from ftfy import fix_encoding
from hypothesis import given
from hypothesis import strategies as st

from paranmt.tokens.definition import is_nfc, nfc
from paranmt.transforms.bitexts.cleaning import NO_CLEANING, Cleaning, clean_column, clean_text, clean_texts
from paranmt.transforms.bitexts.mojibake import suspects

EVERYTHING = Cleaning(entities=True, mojibake=True, invisible=True)

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
    assert clean_text(raw) == (cleaned, {"control": controls} if controls else {})


@given(st.text(max_size=30))
def test_clean_text_is_idempotent_nfc_and_free_of_line_ends(text: str) -> None:
    cleaned, _ = clean_text(text)
    assert clean_text(cleaned) == (cleaned, {})
    assert unicodedata.is_normalized("NFC", cleaned)
    assert cleaned.splitlines() in ([], [cleaned])


@given(st.lists(st.binary(max_size=12) | st.text(max_size=12).map(lambda text: text.encode()), max_size=8))
def test_a_column_is_cleaned_like_its_single_lines(lines: list[bytes]) -> None:
    column = clean_column(lines, max_characters=8, max_bytes=11)
    alone = [clean_column([line], max_characters=8, max_bytes=11) for line in lines]
    assert column.texts == [one.texts[0] for one in alone]
    assert column.faults == {index: one.faults[0] for index, one in enumerate(alone) if one.faults}
    assert column.lines["control"] == sum(one.lines["control"] for one in alone)
    assert column.changes["control"] == sum(one.changes["control"] for one in alone)


ENTITIES = [
    ("named and numbered", "&quot;A &amp; B&#39;s&quot; &#x159;&hellip;", '"A & B\'s" \u0159\u2026', 6),
    ("an entity in an entity", "it&amp;amp;#39;s", "it's", 3),
    ("numbers as browsers read them", "&#150;&#128;", "\u2013\u20ac", 2),
    ("without a semicolon it stays", "?a=1&copy=2 AT&T &amp", "?a=1&copy=2 AT&T &amp", 0),
    ("names that HTML does not know stay", "&notit; &foo; &;", "&notit; &foo; &;", 0),
    ("numbers of no character stay", "&#0; &#xd800; &#x110000; &#1;", "&#0; &#xd800; &#x110000; &#1;", 0),
    ("a no-break space is not stripped inside", "&nbsp;a&nbsp;b&nbsp;", "a\u00a0b", 3),
]
MOJIBAKE = [
    ("UTF-8 as Latin-1", "R\u00c3\u00a4ttsmedicinalverket", "R\u00e4ttsmedicinalverket", 1),
    ("UTF-8 as CP1252", "don\u00e2\u20ac\u2122t", "don\u2019t", 1),
    ("twice", "R\u00c3\u0192\u00c2\u00a4tt", "R\u00e4tt", 1),
    ("CP1252 as Latin-1", "Tu\x9eme se pod\x9a\xed", "Tu\u017eme se pod\u0161\xed", 1),
    ("a byte order mark", "\u00ef\u00bb\u00bfabc", "abc", 1),
    (
        "good Czech stays",
        "Sp\u00ed\u0161 \u010desk\u00e9 PROHL\u00c1\u0160EN\u00cd z T\u0158E\u0160T\u011a",
        None,
        0,
    ),
    ("good German, French, Russian stay", "daß ist À propos «été» Ãlvaro В Москве", None, 0),
    ("good Greek and emoji stay", "Ο Γιάννης είπε «ναι» 👩‍💻 £5·3° ½", None, 0),
]
ZWNJ, ZWJ, ZWSP = "\u200c", "\u200d", "\u200b"
INVISIBLE = [
    ("zero-width spaces", f"{ZWSP}a{ZWSP}b", "ab", 2),
    ("soft hyphens, word joiners", "co\u00adop a\u2060b", "coop ab", 2),
    (
        "controls of direction",
        "\u200eabc\u200f \u202aabc\u202c \u2067\u05d0\u2069\u061c",
        "abc abc \u05d0",
        7,
    ),
    ("joiners between Latin letters", f"a{ZWJ}b{ZWNJ}c", "abc", 2),
    ("joiners at the ends", f"{ZWNJ}a{ZWJ}", "a", 2),
    ("Persian", f"\u0645\u06cc{ZWNJ}\u062e\u0648\u0627\u0647\u0645", None, 0),
    ("a joiner that ends a Persian abbreviation", f"1402 \u0647{ZWJ}.", None, 0),
    ("Hindi and Sinhala", f"\u0915\u094d{ZWJ}\u0937 \u0dc1\u0dca{ZWJ}\u0dbb\u0dd3", None, 0),
    ("an emoji of several", f"\U0001f469{ZWJ}\U0001f4bb \u2764\ufe0f{ZWJ}\U0001f525", None, 0),
    ("skin tone", f"\U0001f469\U0001f3fd{ZWJ}\u2695\ufe0f", None, 0),
    ("a joiner after an emoji", f"\U0001f469{ZWJ} a", "\U0001f469 a", 1),
    ("Thai and Khmer words", f"\u0e01\u0e32{ZWSP}\u0e01\u0e32 \u1780{ZWSP}\u1780", None, 0),
    ("letters that compose without it", f"s{ZWSP}\u030c", "\u0161", 1),
    ("variation selectors stay", "\u2764\ufe0f \u8fbb\U000e0100", None, 0),
]
SWITCHES = [
    (f"{switch}: {case[0]}", switch, kind, *case[1:])
    for switch, kind, cases in (
        ("entities", "entity", ENTITIES),
        ("mojibake", "mojibake", MOJIBAKE),
        ("invisible", "invisible", INVISIBLE),
    )
    for case in cases
]


@pytest.mark.parametrize(
    "switch, kind, raw, cleaned, count", [case[1:] for case in SWITCHES], ids=[case[0] for case in SWITCHES]
)
def test_each_switch(switch: str, kind: str, raw: str, cleaned: str | None, count: int) -> None:
    text, changes = clean_text(raw, replace(NO_CLEANING, **{switch: True}))
    assert (text, changes.get(kind, 0)) == (raw if cleaned is None else cleaned, count)


TOGETHER = [
    ("an entity that is half of mojibake", "R&#195;\u00a4tt", "R\u00e4tt"),
    ("mojibake of an invisible character", "a\u00e2\u20ac\u2039b", "ab"),
    ("an entity of an invisible character", "a&#8203;b&shy;c&lrm;", "abc"),
    ("an entity of a newline", "a&#10;b", "a b"),
    ("an invisible character in an entity", f"&qu{ZWSP}ot;", '"'),
    ("mojibake with a control character", "p\u00c5\x99\u00c3\u00adklad", "p\u0159\u00edklad"),
]


@pytest.mark.parametrize("raw, cleaned", [case[1:] for case in TOGETHER], ids=[case[0] for case in TOGETHER])
def test_the_order_of_the_switches(raw: str, cleaned: str) -> None:
    assert clean_text(raw, EVERYTHING)[0] == cleaned


PIECES = [
    *("&", "amp;", "#39;", "#195;", "#x8;", "quot;", "nbsp;", ";", " ", "\n", "?", "A", "s"),
    *(ZWSP, ZWJ, ZWNJ, "\u00ad", "\u200f", "\u061c", "\u0645", "\u0e01", "\U0001f469"),
    *("\x99", "\u00a0", "\u00a4", "\u00c3", "\u00c5", "\u00e0", "\u00e2", "\u2014", "\u20ac", "\u2122"),
    *("\u0161", "\u0420", "\u045f", "\ufffd", "\u0303", "\u030c", "\u0928", "\u093c"),
]
texts = st.text(max_size=12) | st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
cleanings = st.builds(Cleaning, entities=st.booleans(), mojibake=st.booleans(), invisible=st.booleans())


@given(texts, cleanings)
def test_cleaning_twice_is_cleaning_once(text: str, cleaning: Cleaning) -> None:
    cleaned, _ = clean_text(text, cleaning)
    assert clean_text(cleaned, cleaning) == (cleaned, {})
    assert clean_text(cleaned) == (cleaned, {})


@given(st.lists(texts, max_size=6), cleanings)
def test_texts_are_cleaned_alike_together_and_alone(given_texts: list[str], cleaning: Cleaning) -> None:
    together = clean_texts(given_texts, cleaning)
    alone = [clean_texts([text], cleaning) for text in given_texts]
    assert together.texts == [one.texts[0] for one in alone]
    for kind in ("control", "entity", "mojibake", "invisible"):
        assert together.lines[kind] == sum(one.lines[kind] for one in alone)
        assert together.changes[kind] == sum(one.changes[kind] for one in alone)


ENCODINGS = "latin-1 cp1252 cp1251 cp1250 cp1253 cp1254 cp1257 iso-8859-2 mac_roman cp437".split()


@given(st.lists(texts, max_size=4), texts, st.sampled_from(ENCODINGS))
def test_what_is_no_suspect_is_no_mojibake(given_texts: list[str], text: str, encoding: str) -> None:
    given_texts = [*given_texts, text.encode().decode(encoding, "replace")]
    changed = [index for index, text in enumerate(given_texts) if fix_encoding(text) != text]
    assert set(changed) <= set(suspects(given_texts))


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
    assert (column.lines, column.changes) == ({"control": 2}, {"control": 3})


def test_ten_thousand_clean_lines_take_milliseconds() -> None:
    lines = ["D\u011bv\u010de stoj\xed na chodn\xedku p\u0159ed n\u011bjak\xfdmi koly.".encode()] * 10_000
    best = min(_seconds(lines) for _ in range(3))
    assert best < 0.1


def _seconds(lines: list[bytes]) -> float:
    start = time.perf_counter()
    clean_column(lines, 2_000, 40_000)
    return time.perf_counter() - start


def test_nfc_of_long_runs_of_marks_is_that_of_unicodedata() -> None:
    random = Random(1)
    marks = [chr(code) for code in range(0x110000) if unicodedata.combining(chr(code))]
    others = ["a", "e", "\uac00", "\u1100\u1161", "\u0344", "\u0f73", "\u212b", " "]
    for size in (1, 15, 16, 17, 40, 300) * 20:
        text = "".join(random.choice(marks if random.random() < 0.9 else others) for _ in range(size))
        assert nfc(text) == unicodedata.normalize("NFC", text)
        assert is_nfc(text) == unicodedata.is_normalized("NFC", text)
        assert is_nfc(nfc(text))
