"""The entries of a recipe's sections `train` and `tune`: how encoders are trained, and on what."""

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Annotated, Generic, Literal, TypeVar, get_args

from pydantic import TypeAdapter

from ...base.bounds import COUNT, PAIRS, Bounds, Count, Numbers, Pairs, Seed
from ...base.errors import RecipeError
from ...base.names import KindIn
from ...base.paths import FilePath, WrittenPath
from ...filters.where.ranges import SettingValue
from ...models.encoders.encoder_kinds import ENCODERS
from ...models.training.head_options import HEAD_OBJECTIVES, HeadOptions
from ...models.training.train_options import Objective, TrainOptions
from ...tokens.definition import cut_and_case
from ...transforms.pair_files import PairFileOptions
from .one_level import OnOneLevel
from .section import read_section, strict_adapter

DEFAULT_OBJECTIVE = TrainOptions.objective

_MOST_SETTINGS = 1_000
# Of a grid's trials all have the same: what is read, where the work is done, and which seeds are drawn.
_FIXED = frozenset(
    (
        "data",
        "dev",
        "dev_sets",
        "device",
        "objective",
        "seed",
        "start",
        "vectors",
        "text.tokens",
        "text.sentencepiece",
    )
)

Options = TypeVar("Options", TrainOptions, HeadOptions)


@dataclass(frozen=True, kw_only=True)
class _Entry(Numbers, Generic[Options]):
    """What entries that train encoders have in common."""

    options: Options
    """How to train; its seed has no effect."""
    seed: Seed | None = None
    """Seed of the start, the order, the negatives and the dropout; by default it follows from the recipe's
    seed and the entry's name."""

    @property
    def objective(self) -> str:
        """What is trained for, which decides which options there are."""
        return self.options.objective

    def seeded(self, seed: int) -> Options:
        """How to train. seed: is used if the entry has none."""
        return replace(self.options, seed=seed if self.seed is None else self.seed)


@dataclass(frozen=True, kw_only=True)
class Training(_Entry[TrainOptions]):
    """An encoder to train on the pairs of a selection or of files, and how to train it."""

    selection: str | None = None
    """The name of the selection."""
    pairs: PairFileOptions | None = None
    """Files of pairs, instead of a selection."""
    run_on: Literal["driver", "workers"] = "driver"
    """`driver`, the process that runs the recipe, or `workers`, one of the runner's workers."""
    logs: WrittenPath | None = None
    """A folder on the machine that trains, for logs that TensorBoard shows; by default there are none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.selection is None) == (self.pairs is None):
            raise RecipeError("expected either selection, the name of one, or pairs, files of pairs")

    @property
    def trained_on(self) -> str:
        """The selection, or the names of the files."""
        if self.pairs is None:
            return str(self.selection)
        return ", ".join(path.rstrip("/").rpartition("/")[2] for path in self.pairs.paths)


@dataclass(frozen=True, kw_only=True)
class HeadTraining(_Entry[HeadOptions]):
    """An encoder to train under a head."""

    run_on: Literal["driver", "workers"] = "driver"
    """`driver`, the process that runs the recipe, or `workers`, one of the runner's workers."""

    @property
    def trained_on(self) -> str:
        """What the encoder is trained on, in a few words."""
        return ", ".join(PurePosixPath(file).name for file in self.options.example_files)


AnyPairTraining = Annotated[Training, OnOneLevel(TrainOptions)]
"""An entry that trains on pairs."""


def _objectives() -> dict[str, object]:
    heads = {name: Annotated[HeadTraining, OnOneLevel(kind)] for name, kind in HEAD_OBJECTIVES.items()}
    return {**dict.fromkeys(get_args(Objective), AnyPairTraining), **heads}


AnyTrainEntry = Annotated[Training | HeadTraining, KindIn("objective", _objectives, DEFAULT_OBJECTIVE)]
"""An entry with any objective."""


