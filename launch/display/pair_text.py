"""How commands show a pair: its origin, its texts with the words that differ, and its scores."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.dataset_columns import DECILE_SUFFIX
from ...base.terminal import printable_cell
from ...pipeline.release.word_differences import TextPiece, word_differences
from .console import folded

_RED, _GREEN, _DIM, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"
_FIXED = "\N{NO-BREAK SPACE}"
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
        f"{_printable(score)} {_value(row[score])}"
        + (f" ({_value(decile)})" if (decile := row.get(score + DECILE_SUFFIX)) else "")
        for score in scores
        if score in row
    ]
    # A value and its decile stay on the line of their score.
    whole = ", ".join(value.replace(" ", _FIXED) for value in values)
    shown = folded(f"  {whole}", hang=2).replace(_FIXED, " ")
    dim, plain = (_DIM, _PLAIN) if coloured else ("", "")
    texts = [f"  source       {source}", f"  reference    {sides[0]}", f"  translation  {sides[1]}"]
    return "\n".join(
        [
            f"{dim}{origin}{plain}",
            *(folded(text, hang=len("  translation  ")) for text in texts),
            f"{dim}{shown}{plain}",
        ]
    )


def _printable(text: str | None) -> str:
    return "(none)" if text is None else printable_cell(text)


def _value(value: object) -> str:
    """A score as text; some are labels, and the columns of a file can hold anything."""
    if isinstance(value, float):
        return f"{value:.3g}"
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return "none" if value is None else f"{value:,}" if is_count else printable_cell(str(value))


def _marked(pieces: Sequence[TextPiece], colour: str) -> str:
    return "".join(
        f"{colour}{piece.text}{_PLAIN}" if colour and piece.differs else piece.text for piece in pieces
    )
