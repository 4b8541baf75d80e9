"""Measures of pairs. A new score is one module, one word in `AnyScore` and one table of cases in its test."""

from typing import get_args

from .bleu import SentenceBleu
from .cost import TranslationCost
from .lengths import ReferenceLength, TranslationLength
from .overlap import BigramOverlap, TrigramOverlap, UnigramOverlap
from .perplexity import Perplexity
from .reference_probability import ReferenceProbability
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
    | ReferenceProbability
)
"""Every score. A recipe chooses one by its field `score`."""

SCORES: dict[str, type[AnyScore]] = {kind.score: kind for kind in get_args(AnyScore)}
"""Every score by the name that recipes give it."""
