"""Semantic textual similarity: how well cosines of sentence vectors agree with people's scores."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from ...base.paths import FilePath
from ..encoders.chosen_on import chosen_note, pairs_chosen_on
from ..encoders.encodes import Encodes
from ..sts.correlation import cosines, pearson, spearman
from ..sts.set_lists import (
    LICENSED,
    SET_LISTS,
    SETS_22,
    SETS_25,
    SICK,
    TWITTER,
    YEARS,
    SetKey,
)
from ..sts.sts_data import TRACKS, Language, StsDataset, is_in, read_sts, scores_of
from .bootstrap import estimate, resampled_pearson
from .evaluation import Measured, SentenceEvaluation
from .table import Column, Row, RowKey, Table

_LOG = logging.getLogger(__name__)

_SEMEVAL = SET_LISTS[SETS_25]
_OTHERS = (SICK, TWITTER)
_BENCHMARK: tuple[SetKey, ...] = ((None, "STSB-dev"), (None, "STSB-test"))

_CAPTION = "Correlation of the cosines of sentence vectors with {scores}, times 100."
_COLUMNS = (
    Column(name="year", type="text", meaning="the year of the SemEval task"),
    Column(name="dataset", type="text", title="test set", meaning="the set of pairs, or a mean of sets"),
    Column(name="pairs", type="count", meaning="sentence pairs with a score"),
    Column(name="pearson", type="number", title="Pearson", meaning="Pearson's r, times 100", maximum=100.0),
    Column(name="low", type="number", meaning="the lower end of Pearson's 95 % interval over the pairs"),
    Column(name="high", type="number", meaning="its upper end"),
    Column(
        name="spearman", type="number", title="Spearman", meaning="Spearman's ρ, times 100", maximum=100.0
    ),
)


@dataclass(frozen=True, kw_only=True)
class Sts(SentenceEvaluation):
    """Correlations of cosines with people's scores for each dataset, by year and name, and means of them.

    - `mean` and `weighted mean`, with a year: the mean of that year's datasets, and the mean in which each
      counts by its pairs.
    - `pooled`, with a year: the correlations over the pairs of all of that year's datasets at once (MTEB; the
      setting `all` of Gao et al. 2021).
    - `mean of 7 pooled`: the mean of those of 2012–2016, without SMT, and of the test parts of the STS
      Benchmark and of SICK (Gao et al. 2021).
    - `mean of years 2012-2015`: the mean of those four unweighted means.
    - `mean of 22`: the datasets of 2012–2015, SICK and Twitter (Wieting and Gimpel 2017).
    - `mean of 25`: the datasets of 2012–2016 (ParaNMT, table 7).

    A mean has a value only if all its datasets are there. The last three are left out otherwise. The SMT set
    of 2013 is licensed: means that contain it are also given `without SMT`, as `mean of 21` and `mean of
    24`, and only so if it is unavailable. The train part of STS 2012, STS 2017 and the Benchmark are in none
    of the last three means. The dev and test parts of the Benchmark are also given as captions and
    non-captions, and the test part without the pairs that are also in the train part of 2012, a development
    set. STS-Hard consists of pairs of 2012–2016 (Wieting et al. 2020) and is in no mean. Datasets of the same
    task that the data lacks are listed as absent.
    """

    kind: Literal["sts"] = "sts"
    data: FilePath
    """The folder of the data: files of SemEval's STS tasks, of the STS Benchmark, of SICK, of Twitter or of
    STS-Hard. If people did not give its scores, a file `STS.scores.txt` there says who did."""
    languages: tuple[Language, ...] = ("en",)
    """The languages that the encoder reads. Tracks of STS 2017 with a side in another one are left out."""

    version = 4

    def sentences(self) -> Sequence[str]:
        """Both sentences of each pair."""
        return list(_sentences(self._read()))

    def evaluate(self, encoder: Encodes, leave_out: AbstractSet[str] = frozenset()) -> Table:
        """See the class; None if a dataset has no correlation, and then the row's note says why."""
        return self.measure(encoder, leave_out).table

    def measure(self, encoder: Encodes, leave_out: AbstractSet[str] = frozenset()) -> Measured:
        """The table with the cosines, the scores that people gave, and resamples of Pearson's r."""
        scored = self.score(encoder, leave_out)
        results, means = [_result(part) for part in scored], sts_means(scored)
        table = Table(
            caption=_CAPTION.format(scores=scores_of(self.data)),
            columns=_COLUMNS,
            main="pearson",
            group="year",
            rows=[result.row() for result in results],
            averages=[mean.row() for mean in means],
        )
        keys = [table.key(row) for row in (*table.rows, *table.averages)]
        resampled = zip(keys, [result.resampled for result in (*results, *means)], strict=True)
        return Measured(
            table,
            {key: samples for key, samples in resampled if samples is not None},
            {
                key: (part.cosines, part.gold)
                for key, part in zip(keys, scored, strict=False)
                if len(part.gold)
            },
            _compared(dict(zip(keys, scored, strict=False))),
        )

    def score(self, encoder: Encodes, leave_out: AbstractSet[str] = frozenset()) -> list["ScoredSet"]:
        """The encoder's cosines on every dataset, absent datasets included; see `evaluate`."""
        datasets = [part for dataset in self._read() for part in _parts(dataset.without(leave_out))]
        there = {(dataset.year, dataset.name) for dataset in datasets}
        tracks = [(2017, track) for track in TRACKS if is_in(track, self.languages)]
        expected: list[SetKey] = [] if there.isdisjoint(_SEMEVAL) else [*_SEMEVAL, *tracks, *_OTHERS]
        expected += [] if there.isdisjoint(_BENCHMARK) else _BENCHMARK
        datasets += [
            StsDataset(name, year, unavailable="absent")
            for year, name in expected
            if (year, name) not in there
        ]
        datasets.sort(key=lambda dataset: (dataset.year is None, str(dataset.year), dataset.name))
        # Sets share sentences: each is encoded once.
        rows = {text: row for row, text in enumerate(dict.fromkeys(_sentences(datasets)))}
        vectors = encoder.encode(list(rows))
        return [
            _score(vectors, rows, dataset, pairs_chosen_on(encoder, dataset.left, dataset.right))
            for dataset in datasets
        ]

    def _read(self) -> list[StsDataset]:
        return read_sts(self.data, languages=self.languages)


