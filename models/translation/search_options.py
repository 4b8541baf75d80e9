"""Searching otherwise than for the likeliest translations: the `translate.search` section of a recipe."""

import math
from dataclasses import dataclass

from ...errors import RecipeError


@dataclass(frozen=True)
class SearchOptions:
    """How the engine torch searches, where that is not the ordinary beam search; RecipeError where a value is
    out of range.
    """

    min_length: int = 1
    """Words of a translation at the least, end symbol apart; 0 allows the empty one."""
    length_ratio: float = 0.0
    """A sentence's own limit is int(length_ratio * L + max_length) words, L its source tokens with the end
    symbol, as fairseq's max_len_a; never its batch's."""
    no_repeat_ngram: int = 0
    """No n-gram of this many tokens comes twice in a translation; 0 is off."""
    groups: int = 1
    """Diverse beam search (Vijayakumar et al. 2016): the beam is cut into this many groups, each of which
    avoids the words that the groups before it go on with in the same step."""
    diversity: float = 0.5
    """What a group loses, in natural log, each time a group before it took the word."""
    sampling: bool = False
    """Draw `beam` translations a sentence from the model in place of searching for the best."""
    temperature: float = 1.0
    """The logits are divided by it, of sampling or search alike; below 1 draws likelier words. Costs are
    those at this temperature."""
    top_k: int = 0
    """Sample among this many likeliest words; 0 is all."""
    top_p: float = 1.0
    """Sample among the likeliest words that together have this probability; 1 is all."""
    seed: int = 1
    """Seed of sampling. What is drawn depends on it and on the sentence alone, never on the batch."""

    def __post_init__(self) -> None:
        for name in ("min_length", "length_ratio", "no_repeat_ngram", "diversity", "top_k"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise RecipeError(f"{name} is {value}; it must be 0 or more")
        if self.groups < 1:
            raise RecipeError(f"groups is {self.groups}; it must be at least 1")
        if not (math.isfinite(self.temperature) and self.temperature > 0):
            raise RecipeError(f"temperature is {self.temperature}; it must be over 0")
        if not 0 < self.top_p <= 1:
            raise RecipeError(f"top_p is {self.top_p}; it must be over 0 and at most 1")
        if self.sampling and self.groups > 1:
            raise RecipeError(f"sampling and groups={self.groups} exclude each other; choose one")

    def check(self, beam: int, max_length: int) -> None:
        """RecipeError where these options do not go with a recipe's."""
        if beam % self.groups:
            raise RecipeError(f"a beam of {beam} cannot be cut into {self.groups} equal groups")
        if self.min_length > max_length:
            raise RecipeError(f"min_length is {self.min_length}, over max_length, which is {max_length}")
