"""Classifiers of references and translations, trained on held-out pairs, which get no score from them.

Wieting et al. 2017, section 5.6.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ...base.counts import by_name, counted
from ...base.dataset_columns import CANDIDATES
from ...base.hashing import derive_seed
from ...filters.ranks.draws import Smallest, copy_keys, drawn
from ...filters.ranks.radix import find_cuts
from ...filters.reference_probability import ClassifierSpec, ReferenceProbability
from ...filters.score import HoldOut, Score
from ...tokens.definition import Tokens
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..beam.timing import phase
from ..storage.dataset import read_columns, read_joined
from ..storage.workspace import Workspace
from ..trainings.held_out import HeldOut, choose_held_out, reference_hashes, write_held_out
from ..trainings.training_encoders import planned_vectors
from .model_kind import ModelKind, ModelTraining, PartFiles, TrainingData

if TYPE_CHECKING:
    from ...models.training.classifier import CandidateLists

_TESTED, _VALIDATED = "tested", "validation"
_SEVERAL = "with several candidates"
_NETWORK = ("type", "dimension", "epochs")  # what the spec and the classifier's options have in common
_VERSION = 5  # raised when the same pairs and options would give another classifier


@dataclass(frozen=True)
class TrainClassifier(SingleJob):
    """Trains a classifier on held-out references and their candidates (Wieting et al. 2017, section 5.6.1).

    parts: for each part, its files of `ingest` and `candidates`. Pairs without a translation are left out.
    Of the others, eight tenths are trained on, a tenth is the validation set and a tenth the test set.
    vectors_hash: the hash in the key of the word vectors that the spec names.
    """

    stage: str
    parts: tuple[PartFiles, ...]
    spec: ClassifierSpec
    hold_out: HoldOut
    tokens: Tokens
    seed: int
    held_out_seed: int
    vectors_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch")

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        from ...models.training.classifier import ClassifierOptions, choose_classifier  # imports torch

        with phase("read"):
            references = (
                read_columns(workspace, dict(files)["ingest"], ["reference"])["reference"]
                for files in self.parts
            )
            hashes = [reference_hashes(column, self.held_out_seed) for column in references]
            held_out = choose_held_out(
                np.concatenate(hashes), self.hold_out.pairs, self.hold_out.share, self.held_out_seed
            )
            pairs = pa.concat_tables([self._read(workspace, dict(files), held_out) for files in self.parts])
        train, validation, test = (
            _examples(pairs.filter(pa.array(rows)))
            for rows in split(pairs["reference"], derive_seed(self.seed, "test"))
        )
        network = {name: getattr(self.spec, name) for name in _NETWORK}
        several = int((np.diff(train.starts) > 1).sum())
        # Without a choice both negatives give the same classifier.
        settings = {
            (negatives if several else "random", weight): None for negatives, weight in self.spec.trials
        }
        trials = [
            ClassifierOptions(
                **network, negatives=negatives, lambda_words=weight, tokens=self.tokens, seed=self.seed
            )
            for negatives, weight in settings
        ]
        vectors = planned_vectors(self.spec.vectors, self.vectors_hash)
        classifier, accuracy = choose_classifier(train, validation, test, trials, vectors)
        classifier.save(folder, accuracy)
        write_held_out(folder, held_out)
        chosen = accuracy.trials[accuracy.chosen]
        options = f"negatives {chosen.negatives}, lambda_words {chosen.lambda_words:g}"
        return {
            "pairs": len(train),
            "held_out": held_out.pairs,
            "in_all": sum(map(len, hashes)),
            **({_SEVERAL: several} if "hardest" in dict(self.spec.trials) else {}),
            **by_name(_TESTED, asdict(accuracy.test)),
            **by_name(_VALIDATED, {"pairs": len(validation), "settings": len(accuracy.trials)}),
            **by_name(_VALIDATED, {options: chosen.right}),
        }

    def _read(self, workspace: Workspace, files: Mapping[str, str], held_out: HeldOut) -> pa.Table:
        """The references of a part's held-out pairs with a translation, and the texts of their candidates."""
        import pyarrow.compute as pc

        wanted = {files["ingest"]: ["reference"], files["candidates"]: ["translation", CANDIDATES.name]}
        pairs = read_joined(workspace, wanted)
        keep = pc.and_(pa.array(held_out.mask(pairs["reference"])), pairs["translation"].is_valid())
        pairs = pairs.filter(keep)
        if CANDIDATES.name in pairs.column_names:
            lists = pairs[CANDIDATES.name].combine_chunks()
            lengths, texts = pc.list_value_length(lists), pc.struct_field(pc.list_flatten(lists), "text")
        else:
            lengths, texts = np.ones(len(pairs), np.int64), pairs["translation"].combine_chunks()
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        candidates = pa.ListArray.from_arrays(pa.array(offsets), texts)
        return pa.table({"reference": pairs["reference"], "candidates": candidates})


