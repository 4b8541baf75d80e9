"""One file of a bitext, as the stages and the readers of each format get it."""

import os
from dataclasses import dataclass
from typing import Literal, get_args

from .cleaning import NO_CLEANING, Cleaning

Side = Literal["source", "reference", "translation"]
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True)
class InputFile:
    """One file of a bitext (one per side for moses), ready to be read anywhere; a few hundred bytes pickled.

    name: the base name of the first side's file, which is in every `pair_id`. sides: those that the file has.
    paths: for moses one per side and score, otherwise one. fields, scores, minimum_score, maximum_score,
    header, columns: as in `BitextInput`. cleaning: its `clean`.
    """

    corpus: str
    name: str
    format: str
    paths: tuple[str, ...]
    sides: tuple[Side, ...] = ("source", "reference")
    fields: tuple[int | str | None, ...] = ()
    header: bool = False
    columns: int | None = None
    cleaning: Cleaning = NO_CLEANING
    scores: tuple[str, ...] = ()
    minimum_score: float | None = None
    maximum_score: float | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """What is at each of `fields` (moses: in each of `paths`): the sides, then the scores."""
        return (*self.sides, *self.scores)

    def pair_id(self, record: int) -> str:
        """The id of a record, counted from 1, which leads back to the raw input."""
        return f"{self.corpus}/{self.name}:{record}"

    def file_of(self, side: Side | None) -> str:
        """The base name of the file that contains a side."""
        if side is None or len(self.paths) == 1:
            return self.name
        return os.path.basename(self.paths[self.sides.index(side)])
