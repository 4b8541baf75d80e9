"""What an encoder may be told, apart from the torch modules that it is made of."""

from dataclasses import dataclass
from typing import Literal

from ...errors import RecipeError


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """What all encoders share; an encoder with parameters of its own extends this class."""

    type: Literal["avg"] = "avg"
    """A name of `ENCODERS`."""
    dimension: int = 300
    """Numbers in a unit's vector and, where the encoder has no other, in a sentence's."""
    initial_scale: float = 0.05
    """Standard deviation of the normal distribution that a table starts from; 0.1, as for the papers' LSTMs,
    leaves rare words where chance put them, for Adam moves a number by about the learning rate each time
    its word comes."""
    dropout: float = 0.0
    """The share of a unit vector's numbers set to zero in training, the others scaled up."""
    word_dropout: float = 0.0
    """The share of whole vectors set to zero, likewise; only one of the two (Revisiting recurrent networks,
    section 4.2)."""

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise RecipeError(f"an encoder's dimension is at least 1, not {self.dimension}")
        for name in ("dropout", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise RecipeError(f"an encoder's {name} is at least 0 and below 1, not {getattr(self, name)}")
        if self.dropout and self.word_dropout:
            raise RecipeError("an encoder has dropout or word_dropout, not both: set one to 0")
