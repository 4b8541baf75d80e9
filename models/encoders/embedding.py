"""What every encoder begins with: the table of unit vectors, and the noise put on them in training."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from ...errors import RecipeError


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """What all encoders share; an encoder with parameters of its own extends this class.

    type: a name of `ENCODERS`. dimension: of the unit vectors and, where the encoder has no other,
    of the sentence's. initial_scale: standard deviation of the normal distribution a table starts
    from; 0.1, as for the papers' LSTMs, leaves rare words where chance put them, for Adam moves a
    number by about the learning rate each time its word comes. dropout: the share of a unit vector's
    numbers set to zero in training, the others scaled up. word_dropout: the share of whole vectors set
    to zero, likewise; only one of the two (Revisiting recurrent networks, section 4.2).
    """

    type: str = "avg"
    dimension: int = 300
    initial_scale: float = 0.05
    dropout: float = 0.0
    word_dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise RecipeError(f"an encoder's dimension is at least 1, not {self.dimension}")
        for name in ("dropout", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise RecipeError(f"an encoder's {name} is at least 0 and below 1, not {getattr(self, name)}")
        if self.dropout and self.word_dropout:
            raise RecipeError("an encoder has dropout or word_dropout, not both: set one to 0")


class UnitEmbedding(torch.nn.Embedding):
    """Vectors of units, with dropout or word dropout while training."""

    def __init__(self, rows: int, options: EncoderOptions) -> None:
        super().__init__(rows, options.dimension)  # N(0, 1)
        with torch.no_grad():
            self.weight.mul_(options.initial_scale)
        self.dropout, self.word_dropout = options.dropout, options.word_dropout

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(batch, longest) int64 rows to (batch, longest, dimension)."""
        vectors = super().forward(ids)
        if self.word_dropout:
            ones = torch.ones_like(vectors[..., :1])
            return vectors * torch.nn.functional.dropout(ones, self.word_dropout, self.training)
        return torch.nn.functional.dropout(vectors, self.dropout, self.training)


class UnitEncoder(torch.nn.Module):
    """An `Encoder` over one table of unit vectors: the base of all in `ENCODERS`.

    A table's rows are looked up through `self.embedding` alone, so that the trainer can put the rows
    of one mini-batch in its place.
    """

    options_class: ClassVar[type[EncoderOptions]] = EncoderOptions
    dimension: int

    def __init__(self, rows: int, options: EncoderOptions) -> None:
        super().__init__()
        self.options = options
        self.dimension = options.dimension
        self.embedding = UnitEmbedding(rows, options)


def positions(ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """(batch, longest) bool: which positions hold a unit of the sentence and not padding."""
    return torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
