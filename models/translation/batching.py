"""Batches of rows of similar length within a budget of padded tokens; results in the input's order."""

import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from ...base.errors import ModelError
from .translator import Candidate

if TYPE_CHECKING:
    from .translate_options import TranslateOptions

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


class Map(Protocol):
    """The type of `map` and of an executor's `map`: results in order, however many calls run at once."""

    def __call__(self, work: Callable[[T], R], items: Iterable[T], /) -> Iterable[R]: ...


# The most hypotheses in a batch. On a CPU, more of them do not fit the caches (128 sentences at beam 12 are
# fastest); on a GPU the bound only keeps a batch of very short sentences within memory.
_HYPOTHESES = {"cpu": 1536, "cuda": 49_152}
# Rows that stay in a batch may be longer than those that join them. These bound the memory of the encoded
# sources and of the prefix trees, as multiples of the budget's tokens.
_PADDED, _NODES = 2, 16


def length_batches(
    lengths: Sequence[int] | np.ndarray, batch_tokens: int, max_rows: int | None = None
) -> list[np.ndarray]:
    """The row numbers of each batch, longest rows first. Every row is in exactly one batch.

    lengths: (n,) the number of tokens of each row. The number of rows in a batch, times the length of its
    longest row, is at most `batch_tokens`; the number of rows is at most `max_rows`. A row longer than the
    budget is a batch of its own. Rows of equal length keep their order, so batches depend only on the
    arguments.

    >>> [batch.tolist() for batch in length_batches([3, 9, 4, 4], 8)]
    [[1], [2, 3], [0]]
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        rows = max(1, batch_tokens // max(1, int(lengths[order[start]])))
        if max_rows is not None:
            rows = min(rows, max_rows)
        batches.append(order[start : start + rows])
        start += rows
    return batches


@dataclass(frozen=True)
class Budget:
    """The limits of a batch: source tokens, and sentences of any length."""

    tokens: int
    rows: int

    @classmethod
    def of(cls, options: "TranslateOptions") -> "Budget":
        """The budget of resolved options."""
        return cls(int(options.batch_tokens), max(1, _HYPOTHESES[options.device] // options.beam))

    def batches(self, lengths: Sequence[int]) -> list[np.ndarray]:
        """The batches of `length_batches` within this budget."""
        return length_batches(lengths, self.tokens, self.rows)

    def admitted(self, waiting: np.ndarray, staying: np.ndarray, nodes: int = 1) -> int:
        """How many of the waiting rows, longest first, fit into a batch with the rows that stay in it.

        waiting, staying: the rows' lengths; nodes: of the largest prefix tree that stays. All together have
        at most `rows` rows, and at most `tokens` tokens without their padding: one long row that stays must
        not keep the batch small. A row longer than the budget is admitted alone.

        >>> Budget(20, 9).admitted(np.array([4, 4, 4, 4]), np.array([5]))
        3
        """
        longest = max(int(staying.max(initial=0)), int(waiting[:1].max(initial=1)))
        most = min(self.rows, _PADDED * self.tokens // longest, _NODES * self.tokens // max(nodes, 1))
        room = max(0, most - len(staying))
        fits = waiting[:room].cumsum() + staying.sum() <= self.tokens
        return int(fits.sum()) or int(not len(staying) and len(waiting) > 0)

    def part(self, parts: int) -> "Budget":
        """The same number of rows, and the tokens divided by `parts`."""
        return Budget(max(1, self.tokens // parts), self.rows)

    def half(self) -> "Budget":
        return Budget(self.tokens // 2, max(1, self.rows // 2))


def within_memory(budget: Budget, work: Callable[[Budget], R]) -> tuple[R, int]:
    """Call `work` with the budget; each time the GPU is full, call it again with half the budget. Returns its
    result, and how often the budget was halved.

    All of the work begins again, so its batches follow from the budget and never from what was done before
    the GPU was full. ModelError if a budget of one token is too much.
    """
    halvings = 0
    while True:
        try:
            return work(budget), halvings
        except RuntimeError as error:
            if not _is_full(error):
                raise
            message = str(error)
        # Outside the handler, because inside it the error's traceback still holds the tensors of the work.
        torch = sys.modules.get("torch")  # imported already if the engine uses torch
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
        if budget.tokens <= 1:
            raise ModelError(
                f"the memory of the GPU is too small for a single sentence ({message.splitlines()[0]}); "
                "lower translate.beam or translate.max_length, or free its memory"
            )
        halvings += 1
        budget = budget.half()
        logger.warning(
            "the GPU is full; translating the same sentences again in batches of %d tokens", budget.tokens
        )


def in_batches(
    rows: Sequence[Sequence[T]],
    decode: Callable[[list[Sequence[T]]], list[R]],
    budget: Budget,
    longest: int,
    map_batches: Map = map,
) -> list[R | None]:
    """The results of `decode`, called batch by batch, for each row of source tokens, in the rows' order.

    map_batches: calls `decode` for the batches, like `map`; an executor's `map` runs several at once.
    The result is None for rows without tokens and for rows of more than `longest` tokens, including the end
    symbol: they are not given to `decode`.
    """
    todo = {number: len(row) + 1 for number, row in enumerate(rows) if 0 < len(row) < longest}

    def decoded(numbers: list[int]) -> list[R]:
        return decode([rows[number] for number in numbers])

    return _by_batches(len(rows), todo, decoded, budget, map_batches)


def pairs_in_batches(
    sources: Sequence[Sequence[T]],
    targets: Sequence[Sequence[T]],
    score: Callable[[list[Sequence[T]], list[Sequence[T]]], list[R]],
    budget: Budget,
    longest: tuple[int, int],
    map_batches: Map = map,
) -> list[R | None]:
    """The results of `score`, called batch by batch, for each pair of source and target tokens, in order.

    map_batches: as for `in_batches`. longest: the most tokens of a source and of a target, including the end
    symbols. The result is None if a side has more, or if the source has no tokens.
    """
    todo = {
        number: max(len(source), len(target)) + 1
        for number, (source, target) in enumerate(zip(sources, targets, strict=True))
        if 0 < len(source) < longest[0] and len(target) < longest[1]
    }

    def scored(numbers: list[int]) -> list[R]:
        return score([sources[number] for number in numbers], [targets[number] for number in numbers])

    # Each target token needs a row of logits here, like each hypothesis in the search.
    return _by_batches(len(sources), todo, scored, budget.part(4), map_batches)


def _by_batches(
    count: int, todo: dict[int, int], work: Callable[[list[int]], list[R]], budget: Budget, map_batches: Map
) -> list[R | None]:
    """The results of `work` for the rows in `todo`, in the order of all `count` rows; None for other rows.

    todo: the number of tokens of each row, by the row's number.
    """
    results: list[R | None] = [None] * count
    numbers = list(todo)
    batches = [[numbers[place] for place in batch] for batch in budget.batches(list(todo.values()))]
    for batch, batch_results in zip(batches, map_batches(work, batches), strict=True):
        for number, result in zip(batch, batch_results, strict=True):
            results[number] = result
    return results


def forced_candidates(
    translations: Sequence[str],
    sources: Sequence[Sequence[T]],
    targets: Sequence[Sequence[T]],
    score: Callable[[list[Sequence[T]], list[Sequence[T]]], list[list[float]]],
    budget: Budget,
    longest: tuple[int, int],
    map_batches: Map = map,
) -> tuple[list[Candidate | None], int]:
    """Given translations with the log-probabilities that `score` computes, as `Translator.score` returns
    them, and how often the budget was halved.

    sources, targets: the tokens of each pair. map_batches: as for `in_batches`. A candidate is None if
    `pairs_in_batches` does not score the pair.
    """
    forced, halvings = within_memory(
        budget, lambda budget: pairs_in_batches(sources, targets, score, budget, longest, map_batches)
    )
    candidates = [
        None if row is None else Candidate.of(text, row)
        for text, row in zip(translations, forced, strict=True)
    ]
    return candidates, halvings


def _is_full(error: RuntimeError) -> bool:
    """Whether this is the error of torch or CTranslate2 for a full GPU."""
    return type(error).__name__ == "OutOfMemoryError" or "out of memory" in str(error).lower()
