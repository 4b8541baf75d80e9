"""Given: a number that came with the pair, such as the third column of para-nmt-50m.txt."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import pyarrow as pa

from .score import Score

GIVEN = "given"
"""The column of pairs with their given number."""


@dataclass(frozen=True)
class Given(Score):
    """A number that came with the pair, as `scores` of the recipe's `bitext` says; null where there was none.
    Not from a paper.
    """

    version: ClassVar[int] = 1
    dtype: ClassVar[pa.DataType] = pa.float32()
    unit: ClassVar[str] = "as given"
    is_given: ClassVar[bool] = True

    score: Literal["given"] = "given"
    description: str = ""
    """What the number says, as the meaning of its column in the release."""
    higher_is_better: bool | None = None  # type: ignore[misc]
    """Whether high numbers or low ones are better; by default it does not say."""

    @property
    def reads(self) -> tuple[str, ...]:
        return (GIVEN,)

    @property
    def doc(self) -> str:
        return self.description or super().doc

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        return pairs[GIVEN].combine_chunks().cast(pa.float32())
