"""The course of a training as logs that TensorBoard shows."""

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.errors import ModelError
from ...base.extras import install_command

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

    from .pair_training import TrainProgress


@contextmanager
def logged(
    folder: str | None, progress: Callable[["TrainProgress"], None] = lambda progress: None
) -> Iterator[Callable[["TrainProgress"], None]]:
    """What a training calls: `progress`, and a `Board` that logs to the folder, if there is one."""
    if folder is None:
        yield progress
        return
    board = Board(Path(folder))

    def both(state: "TrainProgress") -> None:
        board.write(state)
        progress(state)

    try:
        yield both
    finally:
        board.close()


class Board:
    """Writes the loss, the pairs per second and the scores on development sets, by mini-batch.

    A training that resumes replaces what was logged after its checkpoint. ModelError without the package
    `tensorboard`.
    """

    def __init__(self, folder: Path) -> None:
        if importlib.util.find_spec("tensorboard") is None:
            raise ModelError(
                f"logs for TensorBoard need tensorboard: {install_command('tensorboard')}, or leave logs out"
            )
        self._folder = folder
        self._writer: SummaryWriter | None = None

    def write(self, progress: "TrainProgress") -> None:
        """Adds what a mega-batch brought; nothing while pairs are read."""
        if progress.recent_loss is None:
            return
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter  # takes seconds

            self._writer = SummaryWriter(str(self._folder), purge_step=progress.step)
        values = {"loss": progress.recent_loss, "pairs_per_second": progress.pairs_per_second}
        if progress.dev is not None and progress.dev.step == progress.step:
            scores = progress.dev.pearson | {"mean": progress.dev.mean}
            values |= {f"dev/{name}": score for name, score in scores.items() if score is not None}
        for name, value in values.items():
            self._writer.add_scalar(name, value, progress.step)

    def close(self) -> None:
        """Waits until everything is in the file."""
        if self._writer is not None:
            self._writer.close()
