"""The pairs that people judge: a sample of a release or of a file of pairs."""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

import numpy as np
import pyarrow.compute as pc

from ...base.dataset_columns import decile_name
from ...base.errors import InputError, RecipeError
from ...base.hashing import derive_seed, mixed
from ...base.streams import COMPRESSIONS, numbered_lines, utf8_lines
from ...filters.ranks.decile_ranks import DECILES
from ..release.open_release import Release, open_release

_TABS = (".tsv", ".txt")


@dataclass(frozen=True)
class JudgedPair:
    """A pair as the judges see it, and its decile of the score that the sample was drawn by, or None."""

    pair_id: str
    reference: str
    translation: str
    decile: int | None = None


class PairSource(Protocol):
    """What pairs are drawn from, and where they are found again."""

    def sample(self, count: int, seed: int, where: str | None, by: str | None) -> list[JudgedPair]:
        """Random pairs, the same for the same seed. by: a score, of whose deciles as many are drawn each."""
        ...

    def find(self, ids: Collection[str], by: str | None) -> list[JudgedPair]:
        """The pairs with these ids, with their deciles of the score `by`."""
        ...


def open_pairs(path: str) -> PairSource:
    """A release, one of its Parquet files, or a text file with two sentences a line and a tab between."""
    suffix = PurePosixPath(path.removesuffix(_compression(path))).suffix
    return _LinesOfPairs(path) if suffix in _TABS else _ReleasedPairs(open_release(path))


def sample_hash(pairs: Sequence[JudgedPair]) -> str:
    """Another for other pairs or other texts, in whatever order."""
    content = sorted((pair.pair_id, pair.reference, pair.translation) for pair in pairs)
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class _ReleasedPairs:
    release: Release

    def sample(self, count: int, seed: int, where: str | None, by: str | None) -> list[JudgedPair]:
        if by is None:
            return self._read(where, None, count, seed)
        decile = self._decile(by)
        each, rest = divmod(count, DECILES)
        clause = f" and ({where})" if where else ""
        return [
            pair
            for number in range(1, DECILES + 1)
            for pair in self._read(f"{decile} = {number}{clause}", by, each + (number <= rest), seed)
        ]

    def find(self, ids: Collection[str], by: str | None) -> list[JudgedPair]:
        quoted = ", ".join("'" + each.replace("'", "''") + "'" for each in ids)
        return self._read(f"pair_id in ({quoted})", by, len(ids), 0) if ids else []

    def _read(self, where: str | None, by: str | None, count: int, seed: int) -> list[JudgedPair]:
        names = ["pair_id", "reference", "translation"] + ([] if by is None else [self._decile(by)])
        rows = self.release.pairs(where, names).sample(count, seed)
        rows = rows.filter(pc.is_valid(rows["translation"]))
        return [JudgedPair(*row.values()) for row in rows.to_pylist()]

    def _decile(self, by: str) -> str:
        name = decile_name(by)
        if name not in self.release.schema.names:
            ending = decile_name("")
            names = [name for name in self.release.schema.names if name.endswith(ending)]
            scores = ", ".join(name.removesuffix(ending) for name in names) or "no score"
            raise InputError(f"{self.release.url} has no deciles of {by!r}; there are those of {scores}")
        return name


@dataclass(frozen=True)
class _LinesOfPairs:
    """Pairs of a text file, whose ids are the numbers of their lines, from 1."""

    path: str

    def sample(self, count: int, seed: int, where: str | None, by: str | None) -> list[JudgedPair]:
        if where or by:
            raise RecipeError("--where and --by are for releases: a file of pairs has no scores")
        lines = np.arange(1, 1 + sum(1 for _ in self._pairs()))
        order = np.argsort(mixed(lines, derive_seed(seed, "sample")), kind="stable")
        return self.find({str(number) for number in lines[order[:count]]}, None)

    def find(self, ids: Collection[str], by: str | None) -> list[JudgedPair]:
        if by:
            raise RecipeError("--by is for releases: a file of pairs has no scores")
        return [pair for pair in self._pairs() if pair.pair_id in ids]

    def _pairs(self) -> Iterator[JudgedPair]:
        for number, line in utf8_lines(self.path, numbered_lines(self.path)):
            sides = line.rstrip("\r\n").split("\t")
            if len(sides) < 2:
                raise InputError(
                    f"{self.path}, line {number}: expected two sentences with a tab between, "
                    f"got {line[:60]!r}"
                )
            yield JudgedPair(str(number), sides[0], sides[1])


def _compression(path: str) -> str:
    return next((ending for ending in COMPRESSIONS if path.endswith(ending)), "")
