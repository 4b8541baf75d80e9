"""Files that `torch.save` wrote, read without running any code that they contain."""

import pickle
import re
import warnings
from pathlib import Path

import torch

from ...base.errors import ModelError, first_line


def read_torch_file(path: Path) -> object:
    """The content of a file that holds only tensors, containers, numbers and strings, on the CPU.

    torch's restricted unpickler refuses everything else before any code runs; ModelError then names what the
    file asked for. torch's own advice, to load such a file without restrictions, is not passed on.
    """
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise ModelError(f"there is no file {path}") from error
    except pickle.UnpicklingError as error:
        raise _refused(path, error) from error
    except (
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
    ) as error:
        if "weights_only" in str(error):
            raise _refused(path, error) from error
        # torch has no single error for a damaged file: the error depends on the byte that is damaged.
        reason = f"{type(error).__name__}: {first_line(error)}"
        raise ModelError(f"{path} cannot be read ({reason}); fetch or copy it again") from error


def _refused(path: Path, error: Exception) -> ModelError:
    match = re.search(r"GLOBAL ([\w.]+)", str(error))
    found = f"it asks for {match[1]}" if match else "it is a pickle or an archive of another kind"
    return ModelError(
        f"{path} was not loaded: it may hold tensors and settings only, but {found}; "
        "save it again with only its tensors (and an argparse namespace for a fairseq checkpoint)"
    )
