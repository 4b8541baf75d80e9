"""The `evaluate/<name>` stages: one evaluation of one encoder."""

import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from ...base.host_cache import cache_folder
from ...models.evaluation.evaluation import Evaluation, SentenceEvaluation
from ...models.evaluation.table import Table
from ...models.translation.model_folder import fetch_path
from ...tokens.definition import EncoderTokens
from ..beam.gpus import one_gpu
from ..beam.single_job import SingleJob, built_folder
from ..beam.task_work import Task
from ..storage.file_hashes import as_planned
from ..storage.workspace import Workspace
from .contaminated import ContaminatedPairs

RESULTS = "results.json"
WITHOUT_CONTAMINATED = "results-without-contaminated.json"

_CAPTION = "Without the items with one of the {:,} sentences that match a pair the encoder was trained on."


@dataclass(frozen=True)
class EvaluateEncoder(SingleJob):
    """Evaluates one encoder and writes `results.json`, a table.

    If there is any of `contaminated`, the evaluation is a `SentenceEvaluation`, and the results without the
    items that match these pairs are written to `WITHOUT_CONTAMINATED`.

    hashes: the paths that the evaluation reads, each with the hash of its content in the key. encoder: a
    folder, in the workspace if `in_workspace`. encoder_hash: the hash in the key of an encoder outside the
    workspace. device: where the encoder works, `cpu` or `cuda`. tokens: how the words of a file of vectors
    were cut.
    """

    stage: str
    evaluation: Evaluation
    hashes: tuple[tuple[str, str], ...]
    encoder: str
    in_workspace: bool
    encoder_hash: str | None = None
    device: str = "cpu"
    contaminated: tuple[ContaminatedPairs, ...] = ()
    tokens: EncoderTokens = "words"

    @property
    def packages(self) -> tuple[str, ...]:
        return ("numpy", "torch", "sentence-transformers", *self.evaluation.packages)

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        # imports torch, which planning does not need
        from ...models.encoders.loading import load_encoder

        if self.in_workspace:
            path = built_folder(workspace, self.encoder)
        else:
            path = fetch_path(self.encoder, cache_folder("models"))
        with as_planned([str(path)], self.encoder_hash):
            encoder = load_encoder(path, "cpu", self.tokens)
        with ExitStack() as reading:
            if self.device == "cuda":
                reading.enter_context(one_gpu())
                encoder.to(self.device)
            for data, digest in self.hashes:
                reading.enter_context(as_planned([data], digest))
            table = self.evaluation.evaluate(encoder)
            _write(table, folder / RESULTS)
            if self.contaminated and isinstance(self.evaluation, SentenceEvaluation):
                sentences = self.evaluation.sentences()
                leave_out = frozenset().union(
                    *(pairs.matching(workspace, sentences) for pairs in self.contaminated)
                )
                rest = self.evaluation.evaluate(encoder, leave_out)
                caption = f"{table.caption} {_CAPTION.format(len(leave_out))}"
                _write(replace(rest, caption=caption), folder / WITHOUT_CONTAMINATED)
        return {"results": len(table.rows)}


def _write(table: Table, file: Path) -> None:
    file.write_text(json.dumps(table.to_json(), indent=1) + "\n")
