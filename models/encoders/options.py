"""The options of encoders, without the torch modules that encoders are made of."""

from dataclasses import dataclass
from typing import Literal

from ...errors import RecipeError


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """The options that all encoders share; an encoder with options of its own extends this class."""

    type: Literal["avg"] = "avg"
    """A name of `ENCODERS`."""
    dimension: int = 300
    """How many numbers a unit's vector has, and a sentence's vector unless the encoder has another option."""
    initial_scale: float = 0.05
    """Standard deviation of the normal distribution that a table starts from. With 0.1, as for the papers'
    LSTMs, rare words stay where they started at random, because Adam moves a number only by about the
    learning rate each time its word occurs."""
    dropout: float = 0.0
    """The share of a unit vector's numbers that training sets to zero; the others are scaled up."""
    word_dropout: float = 0.0
    """The share of whole vectors that training sets to zero; the others are scaled up. Only one of the two
    dropouts can be used (Revisiting recurrent networks, section 4.2)."""

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise RecipeError(f"an encoder's dimension must be at least 1, not {self.dimension}")
        for name in ("dropout", "word_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise RecipeError(
                    f"an encoder's {name} must be at least 0 and below 1, not {getattr(self, name)}"
                )
        if self.dropout and self.word_dropout:
            raise RecipeError("an encoder can have dropout or word_dropout, not both: set one of them to 0")
