"""The stages that train encoders on ranges of scores: `pool`, then `trials`, then `fresh`.

`pool` copies, part by part, the pairs that trials draw from, a sample of all pairs, with a column for each
range that says which pairs are in it. A task of `trials` draws the same number of pairs from one range, by
seeded hash, trains an encoder on them, and writes the cosines of the pairs of the development sets. A task of
`fresh` does the same with the best range of a score and a seed that had no part in choosing it. So a trial
reads the pool, not the corpus, and all trials of a process share one reading of it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ...base.errors import InputError
from ...base.hashing import derive_seed
from ...base.pair_ids import record_ids
from ...filters.ranks.draws import Smallest, drawn, sample_keys
from ...filters.ranks.radix import Cuts, find_cuts
from ...filters.where.condition import Where
from ...filters.where.ranges import ALL_PAIRS, ScoreRange
from ...models.encoders.vocabulary import Units
from ...models.sts.correlation import Scored, pearson, scored_sets
from ...models.sts.development_sets import development_files, read_development
from ...models.sts.sts_data import StsDataset, read_sts
from ...models.training.train_options import TextOptions, TrainOptions
from ...tokens.definition import cut_and_case
from ..beam.model_cache import cached_model
from ..beam.single_job import scratch_name
from ..beam.task_work import PartWork, Task
from ..storage.checkpoints import resumable
from ..storage.dataset import corpus_of, read_columns, read_joined
from ..storage.file_hashes import as_planned
from ..storage.workspace import Workspace
from ..trainings.training_encoders import planned_vectors
from ..trainings.trial_work import TrialWork
from .candidate_choice import ChoosePart
from .selecting import SelectPart

if TYPE_CHECKING:
    from ...models.encoders.vectors import WordVectors
    from ...models.training.pairs import TokenCorpus


@dataclass(frozen=True)
class MakePool(PartWork):
    """Copies the pairs of one part that trials may draw, if they can be trained on.

    ranges: the ranges, whose conditions name columns of these `types`. columns: those that are read of each
    stage. choice: how a pair's translation in a range is found among its candidates, for the ranges of bounds
    of its scores: the first one within the bounds (Wieting et al. 2017, section 5.7). So a pair has a row for
    each translation that a range takes. cuts: of the sample of all pairs, once it is known.
    """

    stage: str
    ranges: tuple[ScoreRange, ...]
    types: tuple[tuple[str, pa.DataType], ...]
    corpora: tuple[str, ...]
    text: TextOptions
    pairs: int
    seed: int
    columns: Mapping[str, Sequence[str]]
    choice: ChoosePart | None = None
    cuts: Cuts | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(sorted({"duckdb", "numba", *(self.choice.packages if self.choice else ())}))

    @property
    def drawing(self) -> SelectPart:
        """The selection of all pairs, of which the pool is a sample."""
        nothing: Mapping[str, str | None] = {}
        where = Where.parse("true", {})
        provenance = dict.fromkeys(self.corpora, nothing)
        return SelectPart(self.stage, "pool", where, provenance, {}, self.pairs, self.seed)

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        import pyarrow.compute as pc

        pairs = read_joined(workspace, {file: self.columns[stage] for stage, file in task.inputs})
        assert self.cuts is not None, "the sample is drawn before parts are made"
        sample = drawn(sample_keys(pairs["pair_id"].to_pylist(), self.seed), self.cuts)
        pairs = pairs.filter(pa.array(sample))
        table = pairs.select(["pair_id", "reference", "translation"])
        chosen: dict[str, np.ndarray] = {}
        if self.choice is not None and corpus_of(task.part) not in self.choice.existing:
            table, chosen = self._with_candidates(workspace, pairs, corpus_of(task.part))
        for part in self.ranges:
            inside = chosen.get(part.key)
            if inside is None:
                is_inside = pc.fill_null(_parsed(part.where, self.types).evaluate(pairs), False)
                inside = np.zeros(len(table), np.bool_)
                inside[: len(pairs)] = np.asarray(is_inside)
            table = table.append_column(part.key, pa.array(inside))
        table = table.filter(pa.array(self._can_be_trained_on(table)))
        return table, {"pool": len(table)}

    def _can_be_trained_on(self, table: pa.Table) -> np.ndarray:
        from ...tokens.columns import count_tokens  # imports numba, which planning does not need

        cut, _ = cut_and_case(self.text.tokens)
        assert cut != "moses", "the recipe refuses them"
        keep = np.ones(len(table), np.bool_)
        for side in ("reference", "translation"):
            tokens = count_tokens(table[side], cut)
            keep &= (tokens > 0) & ((tokens <= self.text.max_tokens) | (self.text.long_pairs == "cut"))
        return keep

    def _with_candidates(
        self, workspace: Workspace, pairs: pa.Table, corpus: str
    ) -> tuple[pa.Table, dict[str, np.ndarray]]:
        """The pairs, then those with other candidates that a range takes; which rows each range has."""
        assert self.choice is not None
        records = pairs.filter(pa.array(_first_of_records(pairs["pair_id"])))
        measured = self.choice.measured(workspace, records, corpus)
        scores = {score.column for score in self.choice.scores}
        types = tuple((name, kind) for name, kind in self.types if name in scores)
        first = {
            part.key: measured.first(_parsed(part.where, types))
            for part in self.ranges
            if part.score in scores and not part.by_decile
        }
        taken = np.unique(np.concatenate([np.empty(0, np.int64), *first.values()]))
        others = measured.table.take(pa.array(taken[taken >= 0]))
        row_of = {int(candidate): len(pairs) + place for place, candidate in enumerate(taken[taken >= 0])}
        rows = others["row"].to_numpy()
        table = pa.concat_tables(
            [
                pairs.select(["pair_id", "reference", "translation"]),
                pa.table(
                    {
                        "pair_id": records["pair_id"].take(pa.array(rows)),
                        "reference": others["reference"],
                        "translation": others["translation"],
                    }
                ),
            ]
        )
        chosen = {}
        for key, candidates in first.items():
            chosen[key] = np.zeros(len(table), np.bool_)
            chosen[key][[row_of[int(candidate)] for candidate in candidates if candidate >= 0]] = True
        return table, chosen


def _first_of_records(pair_ids: pa.ChunkedArray) -> np.ndarray:
    """Which pairs are the first ones here of their record, (n,) bool: its candidates count once."""
    of_pairs = record_ids(pair_ids).to_numpy()
    return np.concatenate([np.ones(min(1, len(of_pairs)), np.bool_), of_pairs[1:] != of_pairs[:-1]])


@cache
def _parsed(where: str, types: tuple[tuple[str, pa.DataType], ...]) -> Where:
    return Where.parse(where, dict(types))


@dataclass(frozen=True)
class RunTrial(TrialWork):
    """Trains an encoder on pairs of a range, and measures it on the development sets.

    A task's part is the range, a slash, and the number of the seed. Its table has a row for each pair of the
    development sets. If the range has too few pairs it has none, and only the count `in range`.

    pool: the files of the pool. pairs: how many are trained on. seed: of the entry; those of trials follow
    from it. data, data_hash: the folders of the development sets, and the hash of these sets in the key.
    settings: the options of the settings of a grid, by the keys of their ranges. test, test_hash: as data, of
    the sets to test on.
    """

    pool: tuple[str, ...]
    pairs: int
    seed: int
    options: TrainOptions
    data: tuple[str, ...]
    data_hash: str
    vectors_hash: str | None = None
    settings: tuple[tuple[str, TrainOptions], ...] = ()
    test: tuple[str, ...] = ()
    test_hash: str | None = None

    def options_of(self, task: Task) -> TrainOptions:
        return self._options(task.part.rpartition("/")[0])

    def trial(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        key, _, number = task.part.rpartition("/")
        return self.run(workspace, task, key, number)

    def run(self, workspace: Workspace, task: Task, key: str, number: str) -> tuple[pa.Table, dict[str, int]]:
        """The cosines of the encoder that is trained on the range `key` with a seed."""
        from ...models.training.trainer import train_on  # imports torch, which planning does not need

        seed = derive_seed(self.seed, number)
        options = replace(self._options(key), seed=seed)
        pool_key = self._pool_key(workspace, options)
        pool = cached_model(pool_key, lambda: _Pool.read(workspace, self, options))
        drawn_from = ALL_PAIRS.key if key in dict(self.settings) else key
        chosen, in_range = pool.draw(drawn_from, self.pairs, seed)
        counts = {"pool": len(pool.pairs), "in range": in_range, "trained on": len(chosen)}
        if not len(chosen):
            if key != ALL_PAIRS.key:
                return _trial_table(key, []), counts
            raise InputError(
                f"{self.stage}: only {in_range:,} pairs can be trained on, fewer than the "
                f"{self.pairs:,} of a trial; lower `pairs`"
            )
        keep: tuple[Units, ...] = ("words",) if pool.vectors else ()
        corpus = pool.corpus.sample(chosen, options.text, keep)
        with resumable(workspace, scratch_name(self.stage, task.key)) as scratch:
            encoder = train_on(corpus, options, pool.vectors, scratch, f"{task.key} {key}")
        encoder.to("cpu")
        measured = [
            (dataset, is_test, scored)
            for is_test, datasets in ((False, pool.development), (True, pool.test))
            for dataset, scored in zip(datasets, scored_sets(encoder, datasets), strict=True)
        ]
        return _trial_table(key, measured), counts

    def _options(self, key: str) -> TrainOptions:
        return dict(self.settings).get(key, self.options)

    def _pool_key(self, workspace: Workspace, options: TrainOptions) -> tuple[object, ...]:
        data = (self.data, self.data_hash, options.dev_sets, self.test, self.test_hash)
        return (
            workspace.url,
            self.pool,
            data,
            options.text,
            options.streams,
            options.vectors,
            self.vectors_hash,
        )


@dataclass(frozen=True)
class RunFreshTrial(RunTrial):
    """Repeats a trial with the best range of a score and a fresh seed.

    A task's part is the score, a slash, and the seed. Its inputs are all trials of the score; the baseline
    has none, because it is not chosen.
    """

    def trial(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        score, _, number = task.part.rpartition("/")
        if not task.inputs:
            return self.run(workspace, task, score, number)
        trials = [(part, read_trial(workspace, file)) for part, file in task.inputs]
        best = best_range([(part.rpartition("/")[0], trial) for part, trial in trials])
        if best is None:
            return _trial_table("", []), {}
        return self.run(workspace, task, best, number)


@dataclass(frozen=True)
class Trial:
    """The result of a trial: for each development set, the cosines and people's scores.

    range: the key of its range. Without sets, the range has too few pairs. tested: Pearson's r on each test
    set; None if it has none.
    """

    range: str
    sets: Mapping[str, Scored]
    tested: Mapping[str, float | None] = field(default_factory=dict)

    @cached_property
    def mean(self) -> float | None:
        """The unweighted mean over the sets of Pearson's r, times 100; None if a set has none."""
        return _mean([pearson(*scored) for scored in self.sets.values()])

    @property
    def test(self) -> float | None:
        """The same of the test sets; None if there are none."""
        return _mean([*self.tested.values()])


