"""The development sets on which training data is tuned: the train part of STS 2012, and SICK's trial part.

Test sets are never opened here, even if they are in the same folders, so that what is tuned can still be
tested on them.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from ...errors import InputError
from ...streams import file_system, reaching
from .sts_data import StsDataset, is_development, read_sts


def development_files(folders: Sequence[str]) -> list[str]:
    """The files of development sets in folders or fsspec URLs; InputError for a folder without any.

    No file is opened.
    """
    files = []
    for folder in folders:
        filesystem, root = file_system(folder)
        with reaching(folder):
            paths = [path for path in sorted(filesystem.find(root)) if is_development(PurePosixPath(path))]
        if not paths:
            raise InputError(
                f"{folder} holds no development set: expected the files of the train part of STS 2012 in a "
                "folder with 2012 and train in its name, or SICK_trial.txt"
            )
        files += [filesystem.unstrip_protocol(path) if "://" in folder else path for path in paths]
    return files


def read_development(folders: Sequence[str]) -> list[StsDataset]:
    """The development sets of these folders, in the order of their names; no other file is opened.

    InputError as for `read_sts`, and for a set that occurs twice.
    """
    datasets = [dataset for folder in folders for dataset in read_sts(folder, is_development)]
    names = [dataset.name for dataset in datasets]
    if len(set(names)) < len(names):
        raise InputError(f"a development set occurs twice in {', '.join(folders)}: keep one copy of it")
    return sorted(datasets, key=lambda dataset: dataset.name)
