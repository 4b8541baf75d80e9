"""What a score is: a number measured on a pair, column-wise, by a small frozen class."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa


@dataclass(frozen=True)
class Score(ABC):
    """One measure and its parameters, which are its fields.

    The first paragraph of a measure's docstring is the column's documentation: the quantity and its
    direction, what the empty sentence gets, and the paper and section it comes from.
    """

    score: str
    """The name of the measure; it can be left out where the column is called like it."""

    version: ClassVar[int]  # raised when the same input would give other numbers
    dtype: ClassVar[pa.DataType]  # float32 for measures, int32 for counts
    unit: ClassVar[str]
    higher_is_better: ClassVar[bool]  # whether decile 10 holds the pairs a reader wants first
    # Of the model that `measure` gets: a word of `transforms.model_kinds.MODEL_KINDS`. None: it gets none.
    model_kind: ClassVar[str | None] = None

    @property
    @abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The columns of the pairs that it needs."""

    @abstractmethod
    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """One value a row of `pairs` (columns `reads`), of type `dtype`; null in, null out."""

    def files(self) -> tuple[str, ...]:
        """The model the user gave, a file or a folder, as the recipe writes it; empty where there is none.

        Where `model_kind` is not None there is either one path here or a number in `trained_on`.
        """
        return ()

    def trained_on(self) -> int | None:
        """On how many pairs of the corpus its model is to be trained; None where nothing is trained."""
        return None
