"""Mixed precision: matrix products in a shorter format; weights, losses and optimisers stay in float32."""

from contextlib import AbstractContextManager, nullcontext

import torch

_GROWS_AFTER = 2000  # steps without an overflow
_HIGHEST = 2.0**24


def autocast(device: str, precision: str) -> AbstractContextManager[object]:
    """A block in which torch chooses the format of each operation; nothing happens for float32."""
    return nullcontext() if precision == "float32" else torch.autocast(device, getattr(torch, precision))


class LossScale:
    """What the loss is multiplied by in float16, so that small gradients do not vanish in it.

    It is halved when a gradient overflows, and that step is left out; after 2,000 steps without an overflow
    it is doubled (Micikevicius et al. 2018, section 3.2). A power of two rounds nothing. In other formats it
    is always 1.
    """

    def __init__(self, precision: str) -> None:
        self.is_used = precision == "float16"
        # A tensor, because checkpoints hold tensors: the scale, and the steps since it changed.
        self.state = torch.tensor([2.0**16 if self.is_used else 1.0, 0.0], dtype=torch.float64)

    @property
    def value(self) -> float:
        """The factor."""
        return float(self.state[0])

    def take_off(self, gradients: list[torch.Tensor]) -> bool:
        """Divides gradients by the factor and says whether all are finite; changes it for the next step."""
        if not self.is_used:
            return True
        for gradient in gradients:
            gradient.div_(self.value)
        is_finite = all(bool(gradient.isfinite().all()) for gradient in gradients)
        scale, steps = self.state.tolist()
        if not is_finite:
            scale, steps = max(1.0, scale / 2), 0
        elif steps + 1 == _GROWS_AFTER:
            scale, steps = min(_HIGHEST, scale * 2), 0
        else:
            steps += 1
        self.state.copy_(torch.tensor([scale, steps], dtype=torch.float64))
        return is_finite