def _mean(all_r: Sequence[float | None]) -> float | None:
    found = [r for r in all_r if r is not None]
    return 100 * sum(found) / len(found) if found and len(found) == len(all_r) else None


def read_trial(workspace: Workspace, file: str) -> Trial:
    """The trial that one part holds."""
    table = read_columns(workspace, file, None)
    gold, cosines = table["gold"].to_numpy(), table["cosine"].to_numpy()
    rows_of: dict[tuple[bool, str], list[int]] = {}
    of_rows = zip(table["is_test"].to_pylist(), table["dataset"].to_pylist(), strict=True)
    for row, key in enumerate(of_rows):
        rows_of.setdefault(key, []).append(row)
    sets = {key: (cosines[rows], gold[rows]) for key, rows in rows_of.items()}
    return Trial(
        table["range"][0].as_py() if len(table) else "",
        {name: scored for (is_test, name), scored in sets.items() if not is_test},
        {name: pearson(*scored) for (is_test, name), scored in sets.items() if is_test},
    )


def best_range(trials: Sequence[tuple[str, Trial]]) -> str | None:
    """The range with the highest mean over its trials, the first of equals; None if none has results.

    trials: pairs of a range's key and one of its trials, as many for each range. A range of which a trial has
    no result is left out.
    """
    sums: dict[str, float] = {}
    for key, trial in trials:
        mean = trial.mean
        sums[key] = sums.get(key, 0.0) + (-math.inf if mean is None else mean)
    best = max(sums, key=lambda key: sums[key], default=None)
    return None if best is None or sums[best] == -math.inf else best


