"""Adam, for whole parameters and for single rows of a table."""

from collections.abc import Mapping

import torch


class Adam:
    """Kingma and Ba 2015, in the form of their section 2's last lines, as the papers' code has it.

    In step k: m ← β1·m + (1 − β1)·g; v ← β2·v + (1 − β2)·g²;
    parameter ← parameter − rate·√(1 − β2^k)/(1 − β1^k) · m / (√v + ε).
    A row of a table that no sentence of a mini-batch has keeps its value and its m and v: `update_rows`
    is the update of torch's SparseAdam.
    """

    def __init__(
        self,
        parameters: Mapping[str, torch.Tensor],
        rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
    ) -> None:
        self._parameters = {name: parameter.detach() for name, parameter in parameters.items()}
        self._rate, self._betas, self._epsilon = rate, betas, epsilon
        self.steps = 0
        self.first = {name: torch.zeros_like(parameter) for name, parameter in self._parameters.items()}
        self.second = {name: torch.zeros_like(parameter) for name, parameter in self._parameters.items()}

    def begin_step(self) -> None:
        """Counts a step; the updates of one mini-batch follow it."""
        self.steps += 1

    def update(self, name: str, gradient: torch.Tensor) -> None:
        """Moves a whole parameter."""
        self._move(self._parameters[name], self.first[name], self.second[name], gradient)

    def update_rows(self, name: str, rows: torch.Tensor, gradient: torch.Tensor) -> None:
        """Moves the given rows, each named once: rows (r,) int64, gradient (r, dimension)."""
        tables = (self._parameters[name], self.first[name], self.second[name])
        taken = [table.index_select(0, rows) for table in tables]
        self._move(taken[0], taken[1], taken[2], gradient)
        for table, moved in zip(tables, taken, strict=True):
            table.index_copy_(0, rows, moved)

    def _move(
        self, parameter: torch.Tensor, first: torch.Tensor, second: torch.Tensor, gradient: torch.Tensor
    ) -> None:
        beta1, beta2 = self._betas
        first.lerp_(gradient, 1 - beta1)
        second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        rate = self._rate * (1 - beta2**self.steps) ** 0.5 / (1 - beta1**self.steps)
        parameter.addcdiv_(first, second.sqrt().add_(self._epsilon), value=-rate)
