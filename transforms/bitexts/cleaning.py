"""Cleans the lines of a corpus's files: each becomes one sentence of plain NFC text.

What is done to a line, in this order:

1. HTML entities are decoded (`Cleaning.entities`). First, because they may contain anything that follows.
2. Mojibake is repaired (`Cleaning.mojibake`). Some of its characters are control characters, so this comes
   before those are replaced.
3. Control characters become spaces.
4. Invisible characters are removed (`Cleaning.invisible`).
5. The text is brought to NFC and stripped.

The steps are repeated until they change nothing, because `&amp;#39;` is an entity inside another, and a
zero-width space may be inside an entity. So a cleaned line stays as it is if it is cleaned again.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5
from typing import Literal

from ...tokens.definition import is_nfc, nfc
from .mojibake import repair, suspects

# Category Cc (C0, delete, C1), the two separators that other programs treat as line ends, and the byte order
# mark.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_CONTROL_BUT_NEWLINE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")

_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,30});")

# Ampersands that are entities inside one another.
_AMPERSANDS = re.compile("&(?:(?:amp|AMP|#0{0,5}38|#[xX]0{0,4}26);)+")

# The soft hyphen, the controls of direction, the word joiner, invisible operators.
_ALWAYS_REMOVED = "\u00ad\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f"
_ZERO_WIDTH = "\u200b-\u200d"
# Arabic, Syriac, Indic, Tibetan, Burmese, Khmer, Mongolian, … : joiners choose the shapes of their letters.
_JOINING = (
    "\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1c7f\u1cd0-\u1cff\ua800-\uab2f\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefe\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
# Thai, Lao, Burmese, Khmer, Tai, Balinese, Javanese: a zero-width space is where a word ends.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\ua980-\ua9ff\uaa60-\uaadf"
)
# Pictographs, and what may stand behind one: a variation selector, a keycap, a skin tone, the end of a tag.
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff"
    "\U000e007f"
)
_MAYBE_INVISIBLE = re.compile(f"[{_ALWAYS_REMOVED}{_ZERO_WIDTH}]")  # found much faster
_INVISIBLE = re.compile(
    f"[{_ALWAYS_REMOVED}]"
    f"|(?<![{_UNSPACED}])\u200b(?![{_UNSPACED}])"
    f"|(?<![{_JOINING}])\u200c(?![{_JOINING}])"
    f"|(?<![{_JOINING}])(?:(?<![{_EMOJI}])\u200d|\u200d(?![{_EMOJI}]))(?![{_JOINING}])"
)


@dataclass(frozen=True)
class Cleaning:
    """What is cleaned in all sides of an input, besides control characters; by default nothing.

    Each has a count in the part's manifest. The raw line stays in the input file, where `pair_id` finds it.
    """

    entities: bool = False
    """Decode HTML entities that end in a semicolon (`&quot;`, `&#39;`, `&amp;#39;`). In TMX, those of the XML
    itself are always decoded."""
    mojibake: bool = False
    """Repair text that was decoded with the wrong encoding (`RÃ¤tt`), as ftfy does."""
    invisible: bool = False
    """Remove soft hyphens, zero-width characters and controls of direction. Joiners stay beside letters of
    the scripts that need them (Arabic, Indic, …) and between emoji, and zero-width spaces in scripts without
    spaces (Thai, Khmer, …)."""


NO_CLEANING = Cleaning()


Kind = Literal["control", "entity", "mojibake", "invisible"]
"""What is changed: control characters, HTML entities, texts with mojibake, invisible characters."""


@dataclass
class CleanColumn:
    """Cleaned lines. texts: one per line; "" if the line is in `faults`.

    faults: reason and detail for each line that cannot be used, by index. lines: how many lines were changed,
    by kind. changes: how many changes there were in total. Both include lines that became too long.
    """

    texts: list[str]
    faults: dict[int, tuple[str, str]] = field(default_factory=dict)
    lines: Counter[Kind] = field(default_factory=Counter)
    changes: Counter[Kind] = field(default_factory=Counter)


def clean_text(text: str, cleaning: Cleaning = NO_CLEANING) -> tuple[str, dict[Kind, int]]:
    r"""The text in NFC, stripped, with spaces for control characters; and how often what was changed.

    Whitespace inside stays as it is, and so does everything else that `cleaning` does not name.

    >>> clean_text(" Sm\x9aka\tA&amp;B ")
    ('Sm ka A&amp;B', {'control': 2})
    >>> clean_text(" Sm\x9aka\tA&amp;B ", Cleaning(entities=True, mojibake=True))
    ('Smška A&B', {'entity': 1, 'mojibake': 1, 'control': 1})
    """
    column = clean_texts([text], cleaning)
    return column.texts[0], dict(column.changes)


def clean_column(
    lines: Sequence[bytes], max_characters: int, max_bytes: int, cleaning: Cleaning = NO_CLEANING
) -> CleanColumn:
    """Clean the raw lines of one side.

    A line that cannot be decoded is a fault, `not_utf8`. So is a line with more than `max_characters`
    characters after cleaning, or more than `max_bytes` bytes before it (where readers stop reading a line):
    `too_long`. An empty line is not a fault here: what it means depends on the side.
    """
    texts, faults = _decode(lines, max_bytes)
    column = clean_texts(texts, cleaning)
    column.faults = faults
    if max(map(len, column.texts), default=0) > max_characters:
        for index, text in enumerate(column.texts):
            if len(text) > max_characters:
                faults[index] = ("too_long", f"{len(text):,} characters; at most {max_characters:,}")
                column.texts[index] = ""
    return column


def clean_texts(texts: Sequence[str], cleaning: Cleaning = NO_CLEANING) -> CleanColumn:
    """Clean texts, all of them one step at a time: most texts need no step but stripping."""
    cleaned, changes = _one_pass(texts, cleaning)
    # Without further cleaning, a second pass would change nothing.
    rows = _different(texts, cleaned) if cleaning != NO_CLEANING else []
    while rows:
        before = [cleaned[row] for row in rows]
        after, changed = _one_pass(before, cleaning)
        for row, text in zip(rows, after, strict=True):
            cleaned[row] = text
        for kind, counts in changed.items():
            changes.setdefault(kind, Counter()).update({rows[index]: n for index, n in counts.items()})
        rows = [rows[index] for index in _different(before, after)]
    return CleanColumn(
        cleaned,
        lines=Counter({kind: len(counts) for kind, counts in changes.items()}),
        changes=Counter({kind: counts.total() for kind, counts in changes.items()}),
    )


def _decode(lines: Sequence[bytes], max_bytes: int) -> tuple[list[str], dict[int, tuple[str, str]]]:
    """The lines as text, "" for those with a fault; and the faults."""
    if max(map(len, lines), default=0) <= max_bytes:
        try:
            texts = b"\n".join(lines).decode("utf-8").split("\n")
        except UnicodeDecodeError:
            texts = []
        # A cell of a Parquet file, or a segment of a TMX file, may contain a newline.
        if len(texts) == len(lines):
            return texts, {}
    texts, faults = [""] * len(lines), {}
    for index, line in enumerate(lines):
        if len(line) > max_bytes:
            faults[index] = ("too_long", f"more than {max_bytes:,} bytes")
            continue
        try:
            texts[index] = line.decode("utf-8")
        except UnicodeDecodeError as error:
            detail = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
            faults[index] = ("not_utf8", detail)
    return texts, faults


def _one_pass(given: Sequence[str], cleaning: Cleaning) -> tuple[list[str], dict[Kind, Counter[int]]]:
    """The texts after each step; and how often each was changed, by kind and index."""
    texts = list(given)
    changes: dict[Kind, Counter[int]] = {}

    def step(kind: Kind, indices: Iterable[int], change: Callable[[str], tuple[str, int]]) -> None:
        for index in indices:
            texts[index], count = change(texts[index])
            if count:
                changes.setdefault(kind, Counter())[index] = count

    if cleaning.entities:
        step("entity", [index for index, text in enumerate(texts) if "&" in text], _decode_entities)
    if cleaning.mojibake:
        step("mojibake", suspects(texts), _repair)
    together = "\n".join(texts)
    if _CONTROL_BUT_NEWLINE.search(together) or together.count("\n") >= max(len(texts), 1):
        step("control", _with(_CONTROL, texts), lambda text: _CONTROL.subn(" ", text))
    if cleaning.invisible and _MAYBE_INVISIBLE.search(together):
        step("invisible", _with(_MAYBE_INVISIBLE, texts), lambda text: _INVISIBLE.subn("", text))
        together = "\n".join(texts)
    if not is_nfc(together):
        texts = [nfc(text) for text in texts]
    return [text.strip() for text in texts], changes


def _different(before: Sequence[str], after: Sequence[str]) -> list[int]:
    return [index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]


def _with(pattern: re.Pattern[str], texts: Sequence[str]) -> list[int]:
    return [index for index, text in enumerate(texts) if pattern.search(text)]


def _repair(text: str) -> tuple[str, int]:
    repaired = repair(text)
    return repaired, int(repaired != text)


def _decode_entities(text: str) -> tuple[str, int]:
    """The text without HTML entities, and how many were decoded, those inside others included."""
    count = 0

    def decoded(match: re.Match[str]) -> str:
        nonlocal count
        entity = match[0]
        # HTML gives nothing, or U+FFFD, for the number of no character.
        character = unescape(entity) if entity[1] == "#" else html5.get(entity[1:], entity)
        if character in ("", "\ufffd"):
            return entity
        count += character != entity
        return character

    def ampersand(match: re.Match[str]) -> str:
        nonlocal count
        count += match[0].count(";")
        return "&"

    before = None
    while text != before:
        before = text
        text = _ENTITY.sub(decoded, _AMPERSANDS.sub(ampersand, text))
    return text, count
