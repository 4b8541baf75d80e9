"""The development sets, on which training data is tuned and a training finds its best encoder.

By default the train part of STS 2012 and SICK's trial part, which are no test sets. The papers took STS 2016
(Revisiting recurrent networks, the back-translated bitext, CSE) and STS 2017 (ParaNMT), which are tests of
other papers: who asks for one of them cannot test on it. Other files are never opened here, even if they are
in the same folders, so that what is tuned can still be tested on them.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from ...base.errors import InputError
from ...base.streams import file_system, files_below, reaching
from .set_lists import DevSets
from .sts_data import StsDataset, is_development, read_sts

DEV_SETS: dict[DevSets, str] = {
    "standard": "the train part of STS 2012 and SICK's trial part",
    "sts2016": "STS 2016",
    "sts2017": "the English track of STS 2017",
}
"""What the development sets are."""

_EXPECTED: dict[DevSets, str] = {
    "standard": "the files of the train part of STS 2012 in a folder with 2012 and train in its name, or "
    "SICK_trial.txt",
    "sts2016": "the files of STS 2016 in a folder with 2016 in its name",
    "sts2017": "the files of STS 2017 in a folder with 2017 in its name",
}


def development_files(folders: Sequence[str], sets: DevSets = "standard") -> list[str]:
    """The files of development sets in folders or fsspec URLs; InputError for a folder without any.

    No file is opened.
    """
    files = []
    for folder in folders:
        filesystem, root = file_system(folder)
        with reaching(folder):
            paths = [
                path for path in files_below(filesystem, root) if is_development(PurePosixPath(path), sets)
            ]
        if not paths:
            raise InputError(f"{folder} holds no development set: expected {_EXPECTED[sets]}")
        files += [filesystem.unstrip_protocol(path) if "://" in folder else path for path in paths]
    return files


def read_development(folders: Sequence[str], sets: DevSets = "standard") -> list[StsDataset]:
    """The development sets of these folders, in the order of their names; no other file is opened.

    InputError as for `read_sts`, and for a set that occurs twice.
    """
    datasets = [
        dataset for folder in folders for dataset in read_sts(folder, lambda path: is_development(path, sets))
    ]
    names = [dataset.name for dataset in datasets]
    if len(set(names)) < len(names):
        raise InputError(f"a development set occurs twice in {', '.join(folders)}: keep one copy of it")
    return sorted(datasets, key=lambda dataset: dataset.name)
