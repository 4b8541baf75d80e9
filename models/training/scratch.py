"""The scratch folder of a training: what it leaves for the next attempt, or for its users."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...base.errors import ModelError
from ...base.whole_files import temporary_folder

TOKENS, CHECKPOINT, NOT_FINITE = "tokens", "checkpoint.safetensors", "not-finite.json"


@contextmanager
def own_folder(scratch: Path, aside: Path | None) -> Iterator[Path]:
    """The folder in which an attempt builds its files: `aside`, or else a temporary one in `scratch`."""
    if aside is not None:
        yield aside
        return
    with temporary_folder(scratch) as folder:
        yield folder


def clear_scratch(scratch: Path) -> None:
    """Removes what trainings keep there, and the folder unless it holds other things."""
    shutil.rmtree(scratch / TOKENS, ignore_errors=True)
    for name in (CHECKPOINT, NOT_FINITE):
        (scratch / name).unlink(missing_ok=True)
    with suppress(OSError):
        scratch.rmdir()


class NotFiniteError(ModelError):
    """A loss that is not a number, or infinite. batch: what it is the loss of, as values that JSON has."""

    def __init__(self, loss: str, batch: Sequence[Any]) -> None:
        super().__init__(f"{loss}: set a lower learning_rate")
        self.loss, self.batch = loss, batch

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.loss, self.batch)

    def with_file(self, scratch: Path, contents: str) -> ModelError:
        """The error for users of a scratch folder; contents: what they find in its file."""
        file = scratch / NOT_FINITE
        return ModelError(f"{self.loss}; {contents} in {file}: set a lower learning_rate, or clip_norm")


def write_not_finite(scratch: Path, batch: Sequence[Any]) -> None:
    """Writes the pairs or examples of a mini-batch whose loss is not finite."""
    scratch.mkdir(parents=True, exist_ok=True)  # another attempt that has finished removes it
    text = json.dumps(batch, indent=1, ensure_ascii=False) + "\n"
    (scratch / NOT_FINITE).write_text(text, encoding="utf-8")
