"""Compares a translation model's precision with float32 on a sample of the bitext, on a worker."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from ...base.errors import DamagedError
from ...base.hashing import seeded_hash
from ...models.translation.precision_comparison import SAMPLE, PrecisionComparison, compare
from ...models.translation.translate_options import TranslateOptions
from ..beam.single_job import SingleJob, read_built
from ..beam.task_work import Task
from ..storage.dataset import read_columns, read_manifest
from ..storage.workspace import Workspace
from .translating import translator_for

RESULT = "precision.json"
PARTS = 20
"""A sample comes from this many parts; reading all of a big corpus would take longer than translating it."""


@dataclass(frozen=True)
class ComparePrecision(SingleJob):
    """Translates a sample in both precisions and writes a comparison.

    parts: files of the ingest dataset. The sample comes from up to `PARTS` of them, evenly spaced, and is
    drawn by the seeded hash of `pair_id`. options: resolved, with the precision to be checked.
    """

    stage: str
    parts: tuple[str, ...]
    options: TranslateOptions
    seed: int
    model_hash: str | None = None

    def make(self, workspace: Workspace, task: Task, folder: Path, scratch: Path) -> dict[str, int]:
        sources, references = self._draw(workspace)
        # Sampling depends on the last bit of a probability; the most likely translation does not.
        options = replace(self.options, search=None)
        with translator_for(replace(options, precision="float32"), self.model_hash, keep=False) as translator:
            exact = [ranked[0].text if ranked else "" for ranked in translator.translate(sources)]
        del translator
        with translator_for(options, self.model_hash) as translator:
            rounded = [ranked[0].text if ranked else "" for ranked in translator.translate(sources)]
        comparison = compare(options.precision, exact, rounded, references)
        (folder / RESULT).write_text(json.dumps(asdict(comparison), indent=1) + "\n", encoding="utf-8")
        return {"pairs": len(sources), "same translations": comparison.same}

    def _draw(self, workspace: Workspace) -> tuple[list[str], list[str]]:
        files = evenly(self.parts, PARTS)
        sources: list[str] = []
        references: list[str] = []
        for number, file in enumerate(files):
            pairs = read_columns(workspace, file, ["source", "reference"])
            # If a part has too few rows, later parts make up for it.
            share = -(-(SAMPLE - len(sources)) // (len(files) - number))
            keys = seeded_hash(pairs["pair_id"].to_pylist(), self.seed)
            drawn = pairs.take(np.sort(np.argsort(keys, kind="stable")[:share]))
            sources += drawn["source"].to_pylist()
            references += drawn["reference"].to_pylist()
        return sources, references


def read_comparison(workspace: Workspace, stage: str, key: str) -> PrecisionComparison | None:
    """The comparison that an earlier run made; None if there is none, or if it is damaged."""
    try:
        manifest = read_manifest(workspace, stage, key)
        return (
            None
            if manifest is None
            else PrecisionComparison(**json.loads(read_built(workspace, manifest.parts[0])))
        )
    except DamagedError:
        return None


def evenly(items: Sequence[str], count: int) -> list[str]:
    """At most `count` of the items, evenly spaced.

    >>> evenly("abcdefgh", 3)
    ['a', 'c', 'f']
    """
    count = min(count, len(items))
    return [items[place * len(items) // count] for place in range(count)]