@dataclass(frozen=True, eq=False)
class ScoredSet:
    """The cosines and the gold scores of a dataset, (pairs,).

    note: why it has no correlation, or that it chose the encoder. chosen: how many of its pairs did.
    """

    dataset: StsDataset
    cosines: np.ndarray
    gold: np.ndarray
    note: str = ""
    chosen: int = 0

    @property
    def key(self) -> SetKey:
        """Its year and name."""
        return self.dataset.year, self.dataset.name

    @cached_property
    def pearson(self) -> float | None:
        """Pearson's r times 100."""
        return _percent(pearson(self.cosines, self.gold))

    @cached_property
    def resampled(self) -> np.ndarray:
        """Pearson's r times 100 of resamples of the pairs."""
        return 100 * resampled_pearson(self.cosines, self.gold)


@dataclass(frozen=True, eq=False)
class StsResult:
    """A dataset's correlations times 100, or means of them; None if there is none, and `note` says why.

    resampled: Pearson's r of resamples of the pairs, set by set. sets: the datasets.
    """

    name: str
    year: int | str | None
    sets: Sequence[ScoredSet]
    pearson: float | None = None
    spearman: float | None = None
    resampled: np.ndarray | None = None
    note: str = ""

    def row(self) -> Row:
        """The result as a row of the table."""
        samples = np.empty(0) if self.resampled is None else self.resampled
        interval = estimate(self.pearson, samples)
        values = {
            "year": None if self.year is None else str(self.year),
            "dataset": self.name,
            "pairs": sum(len(part.gold) for part in self.sets),
            "pearson": self.pearson,
            "low": interval.low,
            "high": interval.high,
            "spearman": self.spearman,
        }
        return Row(values, self.note)


