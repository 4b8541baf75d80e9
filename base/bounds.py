"""The bounds of options that are numbers, which stand in the types of fields: `seed: Seed = 1`.

pydantic checks them where a recipe is read. A class of options inherits from `Numbers`, which checks them
when it is made otherwise.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

from .errors import RecipeError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@dataclass(frozen=True)
class Bounds:
    """From `low` to `high`. is_whole: only whole numbers. without: ends that are out of bounds themselves.

    pydantic calls the methods whose names contain its own, so that the errors of a recipe list each number
    that is out of bounds, and its JSON Schema has the bounds.
    """

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

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import PydanticCustomError, core_schema

        def checked(number: object) -> object:
            problem = self.problem(number)
            if problem is not None:
                raise PydanticCustomError("out_of_bounds", "{problem}", {"problem": problem})
            return number

        return core_schema.no_info_after_validator_function(checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: "CoreSchema", handler: Callable[["CoreSchema"], dict[str, Any]]
    ) -> dict[str, Any]:
        low, high = (
            f"exclusive{end.capitalize()}" if bound in self.without else end
            for end, bound in (("minimum", self.low), ("maximum", self.high))
        )
        return {**handler(schema), low: self.low, high: self.high}


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
SWAPS = Bounds(0, 1_000, without=frozenset((0,)))
"""Of tokens of a sentence, on average."""
NOT_NEGATIVE = Bounds(0, 1e38)
POSITIVE = Bounds(0, 1e38, without=frozenset((0,)))
MACHINES = Bounds(1, 100_000, is_whole=True)
"""Of machines, processors, processes and GPUs."""
MACHINES_OR_NONE = Bounds(0, 100_000, is_whole=True)
FINITE = Bounds(-1e38, 1e38)
"""What float32 holds."""


Seed = Annotated[int, SEED]
Count = Annotated[int, COUNT]
Pairs = Annotated[int, PAIRS]
NoneOrMore = Annotated[int, NONE_OR_MORE]
Size = Annotated[int, SIZE]
Layers = Annotated[int, LAYERS]
Share = Annotated[float, SHARE]
NotAll = Annotated[float, NOT_ALL]
NotNone = Annotated[float, NOT_NONE]
Swaps = Annotated[float, SWAPS]
NotNegative = Annotated[float, NOT_NEGATIVE]
Positive = Annotated[float, POSITIVE]
Finite = Annotated[float, FINITE]


class Numbers:
    """Options whose numbers are checked when they are made; lists become tuples, which nobody can change."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
        check_numbers(self)


def check_numbers(options: Any) -> None:
    """RecipeError if a number is out of the bounds in its field's type. None and auto are fine."""
    for name, bounds in bounds_of(type(options)).items():  # type: ignore[arg-type]
        value = getattr(options, name)
        for number in value if isinstance(value, tuple | list) else (value,):
            problem = None if number in (None, "auto") else bounds.problem(number)
            if problem is not None:
                raise RecipeError(f"{name} must be {problem}, not {_shown(number)}")


@cache
def bounds_of(kind: type) -> Mapping[str, Bounds]:
    """The bounds of each field that has some."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: found[0] for name, hint in hints.items() if (found := _bounds_in(hint))}


def _bounds_in(hint: object) -> list[Bounds]:
    return [
        bounds
        for part in get_args(hint)
        for bounds in ([part] if isinstance(part, Bounds) else _bounds_in(part))
    ]


def _shown(number: object) -> str:
    """A number as errors quote it; Python refuses to write one of more than 4,300 digits."""
    if isinstance(number, int) and abs(number) >= 10**60:
        return "one of more than 60 digits"
    return str(number)[:60]
