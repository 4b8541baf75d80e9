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

    name: the base name of the source's file, which is in every `pair_id`. paths: one per side for moses,
    otherwise one. fields, header, columns: as in `BitextInput`. cleaning: its `clean`.
    """

    corpus: str
    name: str
    format: str
    paths: tuple[str, ...]
    fields: tuple[int | str | None, ...] = ()
    header: bool = False
    columns: int | None = None
    cleaning: Cleaning = NO_CLEANING

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides that the file has: source, reference, and translation if there are any."""
        return SIDES[: len(self.fields or self.paths)]

    def pair_id(self, record: int) -> str:
        """The id of a record, counted from 1, which leads back to the raw input."""
        return f"{self.corpus}/{self.name}:{record}"

    def file_of(self, side: Side | None) -> str:
        """The base name of the file that contains a side."""
        if side is None or len(self.paths) == 1:
            return self.name
        return os.path.basename(self.paths[SIDES.index(side)])
