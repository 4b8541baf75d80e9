"""Which meanings the demo speaks of: some for the bitext, others, never the same, to measure on."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal

from ...hashing import seeded_hash
from ...tokens import normalise
from . import captions, kitchen, travel
from .meanings import Frame, Meaning, change_slots, draw_meaning

Use = Literal["bitext", "test", "sts"]

DOMAINS: dict[str, tuple[Frame, ...]] = {
    "captions": captions.FRAMES,
    "kitchen": kitchen.FRAMES,
    "travel": travel.FRAMES,
}
GRADES = (0, 1, 2, 3, 4, 5)

_TRIES = 50


def use_of(meaning: Meaning, seed: int) -> Use:
    """What a meaning is for, by the seeded hash of its id: a tenth for STS, a twentieth for the test."""
    percent = int(seeded_hash([meaning.id], seed)[0] % 100)
    return "sts" if percent < 10 else "test" if percent < 15 else "bitext"


def draw_meanings(
    frames: Sequence[Frame], use: Use, count: int, seed: int, choose: Random
) -> Iterator[Meaning]:
    """`count` meanings for one use, of all frames alike; one comes twice only where new ones are rare."""
    seen: set[str] = set()
    for _ in range(count):
        meaning = _draw(choose.choice(frames), use, seed, choose)
        for _ in range(_TRIES):
            if meaning.id not in seen:
                break
            meaning = _draw(choose.choice(frames), use, seed, choose)
        seen.add(meaning.id)
        yield meaning


def two_renderings(meaning: Meaning, choose: Random) -> tuple[str, str]:
    """Two English renderings; different ones wherever the meaning has more than one."""
    first = second = meaning.english(choose)
    for _ in range(_TRIES):
        if normalise(first) != normalise(second):
            break
        second = meaning.english(choose)
    return first, second


def graded_pair(domain: str, grade: int, seed: int, choose: Random) -> tuple[Meaning, Meaning]:
    """Two meanings, both for STS, as similar as `grade` says.

    5: the same one. 4: one detail differs. 3: one core slot differs. 2: two core slots differ. 1: the
    same kind of sentence, no core slot in common. 0: another domain.
    """
    while True:
        meaning = _draw(choose.choice(DOMAINS[domain]), "sts", seed, choose)
        for _ in range(_TRIES):
            other = _graded(meaning, grade, seed, choose)
            if other is not None and use_of(other, seed) == "sts":
                return meaning, other


def _draw(frame: Frame, use: Use, seed: int, choose: Random) -> Meaning:
    while True:
        meaning = draw_meaning(frame, choose)
        if use_of(meaning, seed) == use:
            return meaning


def _graded(meaning: Meaning, grade: int, seed: int, choose: Random) -> Meaning | None:
    frame = meaning.frame
    if grade == 5:
        return meaning
    if grade == 4:
        return change_slots(meaning, (choose.choice(frame.details),), choose)
    if grade in (2, 3):
        return change_slots(meaning, tuple(choose.sample(frame.core, 4 - grade)), choose)
    if grade == 1:
        other = draw_meaning(frame, choose)
        same = any(meaning.slots[slot] == other.slots[slot] for slot in frame.core)
        return None if same else other
    elsewhere = choose.choice([name for name in DOMAINS if name != frame.domain])
    return _draw(choose.choice(DOMAINS[elsewhere]), "sts", seed, choose)
