"""The `translate` stage: a translation for every pair, by a model or from the input."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..columns import CANDIDATES
from ..models.translation.engines import ENGINES, fetch_models, load, model_files
from ..models.translation.options import TranslateOptions
from ..models.translation.translator import Candidate, Translator
from .dataset import read_columns
from .file_hashes import as_planned
from .gpus import one_gpu
from .host_cache import cache_folder
from .loaded import loaded, use
from .work import PartWork, Unit
from .workspace import Workspace

HALVINGS = "halvings"
"""The count of a part that says how often its batches were halved."""


@dataclass(frozen=True)
class TranslatePart(PartWork):
    """Translates one part; existing translations pass through, and are scored if the options say so.

    options: with nothing left to resolve; `keep_candidates` are stored, the best among them. model_hash:
    of the model's files as the parts' keys hold it; None: whatever lies there is taken. A row without a
    translation stays, null, with the status `failed`. The counts of a part say how many rows have each
    status, and `halvings`, how often a full GPU had the part begun again with half the batch.
    """

    options: TranslateOptions | None
    existing: frozenset[str]  # the corpora that came with translations
    stage: str = "translate"
    model_hash: str | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return ENGINES[self.options.engine].packages if self.options else ()

    def make(self, workspace: Workspace, unit: Unit) -> tuple[pa.Table, dict[str, int]]:
        pairs = read_columns(workspace, unit.input("ingest"), ["source", "translation"])
        existing = unit.part.split("/")[0] in self.existing
        if existing and not (self.options and self.options.score_existing):
            table, halvings = existing_translations(pairs), 0
        else:
            assert self.options is not None  # the recipe demands a model where one is needed
            with at_work(self.options, self.model_hash) as translator:
                before = translator.halvings
                table = _scored(translator, pairs) if existing else self._translated(translator, pairs)
                halvings = translator.halvings - before
        counts = dict(Counter(table["translation_status"].to_pylist()))
        return table, counts | ({HALVINGS: halvings} if halvings else {})

    def _translated(self, translator: Translator, pairs: pa.Table) -> pa.Table:
        assert self.options is not None
        kept = self.options.keep_candidates
        return translations_table(
            pairs["pair_id"], translate_column(translator, pairs["source"], max(1, kept)), kept
        )


@contextmanager
def at_work(
    options: TranslateOptions, model_hash: str | None = None, keep: bool = True
) -> Iterator[Translator]:
    """The translator of resolved options, alone at work in this process and on its GPU.

    model_hash: of the files that the model must be loaded from. keep: for the next to ask for the same
    options.
    """
    with use, one_gpu() if options.device == "cuda" else nullcontext(-1) as gpu:

        def loading() -> Translator:
            local = fetch_models(options, cache_folder("models"))
            with as_planned(model_files(local), model_hash):
                return load(local, cache_folder("models"))

        yield loaded((options, gpu, model_hash), loading) if keep else loading()


def translate_column(translator: Translator, source: pa.ChunkedArray, n_best: int) -> list[list[Candidate]]:
    """Candidates of every source sentence. Equal sentences are translated once."""
    encoded = source.combine_chunks().dictionary_encode()
    distinct = translator.translate(encoded.dictionary.to_pylist(), n_best)
    return [distinct[index] for index in encoded.indices.to_pylist()]


def score_column(
    translator: Translator, source: pa.ChunkedArray, translation: pa.ChunkedArray
) -> list[Candidate | None]:
    """What the model thinks of each given translation; equal pairs are scored once.

    None where the translation is null or blank, or a side is too long for the model.
    """
    pairs = list(zip(source.to_pylist(), translation.to_pylist(), strict=True))
    distinct = [pair for pair in dict.fromkeys(pairs) if pair[1] and pair[1].strip()]
    scored = translator.score([source for source, _ in distinct], [given for _, given in distinct])
    found = dict(zip(distinct, scored, strict=True))
    return [found.get(pair) for pair in pairs]


def existing_translations(pairs: pa.Table, scored: Sequence[Candidate | None] | None = None) -> pa.Table:
    """The columns of `translate` for pairs that came with translations: status `existing`.

    scored: what a model thinks of each; without it, and where it is None, log-probability and tokens are
    null.
    """
    rows = len(pairs)
    facts = scored if scored is not None else [None] * rows
    there = pairs["translation"].is_valid().to_numpy()
    return pa.table(
        {
            "pair_id": pairs["pair_id"],
            "translation": pairs["translation"].cast(pa.string()),
            "translation_log_prob": pa.array([one.log_prob if one else None for one in facts], pa.float32()),
            "translation_tokens": pa.array([one.n_tokens if one else None for one in facts], pa.int32()),
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


def _scored(translator: Translator, pairs: pa.Table) -> pa.Table:
    return existing_translations(pairs, score_column(translator, pairs["source"], pairs["translation"]))
