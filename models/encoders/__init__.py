"""Sentence encoders by name. To add one: a module beside these, and a word in `ENCODERS`."""

from .averaging import Averaging
from .embedding import EncoderOptions, UnitEncoder
from .encoder import Encoder

ENCODERS: dict[str, type[UnitEncoder]] = {"avg": Averaging}

__all__ = ["ENCODERS", "Averaging", "Encoder", "EncoderOptions", "UnitEncoder"]
