"""Sentence encoders by name. To add one: a module beside these, a word here and in `EncoderOptions.type`."""

from .averaging import Averaging
from .embedding import UnitEncoder

ENCODERS: dict[str, type[UnitEncoder]] = {"avg": Averaging}
