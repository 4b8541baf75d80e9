"""Language: which one a sentence is in, and how surely it is in the expected one."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa

from .score import Score
from .text_columns import Texts, with_nulls

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Listed here because loading the identifier, to check a recipe, would take two seconds.
LANGUAGES = frozenset(
    """
    ace af am an ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu ext fa fi fo
    fr fuv fy ga gcf gcr gd gl gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it ja jv ka kab kik kk
    km kn ko ku ky la lb lg lij ln lo lt ltg lv mg mk ml mn mr ms mt my ne nl nn no nso oc om or pa pcm pl
    ps pt qu ro ru rw sa sdh se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz uzs vec vi
    vo wa wuu xh yo yue zh zu zxx
    """.split()
)
"""The codes of the languages that py3langid knows."""


LIKELIEST = "likeliest"
"""Stands for the language of each sentence, whichever it is."""


def language_probability(texts: Texts, language: str = "en") -> pa.FloatArray:
    """The probability of the language for each sentence, by py3langid, in [0, 1]; float32.

    language: a code, or `LIKELIEST` for the probability of the sentence's `likeliest_language`.

    It depends on the letters and words of the sentence, and is more certain for longer ones. A sentence that
    has nothing to go by, such as the empty one, has the same for all languages, below 0.02; null gives null.

    >>> czech, english = pa.array(["Dva psi běží po pláži."]), pa.array(["Two dogs run along the beach."])
    >>> language_probability(english)[0].as_py() > 0.5 > language_probability(czech)[0].as_py()
    True
    """
    identifier = _identifier()
    sentences = (text or "" for text in texts.to_pylist())
    if language == LIKELIEST:
        values = [identifier.classify(text)[1] for text in sentences]
    else:
        values = [dict(identifier.rank(text))[language] for text in sentences]
    return with_nulls(np.array(values, np.float64), pa.float32(), texts)


def likeliest_language(texts: Texts) -> pa.StringArray:
    """The code of the most probable language of each sentence, by py3langid.

    Null for null and for a sentence that has nothing to go by, such as the empty one.

    >>> likeliest_language(pa.array(["Dva psi běží po pláži.", "123", None])).to_pylist()
    ['cs', None, None]
    """
    identifier = _identifier()
    nothing = identifier.classify("")[1]
    found = (identifier.classify(text or "") for text in texts.to_pylist())
    return pa.array([code if probability > nothing else None for code, probability in found], pa.string())


@dataclass(frozen=True)
class LanguageProbability(Score):
    """What the probabilities of both sides have in common."""

    language: str = "en"
    """The code of the expected language (ISO 639), such as en or cs; or `likeliest`, whichever it is."""

    version = 1
    dtype = pa.float32()
    unit = "probability"
    higher_is_better: ClassVar[bool | None] = True
    packages: ClassVar[tuple[str, ...]] = ("py3langid",)

    def __post_init__(self) -> None:
        if self.language not in (LIKELIEST, *LANGUAGES):
            known = ", ".join([LIKELIEST, *sorted(LANGUAGES)])
            raise ValueError(f"expected the code of a language, got {self.language!r}; there are: {known}")

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `language_probability`."""
        (side,) = self.reads
        return language_probability(pairs[side], self.language)


@dataclass(frozen=True)
class SourceLanguageProbability(LanguageProbability):
    """Probability that the source is in a language, by default English, from 0 to 1. A high value means that
    the source is not in its own language, but perhaps a copy of the reference, or in its place; with
    `language` set to that of the source, a low value means this. The empty sentence has less than 0.02, and
    null where there is no source. The probabilities are those of the package py3langid, among 140 languages.
    Not from a paper.
    """

    score: Literal["source_language_probability"] = "source_language_probability"

    reads = ("source",)
    higher_is_better = None


@dataclass(frozen=True)
class ReferenceLanguageProbability(LanguageProbability):
    """Probability that the reference is in the expected language, by default English, from 0 to 1. A low
    value means another language, or a sentence too short to tell; the empty sentence has less than 0.02. The
    probabilities are those of the package py3langid, among 140 languages. Not from a paper.
    """

    score: Literal["reference_language_probability"] = "reference_language_probability"

    reads = ("reference",)


@dataclass(frozen=True)
class TranslationLanguageProbability(LanguageProbability):
    """Probability that the translation is in the expected language, by default English, from 0 to 1. A low
    value means another language, such as a source that was left as it was, or a sentence too short to tell;
    the empty sentence has less than 0.02. The probabilities are those of the package py3langid, among 140
    languages. Not from a paper.
    """

    score: Literal["translation_language_probability"] = "translation_language_probability"

    reads = ("translation",)


@dataclass(frozen=True)
class Language(Score):
    """What the labels of both sides have in common."""

    version = 1
    dtype = pa.string()
    unit = "ISO 639 code"
    higher_is_better = None
    has_deciles = False
    packages: ClassVar[tuple[str, ...]] = ("py3langid",)

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `likeliest_language`."""
        (side,) = self.reads
        return likeliest_language(pairs[side])


@dataclass(frozen=True)
class ReferenceLanguage(Language):
    """The most probable language of the reference, as its code: `en` for English. Null for a sentence without
    letters, so for the empty one too. Short sentences are often taken for another language. The label is that
    of the package py3langid, which knows 140 languages. Not from a paper.
    """

    score: Literal["reference_language"] = "reference_language"

    reads = ("reference",)


@dataclass(frozen=True)
class TranslationLanguage(Language):
    """The most probable language of the translation, as its code: `en` for English. Null for a sentence
    without letters, so for the empty one too. Short sentences are often taken for another language. The label
    is that of the package py3langid, which knows 140 languages. Not from a paper.
    """

    score: Literal["translation_language"] = "translation_language"

    reads = ("translation",)


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # reading a recipe does not need it

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
