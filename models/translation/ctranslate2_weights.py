"""The weights in a CTranslate2 model's file, which CTranslate2 itself does not check."""

import struct
from pathlib import Path
from typing import IO

import numpy as np

from ...base.errors import ModelError

_VERSIONS = (4, 5, 6)
"""The versions of the format that are read here; CTranslate2 names them in its `model_spec.py`."""

# The types of floating-point numbers by their ids: the whole number of the same size, and the bits of the
# exponent, which are all set in NaN and infinity alone.
_EXPONENTS = {0: ("<u4", 0x7F800000), 4: ("<u2", 0x7C00), 5: ("<u2", 0x7F80)}
_PIECE = 1 << 24


def check_weights(path: Path) -> None:
    """ModelError if a weight of a `model.bin` is NaN or infinite: every translation could be wrong.

    A file in another version of the format, or one that CTranslate2 cannot read either, is not checked.
    """
    try:
        with open(path, "rb") as file:
            name = _not_finite(file)
    except (OSError, struct.error, UnicodeDecodeError):
        return
    if name is not None:
        raise ModelError(f"{path}: some of the numbers of {name} are not finite: fetch it again")


def _not_finite(file: IO[bytes]) -> str | None:
    """The name of the first tensor that has NaN or infinity."""
    if _unpacked(file, "<I") not in _VERSIONS:
        return None
    _text(file)  # the kind of model
    _unpacked(file, "<I")  # its version
    for _ in range(_unpacked(file, "<I")):
        name = _text(file)
        file.seek(4 * _unpacked(file, "<B"), 1)  # the shape
        whole, exponent = _EXPONENTS.get(_unpacked(file, "<B"), ("", 0))
        left = _unpacked(file, "<I")
        if not whole:
            file.seek(left, 1)
            continue
        while left and (piece := file.read(min(left, _PIECE))):
            left -= len(piece)
            numbers = np.frombuffer(piece[: len(piece) - len(piece) % np.dtype(whole).itemsize], whole)
            if ((numbers & exponent) == exponent).any():
                return name
    return None


def _unpacked(file: IO[bytes], form: str) -> int:
    return int(struct.unpack(form, file.read(struct.calcsize(form)))[0])


def _text(file: IO[bytes]) -> str:
    """A text with its length before it and a zero behind it."""
    return file.read(_unpacked(file, "<H"))[:-1].decode("utf-8")
