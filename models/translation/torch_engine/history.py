"""The record of a search: each step's choices, and the path back from every finished hypothesis."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class Hypothesis(NamedTuple):
    """A finished translation: word ids without the end symbol, and log-probabilities with it."""

    words: list[int]
    log_probs: list[float]


class Finished(NamedTuple):
    """Hypotheses that ended. Fields are (sentences, beams); those of a group are in the order they ended.

    exists: false if there is no hypothesis, and then the other fields mean nothing; ranks: total
    log-probability / tokens ** length penalty; steps, log_probs: the step and the log-probability of the end
    symbol; beams: the beam that it ended.
    """

    exists: Tensor
    ranks: Tensor
    steps: Tensor
    beams: Tensor
    log_probs: Tensor


@dataclass(frozen=True)
class Stretch:
    """Consecutive steps with the same sentences.

    rows: (sentences,) their numbers in the batch. words, parents, log_probs: (steps, sentences, beams); a
    beam's parent is a beam of the step before.
    """

    rows: np.ndarray
    first: int
    words: np.ndarray
    parents: np.ndarray
    log_probs: np.ndarray


class History:
    """The choices of all steps of a batch; they are moved to the host when the sentences change."""

    def __init__(self) -> None:
        self._stretches: list[Stretch] = []
        self._steps: list[tuple[Tensor, Tensor, Tensor]] = []
        self._first = 0
        self._ended: list[tuple[np.ndarray, Finished]] = []

    def add(self, words: Tensor, parents: Tensor, log_probs: Tensor) -> None:
        """Add the choices of one step, (sentences, beams) each."""
        self._steps.append((words, parents, log_probs))

    def close_stretch(self, rows: np.ndarray) -> None:
        """Record that the sentences change after the last step; `rows` are the numbers until then."""
        if not self._steps:
            return
        words, parents, log_probs = (
            torch.stack(fields).cpu().numpy() for fields in zip(*self._steps, strict=True)
        )
        self._stretches.append(Stretch(rows, self._first, words, parents, log_probs))
        self._first += len(self._steps)
        self._steps = []

    def end(self, rows: np.ndarray, finished: Finished) -> None:
        """Record the finished hypotheses of sentences that are complete; `rows` are their numbers."""
        self._ended.append((rows, finished))

    def hypotheses(self, sentences: int, n_best: int) -> list[list[Hypothesis]]:
        """The `n_best` of each sentence, best first; of equal ranks, the one that ended first comes first."""
        ranked: list[list[Hypothesis]] = [[] for _ in range(sentences)]
        rows, steps, beams, last = self._ranked(n_best)
        paths = self._trace(rows, steps, beams)
        for row, step, words, log_probs, end in zip(
            rows.tolist(), steps.tolist(), *(path.tolist() for path in paths), last.tolist(), strict=True
        ):
            ranked[row].append(Hypothesis(words[:step], [*log_probs[:step], end]))
        return ranked

    def _ranked(self, n_best: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Row, end step, beam, and end symbol's log-probability of the `n_best` hypotheses, in order."""
        chosen = []
        for rows, finished in self._ended:
            exists, ranks, steps, beams, log_probs = (field.cpu().numpy() for field in finished)
            ranks = np.where(exists, ranks, -np.inf)
            order = np.argsort(-ranks, axis=1, kind="stable")
            kept = np.take_along_axis(exists, order, axis=1)
            kept &= np.cumsum(kept, axis=1) <= n_best
            picked = [np.take_along_axis(field, order, axis=1)[kept] for field in (steps, beams, log_probs)]
            chosen.append((np.repeat(rows, kept.sum(axis=1)), *picked))
        return tuple(np.concatenate(fields) for fields in zip(*chosen, strict=True))  # type: ignore[return-value]

    def _trace(self, rows: np.ndarray, steps: np.ndarray, beams: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Words and log-probabilities, (hypotheses, steps), traced back from each hypothesis's end."""
        words = np.zeros((len(rows), self._first), dtype=np.int64)
        log_probs = np.zeros((len(rows), self._first), dtype=np.float32)
        beams = beams.astype(np.int64).copy()
        for stretch in reversed(self._stretches):
            place = np.full(int(rows.max(initial=0)) + 1, -1)
            present = stretch.rows[stretch.rows < len(place)]
            place[present] = np.arange(len(stretch.rows))[stretch.rows < len(place)]
            for offset in reversed(range(len(stretch.words))):
                step = stretch.first + offset
                on = np.flatnonzero(steps > step)
                at = place[rows[on]], beams[on]
                words[on, step] = stretch.words[offset][at]
                log_probs[on, step] = stretch.log_probs[offset][at]
                beams[on] = stretch.parents[offset][at]
        return words, log_probs
