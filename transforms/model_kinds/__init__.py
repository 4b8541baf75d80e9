"""The kinds of model that scores use. To add one: a module beside these with a `ModelKind`, a word here.

The word is what a score's `model_kind` says.
"""

from .encoder import ENCODER
from .kind import ModelKind
from .language_model import LANGUAGE_MODEL

MODEL_KINDS: dict[str, ModelKind] = {"language_model": LANGUAGE_MODEL, "encoder": ENCODER}
