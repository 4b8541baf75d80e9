"""The options of encoders, without the torch modules that encoders are made of."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ...base.bounds import NotAll, NotNegative, Numbers, Size
from ...base.errors import RecipeError
from .vocabulary import Units

if TYPE_CHECKING:
    from .encoder import Encoder


@dataclass(frozen=True, kw_only=True)
class EncoderOptions(Numbers, ABC):
    """One type of encoder with its options, which are its fields.

    The fields are also the keys of `encoder` in a recipe, and their docstrings these keys' documentation.
    """

    type: str
    """The type of encoder."""  # a class declares it as a `Literal` with its name in `ENCODERS`

    def streams(self, units: Units) -> tuple[Units, ...]:
        """The kinds of units that the encoder reads. units: the recipe's `text.units`."""
        return (units,)

    def under(self, objective: str) -> "EncoderOptions":
        """The options with the defaults that depend on the objective of a training filled in."""
        return self

    @abstractmethod
    def build(self, rows: Mapping[Units, int], units: Units) -> "Encoder":
        """An encoder whose weights are still to be read, or drawn (`draw_weights`).

        It imports the module of the network, and with it torch. rows: for each of `streams`, how many rows a
        table of its vectors needs. units: as for `streams`.
        """

    @property
    def wants_gpu(self) -> bool:
        """Whether scores and evaluations are computed on a GPU where there is one."""
        return True

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The options that `dataclasses.asdict` gave."""
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class UnitOptions(EncoderOptions):
    """The options that all encoders over a single embedding table share."""

    dimension: Size = 300
    """How many numbers a unit's vector has, and a sentence's vector unless the encoder has another option."""
    initial_scale: NotNegative = 0.05
    """Standard deviation of the normal distribution that a table starts from. With 0.1, as for the papers'
    LSTMs, rare words stay where they started at random, because Adam moves a number only by about the
    learning rate each time its word occurs."""
    dropout: NotAll = 0.0
    """The share of an embedding's numbers that training sets to zero; the others are scaled up."""
    word_dropout: NotAll = 0.0
    """The share of whole vectors that training sets to zero; the others are scaled up. Only one of the two
    dropouts can be used (Revisiting recurrent networks, section 4.2)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dropout and self.word_dropout:
            raise RecipeError("an encoder can have dropout or word_dropout, not both: set one of them to 0")
