"""What became of a trial, and the table of many."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from paranmt.base.errors import UserError

Verdict = Literal["right", "repaired", "not needed", "named", "silent", "traceback", "lost", "unclear"]
GOOD: tuple[Verdict, ...] = ("right", "repaired", "not needed", "named")
BAD: tuple[Verdict, ...] = ("silent", "traceback", "lost", "unclear")
MEANINGS: dict[Verdict, str] = {
    "right": "the same bytes as undisturbed",
    "repaired": "the file was made again, then the same bytes",
    "not needed": "the same bytes without the file",
    "named": "an error named the file; removing it led to the same bytes",
    "silent": "other bytes, and no error",
    "traceback": "a traceback",
    "lost": "a finished part or a user's file was gone or changed",
    "unclear": "an error that does not help, or work that was done again for nothing",
}


@dataclass(frozen=True)
class Outcome:
    """One trial. kind: the row of the table. steps: what was done, in order. detail: what went wrong."""

    trial: str
    seed: int
    kind: str
    verdict: Verdict
    steps: tuple[str, ...]
    detail: str = ""

    @property
    def failed(self) -> bool:
        return self.verdict in BAD

    def told(self) -> str:
        """The failure, with the command that repeats it."""
        steps = "".join(f"\n    {step}" for step in self.steps)
        return (
            f"{self.trial} {self.seed} ({self.kind}): {self.verdict}: {self.detail}{steps}\n"
            f"    again: TRIALS_SEED={self.seed} python -m pytest tests/trials -k {self.trial}"
        )


class Broken(Exception):
    """A promise that a trial found broken."""

    def __init__(self, verdict: Verdict, detail: str) -> None:
        super().__init__(verdict, detail)
        self.verdict: Verdict = verdict
        self.detail = detail


class Steps(list[str]):
    """What a trial has done so far. kind: its row in the table, known once the trial has chosen."""

    kind = ""


Trial = Callable[[int, Path, Path, Steps], Verdict]
"""A trial of a seed, with a folder that it shares with others and a folder of its own."""


def outcome(trial: Trial, seed: int, shared: Path, folder: Path) -> Outcome:
    """Try it, and say what became of it."""
    name = trial.__name__
    steps = Steps()
    steps.kind = name

    def ended(verdict: Verdict, detail: str = "") -> Outcome:
        return Outcome(name, seed, steps.kind, verdict, tuple(steps), detail)

    try:
        return ended(trial(seed, shared, folder, steps))
    except Broken as error:
        return ended(error.verdict, error.detail)
    except UserError as error:
        return ended("unclear", f"{type(error).__name__}: {error}")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        where = " → ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        return ended("traceback", f"{type(error).__name__}: {error} ({where})"[:600])


def markdown_table(outcomes: Iterable[Outcome]) -> str:
    """Cases by kind and verdict."""
    counts: dict[str, Counter[str]] = {}
    for each in outcomes:
        counts.setdefault(each.kind, Counter())[each.verdict] += 1
    verdicts = (*GOOD, *BAD)
    lines = [f"| what was tried | cases | {' | '.join(verdicts)} |", "|---" * (len(verdicts) + 2) + "|"]
    for kind, found in counts.items():
        cells = [str(found[verdict] or "") for verdict in verdicts]
        lines.append(f"| {kind} | {found.total()} | {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(outcomes: Iterable[Outcome]) -> str:
    """One line: how many cases, and how many of them failed in which way."""
    found = Counter(each.verdict for each in outcomes)
    names = {"silent": "silent", "traceback": "tracebacks", "lost": "lost", "unclear": "unclear"}
    return ", ".join([f"{found.total()} cases", *(f"{found[verdict]} {names[verdict]}" for verdict in BAD)])
