"""Batches of similar lengths under a budget of padded tokens, and the way back to the input's order."""

import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from ...errors import ModelError
from .options import TranslateOptions
from .translator import Candidate

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


class Each(Protocol):
    """What `map` is, and an executor's `map`: results in order, however many calls are at work."""

    def __call__(self, work: Callable[[T], R], items: Iterable[T], /) -> Iterable[R]: ...


# Hypotheses in flight. On a CPU more of them fall out of the caches (128 sentences at beam 12 are as
# fast as it gets); on a GPU the bound only keeps a batch of very short sentences within memory.
_HYPOTHESES = {"cpu": 1536, "cuda": 49_152}


def length_batches(
    lengths: Sequence[int] | np.ndarray, batch_tokens: int, max_rows: int | None = None
) -> list[np.ndarray]:
    """Row numbers of each batch, longest rows first; together every row once.

    lengths: (n,) tokens of each row. A batch's rows times its longest row is at most `batch_tokens`,
    and its rows at most `max_rows`; a row longer than the budget is a batch by itself. Rows of equal
    length keep their order, so the batches depend on nothing but the arguments.

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
    """What a batch holds at the most: padded source tokens, and sentences whatever their length."""

    tokens: int
    rows: int

    @classmethod
    def of(cls, options: TranslateOptions) -> "Budget":
        """What resolved options ask for."""
        return cls(int(options.batch_tokens), max(1, _HYPOTHESES[options.device] // options.beam))

    def batches(self, lengths: Sequence[int]) -> list[np.ndarray]:
        """As `length_batches`."""
        return length_batches(lengths, self.tokens, self.rows)

    def part(self, parts: int) -> "Budget":
        """A `parts`-th of the tokens."""
        return Budget(max(1, self.tokens // parts), self.rows)

    def half(self) -> "Budget":
        return Budget(self.tokens // 2, max(1, self.rows // 2))


def within_memory(budget: Budget, work: Callable[[Budget], R]) -> tuple[R, int]:
    """What `work` makes of the budget, or of its half, its quarter and so on, where the GPU is full before;
    and how often it was halved.

    All of the work begins again: its batches follow from the budget, never from what was done before the
    GPU was full. ModelError where a budget of one token is too much.
    """
    halvings = 0
    while True:
        try:
            return work(budget), halvings
        except RuntimeError as error:
            if not _is_full(error):
                raise
            told = str(error)
        # Outside of the handler: while it runs, the error's traceback holds the tensors of the work.
        torch = sys.modules.get("torch")  # the engine brought it, if it is one of torch's
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
        if budget.tokens <= 1:
            raise ModelError(
                f"the GPU is full with a single sentence ({told.splitlines()[0]}); "
                "lower translate.beam or translate.max_length, or free its memory"
            )
        halvings += 1
        budget = budget.half()
        logger.warning("the GPU is full; the sentences begin again with batches of %d tokens", budget.tokens)


def in_batches(
    rows: Sequence[Sequence[T]],
    decode: Callable[[list[Sequence[T]]], list[R]],
    budget: Budget,
    longest: int,
    each: Each = map,
) -> list[R | None]:
    """What `decode` says of each row of source tokens, batch by batch, in the order of the rows.

    each: calls `decode` for each batch, as `map` does; an executor's has several at work.
    None for rows without tokens, and rows of more than `longest` tokens with the end symbol counted:
    they never reach `decode`.
    """
    todo = {number: len(row) + 1 for number, row in enumerate(rows) if 0 < len(row) < longest}

    def decoded(numbers: list[int]) -> list[R]:
        return decode([rows[number] for number in numbers])

    return _by_batches(len(rows), todo, decoded, budget, each)


def pairs_in_batches(
    sources: Sequence[Sequence[T]],
    targets: Sequence[Sequence[T]],
    score: Callable[[list[Sequence[T]], list[Sequence[T]]], list[R]],
    budget: Budget,
    longest: tuple[int, int],
    each: Each = map,
) -> list[R | None]:
    """What `score` says of each pair of source and target tokens, batch by batch, in the order of the pairs.

    each: as for `in_batches`. longest: tokens of a source and of a target at the most, end symbols
    counted. None where a side has more, or the source none.
    """
    todo = {
        number: max(len(source), len(target)) + 1
        for number, (source, target) in enumerate(zip(sources, targets, strict=True))
        if 0 < len(source) < longest[0] and len(target) < longest[1]
    }

    def scored(numbers: list[int]) -> list[R]:
        return score([sources[number] for number in numbers], [targets[number] for number in numbers])

    # A target token here has what a hypothesis has in the search, a row of logits.
    return _by_batches(len(sources), todo, scored, budget.part(4), each)


def _by_batches(
    count: int, todo: dict[int, int], work: Callable[[list[int]], list[R]], budget: Budget, each: Each
) -> list[R | None]:
    """What `work` says of the numbers of each batch, in the order of `count` numbers; None for the others.

    todo: the tokens that each number has in a batch.
    """
    found: list[R | None] = [None] * count
    numbers = list(todo)
    batches = [[numbers[place] for place in batch] for batch in budget.batches(list(todo.values()))]
    for batch, ones in zip(batches, each(work, batches), strict=True):
        for number, one in zip(batch, ones, strict=True):
            found[number] = one
    return found


def forced_candidates(
    translations: Sequence[str],
    sources: Sequence[Sequence[T]],
    targets: Sequence[Sequence[T]],
    score: Callable[[list[Sequence[T]], list[Sequence[T]]], list[list[float]]],
    budget: Budget,
    longest: tuple[int, int],
    each: Each = map,
) -> tuple[list[Candidate | None], int]:
    """Given translations with the log-probabilities that `score` finds, as `Translator.score` returns them;
    and how often the budget was halved.

    sources, targets: the tokens of each pair. each: as for `in_batches`. None where `pairs_in_batches`
    leaves a pair out.
    """
    forced, halvings = within_memory(
        budget, lambda budget: pairs_in_batches(sources, targets, score, budget, longest, each)
    )
    found = [
        None if row is None else Candidate.of(text, row)
        for text, row in zip(translations, forced, strict=True)
    ]
    return found, halvings


def _is_full(error: RuntimeError) -> bool:
    """Whether it is torch's or CTranslate2's word for a full GPU."""
    return type(error).__name__ == "OutOfMemoryError" or "out of memory" in str(error).lower()
