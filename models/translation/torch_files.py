"""Files that `torch.save` wrote, read without running any code that they contain."""

import pickle
import re
import warnings
import zipfile
from pathlib import Path

import torch

from ...base.errors import ModelError, first_line


def read_torch_file(path: Path) -> object:
    """The content of a file that holds only tensors, containers, numbers and strings, on the CPU.

    torch's restricted unpickler refuses everything else before any code runs; ModelError then names what the
    file asked for. torch's own advice, to load such a file without restrictions, is not passed on. ModelError
    too if a checksum of the file is wrong, which torch does not look at.
    """
    try:
        _check_checksums(path)
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise ModelError(f"there is no file {path}") from error
    except pickle.UnpicklingError as error:
        raise _refused(path, error) from error
    except Exception as error:
        if "weights_only" in str(error):
            raise _refused(path, error) from error
        # Neither torch nor zipfile has a single error for a damaged file: it depends on the damaged byte.
        reason = f"{type(error).__name__}: {first_line(error)}"
        raise ModelError(f"{path} cannot be read ({reason}); fetch or copy it again") from error


def is_whole(path: Path) -> bool:
    """Whether a file is there, in the format that torch has had since 1.6, and its checksums are right."""
    try:
        _check_checksums(path)
        return zipfile.is_zipfile(path)
    except Exception:
        return False


def _refused(path: Path, error: Exception) -> ModelError:
    match = re.search(r"GLOBAL ([\w.]+)", str(error))
    found = f"it asks for {match[1]}" if match else "it is a pickle or an archive of another kind"
    return ModelError(
        f"{path} was not loaded: it may hold tensors and settings only, but {found}; "
        "save it again with only its tensors (and an argparse namespace for a fairseq checkpoint)"
    )


_ZIP = b"PK\3\4"  # by these bytes torch knows the format


def _check_checksums(path: Path) -> None:
    """BadZipFile or another error if a part of the file is not the one that was written.

    Files in torch's older format have no checksums, and neither do those for which torch was told to write
    none, which are all zero.
    """
    with path.open("rb") as file:
        if file.read(len(_ZIP)) != _ZIP:
            return
        with zipfile.ZipFile(file) as archive:
            if any(part.CRC for part in archive.infolist()) and (name := archive.testzip()) is not None:
                raise zipfile.BadZipFile(f"the checksum of {name} is wrong")
