"""The loop of all trainings under a head: mini-batches, the choice of an epoch on dev, and the end."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from ..sts.correlation import comparable
from .checkpoint import SAVE_SECONDS, random_tensors, restore_random
from .head_options import Course
from .scratch import NotFiniteError
from .updates import SmallTables, Updates

_STEPS = 50  # mini-batches between two looks at their losses, for which a GPU has to be waited for

Losses = tuple[torch.Tensor, torch.Tensor, SmallTables]
"""The loss of a mini-batch without and with the penalties, and the tables that its gradients reach."""


@dataclass(frozen=True)
class HeadState:
    """Where a training stands: epochs and steps done, the learning rate, and what the epochs gave.

    losses, dev: the mean loss and the quality on dev of each epoch. best: the best epoch, from 1; 0 before
    the first one. examples, batches, total: of the epoch that has begun, as in `TrainState`.
    """

    identity: str
    rate: float
    epoch: int = 0
    is_over: bool = False
    losses: tuple[float, ...] = ()
    dev: tuple[float | None, ...] = ()
    best: int = 0
    steps: int = 0
    examples: int = 0
    batches: int = 0
    total: float = 0.0

    @property
    def best_dev(self) -> float | None:
        """The quality on dev of the best epoch."""
        return self.dev[self.best - 1] if self.best else None


class Learner(ABC):
    """What the loop trains: a head, alone or with the encoder under it.

    updates: of its parameters. buffers: tensors that are no parameters and belong to the best epoch too.
    has_dev: whether `quality` says which epoch is the best one; otherwise it is the last.
    """

    updates: Updates
    buffers: Mapping[str, torch.Tensor] = {}
    has_dev = True

    @abstractmethod
    def order(self, epoch: int, begins: bool) -> np.ndarray:
        """The examples of an epoch, (examples,), in the order in which they are trained on.

        begins: whether the epoch begins; otherwise it goes on from a checkpoint.
        """

    @abstractmethod
    def loss(self, rows: np.ndarray, epoch: int, number: int) -> Losses:
        """See `Losses`. number: the mini-batch's in the epoch, from 0."""

    def quality(self) -> float | None:
        """How good the learner is on dev; None if that cannot be said, which is worse than any number."""
        return None


class HeadLoop:
    """One training in memory. device: where the learner draws random numbers, `cpu` or `cuda`."""

    def __init__(self, learner: Learner, course: Course, device: str = "cpu") -> None:
        self._learner, self._course, self._device = learner, course, device
        self._kept = {**learner.updates.parameters, **learner.buffers}
        self._best: dict[str, torch.Tensor] = {}

    def run(
        self,
        state: HeadState | None = None,
        save: Callable[[HeadState], None] = lambda state: None,
        progress: Callable[[HeadState], None] = lambda state: None,
    ) -> HeadState:
        """All epochs that are left; the learner is then that of the best one."""
        if state is None:
            state = HeadState("", self._course.learning_rate)
        while not state.is_over:
            state = self._epoch(state, save, progress)
            progress(state)
            save(state)
        with torch.no_grad():
            for name, tensor in self._kept.items():
                tensor.copy_(self._best[name])
        return state

    def tensors(self) -> dict[str, torch.Tensor]:
        """All that a step or an epoch changes, to be stored."""
        best = {f"best/{name}": tensor for name, tensor in self._best.items()}
        buffers = {f"buffer/{name}": tensor for name, tensor in self._learner.buffers.items()}
        return self._learner.updates.tensors() | best | buffers | random_tensors(self._device)

    def restore(self, tensors: Mapping[str, torch.Tensor], state: HeadState) -> None:
        """Takes up what `tensors` gave in this state."""
        self._learner.updates.restore(tensors, state.steps)
        for name, tensor in self._learner.buffers.items():
            tensor.copy_(tensors[f"buffer/{name}"])
        best = {name: tensor for name, tensor in tensors.items() if name.startswith("best/")}
        self._best = {name.removeprefix("best/"): tensor for name, tensor in best.items()}
        restore_random(tensors, self._device)

    def _epoch(
        self, state: HeadState, save: Callable[[HeadState], None], progress: Callable[[HeadState], None]
    ) -> HeadState:
        """The rest of an epoch: all examples once in a new order, then the choice on dev."""
        learner, batch_size = self._learner, self._course.batch
        rows = learner.order(state.epoch, begins=not state.batches)
        saved = time.monotonic()
        while state.examples < len(rows):
            some = rows[state.examples : state.examples + batch_size * _STEPS]
            batches = np.split(some, range(batch_size, len(some), batch_size))
            losses = torch.stack(
                [self._step(batch, state, number) for number, batch in enumerate(batches, state.batches)]
            ).tolist()
            for batch, loss in zip(batches, losses, strict=True):
                if not math.isfinite(loss):
                    raise NotFiniteError(f"a loss of epoch {state.epoch + 1} is {loss}", batch.tolist())
            state = replace(
                state,
                steps=learner.updates.steps,
                examples=state.examples + len(some),
                batches=state.batches + len(losses),
                total=sum(losses, state.total),
            )
            if time.monotonic() - saved > SAVE_SECONDS and state.examples < len(rows):
                save(state)
                saved = time.monotonic()
            progress(state)
        quality = learner.quality() if learner.has_dev else None
        ended = after_epoch(state, quality, self._course, learner.has_dev)
        if ended.best == ended.epoch:
            self._best = {name: tensor.detach().clone() for name, tensor in self._kept.items()}
        return ended

    def _step(self, rows: np.ndarray, state: HeadState, number: int) -> torch.Tensor:
        """The loss of one mini-batch, without the penalties, and a step of the optimiser."""
        loss, penalised, small = self._learner.loss(rows, state.epoch, number)
        penalised.backward()
        self._learner.updates.step(small, state.rate)
        return loss.detach()


def after_epoch(state: HeadState, quality: float | None, course: Course, has_dev: bool = True) -> HeadState:
    """The state after an epoch with this quality on dev: the learning rate of the next one, or the end.

    An epoch that is worse than the one before it divides the learning rate by `shrink`; training is over if
    that makes it less than `minimum_rate`. It is also over after `patience` epochs in a row that do not beat
    the best one before them. Each epoch multiplies the rate by `decay`. InferSent, section 3.3.
    """
    epoch = state.epoch + 1
    is_better = not (has_dev and state.best) or comparable(quality) > comparable(state.best_dev)
    is_worse = has_dev and bool(state.dev) and comparable(quality) < comparable(state.dev[-1])
    rate = state.rate / course.shrink if is_worse else state.rate
    has_lost_patience = course.patience is not None and epoch - state.best >= course.patience
    return HeadState(
        state.identity,
        rate * course.decay,
        epoch,
        epoch >= course.epochs
        or (is_worse and rate < course.minimum_rate)
        or (not is_better and has_lost_patience),
        (*state.losses, state.total / max(1, state.batches)),
        (*state.dev, quality),
        epoch if is_better else state.best,
        state.steps,
    )