@dataclass(frozen=True, kw_only=True)
class Tuning(_Entry[TrainOptions]):
    """Ranges of scores, or options of training (`grid`), to compare by encoders, and how to train these."""

    data: FilePath | tuple[FilePath, ...]
    """The folders of the development sets that `dev_sets` names, by default the train part of STS 2012 and
    SICK's trial part. Other files in them are never opened."""
    scores: tuple[str, ...] | None = None
    """The scores whose ranges are compared; by default all scores of the recipe that have some."""
    ranges: Literal["deciles", "papers", "both"] = "deciles"
    """`deciles`, the bounds that the `papers` compared (for the scores that have some), or `both`."""
    grid: dict[str, tuple[SettingValue, ...]] = field(default_factory=dict)
    """Options of training, such as `margin` or `encoder.dropout`, each with the values to compare. Every
    combination is tried instead of ranges; the options as given are the baseline."""
    where: str = "true"
    """An SQL condition over scores, deciles and duplicates: which pairs encoders are trained on at all."""
    test: FilePath | tuple[FilePath, ...] | None = None
    """Folders of STS sets to test the encoders on too. They choose nothing, but show what the best choice
    would have been."""
    pairs: Annotated[int, Bounds(2, PAIRS.high, is_whole=True)] = 10_000
    """How many pairs each encoder is trained on. Ranges with fewer are left out."""
    pool: Pairs = 1_000_000
    """From how many pairs these are drawn: a sample of all pairs, by seeded hash."""
    seeds: Count = 5
    """How many encoders are trained on each range. The seed of each also draws its pairs."""
    fresh_seeds: Annotated[int, Bounds(2, COUNT.high, is_whole=True)] = 5
    """How many more are trained on the best range of each score, with seeds that did not choose it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_options(self.options)
        self._check_grid()
        if self.pool < self.pairs:
            raise RecipeError(f"pool must be at least pairs ({self.pairs:,}), not {self.pool:,}")

    def _check_options(self, options: TrainOptions) -> None:
        if options.dev is not None:
            raise RecipeError("the encoders of tune are all compared on data: leave dev out")
        if options.start is not None:
            raise RecipeError("the encoders of tune do not start from a trained encoder: leave start out")
        if "subwords" in options.streams:
            raise RecipeError("the encoders of tune have no subwords: set units to words or trigrams")
        if cut_and_case(options.text.tokens)[0] == "moses":
            raise RecipeError("the encoders of tune have no Moses tokens: set text.tokens to another kind")

    def _check_grid(self) -> None:
        if self.grid and self.scores:
            raise RecipeError("grid compares options of training, and scores ranges of scores: leave one out")
        combinations = math.prod(len(values) for values in self.grid.values())
        if not 1 <= combinations <= _MOST_SETTINGS:
            raise RecipeError(
                f"grid has {combinations:,} combinations of values; expected 1 to {_MOST_SETTINGS:,}"
            )
        for key, values in self.grid.items():
            if key.partition(".")[0] in _FIXED or key in _FIXED:
                raise RecipeError(f"grid.{key}: it is the same for all trials: set {key} beside grid")
            for value in values:
                self._check_options(with_values(self.options, {key: value}))

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of `data`."""
        return (self.data,) if isinstance(self.data, str) else self.data

    @property
    def test_folders(self) -> tuple[str, ...]:
        """The folders of `test`."""
        return (self.test,) if isinstance(self.test, str) else self.test or ()

    @property
    def settings(self) -> list[dict[str, SettingValue]]:
        """Every combination of the values of `grid`; the first option varies slowest."""
        if not self.grid:
            return []
        return [
            dict(zip(self.grid, values, strict=True)) for values in itertools.product(*self.grid.values())
        ]


def with_values(options: TrainOptions, values: Mapping[str, SettingValue]) -> TrainOptions:
    """The options with other values. RecipeError for an option or a value that there is not.

    >>> with_values(TrainOptions(), {"margin": 0.6, "encoder.dropout": 0.2}).encoder.dropout
    0.2
    """
    adapter = _adapter(tuple(ENCODERS))
    data = adapter.dump_python(options, mode="json")
    for key, value in values.items():
        at = data
        *sections, last = key.split(".")
        for section in sections:
            at = at.get(section) if isinstance(at, dict) else None
        if not isinstance(at, dict):
            raise RecipeError(
                f"grid.{key}: no such option of training; see `train` in `paranmt recipe --example`"
            )
        at[last] = value
    return read_section(TrainOptions, data, [], "grid", adapter)


@functools.cache
def _adapter(encoders: tuple[str, ...]) -> TypeAdapter[TrainOptions | None]:
    """What reads options of training while there are these encoders."""
    return strict_adapter(TrainOptions)


AnyTuning = Annotated[Tuning, OnOneLevel(TrainOptions)]
"""An entry of `tune`."""
