"""Semantic textual similarity: how well cosines of sentence vectors agree with people's scores."""

import logging
from dataclasses import dataclass, replace

import numpy as np

from ...paths import FilePath
from .correlation import pearson, spearman
from .evaluation import Encodes, Evaluation
from .sts_data import StsDataset, read_sts
from .table import Column, Row, Table

_LOG = logging.getLogger(__name__)

# The datasets of each year; the papers' averages are over exactly these.
YEARS: dict[int, tuple[str, ...]] = {
    2012: ("MSRpar", "MSRvid", "OnWN", "SMTeuroparl", "SMTnews"),
    2013: ("FNWN", "OnWN", "SMT", "headlines"),
    2014: ("OnWN", "deft-forum", "deft-news", "headlines", "images", "tweet-news"),
    2015: ("answers-forums", "answers-students", "belief", "headlines", "images"),
    2016: ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}
_LICENSED = (2013, "SMT")


_CAPTION = "Correlation of the cosines of sentence vectors with the scores that people gave, times 100."
_COLUMNS = (
    Column(name="year", type="text", meaning="the year of the SemEval task"),
    Column(name="dataset", type="text", title="test set", meaning="the set of pairs, or a mean of sets"),
    Column(name="pairs", type="count", meaning="sentence pairs with a score"),
    Column(name="pearson", type="number", title="Pearson", meaning="Pearson's r, times 100", maximum=100.0),
    Column(
        name="spearman", type="number", title="Spearman", meaning="Spearman's ρ, times 100", maximum=100.0
    ),
)


@dataclass(frozen=True, kw_only=True)
class Sts(Evaluation):
    """Correlations of cosines with people's scores for each dataset, by year and name, and unweighted means.

    - `mean`, with a year: the mean of that year's datasets.
    - `mean of years 2012-2015`: the mean of those four means.
    - `mean of 22`: the datasets of 2012–2015, SICK and Twitter (Wieting and Gimpel 2017).
    - `mean of 25`: the datasets of 2012–2016 (ParaNMT, table 7).

    The last three are given only if all their datasets exist. The SMT set of 2013 is licensed: means that
    contain it are also given `without SMT`, and only so if it is unavailable. The train part of STS 2012, STS
    2017 and the Benchmark are in none of the last three means. The test part of the Benchmark is given a
    second time, without the pairs that are also in the train part of 2012, a development set.
    """

    data: FilePath
    """The folder of the data: files of SemEval's STS tasks, of the STS Benchmark, of SICK or of Twitter."""

    version = 1

    def evaluate(self, encoder: Encodes) -> Table:
        """See the class; None if a dataset has no correlation, and then the row's note says why."""
        datasets = []
        for dataset in read_sts(self.data):
            datasets.append(dataset)
            if dataset.name == "STSB-test":
                datasets.append(dataset.without_year("2012train"))
        results = [_measure(encoder, dataset) for dataset in datasets]
        return Table(
            caption=_CAPTION,
            columns=_COLUMNS,
            main="pearson",
            group="year",
            rows=[result.row() for result in results],
            averages=[mean.row() for mean in _means(results)],
        )


@dataclass(frozen=True)
class _Result:
    """A dataset's correlations times 100, or their mean over several; None if there is none (see `note`)."""

    dataset: str
    year: int | str | None
    pairs: int
    pearson: float | None = None
    spearman: float | None = None
    note: str = ""

    def row(self) -> Row:
        values = {name: value for name, value in vars(self).items() if name != "note"}
        return Row({**values, "year": None if self.year is None else str(self.year)}, self.note)


def _measure(encoder: Encodes, dataset: StsDataset) -> _Result:
    name, year, pairs = dataset.name, dataset.year, len(dataset.gold)
    if dataset.unavailable is not None:
        return _Result(name, year, pairs, note=f"unavailable: {dataset.unavailable}")
    cosines, gold = pair_cosines(encoder, dataset), np.array(dataset.gold)
    result = _Result(name, year, pairs, _percent(pearson(cosines, gold)), _percent(spearman(cosines, gold)))
    if result.pearson is None:
        side = "cosines are all alike" if len(set(dataset.gold)) > 1 else "gold scores are all alike"
        note = f"no correlation: the {side}"
        _LOG.warning("%s %s: %s", year or "", name, note)
        return replace(result, note=note)
    return result


def pair_cosines(encoder: Encodes, dataset: StsDataset) -> np.ndarray:
    """The cosine of the vectors of each pair's sentences in float64, (pairs,)."""
    return _cosines(*np.split(encoder.encode([*dataset.left, *dataset.right]), 2))


def _cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The cosine of each row with the same row of the other array in float64, (n,); 0 for a zero vector."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.divide((left * right).sum(axis=1), norms, out=np.zeros(len(left)), where=norms > 0)


def _percent(coefficient: float | None) -> float | None:
    return None if coefficient is None else 100 * coefficient


def _means(results: list[_Result]) -> list[_Result]:
    by_year = {
        year: [result for result in results if result.year == year]
        for year in dict.fromkeys(result.year for result in results)
        if year is not None
    }
    means = [mean for year, yearly in by_year.items() for mean in _both("mean", year, yearly)]
    by_name: dict[tuple[int | str | None, str], _Result] = {
        (result.year, result.dataset): result for result in results
    }
    four_years = _select(by_name, [(year, name) for year in YEARS if year < 2016 for name in YEARS[year]])
    if four_years is not None:
        yearly = [_both("mean", year, by_year[year]) for year in YEARS if year < 2016]
        # The first of a year's means includes SMT, the last does not.
        if len(yearly[1]) == 2:
            means.append(_mean("mean of years 2012-2015", None, [year[0] for year in yearly]))
        means.append(_mean("mean of years 2012-2015 without SMT", None, [year[-1] for year in yearly]))
        others = _select(by_name, [(None, "SICK"), (None, "Twitter")])
        means += _both("mean of 22", None, four_years + others) if others is not None else []
    all_years = _select(by_name, [(year, name) for year, names in YEARS.items() for name in names])
    return means + (_both("mean of 25", None, all_years) if all_years is not None else [])


def _select(
    by_name: dict[tuple[int | str | None, str], _Result], keys: list[tuple[int | str | None, str]]
) -> list[_Result] | None:
    """The results of these years and names; None unless all of them exist."""
    return [by_name[key] for key in keys] if all(key in by_name for key in keys) else None


def _both(name: str, year: int | str | None, results: list[_Result]) -> list[_Result]:
    """The mean with SMT if it is available, and the mean without SMT if `results` contain it."""
    licensed = [result for result in results if (result.year, result.dataset) == _LICENSED]
    others = [result for result in results if result not in licensed]
    available = [result for result in licensed if result.pairs]
    means = [_mean(name, year, results)] if available == licensed else []
    return means + ([_mean(f"{name} without SMT", year, others)] if licensed else [])


def _mean(name: str, year: int | str | None, results: list[_Result]) -> _Result:
    missing = sorted(result.dataset for result in results if result.pearson is None)
    return _Result(
        name,
        year,
        sum(result.pairs for result in results),
        _average([result.pearson for result in results]),
        _average([result.spearman for result in results]),
        f"no mean: no correlation for {', '.join(missing)}" if missing else "",
    )


def _average(values: list[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else None
