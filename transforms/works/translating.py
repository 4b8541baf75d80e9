"""The `translate` stage: a translation for every pair, by a model or from the input."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...base.dataset_columns import CANDIDATES
from ...base.host_cache import cache_folder
from ...models.translation.engines import ENGINES, fetch_models, load, model_files
from ...models.translation.translate_options import TranslateOptions
from ...models.translation.translator import Candidate, Translator
from ..beam.gpus import one_gpu
from ..beam.model_cache import cached_model, model_lock
from ..beam.task_work import HALVINGS, TOKENS, PartWork, Task
from ..storage.dataset import corpus_of, read_columns
from ..storage.file_hashes import as_planned
from ..storage.workspace import Workspace
from .selecting import SelectPart


@dataclass(frozen=True)
class PlannedModel:
    """A model and how it translates.

    options: fully resolved; `keep_candidates` candidates are stored, including the best. digest: the hash of
    the model's files in the parts' keys; if None, the files are not checked.
    """

    options: TranslateOptions
    digest: str | None = None


@dataclass(frozen=True)
class TranslatePart(PartWork):
    """Translates one part; existing translations pass through, and are scored if the options say so.

    models: of each corpus that needs one. wanted: which of the rows
    that the model would translate it does translate; None: all. A row without a translation stays, with null
    and the status `failed` or `not_wanted`. A part's counts are the number of rows with each status; `tokens`
    of the translations, if a model counted them; and `halvings`: how often the part was started again with
    half the batch because the GPU was full.
    """

    models: Mapping[str, PlannedModel]
    existing: frozenset[str]  # the corpora that have translations of their own
    stage: str = "translate"
    wanted: SelectPart | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        engines = {model.options.engine for model in self.models.values()}
        return (
            *(package for engine in sorted(engines) for package in ENGINES[engine].packages),
            *(self.wanted.packages if self.wanted else ()),
        )

    @property
    def device(self) -> str:
        devices = {model.options.device for model in self.models.values()}
        return "cuda" if "cuda" in devices else "cpu"

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        import pyarrow.compute as pc

        pairs = read_columns(workspace, task.input("ingest"), ["source", "translation"])
        corpus = corpus_of(task.part)
        existing, model = corpus in self.existing, self.models.get(corpus)
        if existing and not (model and model.options.score_existing):
            table, halvings = existing_translations(pairs), 0
        else:
            assert model is not None  # a recipe that needs a model must have one
            with translator_for(model.options, model.digest) as translator:
                before = translator.halvings
                if existing:
                    table = _scored(translator, pairs)
                else:
                    wanted = self._wanted(workspace, task, len(pairs))
                    table = _translated(translator, pairs, wanted, model.options.keep_candidates)
                halvings = translator.halvings - before
        counts = Counter(table["translation_status"].to_pylist())
        counts.update({TOKENS: pc.sum(table["translation_tokens"]).as_py() or 0, HALVINGS: halvings})
        return table, {name: count for name, count in counts.items() if count}

    def _wanted(self, workspace: Workspace, task: Task, rows: int) -> pa.Array:
        import pyarrow.compute as pc

        if self.wanted is None:
            return pa.array(np.ones(rows, np.bool_))
        table = self.wanted.table(workspace, task.part, task.inputs)
        return pc.fill_null(self.wanted.where.evaluate(table), False)


def _translated(translator: Translator, pairs: pa.Table, wanted: pa.Array, kept: int) -> pa.Table:
    sources = pairs["source"].filter(wanted)
    found = iter(translate_column(translator, sources, max(1, kept)) if len(sources) else ())
    lists = [next(found) if is_wanted else None for is_wanted in wanted.to_pylist()]
    return translations_table(pairs["pair_id"], lists, kept)


@contextmanager
def translator_for(
    options: TranslateOptions, model_hash: str | None = None, keep: bool = True
) -> Iterator[Translator]:
    """The translator for resolved options; no other model works in this process or on its GPU meanwhile.

    model_hash: the hash that the model's files must have. keep: whether to keep the model in memory for the
    next call with the same options.
    """
    with model_lock, one_gpu() if options.device == "cuda" else nullcontext(-1) as gpu:

        def load_translator() -> Translator:
            local = fetch_models(options, cache_folder("models"))
            with as_planned(model_files(local), model_hash):
                return load(local, cache_folder("models"))

        yield cached_model((options, gpu, model_hash), load_translator) if keep else load_translator()


def translate_column(translator: Translator, source: pa.ChunkedArray, n_best: int) -> list[list[Candidate]]:
    """The candidates for each source sentence. Equal sentences are translated once."""
    encoded = source.combine_chunks().dictionary_encode()
    distinct = translator.translate(encoded.dictionary.to_pylist(), n_best)
    return [distinct[index] for index in encoded.indices.to_pylist()]


def score_column(
    translator: Translator, source: pa.ChunkedArray, translation: pa.ChunkedArray
) -> list[Candidate | None]:
    """The model's score of each given translation; equal pairs are scored once.

    None if there is no source, if the translation is null or blank, or if a side is too long for the model.
    """
    pairs = list(zip(source.to_pylist(), translation.to_pylist(), strict=True))
    distinct = [pair for pair in dict.fromkeys(pairs) if pair[0] is not None and pair[1] and pair[1].strip()]
    scored = translator.score(
        [source for source, _ in distinct], [translation for _, translation in distinct]
    )
    score_of = dict(zip(distinct, scored, strict=True))
    return [score_of.get(pair) for pair in pairs]


def existing_translations(pairs: pa.Table, scored: Sequence[Candidate | None] | None = None) -> pa.Table:
    """The columns of `translate` for pairs that came with translations: status `existing`.

    scored: a model's score of each translation; without it, and for those that are None, log-probability and
    tokens are null.
    """
    rows = len(pairs)
    scores = scored if scored is not None else [None] * rows
    exists = pairs["translation"].is_valid().to_numpy()
    return pa.table(
        {
            "pair_id": pairs["pair_id"],
            "translation": pairs["translation"].cast(pa.string()),
            "translation_log_prob": pa.array(
                [score.log_prob if score else None for score in scores], pa.float32()
            ),
            "translation_tokens": pa.array(
                [score.n_tokens if score else None for score in scores], pa.int32()
            ),
            "translation_status": pa.array(np.where(exists, "existing", "failed"), pa.string()),
        }
    )


def translations_table(
    pair_id: pa.ChunkedArray, n_best: Sequence[list[Candidate] | None], keep_candidates: int
) -> pa.Table:
    """The columns of `translate` from n-best lists; `candidates` only if some are kept.

    n_best: None for a pair that is not wanted, an empty list for one whose translation failed.
    """
    best = [candidates[0] if candidates else None for candidates in n_best]
    columns = {
        "pair_id": pair_id,
        "translation": pa.array([candidate.text if candidate else None for candidate in best], pa.string()),
        "translation_log_prob": pa.array(
            [candidate.log_prob if candidate else None for candidate in best], pa.float32()
        ),
        "translation_tokens": pa.array(
            [candidate.n_tokens if candidate else None for candidate in best], pa.int32()
        ),
        "translation_status": pa.array(
            [
                "not_wanted" if candidates is None else "translated" if candidates else "failed"
                for candidates in n_best
            ],
            pa.string(),
        ),
    }
    if keep_candidates:
        rows = [
            [{"text": c.text, "log_prob": c.log_prob, "n_tokens": c.n_tokens} for c in candidates or ()]
            for candidates in n_best
        ]
        columns["candidates"] = pa.array(rows, CANDIDATES.type)
    return pa.table(columns)


def _scored(translator: Translator, pairs: pa.Table) -> pa.Table:
    return existing_translations(pairs, score_column(translator, pairs["source"], pairs["translation"]))
