"""What can be asked of the search beyond the `translate` section of a recipe."""

import math
from dataclasses import dataclass

from ...errors import RecipeError


@dataclass(frozen=True)
class SearchOptions:
    """Choices of the search that a recipe's defaults leave alone; RecipeError where one is out of range.

    min_length: words of a translation at the least, end symbol apart. 0 allows the empty one.
    length_ratio: a sentence's own limit is int(length_ratio * L + max_length) words, L its source
    tokens with the end symbol, as fairseq's max_len_a; never its batch's.
    no_repeat_ngram: no n-gram of this many tokens comes twice in a translation; 0 is off.
    """

    min_length: int = 1
    length_ratio: float = 0.0
    no_repeat_ngram: int = 0

    def __post_init__(self) -> None:
        for name in ("min_length", "length_ratio", "no_repeat_ngram"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise RecipeError(f"{name} is {value}; it must be 0 or more")
