"""The sentences of examples as vectors: fixed, or computed by an encoder that is trained."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import torch

from ..encoders.encoder import Encoder, embed
from ..encoders.token_ids import Streams, TokenIds
from ..encoders.vocabulary import Tags

AT_ONCE = 1024  # sentences or examples that are computed at once without gradients


@dataclass(frozen=True)
class Coded:
    """Examples as numbers: for each sentence of an example its row in the table of sentences, and targets.

    sides: one or two arrays (examples,). targets: (examples, outputs) float32.
    """

    sides: tuple[np.ndarray, ...]
    targets: np.ndarray

    def __len__(self) -> int:
        return len(self.targets)


Shuffle = tuple[np.ndarray, np.random.Generator]


class FixedVectors(torch.nn.Module):
    """Sentences with vectors that are not trained: `matrix` (sentences, dimension) float32."""

    tables: tuple[str, ...] = ()

    def __init__(self, matrix: np.ndarray, device: str = "cpu") -> None:
        super().__init__()
        self.matrix, self.dimension, self.device = matrix, int(matrix.shape[1]), device

    def forward(self, rows: np.ndarray, shuffle: None = None) -> torch.Tensor:
        """(rows, dimension): the vectors of these sentences."""
        return torch.from_numpy(self.matrix[rows]).to(self.device)

    def fixed(self, rows: np.ndarray) -> torch.Tensor:
        """The same."""
        return cast(torch.Tensor, self(rows))


class TrainedVectors(torch.nn.Module):
    """Sentences with vectors that an encoder computes, and that gradients reach.

    While it is used, the encoder's tables have only the rows of units of these sentences: no other row can
    be moved by them. `whole_tables` puts the others back.

    by_rows: whether gradients reach only the rows of the sentences that are computed, in `small`: for each
    table the numbers of these rows, and their vectors.
    """

    def __init__(
        self, encoder: Encoder, sentences: Streams, tags: Tags, by_rows: bool, frozen_words: bool
    ) -> None:
        super().__init__()
        self._tags = int(tags in ("start", "both")), int(tags in ("end", "both"))
        self.encoder, self.dimension, self.tables = encoder, encoder.dimension, tuple(encoder.tables)
        self.by_rows = by_rows and not frozen_words
        self.sentences = Streams()
        used = {}
        for units, ids in sentences.items():
            used[units], local = np.unique(ids.ids, return_inverse=True)
            self.sentences[units] = TokenIds(local.astype(np.int32), ids.starts)
        self._whole: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        for name, units in encoder.tables.items():
            table = encoder.get_parameter(name)
            index = torch.from_numpy(used[units].astype(np.int64)).to(table.device)
            self._whole[name] = table.data, index
            table.data = table.data.index_select(0, index)
            table.requires_grad_(not frozen_words)
        self.small: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}

    def forward(self, rows: np.ndarray, shuffle: Shuffle | None = None) -> torch.Tensor:
        """(rows, dimension): the vectors of these sentences; zeros for a sentence without units.

        shuffle: which of them have their words shuffled first, (rows,) bool, and the order of the words.
        """
        self.small = {}
        sentences = self.sentences.take(rows)
        if shuffle is not None:
            sentences = self._shuffled(sentences["words"], *shuffle)
        kept = np.flatnonzero(sentences.lengths())
        if len(kept) < len(rows):
            index = torch.from_numpy(kept).to(self._device)
            vectors = torch.zeros(len(rows), self.dimension, device=self._device)
            return vectors.index_copy(0, index, self._encoded(sentences.take(kept))) if len(kept) else vectors
        return self._encoded(sentences)

    def _shuffled(self, words: TokenIds, chosen: np.ndarray, random: np.random.Generator) -> Streams:
        """The sentences with the words of the chosen ones in another order, between the tags."""
        ids, (start, end) = words.ids.copy(), self._tags
        for row in np.flatnonzero(chosen):
            random.shuffle(ids[words.starts[row] + start : words.starts[row + 1] - end])
        return Streams({"words": TokenIds(ids, words.starts)})

    def _encoded(self, sentences: Streams) -> torch.Tensor:
        if not self.by_rows:
            return cast(torch.Tensor, self.encoder(sentences))
        local, rows = Streams(), {}
        for units, ids in sentences.items():
            unique, numbers = np.unique(ids.ids, return_inverse=True)
            local[units] = TokenIds(numbers, ids.starts)
            rows[units] = torch.from_numpy(unique.astype(np.int64)).to(self._device)
        for name, units in self.encoder.tables.items():
            table = self.encoder.get_parameter(name).detach().index_select(0, rows[units])
            self.small[name] = rows[units], table.requires_grad_()
        tables = {name: table for name, (_, table) in self.small.items()}
        return cast(torch.Tensor, torch.func.functional_call(self.encoder, tables, (local,)))

    def fixed(self, rows: np.ndarray) -> torch.Tensor:
        """The vectors without gradients and dropout, sentences of similar length together."""
        self.encoder.eval()
        return embed(self.encoder, self.sentences.take(rows), AT_ONCE)

    def whole_tables(self) -> None:
        """Gives the encoder its tables back, with the rows that were trained; this object is done then."""
        for name, (table, index) in self._whole.items():
            parameter = self.encoder.get_parameter(name)
            table.index_copy_(0, index, parameter.data)
            parameter.data = table
            parameter.requires_grad_()

    @property
    def _device(self) -> torch.device:
        return next(self.encoder.parameters()).device