def _examples(pairs: pa.Table) -> "CandidateLists":
    import pyarrow.compute as pc

    from ...models.training.classifier import CandidateLists

    lists = pairs["candidates"].combine_chunks()
    starts = np.concatenate([[0], np.cumsum(pc.list_value_length(lists))]).astype(np.int64)
    return CandidateLists(pairs["reference"].combine_chunks(), pc.list_flatten(lists), starts)


def split(references: pa.ChunkedArray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which pairs train a classifier, which choose its options, and which test it; boolean, (n,) each.

    At most a tenth chooses and at most a tenth tests. Copies of a reference are in the same set.
    """
    keys = copy_keys(references, seed)
    tested = drawn(keys, find_cuts(keys, Smallest(len(references), 0.1)))
    both = drawn(keys, find_cuts(keys, Smallest(len(references), 0.2)))
    return ~both, both & ~tested, tested


def accuracy_in_words(counts: Mapping[str, int]) -> str:
    """A classifier's accuracy and options, from the counts of its manifest; may be empty.

    >>> accuracy_in_words(
    ...     {"tested: pairs": 200, "tested: references_right": 140, "tested: translations_right": 170}
    ... )
    'accuracy 77.5 % on 200 unseen pairs (references 70.0 %, translations 85.0 %)'
    """
    names = ("pairs", "references_right", "translations_right")
    tested = counted(counts, _TESTED)
    pairs, references, translations = (tested.get(name, 0) for name in names)
    if not pairs:
        return _candidates_in_words(counts).removeprefix("; ")
    both = (references + translations) / (2 * pairs)
    return (
        f"accuracy {100 * both:.1f} % on {pairs:,} unseen pairs "
        f"(references {100 * references / pairs:.1f} %, translations {100 * translations / pairs:.1f} %)"
        f"{_choice_in_words(counts)}{_candidates_in_words(counts)}"
    )


def _candidates_in_words(counts: Mapping[str, int]) -> str:
    """Whether the hardest candidate could be another one than the first; empty if it was not asked for."""
    several = counts.get(_SEVERAL)
    if several is None:
        return ""
    if not several:
        return "; no pair had several candidates, so `hardest` was the same as `random`"
    return f"; {several:,} pairs had several candidates for `hardest`"


def _choice_in_words(counts: Mapping[str, int]) -> str:
    """Which options were chosen on the validation set; empty if there was no choice."""
    found = counted(counts, _VALIDATED)
    pairs, settings = (found.pop(name, 0) for name in ("pairs", "settings"))
    if settings < 2 or not pairs:
        return ""
    ((chosen, right),) = found.items()
    return (
        f"; of {settings} settings, {chosen} had the highest accuracy on {pairs:,} validation pairs "
        f"({50 * right / pairs:.1f} %)"
    )


def _load(paths: Sequence[Path], score: Score) -> object:
    from ...models.training.classifier import SentenceClassifier  # torch: other scores do without

    (path,) = paths
    return SentenceClassifier.load(path)


def _training(data: TrainingData, score: Score) -> ModelTraining:
    hold_out = score.holds_out()
    if not isinstance(score, ReferenceProbability) or hold_out is None:
        raise TypeError(f"no classifier is trained for {score!r}")
    seed, held_out_seed = derive_seed(data.seed, data.stage), derive_seed(data.seed, "held-out")
    spec = score.classifier
    vectors = None if spec.vectors is None else data.hashes[spec.vectors]
    work = TrainClassifier(
        data.folder, data.parts, spec, hold_out, score.tokens, seed, held_out_seed, vectors
    )
    made_of = {**asdict(spec), "vectors": vectors, "tokens": score.tokens}
    ingredients = {**made_of, "seed": seed, "held_out_seed": held_out_seed, "version": _VERSION}
    return ModelTraining(work, ingredients, ("ingest", "candidates"))


CLASSIFIER = ModelKind(
    description="classifier of references and translations",
    packages=("torch",),
    load=_load,
    training=_training,
    rounding=1.2e-7,  # one step of float32
    findings=accuracy_in_words,
)
