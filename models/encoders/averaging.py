"""AVG: a sentence is the mean of its units' vectors."""

import torch

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
            flat = ids.flat(table.device)
            sums = torch.nn.functional.embedding_bag(
                flat, table, lengths.cumsum(0) - lengths, mode="sum", per_sample_weights=self._kept(flat)
            )
        return sums / lengths[:, None]

    def _kept(self, ids: torch.Tensor) -> torch.Tensor | None:
        """The weights of the units under word dropout; None without word dropout."""
        if not (self.training and self.embedding.word_dropout):
            return None
        ones = torch.ones(len(ids), device=ids.device)
        return torch.nn.functional.dropout(ones, self.embedding.word_dropout)
