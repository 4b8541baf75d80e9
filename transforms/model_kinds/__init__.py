"""The kinds of model that scores use.

To add one, write a module in this folder with a `ModelKind`, and add it to `MODEL_KINDS` under the word that
scores have as their `model_kind`. `language_model.py` is an example.
"""

from collections.abc import Mapping

from ...filters.score import Score
from .classifiers import CLASSIFIER
from .evaluation_sets import EVALUATION_SETS
from .language_models import LANGUAGE_MODEL
from .model_kind import ModelKind
from .scoring_encoders import ENCODER
from .word_frequencies import WORD_FREQUENCIES
from .word_list import WORD_LIST

MODEL_KINDS: dict[str, ModelKind] = {
    "language_model": LANGUAGE_MODEL,
    "encoder": ENCODER,
    "evaluation_sets": EVALUATION_SETS,
    "word_list": WORD_LIST,
    "word_frequencies": WORD_FREQUENCIES,
    "classifier": CLASSIFIER,
}


def measures_candidates(score: Score | type[Score]) -> bool:
    """Whether a score can be measured on candidates, before the translations are chosen among them."""
    if score.model_kind is None:
        return not score.is_given
    return not MODEL_KINDS[score.model_kind].trains_on_translations


def comparing(scores: Mapping[str, Score]) -> list[str]:
    """The names of the scores that compare the texts of a pair and can be measured on candidates."""
    texts = {"reference", "translation"}
    return [name for name, score in scores.items() if measures_candidates(score) and {*score.reads} == texts]


def model_kind_of(score: Score) -> ModelKind | None:
    """The kind of model that a score uses; None for a score without one."""
    return None if score.model_kind is None else MODEL_KINDS[score.model_kind]
