"""Searches other than the ordinary beam search: the `translate.search` section of a recipe."""

from dataclasses import dataclass

from ...base.bounds import (
    COUNT,
    NONE_OR_MORE,
    NOT_NEGATIVE,
    NOT_NONE,
    POSITIVE,
    SEED,
    Bounds,
    check_numbers,
)
from ...base.errors import RecipeError


@dataclass(frozen=True)
class SearchOptions:
    """Searches that only the engine torch supports; RecipeError if a value is out of range."""

    min_length: int = 1
    """The fewest words of a translation, not counting the end symbol; 0 allows empty translations."""
    length_ratio: float = 0.0
    """Each sentence has the limit int(length_ratio * L + max_length) words, where L is the number of its
    source tokens including the end symbol, like fairseq's max_len_a. It does not depend on the batch."""
    no_repeat_ngram: int = 0
    """No n-gram of this many tokens occurs twice in a translation; 0 is off."""
    groups: int = 1
    """Diverse beam search (Vijayakumar et al. 2016): the beam is cut into this many groups, and each group
    avoids the words that the groups before it choose in the same step."""
    diversity: float = 0.5
    """By how much, in natural log, a word's score falls each time an earlier group chose the word."""
    sampling: bool = False
    """Draw `beam` translations of each sentence from the model instead of searching for the best."""
    temperature: float = 1.0
    """The logits are divided by it, in sampling and in search. Below 1, likelier words are drawn. Costs are
    those at this temperature."""
    top_k: int = 0
    """Sample from this many likeliest words; 0 means all."""
    top_p: float = 1.0
    """Sample from the likeliest words that together have this probability; 1 means all."""
    seed: int = 1
    """The seed of sampling. Samples depend only on it and on the sentence, never on the batch."""

    def __post_init__(self) -> None:
        check_numbers(
            self,
            min_length=NONE_OR_MORE,
            length_ratio=Bounds(0, 1_000),
            no_repeat_ngram=NONE_OR_MORE,
            groups=COUNT,
            diversity=NOT_NEGATIVE,
            temperature=POSITIVE,
            top_k=NONE_OR_MORE,
            top_p=NOT_NONE,
            seed=SEED,
        )
        if self.sampling and self.groups > 1:
            raise RecipeError(f"sampling cannot be combined with groups: {self.groups}; choose one of them")

    def check(self, beam: int, max_length: int) -> None:
        """RecipeError if these options do not fit the beam and the maximum length."""
        if beam % self.groups:
            raise RecipeError(f"a beam of {beam} cannot be cut into {self.groups} equal groups")
        if self.min_length > max_length:
            raise RecipeError(f"min_length is {self.min_length}, which is more than max_length, {max_length}")
