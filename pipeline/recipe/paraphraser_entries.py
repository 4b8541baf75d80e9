"""The entries of a recipe's section `paraphraser`: on which pairs paraphrasers are trained, and how."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from ...base.bounds import Numbers, Seed
from ...base.errors import RecipeError
from ...models.translation.nmt_options import Seq2SeqOptions
from .one_level import OnOneLevel

Direction = Literal["both", "to_translation", "to_reference"]


@dataclass(frozen=True, kw_only=True)
class ParaphraserTraining(Numbers):
    """A paraphraser to train on the pairs of a selection, and how to train it."""

    options: Seq2SeqOptions
    """How to train; its seed has no effect."""
    selection: str
    """The name of the selection."""
    direction: Direction = "both"
    """`to_translation` (the reference is paraphrased by the translation), `to_reference` (the other way), or
    `both`, which makes two examples of each pair."""
    control: tuple[str, ...] = ()
    """Scores whose deciles stand as tags in front of each sentence, so that paraphrases far from it, or
    shorter than it, can be asked for. By default none; overlaps, similarities and length_ratio can be."""
    run_on: Literal["driver", "workers"] = "driver"
    """`driver`, the process that runs the recipe, or `workers`, one of the runner's workers."""
    seed: Seed | None = None
    """Seed of the start, the order and the dropout; by default it follows from the recipe's seed and the
    entry's name."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.control)) < len(self.control):
            raise RecipeError(f"control: expected each score once, got {', '.join(self.control)}")

    @property
    def directions(self) -> tuple[bool, ...]:
        """For each example of a pair, whether it goes from the translation to the reference."""
        return {"both": (False, True), "to_translation": (False,), "to_reference": (True,)}[self.direction]

    def seeded(self, seed: int) -> Seq2SeqOptions:
        """How to train. seed: is used if the entry has none."""
        return replace(self.options, seed=(seed if self.seed is None else self.seed) % 2**32)


AnyParaphraserTraining = Annotated[ParaphraserTraining, OnOneLevel(Seq2SeqOptions)]
"""An entry of the section."""
