"""N-gram language models, trained on held-out references, which get no score from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...base.hashing import derive_seed
from ...filters.perplexity import Perplexity
from ...filters.score import HoldOut, Score
from ...tokens.definition import Tokens
from ..beam.single_job import SingleJob
from ..beam.task_work import Task
from ..beam.timing import phase
from ..storage.dataset import read_columns
from ..storage.workspace import Workspace
from ..trainings.held_out import choose_held_out, reference_hashes, write_held_out
from .model_kind import ModelKind, ModelTraining, TrainingData

_FILE = "language_model.binary"


@dataclass(frozen=True)
class TrainLanguageModel(SingleJob):
    """Trains an n-gram model on held-out references (Wieting et al. 2017, section 5.6)."""

    stage: str
    parts: tuple[str, ...]  # files of the ingest dataset
    hold_out: HoldOut
    order: int
    tokens: Tokens
    held_out_seed: int

    @property
    def packages(self) -> tuple[str, ...]:
        return ("kenlm",)

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        # import KenLM and numba, which planning does not need
        from ...models import language_model
        from ...tokens.columns import spaced_tokens

        with phase("read"):
            hashes = [
                reference_hashes(
                    read_columns(workspace, file, ["reference"])["reference"], self.held_out_seed
                )
                for file in self.parts
            ]
            held_out = choose_held_out(
                np.concatenate(hashes), self.hold_out.pairs, self.hold_out.share, self.held_out_seed
            )

        def sentences() -> Iterator[bytes]:
            for file, part_hashes in zip(self.parts, hashes, strict=True):
                with phase("read"):
                    references = read_columns(workspace, file, ["reference"])["reference"]
                chosen = references.filter(pa.array(part_hashes < np.uint64(held_out.below)))
                yield from spaced_tokens(chosen, self.tokens).cast(pa.large_binary()).to_pylist()

        language_model.train(sentences(), folder / _FILE, self.order)
        write_held_out(folder, held_out)
        counts = {"held_out": held_out.pairs, "in_all": sum(map(len, hashes))}
        return {"pairs": held_out.pairs, **counts}


def _load(paths: Sequence[Path], score: Score) -> object:
    from ...models import language_model

    (path,) = paths
    return language_model.load(path)


def _training(data: TrainingData, score: Score) -> ModelTraining:
    hold_out = score.holds_out()
    if not isinstance(score, Perplexity) or hold_out is None:
        raise TypeError(f"no language model is trained for {score!r}")
    order, tokens, seed = score.lm.order, score.tokens, derive_seed(data.seed, "held-out")
    work = TrainLanguageModel(data.folder, data.files("ingest"), hold_out, order, tokens, seed)
    ingredients = {
        "train_on": hold_out.pairs,
        "share": hold_out.share,
        "order": order,
        "tokens": tokens,
        "seed": seed,
    }
    return ModelTraining(work, ingredients, ("ingest",))


LANGUAGE_MODEL = ModelKind(
    description="language model",
    packages=("kenlm",),
    load=_load,
    training=_training,
    file=_FILE,
    shares_reading=True,
)
