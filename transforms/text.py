"""Cleaning of a line: what stands in a corpus's files becomes one sentence of plain NFC text."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

# Category Cc (C0, delete, C1), the two separators that other programs take for line ends, and the
# byte order mark.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_CONTROL_BUT_NEWLINE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


@dataclass
class CleanColumn:
    """Cleaned lines. texts: one a line, "" where it is in `faults`.

    faults: reason and detail of each line that cannot be used, by index. control_lines: lines that had
    control characters; control_characters: how many in all, of lines in `faults` too.
    """

    texts: list[str]
    faults: dict[int, tuple[str, str]] = field(default_factory=dict)
    control_lines: int = 0
    control_characters: int = 0


def clean_text(text: str) -> tuple[str, int]:
    r"""The text with control characters made spaces, in NFC, without outer whitespace; and their number.

    Whitespace inside, HTML entities and everything else stay as they are.

    >>> clean_text(" Sm\x9aka\tA&amp;B ")
    ('Sm ka A&amp;B', 2)
    """
    text, count = _CONTROL.subn(" ", text)
    return unicodedata.normalize("NFC", text).strip(), count


def clean_column(lines: Sequence[bytes], max_characters: int, max_bytes: int) -> CleanColumn:
    """Clean the raw lines of one side.

    A line is a fault, `not_utf8`, where it cannot be decoded, and `too_long` where it has more than
    `max_characters` characters once cleaned or more than `max_bytes` bytes before (which is how long
    a reader lets a line become). An empty line is none: what it means depends on the side.
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
    """All lines at once where nothing but outer whitespace has to be cleaned, as in nearly every block."""
    if not lines:
        return []
    try:
        together = b"\n".join(lines).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if _CONTROL_BUT_NEWLINE.search(together) or not unicodedata.is_normalized("NFC", together):
        return None
    texts = [text.strip() for text in together.split("\n")]
    # A cell of a Parquet or TMX file may have a newline inside.
    return texts if len(texts) == len(lines) else None
