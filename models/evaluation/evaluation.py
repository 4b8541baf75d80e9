"""What an evaluation is: options, and a function from an encoder to a table of results."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...base.bounds import Numbers
from ..encoders.encodes import Encodes
from .table import RowKey, Table


@dataclass(frozen=True)
class Measured:
    """The results of one encoder with what a comparison of encoders needs, by the key of a row (`Table.key`).

    resampled: the main column's value on resamples of the items, (resamples,), the same resamples for every
    encoder. points: for each item what the encoder says and what people say, each (items,). lists: by name,
    the rows over which encoders are compared as a whole, if these are not all rows; "" if there is one list.
    """

    table: Table
    resampled: Mapping[RowKey, np.ndarray] = field(default_factory=dict)
    points: Mapping[RowKey, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    lists: Mapping[str, Sequence[RowKey]] | None = None


@dataclass(frozen=True, kw_only=True)
class Evaluation(Numbers, ABC):
    """One kind of evaluation with its options, which are its fields.

    The fields are also the keys that an entry of `evaluate` has in a recipe, and their docstrings the
    documentation of these keys. A field whose type is `FilePath` names a file or a folder that the evaluation
    reads: results are computed again when its content changes.
    """

    kind: str
    """The kind of evaluation; it can be left out if the entry has the same name."""

    version: ClassVar[int]  # raised when the same encoder, options and data would give other results
    packages: ClassVar[tuple[str, ...]] = ()  # those that compute the results, besides the encoder's

    @abstractmethod
    def evaluate(self, encoder: Encodes) -> Table:
        """The encoder's results. InputError for data that cannot be read."""

    def measure(self, encoder: Encodes) -> Measured:
        """The results with what a comparison needs; a kind that has only a table need not define it."""
        return Measured(self.evaluate(encoder))


@dataclass(frozen=True, kw_only=True)
class SentenceEvaluation(Evaluation):
    """A kind of evaluation whose items can be left out by their sentences, such as contaminated ones."""

    @abstractmethod
    def sentences(self) -> Sequence[str]:
        """The sentences of all items. InputError for data that cannot be read."""

    @abstractmethod
    def evaluate(self, encoder: Encodes, leave_out: AbstractSet[str] = frozenset()) -> Table:
        """The encoder's results on the items without any of the sentences in `leave_out`."""
