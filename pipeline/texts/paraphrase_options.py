"""Which paraphrases of a sentence are wanted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from ...base.bounds import Bounds, Count, Numbers
from ...base.errors import RecipeError

Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class ParaphraseOptions(Numbers):
    """Which candidates are kept, and how many."""

    count: Count = 5
    """The most paraphrases of a sentence."""
    candidates: Annotated[int, Bounds(1, 50, is_whole=True)] = 20
    """How many candidates are asked of the model, whose beam has the same size."""
    overlap: Ends = (0.0, 1.0)
    """The least and the highest share of common words (`unigram_overlap`), such as 0.2-0.6."""
    length_ratio: Ends = (0.0, float("inf"))
    """The least and the highest number of tokens per token of the sentence."""
    control: Mapping[str, int] = field(default_factory=dict)
    """The decile of each score of `control` with which the paraphraser was trained, such as
    trigram_overlap=1. Other scores are an error."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("overlap", "length_ratio"):
            low, high = getattr(self, name)
            if not 0 <= low <= high:
                raise RecipeError(f"{name}: expected a range such as 0.2-0.6, got {low:g}-{high:g}")
