"""Searches other than the ordinary beam search: the `translate.search` section of a recipe."""

from dataclasses import dataclass
from typing import Annotated

from ...base.bounds import Bounds, Count, NoneOrMore, NotNegative, NotNone, Numbers, Positive, Seed
from ...base.errors import RecipeError


@dataclass(frozen=True)
class SearchOptions(Numbers):
    """Searches that only the engine torch supports.

    RecipeError if a value is out of range.
    """

    min_length: NoneOrMore = 1
    """The fewest words of a translation, not counting the end symbol; 0 allows empty translations."""
    length_ratio: Annotated[float, Bounds(0, 1_000)] = 0.0
    """Each sentence has the limit int(length_ratio * L + max_length) words, where L is the number of its
    source tokens including the end symbol, like fairseq's max_len_a. It does not depend on the batch."""
    no_repeat_ngram: NoneOrMore = 0
    """No n-gram of this many tokens occurs twice in a translation; 0 is off."""
    groups: Count = 1
    """Diverse beam search (Vijayakumar et al. 2016): the beam is cut into this many groups, and each group
    avoids the words that the groups before it choose in the same step."""
    diversity: NotNegative = 0.5
    """By how much, in natural log, a word's score falls each time an earlier group chose the word."""
    sampling: bool = False
    """Draw `beam` translations of each sentence from the model instead of searching for the best."""
    temperature: Positive = 1.0
    """The logits are divided by it, in sampling and in search. Below 1, likelier words are drawn. Costs are
    those at this temperature."""
    top_k: NoneOrMore = 0
    """Sample from this many of the most probable words; 0 means all."""
    top_p: NotNone = 1.0
    """Sample from the most probable words that together have this probability; 1 means all."""
    seed: Seed = 1
    """The seed of sampling. Samples depend only on it and on the sentence, never on the batch."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sampling and self.groups > 1:
            raise RecipeError(f"sampling cannot be combined with groups: {self.groups}; choose one of them")

    def check(self, beam: int, max_length: int) -> None:
        """RecipeError if these options do not fit the beam and the maximum length."""
        if beam % self.groups:
            raise RecipeError(f"a beam of {beam} cannot be cut into {self.groups} equal groups")
        if self.min_length > max_length:
            raise RecipeError(f"min_length is {self.min_length}, which is more than max_length, {max_length}")
