"""What counts as a token: one definition for every score, the language model and the encoders."""

import re
import unicodedata
from itertools import groupby
from typing import Literal

Tokens = Literal["words", "whitespace"]
Cut = Literal["words", "whitespace", "moses"]
"""How encoders cut sentences, which can also be as Moses's English tokenizer does it."""
EncoderTokens = Literal["words", "whitespace", "moses", "cased_words", "cased_whitespace", "cased_moses"]
"""The tokens of encoders: lower-cased, or as they are in the text."""

_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
_STEP = 16


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
    return _WORD_OR_SIGN.findall(nfc(text))


def cut_and_case(tokens: EncoderTokens) -> tuple[Cut, bool]:
    """How the tokens of an encoder are cut, and whether they are lower-cased.

    >>> cut_and_case("words"), cut_and_case("cased_words")
    (('words', True), ('words', False))
    """
    match tokens:
        case "cased_words":
            return "words", False
        case "cased_whitespace":
            return "whitespace", False
        case "cased_moses":
            return "moses", False
    return tokens, True


def nfc(text: str) -> str:
    """The text in NFC, in linear time.

    `unicodedata.normalize` takes the square of the length of a run of combining marks, because it moves each
    mark to its place past all others. Here long runs are put in order first.
    """
    return unicodedata.normalize("NFC", _in_order(text) if _may_have_long_run(text) else text)


def is_nfc(text: str) -> bool:
    """Whether a text is in NFC, in linear time."""
    return nfc(text) == text if _may_have_long_run(text) else unicodedata.is_normalized("NFC", text)


def normalise(text: str) -> str:
    """The lower-cased words without punctuation and spacing: two sentences are copies if these are equal.

    A sentence that consists only of punctuation is not changed, so "?" and "!" are not copies.

    >>> normalise("  Two dogs,  running! ") == normalise("two dogs running")
    True
    """
    words = [token for token in tokenize(text.lower()) if token[0].isalnum() or token[0] == "_"]
    return " ".join(words) or text.strip()


def _may_have_long_run(text: str) -> bool:
    """Whether there may be 16 combining marks in a row; true if there are twice as many."""
    return not text.isascii() and any(map(unicodedata.combining, text[_STEP - 1 :: _STEP]))


def _in_order(text: str) -> str:
    """The decomposed text with the marks of each run in canonical order."""
    decomposed = "".join(unicodedata.normalize("NFD", character) for character in text)
    runs = groupby(decomposed, lambda character: unicodedata.combining(character) > 0)
    return "".join("".join(sorted(run, key=unicodedata.combining) if marks else run) for marks, run in runs)
