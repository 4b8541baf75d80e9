"""The tokens of Moses's English tokenizer, as in SentEval's STS, by the package sacremoses."""

from functools import cache
from typing import TYPE_CHECKING

from ...base.errors import ModelError
from ...base.extras import install_command
from ...tokens.definition import nfc

if TYPE_CHECKING:
    from sacremoses import MosesTokenizer


def moses_tokens(sentence: str) -> list[str]:
    """The tokens of the NFC text, case kept; characters such as & stay as they are (`-no-escape`).

    ModelError if sacremoses is not installed.
    """
    tokens: list[str] = _tokenizer().tokenize(nfc(sentence), escape=False)
    return tokens


@cache
def _tokenizer() -> "MosesTokenizer":
    try:
        from sacremoses import MosesTokenizer
    except ImportError:
        raise ModelError(
            f"the tokens are those of Moses, which needs sacremoses: {install_command('moses')}"
        ) from None
    return MosesTokenizer(lang="en")
