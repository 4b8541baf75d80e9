"""The tokens that tell a model its languages.

A Marian model with several target languages has a token such as >>fra<< before the source; OPUS-MT trains
with such tokens if and only if there are several target languages (`lib/config.mk` of OPUS-MT-train). M2M-100
and NLLB-200 have the token of the source language before the source, and that of the target language before
the translation.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
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
_KEYS = {"source": "source_language", "target": "reference_language"}  # of an entry of `bitext`


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

    def chosen(
        self,
        given: Sequence[str | None],
        model: str,
        own: Sequence[str | None] = (None, None),
        corpus: str = "",
    ) -> tuple[str | None, str | None]:
        """The model's own codes of the languages of the sources and the translations, None where it has none.

        given: both as `translate` names them. own: both as the entry `corpus` of `bitext` does. The entry
        decides; `translate` may name the same language more exactly. RecipeError if they contradict each
        other, or for a language that the model needs or does not have. model: as the recipe names it.
        """
        source, target = zip(given, own, strict=True)
        return self._code("source", *source, model, corpus), self._code("target", *target, model, corpus)

    def _code(self, side: str, given: str | None, own: str | None, model: str, corpus: str) -> str | None:
        key = f"translate.{side}_language"
        if given is not None and own is not None and not self._agree(given, own):
            raise RecipeError(
                f"{key} is {given!r}, but the entry {corpus} of bitext has the {_KEYS[side]} {own!r}, which "
                f"decides; leave {key} out, or correct one of them"
            )
        if not self.tokens or side == "source" and not self.is_many_to_many:
            if given is None:
                return None
            lacks = "tokens for the languages of sources"
            if side == "target":
                lacks = f"tokens such as {marian_token('fra')} for it to choose among"
            raise RecipeError(f"{key} is {given!r}, but {model} has no {lacks}; leave it out")
        if own is not None and (given is None or _tags(own)):
            given, key = own, f"{_KEYS[side]} of the entry {corpus} of bitext"
        found = [] if given is None else self._matches(given)
        if len(found) == 1:
            return found[0]
        choices = self._choices(given or "", found)
        if given is None:
            into = "into" if side == "target" else "from"
            raise RecipeError(
                f"{model} can translate {into} several languages: set {key} to one of {choices}"
            )
        lacks = "has several tokens" if found else "has no token"
        raise RecipeError(f"{key} is {given!r}, for which {model} {lacks}; there are {choices}")

    def _agree(self, given: str, own: str) -> bool:
        """Whether both are the same language, and no two different ones of its forms."""
        if code_among(_primary(given), [_primary(own)]) is None:
            return False
        return not (_tags(given) and _tags(own)) or self._matches(given) == self._matches(own)

    def _matches(self, language: str) -> list[str]:
        """The model's codes for a language: itself, or those that mean it, without tags if there are some."""
        if language in self.tokens:
            return [language]
        codes = [*self.tokens]
        if self.is_many_to_many:
            code = code_among(language, codes)
            return [] if code is None else [code]
        found = [code for code in codes if code_among(language, [code]) is not None]
        return [code for code in found if not _tags(code)] or found

    def _choices(self, language: str, found: Sequence[str]) -> str:
        codes = [*self.tokens]
        near = difflib.get_close_matches(language, codes, n=_NAMED, cutoff=0.5)
        named = found or near or codes[:_NAMED]
        others = len(codes) - len(named)
        return ", ".join(named) + (f" and {others:,} others" if others else "")


def marian_token(language: str) -> str:
    """The token that names a target language to a Marian model.

    >>> marian_token("fra")
    '>>fra<<'
    """
    return f">>{language}<<"


def language_tokens(folder: ModelFolder, options: "TranslateOptions") -> LanguageTokens:
    """The tokens for the languages of the options; RecipeError as for `Languages.chosen`."""
    languages = model_languages(folder)
    codes = languages.chosen((options.source_language, options.target_language), folder.url)
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


def _primary(code: str) -> str:
    return re.split("[-_]", code)[0]


def _tags(code: str) -> list[str]:
    """What stands behind the language in a code: a script, a region."""
    return re.split("[-_]", code)[1:]
