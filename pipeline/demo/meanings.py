"""What a sentence of the demo means, apart from its words: a frame and a value for each of its slots."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

Slots = Mapping[str, str]


@dataclass(frozen=True)
class Frame:
    """One kind of sentence: its slots, the values they take, and how it is said in both languages.

    `core` names the slots that carry what is said; the others are details. `fits` tells whether
    values make sense together. `english` chooses among the ways to say it, so that two renderings of
    a meaning differ; `czech` has one.
    """

    name: str
    domain: str
    slots: dict[str, tuple[str, ...]]
    core: tuple[str, ...]
    czech: Callable[[Slots], str]
    english: Callable[[Slots, Random], str]
    fits: Callable[[Slots], bool] = lambda slots: True

    @property
    def details(self) -> tuple[str, ...]:
        """The slots that are not core."""
        return tuple(slot for slot in self.slots if slot not in self.core)


@dataclass(frozen=True)
class Meaning:
    """A frame with its slots filled; `id` tells meanings apart and can be read."""

    frame: Frame
    values: tuple[str, ...]

    @property
    def slots(self) -> dict[str, str]:
        """Slot to value."""
        return dict(zip(self.frame.slots, self.values, strict=True))

    @property
    def id(self) -> str:
        """Frame and slots as text."""
        filled = (f"{slot}={value}" for slot, value in self.slots.items() if value)
        return f"{self.frame.domain}.{self.frame.name}({', '.join(filled)})"

    def czech(self) -> str:
        """The source sentence."""
        return self.frame.czech(self.slots)

    def english(self, choose: Random) -> str:
        """One English rendering, by the choices of `choose`."""
        return self.frame.english(self.slots, choose)


def draw_meaning(frame: Frame, choose: Random) -> Meaning:
    """A meaning of this frame at random, among those that make sense."""
    while True:
        values = tuple(choose.choice(options) for options in frame.slots.values())
        meaning = Meaning(frame, values)
        if frame.fits(meaning.slots):
            return meaning


def change_slots(meaning: Meaning, slots: tuple[str, ...], choose: Random) -> Meaning | None:
    """The meaning with another value in each of these slots; None where no draw made sense."""
    frame = meaning.frame
    for _ in range(100):
        changed = meaning.slots
        for slot in slots:
            others = [value for value in frame.slots[slot] if value != changed[slot]]
            changed[slot] = choose.choice(others)
        if frame.fits(changed):
            return Meaning(frame, tuple(changed.values()))
    return None


def weighted(*values: tuple[str, int]) -> tuple[str, ...]:
    """Options of a slot, each as often as its weight says."""
    return tuple(value for value, weight in values for _ in range(weight))
