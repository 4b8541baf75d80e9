"""A check of weights that were read from a file."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .errors import ModelError

if TYPE_CHECKING:
    import torch


def check_finite(place: object, tensors: "Mapping[str, torch.Tensor]") -> None:
    """ModelError if a number is NaN or infinite: the vectors of all sentences could be.

    place: the file or folder, for the message.
    """
    for name, tensor in tensors.items():
        # The extremes need no memory, unlike a mask; NaN is an extreme of what has one.
        if tensor.is_floating_point() and tensor.numel():
            if not all(math.isfinite(extreme) for extreme in tensor.aminmax()):
                raise ModelError(f"{place}: some of the numbers of {name} are not finite: fetch it again")
