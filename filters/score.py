"""What a score is: a number or a label measured on a pair, column-wise, by a small frozen class."""

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

from ..base.bounds import Bounds

Side = Literal["translation", "reference"]
"""The side of a pair that a score of one sentence measures."""

GroupBy = Literal["corpus", "domain", "source_language"]
"""What the corpora of a group have in common, each of which has a model of its own."""

HeldOutShare = Annotated[float, Bounds(0, 1, without=frozenset((0, 1)))]


@dataclass(frozen=True)
class HoldOut:
    """The pairs that are held out to train a model: at most `pairs`, and at most a `share` of all pairs.

    group_by: if given, each group of corpora has a model, and pairs of its own for it.
    """

    pairs: int
    share: float
    group_by: GroupBy | None


@dataclass(frozen=True)
class Score(ABC):
    """One measure and its parameters, which are its fields.

    The first paragraph of a measure's docstring is the column's documentation: the quantity, whether low or
    high is good, the value of the empty sentence, and the paper and section it comes from.
    """

    score: str
    """The name of the measure; it can be left out if the column has the same name."""

    version: ClassVar[int]  # raised when the same input would give different numbers
    dtype: ClassVar[pa.DataType]  # float32 for measures, int32 for counts, string for labels
    unit: ClassVar[str]
    # Whether decile 10 holds the pairs a reader wants first; None if neither end is better.
    higher_is_better: ClassVar[bool | None]
    # Not for labels and grades: with a few values for all pairs, tenths of the corpus say nothing.
    has_deciles: ClassVar[bool] = True
    is_given: ClassVar[bool] = False  # whether its numbers come with the bitext, and nothing is measured
    packages: ClassVar[tuple[str, ...]] = ()  # the packages whose version matters, besides paranmt
    # Of the model that `measure` gets: a word of `transforms.model_kinds.MODEL_KINDS`. None: it gets none.
    model_kind: ClassVar[str | None] = None

    @property
    @abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The columns of the pairs that the measure needs."""

    @property
    def doc(self) -> str:
        """The column's documentation, with the sides that are measured if they are not the default ones."""
        what = inspect.cleandoc(type(self).__doc__ or "").split("\n\n")[0]
        chosen = any(
            field.name in ("side", "sides") and getattr(self, field.name) != field.default
            for field in fields(self)
        )
        return f"{what} Measured here on the {' and the '.join(self.reads)}." if chosen else what

    @abstractmethod
    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """One value of type `dtype` for each row of `pairs` (columns `reads`); null in, null out.

        model: what the model kind's `load` returned. TypeError "<score> needs …" if it is of another type.
        """

    def details(
        self, pairs: pa.Table, values: pa.Array, model: object | None = None
    ) -> tuple[dict[str, pa.Array], dict[str, int]]:
        """Further columns of the score's dataset, which are not in the release, and counts for its manifest.

        values: what `measure` gave for the same `pairs`. Names of columns start with "_", unlike scores.
        """
        return {}, {}

    def files(self) -> tuple[str, ...]:
        """The user's own model, files or folders, as the recipe names them; empty if there is none.

        If `model_kind` is not None, there are paths here or `trained_on` is a number; if both, the files are
        those that the training reads.
        """
        return ()

    def trained_on(self) -> int | None:
        """How many pairs of the corpus to train the model on at most; None if nothing is trained.

        `sys.maxsize` if it is always trained on all pairs.
        """
        return None

    def holds_out(self) -> HoldOut | None:
        """The pairs that get no score because the model is trained on them; None if all pairs get one."""
        return None


def check_model_spec(spec: Any, model: str, *options: Any) -> None:
    """ValueError if a spec names both a model (`path`) and options of training one.

    spec: a dataclass, whose fields other than `path` are options of training. model: its name in messages.
    options: further ones, as fields of dataclasses in fields of `spec`.
    """
    given = [
        field.name
        for part in (spec, *options)
        for field in fields(part)
        if field.name != "path" and getattr(part, field.name) not in (field.default, *options)
    ]
    if spec.path is not None and given:
        raise ValueError(
            f"the {model} at path is trained already: leave out either {', '.join(given)} or path"
        )
