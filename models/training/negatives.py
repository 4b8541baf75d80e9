"""Negatives: for each sentence of a mega-batch, one that is not its paraphrase."""

import numpy as np
import torch

from . import nearest_kernels
from .loss import unit_vectors
from .nearest_kernels import EQUAL
from .same_texts import Exclusions
from .train_options import NegativeMode, NegativePool

_BLOCK_CELLS = 2**21  # cosines held at once, whatever the number of sentences: at most 16 MiB
_UNIT_ROWS = 2**9  # vectors divided by their lengths at once
_EXACT_PAIRS = 2**10  # pairs whose vectors are held in float64 at once
_MANY = 64  # a sentence with more candidates in a block is compared with all sentences in float64
_DRAWS = 20  # random negatives drawn again, before those that are allowed are listed


def choose_negatives(
    vectors: torch.Tensor,
    mode: NegativeMode,
    pool: NegativePool,
    exclusions: Exclusions,
    generator: np.random.Generator,
    below_partner: float | None = None,
) -> np.ndarray:
    """For each of 2n sentences the index of its negative, −1 where all are excluded, (2n,) int64.

    vectors: (2n, dimension) float32; sentence i is a reference and n + i its translation. pool: `all`
    2n sentences (the papers' code), or those of the `other_side` only (Wieting et al. 2019). mode:
    `max` the nearest by cosine; `rand` any sentence that is not excluded, all alike likely; `mix` a fair
    coin between the two for each sentence (Revisiting recurrent networks, section 3.2). below_partner: see
    `hardest_negatives`.
    """
    if mode == "max":
        return hardest_negatives(vectors, pool, exclusions, below_partner)
    random = _random_negatives(pool, exclusions, generator)
    if mode == "rand":
        return random
    hardest = hardest_negatives(vectors, pool, exclusions, below_partner)
    return np.where(generator.random(len(random)) < 0.5, hardest, random)


