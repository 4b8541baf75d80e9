"""How commands show a pair: its origin, its texts with the words that differ, and its scores."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..columns import DECILE_SUFFIX
from ..pipeline.published.differences import Piece, word_differences

_RED, _GREEN, _DIM, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"
# Control characters, which could change the terminal, and the signs that reverse the direction of text.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_TEXTS = ("source", "reference", "translation")


def has_colours() -> bool:
    """Whether the standard output is a terminal that shows colours, and the user wants them."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def scores_of(names: Sequence[str]) -> list[str]:
    """The columns that have deciles."""
    scores = (name.removesuffix(DECILE_SUFFIX) for name in names if name.endswith(DECILE_SUFFIX))
    return [score for score in scores if score in names]


def pair_text(row: Mapping[str, Any], scores: Sequence[str], coloured: bool) -> str:
    """The lines of one pair: where it comes from, its texts, its scores with their deciles."""
    source, reference, translation = (_printable(row.get(name)) for name in _TEXTS)
    if row.get("reference") is None or row.get("translation") is None:
        sides = [reference, translation]
    else:
        both = zip(word_differences(reference, translation), (_RED, _GREEN), strict=True)
        sides = [_marked(pieces, colour if coloured else "") for pieces, colour in both]
    origin = " · ".join(_printable(row[name]) for name in ("pair_id", "domain") if row.get(name))
    values = [
        f"{score} {_number(row[score])}"
        + (f" ({decile})" if (decile := row.get(score + DECILE_SUFFIX)) else "")
        for score in scores
        if score in row
    ]
    dim, plain = (_DIM, _PLAIN) if coloured else ("", "")
    return "\n".join(
        [
            f"{dim}{origin}{plain}",
            f"  source       {source}",
            f"  reference    {sides[0]}",
            f"  translation  {sides[1]}",
            f"  {dim}{', '.join(values)}{plain}",
        ]
    )


def _printable(text: str | None) -> str:
    """A text without what could change the terminal or other lines."""
    return "(none)" if text is None else _CONTROLS.sub("\ufffd", text)


def _number(value: float | int | None) -> str:
    return "none" if value is None else f"{value:.3g}" if isinstance(value, float) else f"{value:,}"


def _marked(pieces: Sequence[Piece], colour: str) -> str:
    return "".join(
        f"{colour}{piece.text}{_PLAIN}" if colour and piece.differs else piece.text for piece in pieces
    )