_Measured = tuple[StsDataset, bool, Scored]
"""A dataset, whether it is a test set, and the cosines and the scores of its pairs."""


def _trial_table(key: str, measured: Sequence[_Measured]) -> pa.Table:
    """The rows of a trial with a range."""
    rows = [
        # Test sets of several years may have the same name.
        (key, dataset.label if is_test else dataset.name, is_test, gold, cosine)
        for dataset, is_test, (cosines, golds) in measured
        for gold, cosine in zip(golds.tolist(), cosines.tolist(), strict=True)
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(_TRIAL)
    return pa.table(list(map(pa.array, columns, _TRIAL.types)), schema=_TRIAL)


_TRIAL = pa.schema(
    {
        "range": pa.string(),
        "dataset": pa.string(),
        "is_test": pa.bool_(),
        "gold": pa.float64(),
        "cosine": pa.float64(),
    }
)


@dataclass(frozen=True)
class _Pool:
    """Everything that the trials of a process share."""

    pairs: pa.Table
    corpus: "TokenCorpus"
    vectors: "WordVectors | None"
    development: Sequence[StsDataset]
    test: Sequence[StsDataset]

    @classmethod
    def read(cls, workspace: Workspace, trial: RunTrial, options: TrainOptions) -> "_Pool":
        from ...models.encoders.token_ids import Streams, TokenIds
        from ...models.training.pairs import TokenCorpus, tokenise_pairs
        from ...models.training.start import Start

        vectors = planned_vectors(options.vectors, trial.vectors_hash)
        given = Start(options, vectors).vocabularies()
        whole = replace(options.text, vocabulary_size=2**31, minimum_count=1)  # samples choose their own
        with workspace.temporary_folder() as folder:
            texts = _PoolTexts(workspace, trial.pool)
            corpus = tokenise_pairs(texts, whole, folder / "shared", folder, options.streams, given)
            streams = Streams(
                {
                    units: TokenIds(np.array(ids.ids), np.array(ids.starts))
                    for units, ids in corpus.streams.items()
                }
            )
        assert len(corpus) == len(texts.pairs), "a pool has only pairs that can be trained on"
        with as_planned(development_files(trial.data, options.dev_sets), trial.data_hash):
            development = read_development(trial.data, options.dev_sets)
        with as_planned(trial.test, trial.test_hash):
            test = [dataset for folder in trial.test for dataset in read_sts(folder) if dataset.gold]
        return cls(
            texts.pairs,
            TokenCorpus(list(corpus.vocabularies.values()), streams, corpus.reading),
            vectors,
            development,
            test,
        )

    def draw(self, key: str, pairs: int, seed: int) -> tuple[np.ndarray, int]:
        """The numbers of the `pairs` pairs of a range with the smallest hashes, and how many the range has.

        None are drawn if the range has fewer.
        """
        rows = np.flatnonzero(self.pairs[key].to_numpy())
        if len(rows) < pairs:
            return rows[:0], len(rows)
        keys = sample_keys(self.pairs["pair_id"].take(pa.array(rows)).to_pylist(), seed)
        return rows[drawn(keys, find_cuts(keys, Smallest(pairs)))], len(rows)


class _PoolTexts:
    """The pool's texts as a stream, which keeps the other columns."""

    key = ""

    def __init__(self, workspace: Workspace, files: Sequence[str]) -> None:
        self._workspace = workspace
        self._files = files
        self._kept: list[pa.Table] = []

    @property
    def pairs(self) -> pa.Table:
        """The columns without texts of what has been read."""
        return pa.concat_tables(self._kept).combine_chunks()

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        for file in self._files:
            table = read_columns(self._workspace, file, None)
            self._kept.append(table.drop_columns(["reference", "translation"]))
            yield table["reference"].to_pylist(), table["translation"].to_pylist()
