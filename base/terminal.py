"""Text for a terminal: without the characters with which data could change the terminal, or what it shows."""

import re

# Control characters except tab and newline, and the characters that reverse the direction of text.
_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_TEXT = re.compile(f"[\t\n]|{_LINES.pattern}")


def printable(text: str) -> str:
    r"""Lines of text in which such characters are replaced by U+FFFD; tabs stay.

    >>> printable("a\x1b[2Jb")
    'a�[2Jb'
    """
    return _LINES.sub("\ufffd", text)


def printable_cell(text: str) -> str:
    """Like `printable`, for a text in a line: newlines and tabs are replaced too."""
    return _TEXT.sub("\ufffd", text)


def printable_json(text: str) -> str:
    """The same JSON with such characters, which can only be in its strings, as escapes."""
    return _LINES.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
