"""The entries of a recipe's sections `train` and `tune`: how encoders are trained, and on what."""

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated, Generic, Literal, TypeVar, get_args

from ...base.bounds import COUNT, PAIRS, Bounds, Count, Numbers, Pairs, Seed
from ...base.errors import RecipeError
from ...base.names import KindIn
from ...base.paths import FilePath
from ...models.training.head_options import HEAD_OBJECTIVES, HeadOptions
from ...models.training.train_options import Objective, TrainOptions
from ...transforms.pair_files import PairFileOptions
from .one_level import OnOneLevel

DEFAULT_OBJECTIVE = TrainOptions.objective

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
    """An encoder to train on the pairs of a selection or of other people's files, and how to train it."""

    selection: str | None = None
    """The name of the selection."""
    pairs: PairFileOptions | None = None
    """Other people's files of pairs, instead of a selection."""
    run_on: Literal["driver", "workers"] = "driver"
    """`driver`, the process that runs the recipe, or `workers`, one of the runner's workers."""
    logs: FilePath | None = None
    """A folder on the machine that trains, for logs that TensorBoard shows; by default there are none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.selection is None) == (self.pairs is None):
            raise RecipeError("expected either selection, the name of one, or pairs, other people's files")

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
    """Ranges of scores to compare by encoders trained on them, and how to train these."""

    data: FilePath | tuple[FilePath, ...]
    """The folders of the development sets that `dev_sets` names, by default the train part of STS 2012 and
    SICK's trial part. Other files in them are never opened."""
    scores: tuple[str, ...] | None = None
    """The scores whose ranges are compared; by default all scores of the recipe that have some."""
    ranges: Literal["deciles", "papers", "both"] = "deciles"
    """`deciles`, the bounds that the `papers` compared (for the scores that have some), or `both`."""
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
        for name in ("data", "scores"):
            if isinstance(value := getattr(self, name), list):
                object.__setattr__(self, name, tuple(value))
        if self.options.dev is not None:
            raise RecipeError("the encoders of tune are all compared on data: leave dev out")
        if self.options.start is not None:
            raise RecipeError("the encoders of tune do not start from a trained encoder: leave start out")
        if "subwords" in self.options.streams:
            raise RecipeError("the encoders of tune have no subwords: set units to words or trigrams")
        if self.options.text.tokens == "moses":
            raise RecipeError("the encoders of tune have no Moses tokens: set text.tokens to another kind")
        if self.pool < self.pairs:
            raise RecipeError(f"pool must be at least pairs ({self.pairs:,}), not {self.pool:,}")

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of `data`."""
        return (self.data,) if isinstance(self.data, str) else self.data


AnyTuning = Annotated[Tuning, OnOneLevel(TrainOptions)]
"""An entry of `tune`."""