def hardest_negatives(
    vectors: torch.Tensor, pool: NegativePool, exclusions: Exclusions, below_partner: float | None = None
) -> np.ndarray:
    """For each of 2n sentences the nearest other by cosine, the first of equals, (2n,) int64.

    −1 where all sentences of the pool are excluded.

    below_partner: a sentence is excluded, too, unless its cosine is lower than that of the partner by at
    least this, so that other paraphrases are no negatives (ParaNMT, footnote 4).

    On a CPU the cosines are those of the float32 unit vectors in float64, so for the same vectors the choice
    depends neither on the processor nor on the number of threads. Lower precision rules out nearly all other
    sentences before. On a GPU the cosines are float32. The cosines of all pairs are never held at once.
    """
    # A part at a time, so that no second matrix is allocated.
    units = torch.cat([unit_vectors(part) for part in vectors.split(_UNIT_ROWS)])
    every = np.arange(len(units))
    if below_partner is not None:
        exact = units.double() if units.device.type == "cpu" else units
        limits = (exact * exact.roll(len(exact) // 2, dims=0)).sum(dim=1) - below_partner
        return _nearest_of(every, exact, pool, exclusions, limits)
    if units.device.type != "cpu":
        return _nearest_of(every, units, pool, exclusions)
    if nearest_kernels.IS_AVAILABLE and units.sum().isfinite():
        return _nearest_by_products(units, pool, exclusions)
    row, column, unsure = _candidates(units, pool, exclusions)
    nearest = np.zeros(len(units), np.int64)  # any sentence serves where vectors are not finite
    if unsure.any():
        nearest[unsure] = _nearest_of(every[unsure], units.double(), pool, exclusions)
    nearest[row] = column  # of the rows with a single candidate; the others follow
    several = np.bincount(row, minlength=len(units))[row] > 1
    row, column = row[several], column[several]
    cosines = _exact_cosines(units.numpy(), row, column)
    highest = np.full(len(units), -1.0)
    np.fmax.at(highest, row, cosines)
    equal = cosines >= highest[row] - EQUAL
    row, column = row[equal], column[equal]
    nearest[row] = len(units)
    np.minimum.at(nearest, row, column)
    return nearest


def _nearest_by_products(units: torch.Tensor, pool: NegativePool, exclusions: Exclusions) -> np.ndarray:
    nearest = np.full(len(units), -1, np.int64)
    best = np.full(len(units), -4.0)  # below all cosines
    if exclusions.rule == "own_pair":
        best[:] = 0.0
        pairs = np.arange(len(units) // 2)
        nearest[:] = np.concatenate([pairs, pairs] if pool == "all" else [pairs + len(pairs), pairs])
    labels, partners = (side.numpy() for side in exclusions.labels)
    nearest_kernels.nearest_by_products(units.numpy(), pool == "all", (labels, partners), best, nearest)
    return nearest


def _nearest_of(
    rows: np.ndarray,
    units: torch.Tensor,
    pool: NegativePool,
    exclusions: Exclusions,
    highest_cosines: torch.Tensor | None = None,
) -> np.ndarray:
    """The nearest of some sentences, in ascending order, with all cosines in the precision of `units`.

    highest_cosines: of each of all sentences, (2n,); those with a higher one are excluded.
    """
    n = len(units) // 2
    tolerance = EQUAL if units.dtype == torch.float64 else 0.0
    nearest = [np.empty(0, np.int64)]
    # `all` puts both sides in the pool, `other_side` the half that does not hold the query.
    halves = [(rows, 0, 2 * n)] if pool == "all" else [(rows[rows < n], n, 2 * n), (rows[rows >= n], 0, n)]
    for queries, start, end in halves:
        size = _block_rows(end - start)
        for block in (queries[first : first + size] for first in range(0, len(queries), size)):
            queried = torch.from_numpy(block).to(units.device)
            cosines = units[queried] @ units[start:end].T
            if highest_cosines is not None:
                is_near = cosines > highest_cosines[queried, None] + tolerance
                cosines.masked_fill_(is_near, -torch.inf)
            cells = exclusions.cells(block, slice(start, end))
            row, column = (torch.from_numpy(side).to(units.device) for side in cells)
            cosines[row, column] = exclusions.cosine
            highest = cosines.amax(dim=1, keepdim=True)
            first = (cosines >= highest - tolerance).byte().argmax(dim=1) + start
            nearest.append(first.where(highest[:, 0] > -torch.inf, -1).cpu().numpy())
    return np.concatenate(nearest)


def _candidates(
    units: torch.Tensor, pool: NegativePool, exclusions: Exclusions
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sentences (row) and others (column), the nearest among them: row and column, int64 of equal length.

    The third array, (2n,) bool, is true for the sentences without candidates, because their highest cosine is
    about 0 or because they have too many. Each cosine is computed once for both of its sentences.
    """
    n = len(units) // 2
    candidates = _Candidates(units)
    start, stop = 0, 2 * n if pool == "all" else n
    while start < stop:
        first = start if pool == "all" else n
        end = min(stop, start + _block_rows(2 * n - first))
        values = candidates.cosines(slice(start, end), slice(first, 2 * n))
        rows, columns = np.arange(start, end), np.arange(first, 2 * n)
        row, column = exclusions.cells(rows, slice(first, 2 * n))
        kept = values[row, column]
        values[row, column] = 0
        candidates.add(values, start, first, of_rows=True)
        values[row, column] = kept
        column, row = exclusions.cells(columns, slice(start, end))
        values[row, column] = 0
        candidates.add(values, start, first, of_rows=False)
        start = end
    return candidates.result()


class _Candidates:
    """The highest cosines of each sentence in float32, all that may be the highest in float64."""

    def __init__(self, units: torch.Tensor) -> None:
        self._units = units
        self._slack = np.float32(2 * units.shape[1] * 2.0**-23)  # twice what adding up may lose
        self._highest = np.zeros(len(units), np.float32)
        self._unsure = np.zeros(len(units), bool)
        self._found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def cosines(self, rows: slice, columns: slice) -> np.ndarray:
        """(rows, columns) float32."""
        values: np.ndarray = (self._units[rows] @ self._units[columns].T).numpy()
        return values

    def add(self, values: np.ndarray, row: int, column: int, of_rows: bool) -> None:
        """Adds the candidates for the rows of a block of cosines, or for its columns.

        row, column: the sentences of the first row and the first column.
        """
        axis, begin, other = (1, row, column) if of_rows else (0, column, row)
        part = slice(begin, begin + values.shape[1 - axis])
        self._highest[part] = np.maximum(self._highest[part], values.max(axis=axis))
        limits = np.expand_dims(self._limits()[part], axis)
        places = np.divmod(np.flatnonzero(values >= limits), values.shape[1])
        sentence = places[1 - axis] + begin
        few = np.bincount(sentence, minlength=len(self._highest)) <= _MANY
        self._unsure |= ~few
        kept = few[sentence]
        self._found.append((sentence[kept], places[axis][kept] + other, values[places][kept]))

    def result(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What `_candidates` returns."""
        # A limit of about 0 let nothing pass before the highest cosine was known.
        self._unsure |= self._highest <= 2 * self._slack
        row, column, value = map(np.concatenate, zip(*self._found, strict=True))
        kept = value >= self._limits()[row]
        places = np.unique(row[kept] * len(self._highest) + column[kept])
        row, column = np.divmod(places, len(self._highest))
        return row, column, self._unsure

    def _limits(self) -> np.ndarray:
        """The lowest cosine of each sentence that may be the highest; none reaches those of unsure ones."""
        lowest = self._highest - self._slack
        return np.where((lowest <= 0) | self._unsure, np.float32(np.inf), lowest)


def _exact_cosines(units: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The products of pairs of rows, added up in float64."""
    cosines = np.empty(len(left))
    for start in range(0, len(left), _EXACT_PAIRS):
        block = slice(start, start + _EXACT_PAIRS)
        sides = (units[side[block]].astype(np.float64) for side in (left, right))
        cosines[block] = np.einsum("ij,ij->i", *sides)
    return cosines


def _block_rows(columns: int) -> int:
    return max(1, _BLOCK_CELLS // max(1, columns))


def _random_negatives(
    pool: NegativePool, exclusions: Exclusions, generator: np.random.Generator
) -> np.ndarray:
    n = exclusions.count // 2
    sentences = np.arange(2 * n)
    drawn = _of_other_pairs(sentences, n, pool, generator)
    if exclusions.rule == "own_pair":
        return drawn
    for _ in range(_DRAWS):
        excluded = _are_excluded(sentences, drawn, exclusions)
        if not excluded.any():
            return drawn
        drawn[excluded] = _of_other_pairs(sentences[excluded], n, pool, generator)
    for sentence in np.flatnonzero(_are_excluded(sentences, drawn, exclusions)):
        start, end = (0, 2 * n) if pool == "all" else (n, 2 * n) if sentence < n else (0, n)
        others = np.arange(start, end)
        allowed = others[~_are_excluded(np.full(len(others), sentence), others, exclusions)]
        drawn[sentence] = generator.choice(allowed) if len(allowed) else -1
    return drawn


def _are_excluded(sentences: np.ndarray, others: np.ndarray, exclusions: Exclusions) -> np.ndarray:
    excluded: np.ndarray = exclusions.between(torch.from_numpy(sentences), torch.from_numpy(others)).numpy()
    return excluded


def _of_other_pairs(
    sentences: np.ndarray, n: int, pool: NegativePool, generator: np.random.Generator
) -> np.ndarray:
    """A random sentence of another of the n pairs for each of some sentences."""
    # A step of 1 … n − 1 pairs leads to any other pair; a mega-batch of one pair has no other.
    other_pair = (sentences + generator.integers(1, max(2, n), size=len(sentences))) % n
    if pool == "other_side":
        return np.where(sentences < n, other_pair + n, other_pair)
    drawn: np.ndarray = other_pair + n * generator.integers(0, 2, size=len(sentences))
    return drawn
