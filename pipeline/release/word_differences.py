"""Which words of a reference and of its translation the other side does not have in that order."""

import difflib
import re
from typing import NamedTuple

_TOKENS = re.compile(r"\w+|[^\w\s]|\s+")


class TextPiece(NamedTuple):
    """A piece of a sentence; `differs` if it is not on the other side."""

    text: str
    differs: bool


def word_differences(reference: str, translation: str) -> tuple[list[TextPiece], list[TextPiece]]:
    """Both sentences in pieces, which together are the whole text. Case counts, white space does not.

    >>> word_differences("A dog runs.", "A cat runs!")[1]
    [TextPiece(text='A ', differs=False), TextPiece(text='cat', differs=True), \
TextPiece(text=' runs', differs=False), TextPiece(text='!', differs=True)]
    """
    sides = [_TOKENS.findall(text) for text in (reference, translation)]
    words = [[number for number, token in enumerate(side) if not token.isspace()] for side in sides]
    ours, theirs = ([side[number] for number in numbers] for side, numbers in zip(sides, words, strict=True))
    matcher = difflib.SequenceMatcher(None, ours, theirs, False)
    same: tuple[set[int], set[int]] = (set(), set())
    for block in matcher.get_matching_blocks():
        for start, numbers, matched in ((block.a, words[0], same[0]), (block.b, words[1], same[1])):
            matched.update(numbers[start : start + block.size])
    return _pieces(sides[0], same[0]), _pieces(sides[1], same[1])


def _pieces(tokens: list[str], same: set[int]) -> list[TextPiece]:
    """Neighbours that are alike in one piece; white space differs only between words that differ."""
    pieces: list[TextPiece] = []
    for number, token in enumerate(tokens):
        differs = number not in same
        if token.isspace():
            differs = number - 1 not in same and number + 1 not in same and 0 < number < len(tokens) - 1
        if pieces and pieces[-1].differs == differs:
            pieces[-1] = TextPiece(pieces[-1].text + token, differs)
        else:
            pieces.append(TextPiece(token, differs))
    return pieces
