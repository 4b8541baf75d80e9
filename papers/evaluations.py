"""The results of an encoder in other evaluations than the mean over the papers' sets, by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..base.errors import InputError
from ..models.evaluation.evaluation import Measured
from ..models.evaluation.nli import Nli
from ..models.evaluation.sts import Sts
from ..models.evaluation.supervised import Supervised
from ..models.evaluation.table import Row, as_number
from ..models.evaluation.transfer import AVERAGED, Transfer, development_averages
from ..models.evaluation.transfer_data import TransferTask, read_transfer
from .inference import LabelledPairs
from .paper_table import EvaluationKind

if TYPE_CHECKING:
    from ..models.encoders.sentence_encoder import SentenceEncoder


class Figure(NamedTuple):
    """A result times 100, and the same on resamples of the items, (resamples,), where there are any."""

    value: float | None
    resampled: np.ndarray


Figures = dict[str, Figure]


def evaluated(
    kinds: Sequence[EvaluationKind],
    encoder: "SentenceEncoder",
    tests: Sequence[str],
    held_out: Mapping[str, LabelledPairs],
    folder: Path,
) -> Figures:
    """The results of these kinds of evaluation.

    tests: the folders of the sets or tasks. held_out: labelled pairs to test an encoder on that was trained
    on such. folder: for files.
    """
    figures: Figures = {}
    for kind in kinds:
        if kind == "nli":
            figures |= _inference(encoder, held_out, folder)
        elif kind == "transfer":
            figures |= _transfer(encoder, tests)
        else:
            figures |= _benchmark(encoder, tests, is_trained=kind == "supervised")
    return figures


def transfer_tasks(tests: Sequence[str]) -> list[TransferTask]:
    """The transfer tasks that the folders hold; InputError if they hold one twice."""
    tasks = [task for folder in tests for task in read_transfer(folder) if not task.absent]
    names = [task.name for task in tasks]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{', '.join(tests)} hold {', '.join(twice)} twice: keep one of them")
    return tasks


def _inference(encoder: "SentenceEncoder", held_out: Mapping[str, LabelledPairs], folder: Path) -> Figures:
    """`NLI dev` and `NLI test`: the accuracies of the encoder's own head."""
    figures: Figures = {}
    for part, pairs in held_out.items():
        measured = Nli(data=pairs.write(folder / f"{part}.jsonl")).measure(encoder)
        figures[f"NLI {part}"] = _of_row(measured, measured.table.averages[0])
    return figures


def _transfer(encoder: "SentenceEncoder", tests: Sequence[str]) -> Figures:
    """The accuracy, or Pearson's r, of each task, and means of accuracies.

    Regressions are fitted by Adam, as by InferSent's authors (section 4) and by SentEval, which ParaNMT used.
    `mean accuracy` is over those of InferSent's eight tasks that are there, and so are its own averages on
    development items.
    """
    rows: dict[str, Row] = {}
    for folder in tests:
        table = Transfer(data=folder, optimiser="adam").evaluate(encoder)
        rows |= {
            name: row for row in table.rows if row.values["train"] is not None and (name := table.key(row)[1])
        }
    tasks = transfer_tasks(tests)
    averages = development_averages(tasks, [rows[task.name] for task in tasks])
    figures = {name: as_number(row.values["result"]) for name, row in rows.items()} | averages
    accuracies = [value for name, value in figures.items() if name in AVERAGED and value is not None]
    if accuracies:
        figures["mean accuracy"] = float(np.mean(accuracies))
    return {name: Figure(value, np.empty(0)) for name, value in figures.items()}


def _benchmark(encoder: "SentenceEncoder", tests: Sequence[str], is_trained: bool) -> Figures:
    """The correlations on the Benchmark and its parts, by cosines, or by a network that is trained on it."""
    kind = Supervised if is_trained else Sts
    figures: Figures = {}
    for folder in tests:
        measured = kind(data=folder).measure(encoder)
        for row in measured.table.rows:
            name = measured.table.key(row)[1]
            if name.startswith("STSB"):
                figures[f"{name}, trained" if is_trained else name] = _of_row(measured, row)
    return figures


def _of_row(measured: Measured, row: Row) -> Figure:
    resampled = measured.resampled.get(measured.table.key(row), np.empty(0))
    return Figure(as_number(row.values[measured.table.main]), resampled)
