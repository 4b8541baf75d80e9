"""Natural language inference: the label of a premise and a hypothesis, from their sentence vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ...base.bounds import Seed
from ...base.errors import ModelError, RecipeError
from ...base.paths import FilePath
from ..encoders.chosen_on import chosen_note, pairs_chosen_on
from ..encoders.encodes import Encodes
from .any_encoder import CountingEncoder
from .bootstrap import estimate, resampled_accuracy
from .evaluation import Evaluation, Measured
from .table import Column, Row, Table, Value

if TYPE_CHECKING:
    from ..training.examples import Examples

_COLUMNS = (
    Column(name="label", type="text", meaning="the label of the examples, or all of them"),
    Column(name="examples", type="count", meaning="examples with a label"),
    Column(name="unlabelled", type="count", meaning="examples without a label, which are left out"),
    Column(
        name="accuracy", type="number", meaning="the share of right predictions, in percent", maximum=100.0
    ),
    Column(name="low", type="number", meaning="the lower end of its 95 % interval over the examples"),
    Column(name="high", type="number", meaning="its upper end"),
    Column(name="majority", type="number", meaning="the share of the most frequent label, in percent"),
    Column(name="train", type="count", meaning="examples that the head was trained on"),
    Column(name="dev", type="count", meaning="examples on which the epoch was chosen"),
    Column(name="dev_accuracy", type="number", title="dev accuracy", meaning="the accuracy on dev"),
    Column(name="epochs", type="count", meaning="the chosen epoch"),
)
_ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Nli(Evaluation):
    """The accuracy of natural language inference, by the head of InferSent on the sentence vectors.

    With `train` and `dev` the head is trained on the fixed vectors of the encoder; without them it is the one
    that was trained with the encoder (`objective: nli`).
    """

    kind: Literal["nli"] = "nli"
    data: FilePath
    """The file of the examples to test on, such as snli_1.0_test.jsonl."""
    train: FilePath | None = None
    """The file of the examples to train the head on; by default the encoder's own head is used."""
    dev: FilePath | None = None
    """The file of the examples by which the epoch is chosen; needed with `train`."""
    seed: Seed = 1
    """Decides the first weights and the order of the train examples."""

    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.train is None) != (self.dev is None):
            raise RecipeError("train and dev belong together: give both, or none to test the own head")

    def evaluate(self, encoder: Encodes) -> Table:
        """A row for each label, and the accuracy over all."""
        return self.measure(encoder).table

    def measure(self, encoder: Encodes) -> Measured:
        """The table with resamples of the accuracies."""
        from ..training.examples import read_examples

        test = read_examples([self.data], "nli")
        probabilities, targets, labels, choices = self._predictions(encoder, test)
        right = probabilities.argmax(axis=1) == targets.argmax(axis=1)
        note = chosen_note(pairs_chosen_on(encoder, *test.sides), len(test))
        rows, samples = [], []
        for number, label in enumerate(labels):
            if (chosen := targets[:, number] > 0).any():
                samples.append(resampled_accuracy(right[chosen]))
                rows.append(_row(label, right[chosen], samples[-1], {}))
        majority = 100 * float(targets.mean(axis=0).max())
        counts: dict[str, Value] = {"unlabelled": test.unlabelled, "majority": majority}
        samples.append(resampled_accuracy(right))
        average = replace(_row(_ALL, right, samples[-1], {**counts, **choices}), note=note)
        table = Table(
            caption=f"Accuracy of natural language inference on {PurePosixPath(self.data).name}, in percent, "
            "by " + ("a head trained on the fixed vectors." if self.train else "the encoder's own head."),
            columns=_COLUMNS,
            main="accuracy",
            rows=rows,
            averages=[average],
        )
        resampled = zip([*rows, average], samples, strict=True)
        return Measured(table, {table.key(row): drawn for row, drawn in resampled})

    def _predictions(
        self, encoder: Encodes, test: "Examples"
    ) -> tuple[np.ndarray, np.ndarray, Sequence[str], dict[str, Value]]:
        """Probabilities and targets (examples, labels), the labels, and what was chosen on dev."""
        if self.train is None or self.dev is None:
            return _own_head(encoder, test)
        from ..training.determinism import deterministic
        from ..training.examples import read_examples
        from ..training.fine_tuning import fine_tuning
        from ..training.head_options import NliOptions

        train, dev = (read_examples([file], "nli") for file in (self.train, self.dev))
        options = NliOptions(examples=(), dev=(), seed=self.seed, freeze="encoder", scale_features=True)
        with deterministic():
            tuning = fine_tuning(encoder, [train, dev, test], options)
            state = tuning.training.run()
        choices: dict[str, Value] = {
            "train": len(train),
            "dev": len(dev),
            "dev_accuracy": 100 * (state.best_dev or 0.0),
            "epochs": state.best,
        }
        (coded,) = tuning.sets[2:]
        labels = [str(output) for output in tuning.head.shape.outputs]
        return tuning.probabilities(coded), coded.targets, labels, choices


def _own_head(
    encoder: Encodes, test: "Examples"
) -> tuple[np.ndarray, np.ndarray, Sequence[str], dict[str, Value]]:
    import torch

    from ..encoders.sentence_encoder import SentenceEncoder
    from ..training.heads import Head

    own = encoder.encoder if isinstance(encoder, CountingEncoder) else encoder
    if not isinstance(own, SentenceEncoder) or own.folder is None:
        raise ModelError("expected an encoder that was trained with objective: nli; give `train` and `dev`")
    head = Head.load(own.folder)
    if head.shape.objective != "nli":
        raise ModelError(
            f"{own.folder} has a head for {head.shape.objective}, not for nli; give `train` and `dev`"
        )
    sides = [torch.from_numpy(encoder.encode(list(side))) for side in test.sides]
    labels = [str(output) for output in head.shape.outputs]
    return head.probabilities(*sides), head.shape.targets(test), labels, {}


def _row(label: str, right: np.ndarray, samples: np.ndarray, values: dict[str, Value]) -> Row:
    interval = estimate(100 * float(right.mean()), samples)
    own: dict[str, Value] = {
        "label": label,
        "examples": len(right),
        "accuracy": interval.value,
        "low": interval.low,
        "high": interval.high,
    }
    return Row({column.name: {**own, **values}.get(column.name) for column in _COLUMNS})
