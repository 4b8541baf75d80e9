"""AVG: a sentence is the mean of its units' vectors."""

import torch

from .embedding import UnitEncoder, positions


class Averaging(UnitEncoder):
    """The masked mean of the units' vectors; an empty sentence has the zero vector. ParaNMT, section 4.1.

    With words it is the papers' WORD model, with character trigrams their TRIGRAM model.
    """

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """(batch, longest) ids and (batch,) lengths to (batch, dimension) float32."""
        here = positions(ids, lengths)
        if self.training and self.embedding.dropout:
            vectors = self.embedding(ids.masked_fill(~here, 0))
            sums = (vectors * here[..., None]).sum(dim=1)
        else:
            # The same sums without the (batch, longest, dimension) array, which is five times as fast.
            starts = lengths.cumsum(0) - lengths
            sums = torch.nn.functional.embedding_bag(
                ids[here], self.embedding.weight, starts, mode="sum", per_sample_weights=self._kept(here)
            )
        return sums / lengths.clamp(min=1)[:, None]

    def _kept(self, here: torch.Tensor) -> torch.Tensor | None:
        """The weights of the units under word dropout; None without word dropout."""
        if not (self.training and self.embedding.word_dropout):
            return None
        ones = torch.ones(int(here.sum()), device=here.device)
        return torch.nn.functional.dropout(ones, self.embedding.word_dropout)
