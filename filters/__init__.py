"""Measures of pairs. A new score is one module and one word in `AnyScore`; see CONTRIBUTING.md."""

from typing import get_args

from .bleu import SentenceBleu
from .contamination import Contamination
from .copies import CharacterSimilarity, CopyGrade, LongestCommonSubsequence, SourceCopyGrade
from .cost import TranslationCost
from .given import Given
from .idf import ReferenceIdf, TranslationIdf
from .language import (
    ReferenceLanguage,
    ReferenceLanguageProbability,
    SourceLanguageProbability,
    TranslationLanguage,
    TranslationLanguageProbability,
)
from .lengths import LengthRatio, ReferenceLength, SourceLength, TranslationLength
from .negation import NegationConsistency
from .numbers import NumberConsistency
from .overlap import BigramOverlap, TrigramOverlap, UnigramOverlap
from .perplexity import Perplexity
from .profanity import Profanity
from .reference_probability import ReferenceProbability
from .repetition import ReferenceRepetition, TranslationRepetition
from .scripts import CharacterSetShare
from .similarity import ParaphraseSimilarity

AnyScore = (
    TranslationCost
    | Perplexity
    | ReferenceLength
    | TranslationLength
    | UnigramOverlap
    | BigramOverlap
    | TrigramOverlap
    | SentenceBleu
    | ParaphraseSimilarity
    | Contamination
    | LengthRatio
    | ReferenceRepetition
    | TranslationRepetition
    | ReferenceIdf
    | TranslationIdf
    | NumberConsistency
    | NegationConsistency
    | CopyGrade
    | CharacterSimilarity
    | LongestCommonSubsequence
    | CharacterSetShare
    | Profanity
    | ReferenceLanguage
    | TranslationLanguage
    | ReferenceLanguageProbability
    | TranslationLanguageProbability
    | ReferenceProbability
    | SourceLength
    | SourceLanguageProbability
    | SourceCopyGrade
    | Given
)
"""Every score. A recipe chooses one by its field `score`."""

SCORES: dict[str, type[AnyScore]] = {kind.score: kind for kind in get_args(AnyScore)}
"""Every score by the name that recipes give it."""
