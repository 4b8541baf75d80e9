"""Sentence encoders by name. A new one is a module here, and a word below and in `EncoderOptions.type`."""

from .averaging import Averaging
from .embedding import UnitEncoder

ENCODERS: dict[str, type[UnitEncoder]] = {"avg": Averaging}
