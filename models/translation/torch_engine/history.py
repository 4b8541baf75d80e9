"""The record of a search on the host: each step's choices, what ended, and the path back from every end.

The device only chooses; which hypotheses are finished is worked out here, from the same choices. A step takes
2·beams candidates of each group. Those of the first `beams` that end are finished hypotheses, in that order,
until there are `beams` of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from .continuations import Continuations


class Hypothesis(NamedTuple):
    """A finished translation: word ids without the end symbol, and log-probabilities with it."""

    words: list[int]
    log_probs: list[float]


class _Rows(NamedTuple):
    """What is known of each sentence in the batch, which is the first dimension of every field.

    numbers: of the sentences; steps: how many each has made; stretches: in how many it took part. counts:
    (sentences, groups), the finished hypotheses. ranks, ends, beams, log_probs: (sentences, groups, beams of
    a group), of the finished hypotheses, in the order they ended: total log-probability / tokens ** length
    penalty, the step and the log-probability of the end symbol, the beam that it ended. first_words,
    first_log_probs: (sentences, beams), the choices of step 0.
    """

    numbers: np.ndarray
    steps: np.ndarray
    stretches: np.ndarray
    counts: np.ndarray
    ranks: np.ndarray
    ends: np.ndarray
    beams: np.ndarray
    log_probs: np.ndarray
    first_words: np.ndarray
    first_log_probs: np.ndarray

    @classmethod
    def new(cls, numbers: np.ndarray, groups: int, beams: int) -> "_Rows":
        count = len(numbers)
        finished = (count, groups, beams)
        return cls(
            numbers,
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros((count, groups), np.int64),
            np.full(finished, -np.inf, np.float32),
            np.zeros(finished, np.int64),
            np.zeros(finished, np.int64),
            np.zeros(finished, np.float32),
            np.zeros((count, groups * beams), np.int64),
            np.zeros((count, groups * beams), np.float32),
        )

    def at(self, rows: np.ndarray) -> "_Rows":
        return _Rows(*(field[rows] for field in self))


class _Choices(NamedTuple):
    """The candidates of one step, or of several, (steps, sentences, groups, candidates).

    going_on: (steps, sentences, groups, beams of a group), the places of the candidates that continue.
    """

    words: np.ndarray
    beams: np.ndarray
    scores: np.ndarray
    log_probs: np.ndarray
    going_on: np.ndarray

    def path(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Words, parents and log-probabilities of the hypotheses that continue, (steps, sentences, beams)."""
        shape = (*self.going_on.shape[:2], -1)
        words, beams, log_probs = (
            np.take_along_axis(field, self.going_on, axis=3).reshape(shape)
            for field in (self.words, self.beams, self.log_probs)
        )
        return words, beams, log_probs


@dataclass(frozen=True)
class _Stretch:
    """Consecutive steps of the same sentences.

    came_from: (sentences,) their places in the stretch before, −1 if they are new. steps: (sentences,) the
    number of each one's first step here. words, parents, log_probs: as from `_Choices.path`.
    """

    came_from: np.ndarray
    steps: np.ndarray
    words: np.ndarray
    parents: np.ndarray
    log_probs: np.ndarray


