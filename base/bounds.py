"""The bounds of options that are numbers. A class checks all of its numbers when it is made."""

import math
from dataclasses import dataclass

from .errors import RecipeError


@dataclass(frozen=True)
class Bounds:
    """From `low` to `high`. is_whole: only whole numbers. without: ends that are out of bounds themselves."""

    low: float
    high: float
    is_whole: bool = False
    without: frozenset[float] = frozenset()

    def problem(self, number: object) -> str | None:
        """What a number should be, if it is out of bounds; None if it is within them.

        >>> SHARE.problem(-0.5), SHARE.problem(2), SHARE.problem(0.5), POSITIVE.problem(0)
        ('at least 0', 'at most 1', None, 'above 0')
        """
        kinds = int if self.is_whole else int | float
        # A whole number may be too large for math.isnan.
        is_nan = isinstance(number, float) and math.isnan(number)
        if isinstance(number, bool) or not isinstance(number, kinds) or is_nan:
            return "a whole number" if self.is_whole else "a number"
        if number < self.low or number == self.low in self.without:
            return f"{'above' if self.low in self.without else 'at least'} {self.low:,}"
        if number > self.high or number == self.high in self.without:
            return f"{'below' if self.high in self.without else 'at most'} {self.high:,}"
        return None


SEED = Bounds(0, 2**64 - 1, is_whole=True)
COUNT = Bounds(1, 2**31, is_whole=True)
"""Of anything but pairs, of which there may be more."""
PAIRS = Bounds(1, 10**12, is_whole=True)
NONE_OR_MORE = Bounds(0, 2**31, is_whole=True)
SIZE = Bounds(1, 2**16, is_whole=True)
"""How many numbers a vector has."""
LAYERS = Bounds(1, 256, is_whole=True)
"""How many of the same there are in a network."""
SHARE = Bounds(0, 1)
NOT_ALL = Bounds(0, 1, without=frozenset((1,)))
NOT_NONE = Bounds(0, 1, without=frozenset((0,)))
NOT_NEGATIVE = Bounds(0, 1e38)
POSITIVE = Bounds(0, 1e38, without=frozenset((0,)))
FINITE = Bounds(-1e38, 1e38)
"""What float32 holds."""


def check_numbers(options: object, **bounds: Bounds) -> None:
    """RecipeError if an option is out of its bounds. Of a tuple, each is checked; None and auto are fine.

    >>> check_numbers(Bounds(0.5, 1), low=COUNT)
    Traceback (most recent call last):
    ...
    paranmt.base.errors.RecipeError: low must be a whole number, not 0.5
    """
    for name, bound in bounds.items():
        value = getattr(options, name)
        for number in value if isinstance(value, tuple | list) else (value,):
            problem = None if number in (None, "auto") else bound.problem(number)
            if problem is not None:
                raise RecipeError(f"{name} must be {problem}, not {_shown(number)}")


def _shown(number: object) -> str:
    """A number as errors quote it; Python refuses to write one of more than 4,300 digits."""
    if isinstance(number, int) and abs(number) >= 10**60:
        return "one of more than 60 digits"
    return str(number)[:60]
