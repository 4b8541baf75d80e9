"""The target language of a model that has several, named by a token such as >>fra<< before the source.

OPUS-MT trains with such tokens if and only if there are several target languages (`lib/config.mk` of
OPUS-MT-train).
"""

import difflib
import re

from ...base.documents import LARGEST_JSON, parse_json
from ...base.errors import ModelError, RecipeError
from ...base.streams import open_raw
from .model_folder import ModelFolder

_TOKEN = re.compile(r">>([^<>\s]+)<<")
_SOURCE_VOCABULARIES = (
    "vocab.json",
    *(f"{side}_vocabulary.{form}" for side in ("source", "shared") for form in ("json", "txt")),
)
_NAMED = 12  # how many languages an error names


def language_token(language: str) -> str:
    """The token that names a language.

    >>> language_token("fra")
    '>>fra<<'
    """
    return f">>{language}<<"


def check_target_language(folder: ModelFolder, language: str | None, model: str) -> None:
    """RecipeError unless the language is one of the model's, or None for a model without such tokens.

    model: the model as the recipe names it, for the message.
    """
    languages = target_languages(folder)
    if language in languages or language is None and not languages:
        return
    if not languages:
        raise RecipeError(
            f"translate.target_language is {language!r}, but {model} has no tokens such as "
            f"{language_token('fra')} for it to choose among; leave it out"
        )
    named = difflib.get_close_matches(language or "", languages, n=_NAMED) or languages[:_NAMED]
    others = len(languages) - len(named)
    choices = ", ".join(named) + (f" and {others:,} others" if others else "")
    if language is None:
        raise RecipeError(
            f"{model} can translate into several languages: set translate.target_language to one of {choices}"
        )
    raise RecipeError(
        f"translate.target_language is {language!r}, for which {model} has no token; there are {choices}"
    )


def target_languages(folder: ModelFolder) -> list[str]:
    """The languages that the source vocabulary of a Marian model has tokens for, sorted; none for others."""
    names = [name for name in _SOURCE_VOCABULARIES if name in folder.vocabularies]
    if not folder.has_marian_subwords or not names:
        return []
    url = f"{folder.url.rstrip('/')}/{names[0]}"
    try:
        with open_raw(url) as file:
            content = file.read(LARGEST_JSON)
        symbols = content.decode("utf-8").splitlines() if url.endswith(".txt") else parse_json(content)
    except ValueError as error:
        raise ModelError(f"the vocabulary {url} cannot be read: {error}") from error
    if not isinstance(symbols, dict | list):
        raise ModelError(f"the vocabulary {url} has no symbols; fetch the model again")
    return sorted({token[1] for symbol in symbols if (token := _TOKEN.fullmatch(str(symbol)))})
