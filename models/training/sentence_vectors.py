"""The sentences of examples as vectors: fixed, or computed by an encoder that is trained."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from ..encoders.encoder import Encoder, embed
from ..encoders.token_ids import Streams, TokenIds
from ..encoders.vocabulary import Tags, Units
from .updates import SmallTables, Updates

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


class FixedVectors:
    """Sentences with vectors that are not trained: `matrix` (sentences, dimension) float32."""

    tables: Mapping[str, Units] = {}
    by_rows: Mapping[str, Units] = {}

    def __init__(self, matrix: np.ndarray, device: str = "cpu") -> None:
        self.matrix, self.dimension, self.device = matrix, int(matrix.shape[1]), device

    def parameters(self) -> dict[str, torch.Tensor]:
        """None: nothing is trained."""
        return {}

    def trained(
        self, rows: np.ndarray, updates: Updates, shuffle: Shuffle | None = None
    ) -> tuple[torch.Tensor, SmallTables]:
        """The same as `fixed`, and nothing that gradients reach."""
        return self.fixed(rows), SmallTables()

    def fixed(self, rows: np.ndarray) -> torch.Tensor:
        """(rows, dimension): the vectors of these sentences."""
        return torch.from_numpy(self.matrix[rows]).to(self.device)

    def whole_tables(self) -> None:
        """Nothing: there are no tables."""


class TrainedVectors:
    """Sentences with vectors that an encoder computes, and that gradients reach.

    While it is used, the encoder's tables have only the rows of units of these sentences: no other row can
    be moved by them. `whole_tables` puts the others back.

    by_rows: the tables of which gradients reach only the rows of the sentences that are computed.
    """

    def __init__(
        self, encoder: Encoder, sentences: Streams, tags: Tags, by_rows: bool, frozen_words: bool
    ) -> None:
        self._tags = tags
        self.encoder, self.dimension, self.tables = encoder, encoder.dimension, encoder.tables
        self.by_rows = encoder.tables if by_rows and not frozen_words else {}
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

    def parameters(self) -> dict[str, torch.Tensor]:
        """Those of the encoder that are trained."""
        return {name: value for name, value in self.encoder.named_parameters() if value.requires_grad}

    def trained(
        self, rows: np.ndarray, updates: Updates, shuffle: Shuffle | None = None
    ) -> tuple[torch.Tensor, SmallTables]:
        """(rows, dimension), the vectors of sentences, zeros where there are no units; and their tables.

        shuffle: which of them have their words shuffled first, (rows,) bool, and the order of the words.
        """
        self.encoder.train()
        sentences = self.sentences.take(rows)
        if shuffle is not None:
            chosen, random = shuffle
            sentences = sentences.with_words(np.flatnonzero(chosen), self._tags, random.shuffle)
        kept = np.flatnonzero(sentences.lengths())
        device = next(self.encoder.parameters()).device
        vectors = torch.zeros(len(rows), self.dimension, device=device)
        if not len(kept):
            return vectors, SmallTables()
        small = updates.small_tables(sentences if len(kept) == len(rows) else sentences.take(kept))
        encoded = torch.func.functional_call(self.encoder, small.tables, (small.sentences,))
        return vectors.index_copy(0, torch.from_numpy(kept).to(device), encoded), small

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