def sts_means(scored: Sequence[ScoredSet]) -> list[StsResult]:
    """The means that `Sts` describes: those of each year, then the papers'."""
    by_key = {part.key: part for part in scored}
    means = []
    for year in dict.fromkeys(part.dataset.year for part in scored if part.dataset.year is not None):
        yearly = [part for part in scored if part.dataset.year == year]
        if any(len(part.gold) for part in yearly):
            means += [mean for name, parts in _with_and_without(yearly) for mean in _both(name, year, parts)]
            means += [
                _pooled(f"pooled{name}", year, parts)
                for name, parts in _with_and_without(yearly)
                if len(parts) > 1 and all(len(part.gold) for part in parts)
            ]
    four_years = [by_key[key] for key in _SEMEVAL if key in by_key and key[0] != 2016]
    for suffix, parts in _with_and_without(four_years):
        means += _of_years(f"mean of years 2012-2015{suffix}", parts)
    for name in (SETS_22, SETS_25):
        everything = [by_key[key] for key in SET_LISTS[name] if key in by_key]
        for suffix, parts in _with_and_without(everything):
            if len(parts) == len(SET_LISTS[name]) - bool(suffix) and all(len(part.gold) for part in parts):
                means.append(_mean(f"mean of {len(parts)}{suffix}", None, parts))
    return [*means, *_of_seven(by_key)]


def _compared(scored: Mapping[RowKey, ScoredSet]) -> dict[str, list[RowKey]]:
    """The papers' lists of sets; of data without any of these sets, all sets but the Benchmark's."""
    lists = {
        name: [row for row, part in scored.items() if part.key in SET_LISTS[name] and len(part.gold)]
        for name in (SETS_22, SETS_25)
    }
    if any(lists.values()):
        return lists
    return {"": [row for row, part in scored.items() if not part.dataset.name.startswith("STSB")]}


def _parts(dataset: StsDataset) -> Iterator[StsDataset]:
    """A dataset, and for the Benchmark its parts."""
    yield dataset
    if (dataset.year, dataset.name) not in _BENCHMARK:
        return
    subsets = dataset.by_genre()
    if dataset.name == "STSB-test":
        subsets.append(dataset.subset("without 2012train", [year != "2012train" for year in dataset.years]))
    yield from (subset for subset in subsets if subset.gold)


def _sentences(datasets: Sequence[StsDataset]) -> Iterator[str]:
    return (text for dataset in datasets for text in (*dataset.left, *dataset.right))


def _score(vectors: np.ndarray, rows: Mapping[str, int], dataset: StsDataset, chosen: int) -> ScoredSet:
    """A dataset's cosines. rows: the row of `vectors` of a sentence. chosen: as in a `ScoredSet`."""
    gold = np.array(dataset.gold, dtype=np.float64)
    if dataset.unavailable is not None:
        return ScoredSet(dataset, gold, gold, dataset.unavailable)
    left, right = ([rows[text] for text in side] for side in (dataset.left, dataset.right))
    note = chosen_note(chosen, len(gold))
    scored = ScoredSet(dataset, cosines(vectors[left], vectors[right]), gold, note, chosen)
    if scored.pearson is None:
        side = "cosines are all alike" if len(set(dataset.gold)) > 1 else "gold scores are all alike"
        scored = replace(scored, note=f"no correlation: the {side}")
        _LOG.warning("%s %s: %s", dataset.year or "", dataset.name, scored.note)
    return scored


def _percent(coefficient: float | None) -> float | None:
    return None if coefficient is None else 100 * coefficient


def _result(part: ScoredSet) -> StsResult:
    if part.pearson is None:
        return StsResult(part.dataset.name, part.dataset.year, [part], note=part.note)
    # Vectors are float32, so sentences with the same words in another order have cosines that differ in the
    # seventh decimal. Rounded, they share a rank.
    rho = _percent(spearman(part.cosines.round(6), part.gold))
    return StsResult(
        part.dataset.name, part.dataset.year, [part], part.pearson, rho, part.resampled, part.note
    )


def _with_and_without(parts: list[ScoredSet]) -> list[tuple[str, list[ScoredSet]]]:
    """The sets with SMT if it is available, and those without SMT if `parts` contain it, by suffix."""
    others = [part for part in parts if part.key != LICENSED]
    is_there = all(len(part.gold) for part in parts if part.key == LICENSED)
    choices = [("", parts)] if is_there else []
    return choices + ([(" without SMT", others)] if len(others) < len(parts) else [])


