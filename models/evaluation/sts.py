"""Semantic textual similarity: how well cosines of sentence vectors agree with people's scores."""

import logging
from collections.abc import Sequence
from typing import NotRequired, Protocol, TypedDict

import numpy as np

from .correlation import pearson, spearman
from .sts_data import StsDataset, read_sts

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


class StsResult(TypedDict):
    """One line of a table: the correlations of a dataset, or their unweighted mean over several datasets.

    pearson, spearman: 100 times the coefficient, as the papers print it. If there is none it is None, and
    `note` says why.
    """

    dataset: str
    year: int | str | None
    pairs: int
    pearson: float | None
    spearman: float | None
    note: NotRequired[str]


class Encodes(Protocol):
    """Anything that gives vectors for sentences: `SentenceEncoder`, or a user's own model."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """(n, dimension) float32."""
        ...


def evaluate_sts(encoder: Encodes, data: str) -> list[StsResult]:
    """The results of every dataset of `data` (see `read_sts`), by year and name; then the unweighted means.

    - `mean`, with a year: the mean of that year's datasets.
    - `mean of years 2012-2015`: the mean of those four means.
    - `mean of 22`: the datasets of 2012–2015, SICK and Twitter (Wieting and Gimpel 2017).
    - `mean of 25`: the datasets of 2012–2016 (ParaNMT, table 7).

    The last three are given only if all their datasets exist. The SMT set of 2013 is licensed: means that
    contain it are also given `without SMT`, and only so if it is unavailable. The train part of STS 2012, STS
    2017 and the Benchmark are in none of the last three means. The test part of the Benchmark is given a
    second time, without the pairs that are also in the train part of 2012, a development set.
    """
    datasets = []
    for dataset in read_sts(data):
        datasets.append(dataset)
        if dataset.name == "STSB-test":
            datasets.append(dataset.without_year("2012train"))
    results = [_measure(encoder, dataset) for dataset in datasets]
    return results + _means(results)


def _measure(encoder: Encodes, dataset: StsDataset) -> StsResult:
    name, year, pairs = dataset.name, dataset.year, len(dataset.gold)
    result = StsResult(dataset=name, year=year, pairs=pairs, pearson=None, spearman=None)
    if dataset.unavailable is not None:
        result["note"] = f"unavailable: {dataset.unavailable}"
        return result
    vectors = encoder.encode([*dataset.left, *dataset.right])
    cosines, gold = _cosines(*np.split(vectors, 2)), np.array(dataset.gold)
    result["pearson"] = _percent(pearson(cosines, gold))
    result["spearman"] = _percent(spearman(cosines, gold))
    if result["pearson"] is None:
        side = "cosines are all alike" if len(set(dataset.gold)) > 1 else "gold scores are all alike"
        result["note"] = f"no correlation: the {side}"
        _LOG.warning("%s %s: %s", year or "", name, result["note"])
    return result


def _cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The cosine of each row with the same row of the other array in float64, (n,); 0 for a zero vector."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.divide((left * right).sum(axis=1), norms, out=np.zeros(len(left)), where=norms > 0)


def _percent(coefficient: float | None) -> float | None:
    return None if coefficient is None else 100 * coefficient


def _means(results: list[StsResult]) -> list[StsResult]:
    by_year = {
        year: [result for result in results if result["year"] == year]
        for year in dict.fromkeys(result["year"] for result in results)
        if year is not None
    }
    means = [mean for year, yearly in by_year.items() for mean in _both("mean", year, yearly)]
    by_name: dict[tuple[int | str | None, str], StsResult] = {
        (result["year"], result["dataset"]): result for result in results
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
    by_name: dict[tuple[int | str | None, str], StsResult], keys: list[tuple[int | str | None, str]]
) -> list[StsResult] | None:
    """The results of these years and names; None unless all of them exist."""
    return [by_name[key] for key in keys] if all(key in by_name for key in keys) else None


def _both(name: str, year: int | str | None, results: list[StsResult]) -> list[StsResult]:
    """The mean with SMT if it is available, and the mean without SMT if `results` contain it."""
    licensed = [result for result in results if (result["year"], result["dataset"]) == _LICENSED]
    others = [result for result in results if result not in licensed]
    available = [result for result in licensed if result["pairs"]]
    means = [_mean(name, year, results)] if available == licensed else []
    return means + ([_mean(f"{name} without SMT", year, others)] if licensed else [])


def _mean(name: str, year: int | str | None, results: list[StsResult]) -> StsResult:
    mean = StsResult(
        dataset=name,
        year=year,
        pairs=sum(result["pairs"] for result in results),
        pearson=_average([result["pearson"] for result in results]),
        spearman=_average([result["spearman"] for result in results]),
    )
    missing = sorted(result["dataset"] for result in results if result["pearson"] is None)
    if missing:
        mean["note"] = f"no mean: no correlation for {', '.join(missing)}"
    return mean


def _average(values: list[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else None
