"""What counts as a token: one definition for every score, the language model and the encoders."""

import re
import unicodedata
from typing import Literal

Tokens = Literal["words", "whitespace"]

_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


def tokenize(text: str, tokens: Tokens = "words") -> list[str]:
    """Tokens of a sentence, case kept.

    `words`: runs of word characters and single other signs of the NFC text. `whitespace`: for text
    that is tokenised already, as the papers' corpora are. The empty sentence has none.

    >>> tokenize("It didn't rain.")
    ['It', 'didn', "'", 't', 'rain', '.']
    >>> tokenize("it did n't rain .", "whitespace")
    ['it', 'did', "n't", 'rain', '.']
    """
    if tokens == "whitespace":
        return text.split()
    return _WORD_OR_SIGN.findall(unicodedata.normalize("NFC", text))


def normalise(text: str) -> str:
    """The text by which two sentences count as copies: lower-cased words, signs and spacing left out.

    A sentence of signs alone stays as it is, so that "?" and "!" remain two.

    >>> normalise("  Two dogs,  running! ") == normalise("two dogs running")
    True
    """
    words = [token for token in tokenize(text.lower()) if token[0].isalnum() or token[0] == "_"]
    return " ".join(words) or text.strip()
