"""The options of training an encoder under a head, on examples that people labelled or scored."""

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from ...base.bounds import LAYERS, POSITIVE, Bounds, Count, NotNegative, NotNone, Positive, Size
from ...base.errors import RecipeError
from ...base.paths import FilePath
from .train_options import EncoderTraining

Activation = Literal["none", "tanh", "sigmoid"]
Files = FilePath | tuple[FilePath, ...]

Level = Annotated[int, Bounds(-(10**9), 10**9, is_whole=True)]

MOST_LEVELS = 1_001
"""The whole scores that a head for relatedness has at most: a class each."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """How long a training under a head goes on, and how fast.

    patience: it ends after so many epochs without a better one on dev. The rest is as in `HeadOptions`.
    """

    epochs: int
    batch: int
    learning_rate: float
    decay: float = 1.0
    shrink: float = 1.0
    minimum_rate: float = 0.0
    patience: int | None = None


@dataclass(frozen=True, kw_only=True)
class HeadOptions(EncoderTraining):
    """How an encoder and a head are trained together; the objectives differ in their defaults."""

    objective: str
    """What is predicted: `nli` (the label of a pair of sentences), `relatedness` (the score of a pair) or
    `classification` (the label of a sentence)."""
    examples: Files
    """The files of the examples to train on; see docs/encoders.md for their forms."""
    dev: Files
    """The files of the examples by which the epoch is chosen, and with it the learning rate. They are never
    trained on, and must not be those of a test."""
    epochs: Count = 10
    """The most passes over the examples. The encoder of the epoch that is best on dev is kept."""
    freeze: Literal["nothing", "words", "encoder"] = "nothing"
    """What is not trained: `nothing`, the embedding tables (`words`, as in InferSent), or the whole
    `encoder`, so that the head alone is trained."""
    hidden: tuple[Size, ...] = ()
    """The sizes of the head's layers between its input and its output."""
    activation: Activation = "none"
    """The function after each of these layers: `none`, `tanh` or `sigmoid`."""
    scale_features: bool = False
    """Whether each part of the head's input is divided by its root mean square over the train examples, which
    is measured before each epoch, so that a learning rate suits encoders whose vectors are long or short."""
    optimiser: Literal["sgd", "adam"] = "adam"
    """`sgd`, without momentum, or `adam`."""
    decay: NotNone = 1.0
    """By what the learning rate is multiplied after each epoch."""
    shrink: Annotated[float, Bounds(1, POSITIVE.high)] = 1.0
    """By what it is also divided after an epoch that is worse on dev than the one before."""
    minimum_rate: NotNegative = 0.0
    """Training ends once a learning rate that was divided is below this one."""
    lambda_head: NotNegative = 0.0
    """Weight of ‖W‖² over the parameters of the head. Tai et al. 2015 and CSE (equation 6) print λ / 2: give
    half of their λ."""

    learning_rate: Positive = 1e-3
    """The optimiser's learning rate, at the beginning."""

    has_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.hidden) > LAYERS.high:
            raise RecipeError(f"hidden must be at most {LAYERS.high} sizes, not {len(self.hidden):,}")
        frozen = {"nothing": (), "words": ("words",), "encoder": ("words", "encoder")}[self.freeze]
        for name in frozen:
            if getattr(self, f"lambda_{name}"):
                raise RecipeError(
                    f"lambda_{name} has no effect on what is frozen: set it to 0, or freeze to nothing"
                )
        if self.freeze == "encoder" and self.scramble:
            raise RecipeError("scramble has no effect on what is frozen: set it to 0, or freeze to nothing")

    @property
    def course(self) -> Course:
        """How long training goes on, and how fast."""
        values = {key.name: getattr(self, key.name) for key in fields(Course) if key.name != "patience"}
        return Course(**values)

    @property
    def example_files(self) -> tuple[str, ...]:
        """The files of `examples`."""
        return (self.examples,) if isinstance(self.examples, str) else self.examples

    @property
    def dev_files(self) -> tuple[str, ...]:
        """The files of `dev`."""
        return (self.dev,) if isinstance(self.dev, str) else self.dev


@dataclass(frozen=True, kw_only=True)
class NliOptions(HeadOptions):
    """Natural language inference: whether a sentence follows from another one (InferSent, section 3.3)."""

    objective: Literal["nli"] = "nli"
    hidden: tuple[Size, ...] = (512,)
    activation: Activation = "tanh"
    epochs: Count = 20
    batch: Count = 64
    optimiser: Literal["sgd", "adam"] = "sgd"
    learning_rate: Positive = 0.1
    decay: NotNone = 0.99
    shrink: Annotated[float, Bounds(1, POSITIVE.high)] = 5.0
    minimum_rate: NotNegative = 1e-5
    clip_norm: Positive | None = 5.0


@dataclass(frozen=True, kw_only=True)
class RelatednessOptions(HeadOptions):
    """The relatedness of two sentences (Tai et al. 2015; Revisiting recurrent networks, section 4.3)."""

    objective: Literal["relatedness"] = "relatedness"
    levels: tuple[Level, Level] | None = None
    """The lowest and the highest possible score; by default those of the train examples, rounded outwards."""
    hidden: tuple[Size, ...] = (50,)
    activation: Activation = "sigmoid"
    scale_features: bool = True
    batch: Count = 25
    lambda_head: NotNegative = 5e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.levels is None:
            return
        low, high = self.levels
        if low >= high:
            raise RecipeError(f"levels must be the lowest and the highest score, not {low} and {high}")
        if high - low >= MOST_LEVELS:
            raise RecipeError(
                f"levels must be at most {MOST_LEVELS - 1:,} apart, because each whole score is a class; "
                f"{low:,} and {high:,} are {high - low:,}"
            )


@dataclass(frozen=True, kw_only=True)
class ClassificationOptions(HeadOptions):
    """The label of one sentence, such as reference or translation (Wieting et al. 2017, section 5.6.1)."""

    objective: Literal["classification"] = "classification"

    has_pairs: ClassVar[bool] = False


HEAD_OBJECTIVES: dict[str, type[HeadOptions]] = {
    "nli": NliOptions,
    "relatedness": RelatednessOptions,
    "classification": ClassificationOptions,
}
