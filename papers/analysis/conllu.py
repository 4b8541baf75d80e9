"""Sentences with part-of-speech tags and dependency labels, from files in the CoNLL-U format."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...base.errors import InputError
from ...base.streams import numbered_lines, utf8_lines
from ...tokens.definition import is_nfc, nfc

EMPTY = "_"
"""Stands in a column that is not annotated."""

_COLUMNS = 10
_WORD, _RANGE, _EMPTY_NODE = (
    re.compile(r"[1-9]\d*"),
    re.compile(r"([1-9]\d*)-([1-9]\d*)"),
    re.compile(r"\d+\.\d+"),
)


@dataclass(frozen=True)
class AnnotatedWord:
    """A syntactic word. span: its characters in the sentence's text; None in a contraction such as `du`.

    head: the number of the word that it depends on, from 1, or 0 for the root; None if the file has none.
    """

    upos: str
    xpos: str
    deprel: str
    span: tuple[int, int] | None
    head: int | None = None


@dataclass(frozen=True)
class AnnotatedSentence:
    """The text of a sentence in NFC, as its forms and the spaces between them spell it, and its words."""

    text: str
    words: tuple[AnnotatedWord, ...]


def read_conllu(url: str) -> Iterator[AnnotatedSentence]:
    """The sentences of a file, plain or compressed; InputError names the line that is no CoNLL-U.

    Comments and empty nodes (`8.1`) are skipped. The words of a multiword token (`1-2`) share its form: if
    they spell it (`don't` is `do` and `n't`), each has its part of it, and otherwise none has a span.
    """
    block: list[tuple[int, list[str]]] = []
    has_words = False
    for number, line in utf8_lines(url, numbered_lines(url)):
        if line.startswith("#"):
            continue
        if line.strip():
            block.append((number, _fields(url, number, line)))
            has_words = True
        elif block:
            yield _sentence(url, block)
            block = []
    if block:
        yield _sentence(url, block)
    if not has_words:
        raise InputError(f"{url} has no sentence: expected CoNLL-U")


def _fields(url: str, number: int, line: str) -> list[str]:
    fields = line.split("\t")
    is_known = any(kind.fullmatch(fields[0]) for kind in (_WORD, _RANGE, _EMPTY_NODE))
    if len(fields) != _COLUMNS or not is_known or not fields[1]:
        raise InputError(
            f"{url}, line {number}: expected the ten columns of CoNLL-U with tabs between, the first a "
            f"number, got {line[:60]!r}"
        )
    return fields


def _sentence(url: str, block: Sequence[tuple[int, list[str]]]) -> AnnotatedSentence:
    text, has_space, words = "", False, list[AnnotatedWord]()
    inside: list[tuple[int, int] | None] = []  # the spans of the words of a multiword token to come
    for number, fields in block:
        name, form, misc = fields[0], nfc(fields[1]), fields[9]
        if _EMPTY_NODE.fullmatch(name):
            continue
        if inside and _WORD.fullmatch(name):
            words.append(_word(fields, inside.pop(0)))
            continue
        # Without a space, a form that starts with a combining sign would change the one before.
        if has_space or not is_nfc(text[-1:] + form):
            text += " "
        start, text = len(text), text + form
        has_space = "SpaceAfter=No" not in misc.split("|")
        if token := _RANGE.fullmatch(name):
            first, last = int(token[1]), int(token[2])
            parts = [other[1] for _, other in block if other[0] in map(str, range(first, last + 1))]
            if len(parts) != last + 1 - first or last <= first:
                raise InputError(f"{url}, line {number}: the words {name} do not follow this token")
            inside = _parts(start, form, [nfc(part) for part in parts])
        else:
            words.append(_word(fields, (start, len(text))))
    return AnnotatedSentence(text, tuple(words))


def _parts(start: int, form: str, parts: Sequence[str]) -> list[tuple[int, int] | None]:
    """The span of each part of a form if together they spell it, and otherwise None for each."""
    if "".join(parts) != form:
        return [None] * len(parts)
    ends = [start + len("".join(parts[: count + 1])) for count in range(len(parts))]
    return list(zip([start, *ends[:-1]], ends, strict=True))


def _word(fields: Sequence[str], span: tuple[int, int] | None) -> AnnotatedWord:
    head = int(fields[6]) if fields[6].isdecimal() else None
    return AnnotatedWord(upos=fields[3], xpos=fields[4], deprel=fields[7], span=span, head=head)
