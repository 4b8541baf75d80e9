"""Measures of pairs. To add a score: one module, one word in `SCORES`, one table of cases in its test."""

from .bleu import SentenceBleu
from .cost import TranslationCost
from .lengths import ReferenceLength, TranslationLength
from .overlap import BigramOverlap, TrigramOverlap, UnigramOverlap
from .perplexity import Perplexity
from .score import Score
from .similarity import ParaphraseSimilarity

SCORES: dict[str, type[Score]] = {
    "translation_cost": TranslationCost,
    "perplexity": Perplexity,
    "reference_length": ReferenceLength,
    "translation_length": TranslationLength,
    "unigram_overlap": UnigramOverlap,
    "bigram_overlap": BigramOverlap,
    "trigram_overlap": TrigramOverlap,
    "sentence_bleu": SentenceBleu,
    "paraphrase_similarity": ParaphraseSimilarity,
}
"""Every score by the name that recipes give it."""
