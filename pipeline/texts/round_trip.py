"""Paraphrases by translation into another language and back, to compare a paraphraser with."""

from collections.abc import Sequence

from ...base.host_cache import cache_folder
from ...models.translation.engines import load, resolve
from ...models.translation.translate_options import TranslateOptions


def translated_back(sentences: Sequence[str], into: str, back: str) -> list[list[str]]:
    """The best translation of each sentence's best translation; none where a model has none.

    into, back: translation models for the beam of 5.
    """
    middle = _translated(sentences, into)
    return [[text] if text else [] for text in _translated(middle, back)]


def _translated(sentences: Sequence[str], model: str) -> list[str]:
    translator = load(resolve(TranslateOptions(model=model, beam=5)), cache_folder("models"))
    return [ranked[0].text if ranked else "" for ranked in translator.translate(sentences)]
