"""The `translate` stage: a translation for every pair, by a model or from the input."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..columns import CANDIDATES
from ..models.translator import Candidate, TranslateOptions, Translator, load
from .dataset import read_columns
from .gpus import one_gpu
from .host_cache import cache_folder
from .loaded import loaded, use
from .stage import PartWork, Unit
from .workspace import Workspace


@dataclass(frozen=True)
class TranslatePart(PartWork):
    """Translates one part; existing translations pass through and cost nothing.

    options: with nothing left to resolve; `keep_candidates` are stored, the best among them. A row
    without a translation stays, null, with the status `failed`.
    """

    options: TranslateOptions | None
    existing: frozenset[str]  # the corpora that came with translations
    stage: str = "translate"

    def make(self, workspace: Workspace, unit: Unit) -> tuple[pa.Table, dict[str, int]]:
        pairs = read_columns(workspace, unit.input("ingest"), ["source", "translation"])
        if unit.part.split("/")[0] in self.existing:
            table = existing_translations(pairs)
        else:
            assert self.options is not None  # the recipe demands a model where one is needed
            options = self.options
            with use, one_gpu() if options.device == "cuda" else nullcontext(-1) as gpu:
                translator = loaded((options, gpu), lambda: load(options, cache_folder("models")))
                n_best = max(1, options.keep_candidates)
                found = translate_column(translator, pairs["source"], n_best)
            table = translations_table(pairs["pair_id"], found, options.keep_candidates)
        return table, dict(Counter(table["translation_status"].to_pylist()))


def translate_column(translator: Translator, source: pa.ChunkedArray, n_best: int) -> list[list[Candidate]]:
    """Candidates of every source sentence. Equal sentences are translated once."""
    encoded = source.combine_chunks().dictionary_encode()
    distinct = translator.translate(encoded.dictionary.to_pylist(), n_best)
    return [distinct[index] for index in encoded.indices.to_pylist()]


def existing_translations(pairs: pa.Table) -> pa.Table:
    """The columns of `translate` for pairs that came with translations: no cost, status `existing`."""
    rows = len(pairs)
    there = pairs["translation"].is_valid().to_numpy()
    return pa.table(
        {
            "pair_id": pairs["pair_id"],
            "translation": pairs["translation"].cast(pa.string()),
            "translation_log_prob": pa.nulls(rows, pa.float32()),
            "translation_tokens": pa.nulls(rows, pa.int32()),
            "translation_status": pa.array(np.where(there, "existing", "failed"), pa.string()),
        }
    )


def translations_table(
    pair_id: pa.ChunkedArray, found: list[list[Candidate]], keep_candidates: int
) -> pa.Table:
    """The columns of `translate` from n-best lists; `candidates` only where some are kept."""
    best = [candidates[0] if candidates else None for candidates in found]
    columns = {
        "pair_id": pair_id,
        "translation": pa.array([one.text if one else None for one in best], pa.string()),
        "translation_log_prob": pa.array([one.log_prob if one else None for one in best], pa.float32()),
        "translation_tokens": pa.array([one.n_tokens if one else None for one in best], pa.int32()),
        "translation_status": pa.array(["translated" if one else "failed" for one in best], pa.string()),
    }
    if keep_candidates:
        rows = [
            [{"text": one.text, "log_prob": one.log_prob, "n_tokens": one.n_tokens} for one in candidates]
            for candidates in found
        ]
        columns["candidates"] = pa.array(rows, CANDIDATES.type)
    return pa.table(columns)
