"""The tokens that tell a model its languages.

A Marian model with several target languages has a token such as >>fra<< before the source; OPUS-MT trains
with such tokens if and only if there are several target languages (`lib/config.mk` of OPUS-MT-train). M2M-100
and NLLB-200 have the token of the source language before the source, and that of the target language before
the translation.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...base.documents import LARGEST_JSON, parse_json
from ...base.errors import ModelError, RecipeError
from ...base.streams import open_raw
from .language_codes import M2M, NLLB, code_among
from .model_folder import ModelFolder

if TYPE_CHECKING:
    from .translate_options import TranslateOptions

_TOKEN = re.compile(r">>([^<>\s]+)<<")
_M2M_TOKEN = re.compile(r"__([a-z]+)__")
_SOURCE_VOCABULARIES = (
    "vocab.json",
    *(f"{side}_vocabulary.{form}" for side in ("source", "shared") for form in ("json", "txt")),
)
_NAMED = 12  # how many languages an error names


@dataclass(frozen=True)
class LanguageTokens:
    """The token before each source, and the token before each translation, which is no part of it."""

    source: str | None = None
    target: str | None = None


NO_TOKENS = LanguageTokens()


@dataclass(frozen=True)
class Languages:
    """The languages that a model has tokens for, by their codes; none for a model of one pair of languages.

    is_many_to_many: whether sources have a language too, and translations begin with the token of theirs.
    """

    tokens: Mapping[str, str] = field(default_factory=dict)
    is_many_to_many: bool = False

    def chosen(self, source: str | None, target: str | None, model: str) -> tuple[str | None, str | None]:
        """The model's own codes for these languages; RecipeError for one that it needs or does not have.

        model: the model as the recipe names it, for the message.
        """
        if not self.is_many_to_many and source is not None:
            raise RecipeError(
                f"translate.source_language is {source!r}, but {model} has no tokens for the languages of "
                "sources; leave it out"
            )
        if not self.tokens:
            if target is None:
                return None, None
            raise RecipeError(
                f"translate.target_language is {target!r}, but {model} has no tokens such as "
                f"{marian_token('fra')} for it to choose among; leave it out"
            )
        return (
            self._code("source", source, model) if self.is_many_to_many else None,
            self._code("target", target, model),
        )

    def _code(self, side: str, language: str | None, model: str) -> str:
        codes = [*self.tokens]
        found = None if language is None else language if language in self.tokens else None
        if language is not None and self.is_many_to_many:
            found = code_among(language, codes)
        if found is not None:
            return found
        named = difflib.get_close_matches(language or "", codes, n=_NAMED, cutoff=0.5) or codes[:_NAMED]
        others = len(codes) - len(named)
        choices = ", ".join(named) + (f" and {others:,} others" if others else "")
        if language is None:
            into = "into" if side == "target" else "from"
            raise RecipeError(
                f"{model} can translate {into} several languages: set translate.{side}_language to one of "
                f"{choices}"
            )
        raise RecipeError(
            f"translate.{side}_language is {language!r}, for which {model} has no token; there are {choices}"
        )


def marian_token(language: str) -> str:
    """The token that names a target language to a Marian model.

    >>> marian_token("fra")
    '>>fra<<'
    """
    return f">>{language}<<"


def language_tokens(folder: ModelFolder, options: "TranslateOptions") -> LanguageTokens:
    """The tokens for the languages of the options; RecipeError as for `Languages.chosen`."""
    languages = model_languages(folder)
    codes = languages.chosen(options.source_language, options.target_language, folder.url)
    before_source, before_target = (None if code is None else languages.tokens[code] for code in codes)
    if languages.is_many_to_many:
        return LanguageTokens(before_source, before_target)
    return LanguageTokens(source=before_target)


def model_languages(folder: ModelFolder) -> Languages:
    """The languages that the model of a folder has tokens for."""
    if folder.kind == "m2m100":
        return _m2m(M2M) if "vocab.json" in folder.vocabularies else _nllb(NLLB)
    symbols = _source_symbols(folder)
    if folder.has_marian_subwords:
        codes = sorted({token[1] for symbol in symbols if (token := _TOKEN.fullmatch(symbol))})
        return Languages({code: marian_token(code) for code in codes})
    flores = set(NLLB)
    for languages in (
        _m2m([token[1] for symbol in symbols if (token := _M2M_TOKEN.fullmatch(symbol))]),
        _nllb([symbol for symbol in symbols if symbol in flores]),
    ):
        if len(languages.tokens) > 1:
            return languages
    return Languages()


def _m2m(codes: list[str]) -> Languages:
    return Languages({code: f"__{code}__" for code in codes}, is_many_to_many=True)


def _nllb(codes: list[str]) -> Languages:
    return Languages({code: code for code in codes}, is_many_to_many=True)


def _source_symbols(folder: ModelFolder) -> list[str]:
    """The symbols of a Marian or CTranslate2 model; none for others."""
    names = [name for name in _SOURCE_VOCABULARIES if name in folder.vocabularies]
    if not names:
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
    return [str(symbol) for symbol in symbols]
