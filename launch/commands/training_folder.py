"""The folder in which a command trains a model, so that a training that was interrupted goes on."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from ...base.errors import ModelError
from ...base.file_locks import locked
from ...base.outputs import check_absent, put_new_folder
from ...base.whole_files import temporary_folder


@contextlib.contextmanager
def training_folder(
    output: Path, command: str, clear: Callable[[Path], None]
) -> Iterator[tuple[Path, Path, Path]]:
    """Where a model is to be written, a scratch folder to resume from, and a folder for this attempt.

    At the end the model becomes `output`, and `clear` removes what the training keeps in the scratch folder.
    Until then all is in a hidden folder beside it, which is removed once there is nothing to resume; files
    that we did not write stay. command: for messages. ModelError if there is an `output`, if the folder
    cannot be made or is not ours, or if another process is training a model for `output`.
    """
    check_absent(output, "folder")
    folder = output.parent / f".{output.name}.training"
    marker = folder / "paranmt-training.lock"
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not marker.exists() and any(folder.iterdir()):
                raise ModelError(
                    f"{folder}, which training needs, contains other files; move it away, or choose another "
                    "output"
                )
            stack.enter_context(locked(marker))
        except BlockingIOError:
            raise ModelError(
                f"another `{command}` is writing to {output}; wait for it, or choose another output"
            ) from None
        except OSError as error:
            raise ModelError(f"{output} cannot be written: {error}; choose another folder") from None
        check_absent(output, "folder")  # the process that had the lock before may have finished it
        scratch = folder / "scratch"
        try:
            with temporary_folder(folder) as aside:
                yield aside / "model", scratch, aside
                put_new_folder(aside / "model", output)
                clear(scratch)
        finally:
            with contextlib.suppress(OSError):  # it is not empty
                scratch.rmdir()
            if not scratch.exists():
                marker.unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    folder.rmdir()
