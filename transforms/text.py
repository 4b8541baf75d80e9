"""Cleans the lines of a corpus's files: each becomes one sentence of plain NFC text."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

# Category Cc (C0, delete, C1), the two separators that other programs treat as line ends, and the byte order
# mark.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_CONTROL_BUT_NEWLINE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


@dataclass
class CleanColumn:
    """Cleaned lines. texts: one per line; "" if the line is in `faults`.

    faults: reason and detail for each line that cannot be used, by index. control_lines: how many lines had
    control characters. control_characters: how many there were in total, including lines in `faults`.
    """

    texts: list[str]
    faults: dict[int, tuple[str, str]] = field(default_factory=dict)
    control_lines: int = 0
    control_characters: int = 0


def clean_text(text: str) -> tuple[str, int]:
    r"""The text in NFC, stripped, with spaces for control characters; and the number of these characters.

    Whitespace inside, HTML entities and everything else stay as they are.

    >>> clean_text(" Sm\x9aka\tA&amp;B ")
    ('Sm ka A&amp;B', 2)
    """
    text, count = _CONTROL.subn(" ", text)
    return unicodedata.normalize("NFC", text).strip(), count


def clean_column(lines: Sequence[bytes], max_characters: int, max_bytes: int) -> CleanColumn:
    """Clean the raw lines of one side.

    A line that cannot be decoded is a fault, `not_utf8`. So is a line with more than `max_characters`
    characters after cleaning, or more than `max_bytes` bytes before it (where readers stop reading a line):
    `too_long`. An empty line is not a fault here: what it means depends on the side.
    """
    if max(map(len, lines), default=0) <= max_bytes:
        texts = _clean_together(lines)
        if texts is not None and max(map(len, texts), default=0) <= max_characters:
            return CleanColumn(texts)
    column = CleanColumn([""] * len(lines))
    for index, line in enumerate(lines):
        if len(line) > max_bytes:
            column.faults[index] = ("too_long", f"more than {max_bytes:,} bytes")
            continue
        try:
            text, controls = clean_text(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            detail = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
            column.faults[index] = ("not_utf8", detail)
            continue
        column.control_lines += controls > 0
        column.control_characters += controls
        if len(text) > max_characters:
            column.faults[index] = ("too_long", f"{len(text):,} characters; at most {max_characters:,}")
        else:
            column.texts[index] = text
    return column


def _clean_together(lines: Sequence[bytes]) -> list[str] | None:
    """All lines, cleaned at once if only outer whitespace has to be removed, as in nearly every block."""
    if not lines:
        return []
    try:
        together = b"\n".join(lines).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if _CONTROL_BUT_NEWLINE.search(together) or not unicodedata.is_normalized("NFC", together):
        return None
    texts = [text.strip() for text in together.split("\n")]
    # A cell of a Parquet file, or a segment of a TMX file, may contain a newline.
    return texts if len(texts) == len(lines) else None
