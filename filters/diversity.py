"""How different the candidates of an n-best list are from each other: self-BLEU and distinct-n.

Self-BLEU: Zhu et al. 2018 (Texygen). Distinct-n: Li et al. 2016, section 5.
"""

from dataclasses import dataclass, field

import numpy as np

from ..tokens.definition import Tokens
from .statistics import Moments
from .text_columns import Texts

_ORDERS = 4


@dataclass(frozen=True)
class ListMeasures:
    """The measures of each list; each (lists,) float64, NaN for a list of fewer than two candidates.

    self_bleu: mean BLEU of the candidates, 0 to 100, each against all others of its list as references.
    distinct: for n = 1 and 2, the list's different n-grams over all its n-grams, in (0, 1]; NaN without any.
    """

    self_bleu: np.ndarray
    distinct: tuple[np.ndarray, np.ndarray]


def list_measures(candidates: Texts, starts: np.ndarray, tokens: Tokens = "words") -> ListMeasures:
    """The measures of the lists `candidates[starts[i]:starts[i + 1]]`; a null counts as an empty candidate.

    BLEU is that of sacreBLEU's `sentence_bleu`, up to four words, with its exponential smoothing, the
    reference of the closest length (the shorter of two), and no orders for which a candidate is too short.

    starts: (lists + 1,) int64, rising from 0.
    """
    from ..tokens.columns import hash_tokens, ngrams  # import numba, which planning does not need

    sizes = np.diff(starts)
    lists = np.repeat(np.arange(len(sizes)), sizes)
    hashed = hash_tokens(candidates, tokens)
    lengths = hashed.counts()
    matches, totals, distinct = [], [], []
    for n in range(1, _ORDERS + 1):
        grams = ngrams(hashed, n)
        of = np.repeat(np.arange(len(lists)), grams.counts())
        matched, different = _matches(grams.hashes, of, lists, len(sizes))
        matches.append(matched)
        totals.append(grams.counts())
        in_list = np.bincount(lists[of], minlength=len(sizes))
        distinct.append(np.where((sizes > 1) & (in_list > 0), different / np.maximum(in_list, 1), np.nan))
    bleu = _bleu(np.stack(matches), np.stack(totals), lengths, _closest(lengths, lists))
    sums = np.bincount(lists, weights=bleu, minlength=len(sizes))
    self_bleu = np.where(sizes > 1, sums / np.maximum(sizes, 1), np.nan)
    return ListMeasures(self_bleu, (distinct[0], distinct[1]))


@dataclass
class ListStatistics:
    """The measures of many lists, counted part by part.

    single: lists of one candidate, which have no measures; they are not in the other fields.
    """

    single: int = 0
    size: Moments = field(default_factory=Moments)
    self_bleu: Moments = field(default_factory=Moments)
    distinct_1: Moments = field(default_factory=Moments)
    distinct_2: Moments = field(default_factory=Moments)

    def add(self, candidates: Texts, starts: np.ndarray, tokens: Tokens = "words") -> None:
        """Count some lists (`list_measures`), those without a candidate not at all."""
        measures = list_measures(candidates, starts, tokens)
        sizes = np.diff(starts).astype(np.float64)
        self.single += int((sizes == 1).sum())
        self.size.add(sizes[sizes > 1])
        self.self_bleu.add(measures.self_bleu)
        self.distinct_1.add(measures.distinct[0])
        self.distinct_2.add(measures.distinct[1])

    def merge(self, other: "ListStatistics") -> None:
        """Add the lists of another corpus."""
        self.single += other.single
        for name in ("size", "self_bleu", "distinct_1", "distinct_2"):
            getattr(self, name).merge(getattr(other, name))


def _matches(
    keys: np.ndarray, of: np.ndarray, lists: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many n-grams of each candidate the others have, and how many different ones each list has.

    An n-gram counts as often as it occurs in the one of the other candidates that has it most often.
    keys, of: (n,) each n-gram and its candidate. lists: (candidates,) the list of each. count: of lists.
    """
    order = np.lexsort((of, keys, lists[of]))
    keys, of = keys[order], of[order]
    is_first = np.ones(len(keys), bool)
    is_first[1:] = (keys[1:] != keys[:-1]) | (of[1:] != of[:-1])
    at = np.flatnonzero(is_first)
    times = np.diff(np.append(at, len(keys)))
    keys, of = keys[at], of[at]
    # One row for each n-gram of a candidate; now those of one n-gram in a list, the most frequent first.
    is_new = np.ones(len(keys), bool)
    is_new[1:] = (keys[1:] != keys[:-1]) | (lists[of[1:]] != lists[of[:-1]])
    group = np.cumsum(is_new) - 1
    order = np.lexsort((-times, group))
    of, times = of[order], times[order]
    first = np.flatnonzero(is_new)
    second = first + 1
    has_second = np.diff(np.append(first, len(keys))) > 1
    others = times[first][group]
    others[first] = np.where(has_second, times[np.minimum(second, len(times) - 1)], 0)
    matched = np.bincount(of, weights=np.minimum(times, others), minlength=len(lists))
    return matched, np.bincount(lists[of[first]], minlength=count)


def _closest(lengths: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """The length of another candidate of the same list that is closest to each one's, or the shorter of two.

    Meaningless in a list of one candidate.
    """
    order = np.lexsort((lengths, lists))
    sorted_lengths, sorted_lists = lengths[order].astype(np.float64), lists[order]
    is_same = sorted_lists[1:] == sorted_lists[:-1]
    before, after = np.full((2, len(lengths)), np.inf)
    before[1:][is_same] = sorted_lengths[:-1][is_same]
    after[:-1][is_same] = sorted_lengths[1:][is_same]
    closest = np.empty(len(lengths))
    nearer = np.abs(sorted_lengths - before) <= np.abs(after - sorted_lengths)
    closest[order] = np.where(nearer, before, after)
    return closest


def _bleu(matches: np.ndarray, totals: np.ndarray, lengths: np.ndarray, closest: np.ndarray) -> np.ndarray:
    """BLEU from 0 to 100 of each candidate; (candidates,). matches, totals: (orders, candidates)."""
    is_used = totals > 0
    is_zero = is_used & (matches == 0)
    halvings = np.cumsum(is_zero, axis=0)
    precisions = np.where(is_zero, 0.5**halvings, matches) / np.maximum(totals, 1)
    logs = np.where(is_used, np.log(np.where(is_used, precisions, 1)), 0)
    mean = logs.sum(axis=0) / np.maximum(is_used.sum(axis=0), 1)
    penalty = np.minimum(0, 1 - closest / np.maximum(lengths, 1))
    return np.where(matches.any(axis=0), 100 * np.exp(penalty + mean), 0)
