"""The data of SentEval's transfer tasks, in the files that their authors published."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ...base.errors import InputError
from ...base.streams import lines_in_memory
from ..sts.sts_data import read_sts
from .sentences import SetFile, decoded, list_files

Scheme = Literal["nested", "folds", "split"]
Item = tuple[tuple[str, ...], str | float]  # one sentence or two, and a class or a score


@dataclass(frozen=True)
class TransferTask:
    """A task and its items.

    scheme: how the strength of the regularisation is chosen and the test items are: `nested` cross-validation
    over all items (in `train`), cross-validation by `folds` of the train items, or on the `dev` part of a
    fixed `split`. scores: from the lowest to the highest one if the items have scores, not classes. absent:
    why there are no items.
    """

    name: str
    scheme: Scheme
    train: Sequence[Item] = ()
    dev: Sequence[Item] = ()
    test: Sequence[Item] = ()
    scores: tuple[int, int] | None = None
    absent: str = ""


def read_transfer(data: str) -> list[TransferTask]:
    """All tasks, those without data as absent; a task with only some of its files says which are missing.

    The files may lie in any folders below `data`, and end in `.txt`, `.tsv` or `.csv` and `.gz`. Lines that
    are not UTF-8 are read as Windows-1252, as those of MR, SUBJ and TREC. InputError for a line that is not
    as expected, for a file without items, for two files of the same part, and for a folder without any task.
    """
    files = list_files(data)
    tasks = [_read(task, parts, files, data) for task, parts in _TASKS.items()]
    if all(task.absent for task in tasks):
        raise InputError(
            f"{data} holds no transfer task: expected files such as rt-polarity.pos and rt-polarity.neg; "
            "docs/evaluation.md lists them"
        )
    return tasks


def _read(task: "_Kind", parts: dict[str, str], files: Sequence[SetFile], data: str) -> TransferTask:
    found: dict[str, SetFile] = {}
    for file in files:
        for part, pattern in parts.items():
            if re.fullmatch(rf"(?:.*/)?(?:{pattern})(?:\.(?:txt|tsv|csv))?(?:\.gz)?", file.name):
                if part in found:
                    raise InputError(f"{found[part].url} and {file.url} are the same data: keep one of them")
                found[part] = file
    missing = [part for part in parts if part not in found]
    if missing:
        absent = f"absent: there is no {', '.join(missing)} file" if found else "absent"
        return TransferTask(task.name, task.scheme, absent=absent)
    items = {part: task.read(part, found[part].url) for part in parts}
    for part, part_items in items.items():
        if not part_items:
            raise InputError(
                f"{found[part].url} has no items of {task.name}: fetch it again, or take it away"
            )
    if task.scheme == "nested":
        items = {"train": [item for part in items.values() for item in part]}
    for part_items in items.values():
        unknown = {str(label) for _, label in part_items} - {str(label) for _, label in items["train"]}
        if unknown and task.scores is None:
            raise InputError(f"{data}: {task.name}: no item to train on has the class {min(unknown)}")
    train, dev, test = (items.get(part, []) for part in ("train", "dev", "test"))
    return TransferTask(task.name, task.scheme, train, dev, test, task.scores)


def _lines(url: str) -> list[str]:
    return [text for line in lines_in_memory(url) if (text := decoded(line).strip())]


def _sentences(part: str, url: str) -> list[Item]:
    return [((line,), part) for line in _lines(url)]


def _labelled(part: str, url: str) -> list[Item]:
    """`sentence TAB label`, or `label sentence`."""
    items: list[Item] = []
    for line in _lines(url):
        sentence, tab, label = line.rpartition("\t")
        if not tab:
            label, _, sentence = line.partition(" ")
        if not label.strip().isdigit() or not sentence:
            raise InputError(f"{url}: expected a sentence and a label, got {line[:60]!r}")
        items.append(((sentence.strip(),), label.strip()))
    return items


def _questions(part: str, url: str) -> list[Item]:
    items: list[Item] = []
    for line in _lines(url):
        label, _, question = line.partition(" ")
        coarse, colon, _ = label.partition(":")
        if not colon or not question:
            raise InputError(f"{url}: expected CLASS:subclass and a question, got {line[:60]!r}")
        items.append(((question,), coarse))
    return items


def _paraphrases(part: str, url: str) -> list[Item]:
    items: list[Item] = []
    for line in _lines(url)[1:]:
        fields = line.split("\t")  # there is no quoting
        if len(fields) != 5 or fields[0] not in ("0", "1"):
            raise InputError(f"{url}: expected 0 or 1, two ids and two sentences, got {line[:60]!r}")
        items.append(((fields[3], fields[4]), fields[0]))
    return items


def _entailment(part: str, url: str) -> list[Item]:
    items: list[Item] = []
    for line in _lines(url)[1:]:
        fields = line.split("\t")
        if len(fields) != 5:
            raise InputError(f"{url}: expected the five columns of SICK, got {line[:60]!r}")
        items.append(((fields[1], fields[2]), fields[4].strip()))
    return items


def _relatedness(part: str, url: str) -> list[Item]:
    (dataset,) = read_sts(url)
    return [
        ((left, right), gold)
        for left, right, gold in zip(dataset.left, dataset.right, dataset.gold, strict=True)
    ]


@dataclass(frozen=True)
class _Kind:
    name: str
    scheme: Scheme
    read: Callable[[str, str], list[Item]]
    scores: tuple[int, int] | None = None


# The files of each part, without folders and endings. In a nested task a part is a class.
_SICK = {"train": "SICK_train", "dev": "SICK_trial", "test": "SICK_test_annotated"}
_TASKS: dict[_Kind, dict[str, str]] = {
    _Kind("MR", "nested", _sentences): {"positive": r"rt-polarity\.pos", "negative": r"rt-polarity\.neg"},
    _Kind("CR", "nested", _sentences): {"positive": r"custrev\.pos", "negative": r"custrev\.neg"},
    _Kind("SUBJ", "nested", _sentences): {"subjective": r"subj\.subjective", "objective": r"subj\.objective"},
    _Kind("MPQA", "nested", _sentences): {"positive": r"mpqa\.pos", "negative": r"mpqa\.neg"},
    _Kind("SST-2", "split", _labelled): {
        part: rf"(?<!fine/)sentiment-{part}" for part in ("train", "dev", "test")
    },
    _Kind("SST-2 sentences", "split", _labelled): {
        part: rf"stsa\.binary\.{part}" for part in ("train", "dev", "test")
    },
    _Kind("SST-5", "split", _labelled): {
        part: rf"stsa\.fine\.{part}|fine/sentiment-{part}" for part in ("train", "dev", "test")
    },
    _Kind("TREC", "folds", _questions): {
        "train": r"TREC\.train|train_5500\.label",
        "test": r"TREC\.test|TREC_10\.label",
    },
    _Kind("MRPC", "folds", _paraphrases): {part: f"msr_paraphrase_{part}" for part in ("train", "test")},
    _Kind("SICK-E", "split", _entailment): _SICK,
    _Kind("SICK-R", "split", _relatedness, (1, 5)): _SICK,
    _Kind("STS-B", "split", _relatedness, (0, 5)): {part: f"sts-{part}" for part in ("train", "dev", "test")},
}
