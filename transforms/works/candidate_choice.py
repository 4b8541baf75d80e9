"""The `choose` stage: one candidate of each n-best list becomes a translation, or several of them do."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...base.dataset_columns import CANDIDATES, TRANSLATION, TRANSLATION_FACTS, TRANSLATION_RANK
from ...base.pair_ids import numbered_ids
from ...filters.choice import Unlike, first_allowed, kept_candidates, random_keys, score_keys
from ...filters.where.condition import Where
from ..beam.task_work import PartWork, Task
from ..storage.dataset import corpus_of, read_joined
from ..storage.workspace import Workspace
from .scoring import ScorePart

OUT_OF_BOUNDS = "out_of_bounds"
"""The status of a pair with candidates of which none meets the condition."""


@dataclass(frozen=True)
class ChoosePart(PartWork):
    """Chooses the translations of one part: the first candidate in `order` for which `where` is true.

    order: `best`, `random`, or one of the scores, the best value first and null last. scores: what `order`
    and `where` name, which is measured on every candidate. existing: the corpora with translations of their
    own, which have no candidates and stay as they are. keep: how many candidates of a record become pairs;
    after the first one, those with a text of their own for which `unlike` is true with each kept one as the
    reference. compared: the scores that `unlike` names. A record without any is one pair without a
    translation. The counts of a part are the number of rows with each status.
    """

    order: str
    seed: int
    where: Where
    scores: tuple[ScorePart, ...]
    existing: frozenset[str]
    keep: int = 1
    unlike: Where | None = None
    compared: tuple[ScorePart, ...] = ()
    stage: str = "choose"

    @property
    def packages(self) -> tuple[str, ...]:
        scores = (*self.scores, *self.compared)
        return tuple(sorted({"duckdb", *(package for score in scores for package in score.packages)}))

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        facts = [column.name for column in (TRANSLATION, *TRANSLATION_FACTS)]
        if corpus_of(task.part) in self.existing:
            table = read_joined(workspace, {task.input("translate"): facts})
            table = table.append_column(TRANSLATION_RANK.name, pa.nulls(len(table), TRANSLATION_RANK.type))
        else:
            pairs = read_joined(
                workspace,
                {
                    task.input("translate"): [*facts, CANDIDATES.name],
                    task.input("ingest"): ["source", "reference"],
                },
            )
            table = self._choose(workspace, pairs, corpus_of(task.part))
        return table, dict(Counter(table["translation_status"].to_pylist()))

    def measured(self, workspace: Workspace, pairs: pa.Table, corpus: str) -> "MeasuredCandidates":
        """The candidates of a corpus's pairs, with their scores and their order."""
        import pyarrow.compute as pc

        candidates = candidate_rows(pairs)
        for score in self.scores:
            values, *_ = score.measure(workspace, candidates, corpus)
            candidates = candidates.append_column(score.column, values)
        allowed = np.asarray(pc.fill_null(self.where.evaluate(candidates), False))
        return MeasuredCandidates(candidates, self._keys(pairs, candidates), allowed, len(pairs))

    def _choose(self, workspace: Workspace, pairs: pa.Table, corpus: str) -> pa.Table:
        import pyarrow.compute as pc

        measured = self.measured(workspace, pairs, corpus)
        candidates = measured.table
        texts = candidates.select(["source", "reference", "translation"])

        def unlike(some: np.ndarray, kept: np.ndarray) -> np.ndarray:
            return self._unlike(workspace, texts.take(pa.array(some)), texts.take(pa.array(kept)), corpus)

        kept = measured.kept(self.keep, unlike)
        is_pair = kept >= 0
        is_pair[:, 0] = True
        records, places = np.nonzero(is_pair)
        chosen = kept[is_pair]
        taken = candidates.take(pa.array(chosen, mask=chosen < 0))  # null where there is none
        of_pairs = pairs.select(["pair_id", "translation_status"]).take(pa.array(records))
        status = pc.if_else(
            pa.array((chosen < 0) & np.isin(records, candidates["row"].to_numpy())),
            OUT_OF_BOUNDS,
            of_pairs["translation_status"],
        )
        return pa.table(
            {
                "pair_id": numbered_ids(of_pairs["pair_id"], places),
                "translation": taken["translation"],
                "translation_log_prob": taken["translation_log_prob"],
                "translation_tokens": taken["translation_tokens"],
                "translation_status": status,
                TRANSLATION_RANK.name: taken[TRANSLATION_RANK.name],
            }
        )

    def _unlike(self, workspace: Workspace, some: pa.Table, kept: pa.Table, corpus: str) -> np.ndarray:
        """Whether each candidate differs from the kept one beside it, and `unlike` is true of the two."""
        import pyarrow.compute as pc

        place = some.schema.get_field_index("reference")
        both = some.set_column(place, "reference", kept["translation"])
        for score in self.compared:
            values, *_ = score.measure(workspace, both, corpus)
            both = both.append_column(score.column, values)
        differs = np.asarray(pc.not_equal(both["translation"], both["reference"]))
        if self.unlike is None:
            return differs
        return differs & np.asarray(pc.fill_null(self.unlike.evaluate(both), False))

    def _keys(self, pairs: pa.Table, candidates: pa.Table) -> np.ndarray:
        rows, ranks = candidates["row"].to_numpy(), candidates[TRANSLATION_RANK.name].to_numpy()
        if self.order == "best":
            return ranks
        if self.order == "random":
            return random_keys(pairs["pair_id"].to_pylist(), rows, ranks, self.seed)
        best_first = next(part.score for part in self.scores if part.column == self.order).higher_is_better
        assert best_first is not None, "the recipe was checked"
        return score_keys(candidates[self.order], best_first)