@dataclass(frozen=True)
class Harvest:
    """Complete sentences, and what is needed to read their hypotheses, on any thread."""

    _rows: _Rows
    _places: np.ndarray  # in the last stretch
    _stretches: Sequence[_Stretch]

    def __len__(self) -> int:
        return len(self._places)

    @property
    def steps(self) -> int:
        """How many steps these sentences needed, together."""
        return int(self._rows.ends.max(axis=(1, 2), initial=0).sum()) + len(self)

    def hypotheses(self, n_best: int) -> list[tuple[int, list[Hypothesis]]]:
        """The number of each sentence with its `n_best` hypotheses, best first.

        Of equal ranks, the one that ended first comes first.
        """
        found = self._rows
        exists = np.arange(found.ranks.shape[2]) < found.counts[:, :, None]
        flat = (exists, found.ranks, found.ends, found.beams, found.log_probs)
        width = found.ranks.shape[1] * found.ranks.shape[2]
        exists, ranks, *fields = (field.reshape(len(self), width) for field in flat)
        order = np.argsort(-np.where(exists, ranks, -np.inf), axis=1, kind="stable")
        kept = np.take_along_axis(exists, order, axis=1)
        kept &= np.cumsum(kept, axis=1) <= n_best
        ends, beams, last = (np.take_along_axis(field, order, axis=1)[kept] for field in fields)
        rows = np.repeat(np.arange(len(self)), kept.sum(axis=1))
        ranked: list[tuple[int, list[Hypothesis]]] = [(number, []) for number in self._rows.numbers.tolist()]
        paths = (path.tolist() for path in self._traced(rows, ends, beams))
        for row, end, words, log_probs, log_prob in zip(
            rows.tolist(), ends.tolist(), *paths, last.tolist(), strict=True
        ):
            ranked[row][1].append(Hypothesis(words[:end], [*log_probs[:end], log_prob]))
        return ranked

    def _traced(self, rows: np.ndarray, ends: np.ndarray, beams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Words and log-probabilities, (hypotheses, steps), traced back from each hypothesis's end."""
        words = np.zeros((len(rows), int(ends.max(initial=0)) + 1), np.int64)
        log_probs = np.zeros(words.shape, np.float32)
        beams = beams.copy()
        hypotheses, places = np.arange(len(rows)), self._places[rows]
        for stretch in reversed(self._stretches):
            for offset in reversed(range(len(stretch.words))):
                step = stretch.steps[places] + offset
                on = step < ends[hypotheses]
                at, hypothesis, step = places[on], hypotheses[on], step[on]
                beam = beams[hypothesis]
                words[hypothesis, step] = stretch.words[offset, at, beam]
                log_probs[hypothesis, step] = stretch.log_probs[offset, at, beam]
                beams[hypothesis] = stretch.parents[offset, at, beam]
            places = stretch.came_from[places]
            hypotheses, places = hypotheses[places >= 0], places[places >= 0]
        words[:, 0] = self._rows.first_words[rows, beams]
        log_probs[:, 0] = self._rows.first_log_probs[rows, beams]
        return words, log_probs


class Turn(NamedTuple):
    """The steps between two changes of a batch, on the host.

    new: the numbers of the sentences that came last, at the end of the batch. choices, first: of these steps,
    and of step 0 of the new sentences, five arrays each. complete: (sentences,) which of them leave.
    """

    new: np.ndarray
    choices: Sequence[np.ndarray]
    first: Sequence[np.ndarray]
    complete: np.ndarray


class Recorder:
    """Keeps the choices of a turn on the device until all are copied at once."""

    def __init__(self) -> None:
        self._new: list[np.ndarray] = []
        self._first: list[tuple[Tensor, ...]] = []
        self._steps: list[tuple[Tensor, ...]] = []

    def begin(self, numbers: np.ndarray, best: Continuations, chosen: Tensor) -> None:
        """Add sentences after the others, with the choices of their step 0."""
        self._new.append(numbers)
        self._first.append(_fields(best, chosen))

    def add(self, best: Continuations, chosen: Tensor) -> None:
        """Add the choices of one step; chosen: (sentences, groups, beams), the candidates that continue."""
        self._steps.append(_fields(best, chosen))

    def tensors(self, count: int) -> list[Tensor]:
        """What `turn` needs on the host; count: how many sentences there are, without padding."""
        steps = [torch.stack(fields)[:, :count] for fields in zip(*self._steps, strict=True)]
        return steps + [torch.cat(fields)[None] for fields in zip(*self._first, strict=True)]

    def turn(self, arrays: Sequence[np.ndarray], complete: np.ndarray) -> Turn:
        """The turn, which ends here; arrays: those of `tensors`."""
        new = np.concatenate([np.zeros(0, np.int64), *self._new])
        self._new, self._first, self._steps = [], [], []
        return Turn(new, arrays[:5], arrays[5:], complete)


class History:
    """Works out the finished hypotheses of a search, turn by turn, while the device makes the next turns."""

    def __init__(self, groups: int, beams: int, end: int, limits: np.ndarray, length_penalty: float) -> None:
        """groups, beams: of a sentence, and of a group; end: the symbol's id; limits: of every sentence."""
        self._groups, self._beams, self._end, self._limits = groups, beams, end, limits
        tokens = range(1, int(limits.max(initial=0)) + 2)
        self._divisors = np.array([count**length_penalty for count in tokens], np.float32)
        self._rows = _Rows.new(np.zeros(0, np.int64), groups, beams)
        self._came_from = np.zeros(0, np.int64)
        self._stretches: list[_Stretch] = []

    def replay(self, turn: Turn) -> Harvest:
        """Record a turn; return the sentences that it completed. Turns must come in their order."""
        new = _Rows.new(turn.new, self._groups, self._beams)
        if turn.first:
            first = _Choices(*turn.first)
            self._record(first, new)
            words, _, log_probs = first.path()
            new.first_words[:], new.first_log_probs[:] = words[0], log_probs[0]
        rows = _Rows(*(np.concatenate(fields) for fields in zip(self._rows, new, strict=True)))
        came_from = np.concatenate([self._came_from, np.full(len(turn.new), -1)])
        choices = _Choices(*turn.choices)
        self._stretches.append(_Stretch(came_from, rows.steps.copy(), *choices.path()))
        rows.stretches[:] += 1
        self._record(choices, rows)
        done, left = np.flatnonzero(turn.complete), np.flatnonzero(~turn.complete)
        harvested = rows.at(done)
        harvest = Harvest(harvested, done, self._latest(harvested))
        self._rows, self._came_from = rows.at(left), left
        self._stretches = self._latest(self._rows)
        return harvest

    def _latest(self, rows: _Rows) -> list[_Stretch]:
        """The stretches in which any of these sentences took part."""
        return self._stretches[len(self._stretches) - int(rows.stretches.max(initial=0)) :]

    def _record(self, choices: _Choices, rows: _Rows) -> None:
        """Write what ends in these choices, and the steps made, into the rows."""
        steps = rows.steps + np.arange(len(choices.words))[:, None]
        ends = choices.words[..., : self._beams] == self._end
        ends &= (steps <= self._limits[rows.numbers])[:, :, None, None]
        # In the order of their steps, then of their scores.
        ended = ends.transpose(1, 2, 0, 3).reshape(*rows.counts.shape, len(ends) * self._beams)
        places = rows.counts[:, :, None] + ended.cumsum(axis=2) - 1
        row, group, order = np.nonzero(ended & (places < self._beams))
        place = places[row, group, order]
        offset, candidate = np.divmod(order, self._beams)
        at = offset, row, group, candidate
        rows.ranks[row, group, place] = choices.scores[at] / self._divisors[steps[offset, row]]
        rows.ends[row, group, place] = steps[offset, row]
        rows.beams[row, group, place] = choices.beams[at]
        rows.log_probs[row, group, place] = choices.log_probs[at]
        np.minimum(rows.counts + ended.sum(axis=2), self._beams, out=rows.counts)
        rows.steps[:] += len(choices.words)


def _fields(best: Continuations, chosen: Tensor) -> tuple[Tensor, ...]:
    return best.words, best.beams, best.scores, best.log_probs, chosen