def _both(suffix: str, year: int | str | None, parts: list[ScoredSet]) -> list[StsResult]:
    """The unweighted and the weighted mean of a year's sets, if there are several."""
    weights = {"mean": None, "weighted mean": [len(part.gold) for part in parts]}
    if len(parts) < 2:
        return []
    return [_mean(f"{name}{suffix}", year, parts, weight) for name, weight in weights.items()]


def _pooled(name: str, year: int | str | None, parts: Sequence[ScoredSet]) -> StsResult:
    """The correlations over all pairs of several sets, of which none is absent."""
    every = ScoredSet(
        StsDataset(name, year),
        np.concatenate([part.cosines for part in parts]),
        np.concatenate([part.gold for part in parts]),
        _chosen_note(parts),
    )
    return replace(_result(every), sets=parts)


def _of_seven(by_key: Mapping[SetKey, ScoredSet]) -> list[StsResult]:
    """The mean of five pooled years, the STS Benchmark and SICK, if all are there."""
    keys: list[list[SetKey]] = [
        [(year, name) for name in names if (year, name) != LICENSED] for year, names in YEARS.items()
    ]
    keys += [[(None, "STSB-test")], [(None, "SICK")]]
    groups = [[by_key[key] for key in group if key in by_key] for group in keys]
    complete = all(len(group) == len(wanted) for group, wanted in zip(groups, keys, strict=True))
    if not complete or not all(len(part.gold) for group in groups for part in group):
        return []
    pooled = [_pooled("", None, group) for group in groups]
    if any(result.pearson is None for result in pooled):
        return []
    parts = [part for group in groups for part in group]
    return [
        StsResult(
            "mean of 7 pooled",
            None,
            parts,
            _average([result.pearson for result in pooled], None),
            _average([result.spearman for result in pooled], None),
            np.average([result.resampled for result in pooled], axis=0),
            _chosen_note(parts),
        )
    ]


def _of_years(name: str, parts: list[ScoredSet]) -> list[StsResult]:
    """The mean of the years' means, if all their sets are there."""
    yearly = [[part for part in parts if part.dataset.year == year] for year in YEARS if year < 2016]
    if not all(yearly) or not all(len(part.gold) for part in parts):
        return []
    weights = [1 / len(group) for group in yearly for _ in group]
    return [_mean(name, None, [part for group in yearly for part in group], weights)]


def _mean(
    name: str, year: int | str | None, parts: Sequence[ScoredSet], weights: Sequence[float] | None = None
) -> StsResult:
    """The mean of several sets' results, by default unweighted; without a value if a set has none."""
    results = [_result(part) for part in parts]
    absent = [part.dataset.name for part in parts if part.dataset.unavailable is not None]
    missing = [result.name for result in results if result.pearson is None and result.name not in absent]
    if absent or missing:
        reasons = [("absent are", absent), ("no correlation for", missing)]
        note = "; ".join(f"{reason} {', '.join(sorted(names))}" for reason, names in reasons if names)
        return StsResult(name, year, parts, note=f"no mean: {note}")
    return StsResult(
        name,
        year,
        parts,
        _average([result.pearson for result in results], weights),
        _average([result.spearman for result in results], weights),
        np.average([part.resampled for part in parts], axis=0, weights=weights),
        _chosen_note(parts),
    )


def _chosen_note(parts: Sequence[ScoredSet]) -> str:
    """That the encoder was chosen on some of the sets or of their pairs, if it was."""
    chosen = sorted(
        part.dataset.name
        if part.chosen == len(part.gold)
        else f"{part.chosen:,} of the {len(part.gold):,} pairs of {part.dataset.name}"
        for part in parts
        if part.chosen
    )
    return f"no test: the encoder was chosen on {', '.join(chosen)}" if chosen else ""


def _average(values: Sequence[float | None], weights: Sequence[float] | None) -> float | None:
    """The mean of the values, by default unweighted; None if one of them is None."""
    known = [value for value in values if value is not None]
    return float(np.average(known, weights=weights)) if len(known) == len(values) else None