@dataclass(frozen=True, eq=False)
class MeasuredCandidates:
    """All candidates of some pairs.

    table: as `candidate_rows`, with a column for each score. keys: by which they are ordered, (n,). allowed:
    whether `where` is true, (n,). pairs: how many pairs there are.
    """

    table: pa.Table
    keys: np.ndarray
    allowed: np.ndarray
    pairs: int

    def first(self, where: Where | None = None) -> np.ndarray:
        """The first candidate of each pair that is allowed and meets the condition; (pairs,), -1 for none."""
        import pyarrow.compute as pc

        allowed = self.allowed
        if where is not None:
            allowed = allowed & np.asarray(pc.fill_null(where.evaluate(self.table), False))
        return first_allowed(self.table["row"].to_numpy(), self.keys, allowed, self.pairs)

    def kept(self, keep: int, unlike: Unlike) -> np.ndarray:
        """The candidates of each pair that are kept, (pairs, keep); see `kept_candidates`."""
        rows = self.table["row"].to_numpy()
        return kept_candidates(rows, self.keys, self.allowed, self.pairs, keep, unlike)


def candidate_rows(pairs: pa.Table) -> pa.Table:
    """One row for each candidate of the pairs, in order, with the columns that a translation has.

    Besides these, a row has `row` (the position of its pair), `translation_rank` (its place in the list, from
    1), `source` and `reference`, and the status `translated`.
    """
    import pyarrow.compute as pc

    lists = pairs[CANDIDATES.name].combine_chunks()
    rows = pc.list_parent_indices(lists).to_numpy()
    texts, log_probs, tokens = pc.list_flatten(lists).flatten()
    counts = np.bincount(rows, minlength=len(pairs))
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    return pa.table(
        {
            "row": rows,
            "source": pairs["source"].take(rows),
            "reference": pairs["reference"].take(rows),
            "translation": texts,
            "translation_log_prob": log_probs,
            "translation_tokens": tokens,
            "translation_status": pa.array(["translated"] * len(rows), pa.string()),
            TRANSLATION_RANK.name: pa.array(np.arange(len(rows)) - starts + 1, TRANSLATION_RANK.type),
        }
    )
