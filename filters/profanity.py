"""Profanity: how many words of a list a sentence has."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import pyarrow as pa

from ..base.paths import FilePath
from ..tokens.definition import Tokens
from .phrases import Phrases
from .score import Score, Side
from .text_columns import Texts, with_nulls


def profanity(texts: Texts, words: Phrases) -> pa.Int32Array:
    """How many of the words and phrases each sentence has; int32. The empty sentence has 0, null gives null.

    >>> profanity(pa.array(["Damn it, damn!", "Dam"]), Phrases.of(["damn", "bloody hell"])).to_pylist()
    [2, 0]
    """
    return with_nulls(words.count(texts), pa.int32(), texts)


@dataclass(frozen=True)
class Profanity(Score):
    """Number of words and phrases of a list of yours in the translation (or the reference), in any case;
    repeats count. A low value means clean text; the empty sentence has 0. Not from a paper.
    """

    score: Literal["profanity"] = "profanity"
    words: FilePath = field(kw_only=True)
    """A text file in UTF-8 with a word or phrase on each line."""
    side: Side = "translation"
    """The side that is searched, `translation` or `reference`."""
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already)."""

    version = 1
    dtype = pa.int32()
    unit = "words"
    higher_is_better = False
    model_kind: ClassVar[str | None] = "word_list"

    @property
    def reads(self) -> tuple[str, ...]:
        """The side that is searched."""
        return (self.side,)

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `profanity`; `model` is the `Phrases` of the file."""
        if not isinstance(model, Phrases):
            raise TypeError(f"profanity needs a list of words, got {model!r}")
        return profanity(pairs[self.side], model)

    def files(self) -> tuple[str, ...]:
        """The list of words."""
        return (self.words,)
