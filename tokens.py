"""What counts as a token: one definition for every score, the language model and the encoders."""

import re
import unicodedata
from typing import Literal

Tokens = Literal["words", "whitespace"]
EncoderTokens = Literal["words", "whitespace", "moses"]
"""Those of encoders, which can also have the tokens of Moses's English tokenizer."""

_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


def tokenize(text: str, tokens: Tokens = "words") -> list[str]:
    """Tokens of a sentence, case kept.

    `words`: the runs of word characters in the NFC text, and each other sign as a token. `whitespace`: for
    text that is tokenised already, like the papers' corpora. The empty sentence has no tokens.

    >>> tokenize("It didn't rain.")
    ['It', 'didn', "'", 't', 'rain', '.']
    >>> tokenize("it did n't rain .", "whitespace")
    ['it', 'did', "n't", 'rain', '.']
    """
    if tokens == "whitespace":
        return text.split()
    return _WORD_OR_SIGN.findall(unicodedata.normalize("NFC", text))


def normalise(text: str) -> str:
    """The lower-cased words without signs and spacing: two sentences are copies if these are equal.

    A sentence that consists only of signs is not changed, so "?" and "!" are not copies.

    >>> normalise("  Two dogs,  running! ") == normalise("two dogs running")
    True
    """
    words = [token for token in tokenize(text.lower()) if token[0].isalnum() or token[0] == "_"]
    return " ".join(words) or text.strip()
