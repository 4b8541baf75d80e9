"""AVG: a sentence is the mean of its units' vectors."""

from typing import Any

import torch

from .averaging_kernels import add_to_rows
from .embedding import UnitEncoder, positions
from .token_ids import Streams


class Averaging(UnitEncoder):
    """The mean of the units' vectors. ParaNMT, section 4.1.

    With words it is the papers' WORD model, with character trigrams their TRIGRAM model.
    """

    def forward(self, sentences: Streams) -> torch.Tensor:
        """(sentences, dimension) float32."""
        ids = sentences[self.units]
        table = self.embedding.weight
        lengths = torch.from_numpy(ids.lengths()).to(table.device)
        if self.training and self.embedding.dropout:
            padded, _ = ids.padded(table.device)
            sums = (self.embedding(padded) * positions(padded, lengths)[..., None]).sum(dim=1)
        else:
            # The same sums without the (sentences, longest, dimension) array, which is five times as fast.
            flat, starts = ids.flat(table.device), torch.from_numpy(ids.starts).to(table.device)
            weights = self._kept(flat)
            if weights is None and table.device.type == "cpu":
                sums = _Sums.apply(table, flat, starts)
            else:
                sums = torch.nn.functional.embedding_bag(
                    flat, table, starts[:-1], mode="sum", per_sample_weights=weights
                )
        return sums / lengths[:, None]

    def _kept(self, ids: torch.Tensor) -> torch.Tensor | None:
        """The weights of the units under word dropout; None without word dropout."""
        if not (self.training and self.embedding.word_dropout):
            return None
        ones = torch.ones(len(ids), device=ids.device)
        return torch.nn.functional.dropout(ones, self.embedding.word_dropout)


class _Sums(torch.autograd.Function):
    """The sums of the rows of sentences' units on a CPU.

    torch sorts the units for the gradient of the table, which takes longer, and adds up in an order that
    depends on the processor. Here it is that of the units.
    """

    @staticmethod
    def forward(ctx: Any, table: torch.Tensor, ids: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(ids, starts)
        ctx.shape = table.shape
        return torch.nn.functional.embedding_bag(ids, table, starts[:-1], mode="sum")

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        ids, starts = ctx.saved_tensors
        table = torch.zeros(ctx.shape, dtype=gradients[0].dtype)
        add_to_rows(gradients[0].contiguous().numpy(), ids.numpy(), starts.numpy(), table.numpy())
        return table, None, None
