"""paranmt: from a bitext to a scored, selected, released paraphrase corpus, and encoders trained on it.

The names below are the library. Each is imported when it is first used, so `import paranmt` takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base.errors import UserError as UserError
    from .filters.bleu import sentence_bleu as sentence_bleu
    from .filters.copies import character_similarity as character_similarity
    from .filters.copies import copy_grade as copy_grade
    from .filters.copies import longest_common_subsequence as longest_common_subsequence
    from .filters.cost import translation_cost as translation_cost
    from .filters.language import language_probability as language_probability
    from .filters.language import likeliest_language as likeliest_language
    from .filters.lengths import length_ratio as length_ratio
    from .filters.lengths import lengths as lengths
    from .filters.negation import negation_consistency as negation_consistency
    from .filters.numbers import number_consistency as number_consistency
    from .filters.overlap import ngram_overlap as ngram_overlap
    from .filters.ranks.decile_ranks import exact_deciles as exact_deciles
    from .filters.repetition import repetition as repetition
    from .filters.scripts import character_set_share as character_set_share
    from .filters.similarity import paraphrase_similarity as paraphrase_similarity
    from .models.encoders.loading import load_encoder as load_encoder
    from .pipeline.release.library import load_paraphraser as load_paraphraser
    from .pipeline.release.library import load_translator as load_translator
    from .pipeline.release.library import measure as measure
    from .pipeline.release.open_release import open_release as open_release

__version__ = "0.1.0"

_MODULES = {
    "UserError": "base.errors",
    "character_set_share": "filters.scripts",
    "character_similarity": "filters.copies",
    "copy_grade": "filters.copies",
    "exact_deciles": "filters.ranks.decile_ranks",
    "language_probability": "filters.language",
    "length_ratio": "filters.lengths",
    "lengths": "filters.lengths",
    "likeliest_language": "filters.language",
    "load_encoder": "models.encoders.loading",
    "load_paraphraser": "pipeline.release.library",
    "load_translator": "pipeline.release.library",
    "longest_common_subsequence": "filters.copies",
    "measure": "pipeline.release.library",
    "negation_consistency": "filters.negation",
    "ngram_overlap": "filters.overlap",
    "number_consistency": "filters.numbers",
    "open_release": "pipeline.release.open_release",
    "paraphrase_similarity": "filters.similarity",
    "repetition": "filters.repetition",
    "sentence_bleu": "filters.bleu",
    "translation_cost": "filters.cost",
}


if not TYPE_CHECKING:  # a type checker would take any name for one of the package

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])
