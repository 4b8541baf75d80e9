"""What trials say about ranges: means over seeds, differences from random pairs, intervals, and the winner.

The uncertainty has two sources, which are kept apart. The interval of a difference over the items of the
development sets comes from a stratified bootstrap with the same draws for all trials. The margin over the
seeds is that of Student's interval for the differences paired by seed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter

from ...base.errors import InputError
from ...filters.where.ranges import ALL_PAIRS, ScoreRange
from ...models.evaluation.bootstrap import interval, resampled_pearson, seed_margin
from ...models.evaluation.table import Column, Row, Table
from ...transforms.works.range_trials import Trial, best_range

Trials = Mapping[str, Mapping[str, Trial]]
"""The trials of each range (or, with fresh seeds, of each score) by the number of their seed."""


@dataclass(frozen=True)
class Figures:
    """The mean of a range over its seeds, in Pearson's r times 100, and its difference from random pairs.

    sd: of the trials. low, high: the interval of the difference over the items. margin: half the width of its
    interval over the seeds; None for a single seed.
    """

    mean: float
    sd: float
    difference: float
    low: float
    high: float
    margin: float | None

    @property
    def is_better(self) -> bool:
        """Whether the difference is positive beyond both intervals."""
        return self.low > 0 and self.margin is not None and self.difference > self.margin


@dataclass(frozen=True)
class RangeResult:
    """A range, how many pairs of the pool it has, and its figures; None if it has too few pairs.

    fresh: those of fresh seeds, if it is the best range of its score.
    """

    range: ScoreRange
    pairs: int
    first: Figures | None
    fresh: Figures | None = None


@dataclass(frozen=True)
class TuningResults:
    """The results of an entry of `tune`. The range of all pairs, the baseline, comes first.

    pairs: how many pairs each encoder was trained on. best: the range with the highest mean over the first
    seeds, as a position in `results`; None if no range has enough pairs.
    """

    name: str
    pairs: int
    seeds: int
    fresh_seeds: int
    development: dict[str, int]
    results: tuple[RangeResult, ...]
    best: int | None

    @property
    def winner(self) -> RangeResult | None:
        return None if self.best is None else self.results[self.best]

    @property
    def scores(self) -> dict[str, list[RangeResult]]:
        """The ranges of each score."""
        scores: dict[str, list[RangeResult]] = {}
        for result in self.results[1:]:
            scores.setdefault(result.range.score, []).append(result)
        return scores

    @property
    def fragment(self) -> str:
        """The part of a recipe that selects the pairs of the best range."""
        where = ALL_PAIRS.where if self.winner is None else self.winner.range.where
        return f"select:\n  {self.name}:\n    where: {where}\n"

    @property
    def verdict(self) -> str:
        """What the fresh seeds say of the best range, and of those of the other scores."""
        fresh = None if self.winner is None else self.winner.fresh
        if self.winner is None or fresh is None:
            return f"No range has the {self.pairs:,} pairs of a trial."
        margin = "" if fresh.margin is None else f", ± {fresh.margin:.2f} over the seeds"
        figures = (
            f"its difference on fresh seeds is {signed(fresh.difference)} "
            f"({signed(fresh.low)} to {signed(fresh.high)} over the items{margin})."
        )
        surely = "is" if fresh.is_better else "is not certainly"
        others = [
            f"{result.range.score}, {result.range.label}"
            for result in self.results
            if result is not self.winner and result.fresh is not None and result.fresh.is_better
        ]
        more = f" Beyond both intervals better than random pairs: {'; '.join(others)}." if others else ""
        name = f"{self.winner.range.score}, {self.winner.range.label}"
        return f"The best range is {name}. It {surely} better than random pairs: {figures}{more}"

    def best_table(self) -> Table:
        """The best range of each score on fresh seeds (in the shape of ParaNMT, table 4)."""
        rescored = [(result.range.score, result) for result in self.results[1:] if result.fresh is not None]
        return _table(
            f"The best range of each score on {self.fresh_seeds} fresh seeds, which did not choose it.",
            [
                {"score": score, "range": result.range.label, **_values(result, result.fresh)}
                for score, result in (*rescored, ("all pairs", self.results[0]))
            ],
        )

    def table(self) -> Table:
        """All ranges on the first seeds."""
        rows: list[dict[str, str | int | float | None]] = []
        for result in self.results:
            score = result.range.score or "all pairs"
            rows.append({"score": score, "range": result.range.label, **_values(result, result.first)})
        return _table(
            f"Every range: encoders trained on {self.pairs:,} of its pairs, with {self.seeds} seeds.",
            rows,
            "score",
        )


TUNING_RESULTS = TypeAdapter(TuningResults)
"""Reads and writes `results.json`."""


def tuning_results(
    name: str,
    ranges: Sequence[ScoreRange],
    sizes: Mapping[str, int],
    trials: Trials,
    fresh: Trials,
    pairs: int,
    seed: int,
) -> TuningResults:
    """The results of the trials of an entry.

    ranges: the range of all pairs first. sizes: how many pairs of the pool each range has. seed: of the
    bootstrap.
    """
    baseline = trials[ALL_PAIRS.key]
    first, again = _figures(trials, seed), _figures(fresh, seed)
    best_of = {
        score: best_range(
            [(key, trial) for key in trials if key.startswith(f"{score}/") for trial in trials[key].values()]
        )
        for score in dict.fromkeys(part.score for part in ranges)
    }
    results = tuple(
        RangeResult(
            part,
            sizes[part.key],
            first[part.key],
            again.get(part.score or part.key)
            if best_of.get(part.score) == part.key or not part.score
            else None,
        )
        for part in ranges
    )
    means = {
        place: result.first.mean for place, result in enumerate(results) if place and result.first is not None
    }
    development = {dataset: len(gold) for dataset, gold in next(iter(baseline.values())).gold.items()}
    best = max(means, key=lambda place: means[place]) if means else None
    return TuningResults(name, pairs, len(baseline), len(fresh[ALL_PAIRS.key]), development, results, best)


def _figures(trials: Trials, seed: int) -> dict[str, Figures | None]:
    """The figures of each range; None if one of its trials has no result."""
    complete = {
        key: list(of_range.values())
        for key, of_range in trials.items()
        if all(trial.mean is not None for trial in of_range.values())
    }
    if ALL_PAIRS.key not in complete:
        raise InputError(
            "the cosines of encoders trained on a random sample do not vary on the development sets, so "
            "nothing can be compared; raise `pairs` or `epochs`"
        )
    datasets = list(complete[ALL_PAIRS.key][0].gold)
    everything = [trial for of_range in complete.values() for trial in of_range]
    by_dataset = [
        resampled_pearson(
            np.stack([trial.cosines[dataset] for trial in everything]), everything[0].gold[dataset], seed=seed
        )
        for dataset in datasets
    ]
    draws = 100 * np.mean(by_dataset, axis=0)
    place = 0
    mean_draws = {}
    for key, of_range in complete.items():
        mean_draws[key] = draws[:, place : place + len(of_range)].mean(axis=1)
        place += len(of_range)
    figures: dict[str, Figures | None] = dict.fromkeys(trials)
    for key, of_range in complete.items():
        means = np.array([trial.mean for trial in of_range], float)
        differences = means - np.array([trial.mean for trial in complete[ALL_PAIRS.key]], float)
        low, high = interval(mean_draws[key] - mean_draws[ALL_PAIRS.key])
        sd = float(np.std(means, ddof=1)) if len(means) > 1 else 0.0
        margin = seed_margin(differences.tolist()) if len(means) > 1 else None
        figures[key] = Figures(float(means.mean()), sd, float(differences.mean()), low, high, margin)
    return figures


def signed(value: float) -> str:
    """A difference with its sign.

    >>> signed(0.264), signed(-1.0)
    ('+0.26', '−1.00')
    """
    return f"{value:+.2f}".replace("-", "−")


_COLUMNS = (
    Column(name="score", type="text", meaning="the score"),
    Column(name="range", type="text", meaning="the range of its values"),
    Column(name="pairs", type="count", meaning="how many pairs that trials may draw are in the range"),
    Column(
        name="mean",
        type="number",
        meaning="mean over the seeds of the mean over the development sets of Pearson's r, times 100",
        digits=2,
    ),
    Column(name="sd", type="number", title="s.d.", meaning="standard deviation over the seeds", digits=2),
    Column(
        name="difference",
        type="number",
        meaning="mean difference from the random sample, paired by seed",
        digits=2,
    ),
    Column(
        name="low",
        type="number",
        meaning="lower end of the 95 % interval of the difference over the items (stratified bootstrap)",
        digits=2,
    ),
    Column(name="high", type="number", meaning="upper end of that interval", digits=2),
    Column(
        name="seeds",
        type="number",
        title="± over seeds",
        meaning="half the width of the 95 % interval of the difference over the seeds (Student's t)",
        digits=2,
    ),
)


def _values(result: RangeResult, figures: Figures | None) -> dict[str, str | int | float | None]:
    if figures is None:
        return {"pairs": result.pairs, **dict.fromkeys(("mean", "sd", "difference", "low", "high", "seeds"))}
    is_baseline = not result.range.score
    return {
        "pairs": result.pairs,
        "mean": figures.mean,
        "sd": figures.sd,
        "difference": None if is_baseline else figures.difference,
        "low": None if is_baseline else figures.low,
        "high": None if is_baseline else figures.high,
        "seeds": None if is_baseline else figures.margin,
    }


def _table(
    caption: str,
    rows: Sequence[Mapping[str, str | int | float | None]],
    group: str | None = None,
) -> Table:
    notes = ["" if row["mean"] is not None else "too few pairs" for row in rows]
    return Table(
        caption=caption,
        columns=_COLUMNS,
        main="mean",
        rows=[Row(row, note) for row, note in zip(rows, notes, strict=True)],
        group=group,
    )
