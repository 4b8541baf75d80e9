"""Files that `torch.save` wrote, read without running any code that they contain."""

import pickle
import re
from pathlib import Path

import torch

from ...base.errors import ModelError, first_line


def read_torch_file(path: Path) -> object:
    """The content of a file that holds only tensors, containers, numbers and strings, on the CPU.

    torch's restricted unpickler refuses everything else before any code runs; ModelError then names what the
    file asked for.
    """
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise ModelError(f"there is no file {path}") from error
    except pickle.UnpicklingError as error:
        match = re.search(r"GLOBAL ([\w.]+)", str(error))
        reason = f"it asks for {match[1]}" if match else first_line(error)
        raise ModelError(
            f"{path} was not loaded: it may hold tensors and settings only, but {reason}; "
            "save it again with only its tensors (and an argparse namespace for a fairseq checkpoint)"
        ) from error
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
        # torch has no single error for a damaged file: the error depends on the byte that is damaged.
        reason = f"{type(error).__name__}: {first_line(error)}"
        raise ModelError(f"{path} cannot be read ({reason}); fetch or copy it again") from error
