"""What trials say about ranges: means over seeds, differences from random pairs, intervals, and the winner.

The uncertainty has two sources, which are kept apart. The interval of a difference over the items of the
development sets comes from a stratified bootstrap with the same draws for all trials. The margin over the
seeds is that of Student's interval for the differences paired by seed.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import yaml
from pydantic import TypeAdapter

from ...base.errors import InputError
from ...filters.where.ranges import ALL_PAIRS, ScoreRange, SettingValue
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

    fresh: those of fresh seeds, if it is the best range of its score. values: the options of a setting of a
    grid. tests: for each seed, the mean over the test sets of Pearson's r, times 100; fresh_tests: of fresh
    seeds. Both are empty if there are no test sets.
    """

    range: ScoreRange
    pairs: int
    first: Figures | None
    fresh: Figures | None = None
    values: dict[str, SettingValue] = field(default_factory=dict)
    tests: tuple[float, ...] = ()
    fresh_tests: tuple[float, ...] = ()


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
    def is_grid(self) -> bool:
        """Whether settings of a grid are compared instead of ranges of scores."""
        return any(result.values for result in self.results)

    @property
    def oracle(self) -> RangeResult | None:
        """The range or setting that is best on the test sets; None without test sets."""
        tested = [result for result in self.results if result.tests]
        return max(tested, key=lambda result: sum(result.tests) / len(result.tests), default=None)

    @property
    def is_certain(self) -> bool:
        """Whether the best range or setting is better than the baseline, beyond both intervals."""
        return self.winner is not None and self.winner.fresh is not None and self.winner.fresh.is_better

    @property
    def fragment(self) -> str:
        """The part of a recipe that selects the pairs of the best range, or trains with the best setting."""
        if self.is_grid:
            nested: dict[str, Any] = {}
            for key, value in ({} if self.winner is None else self.winner.values).items():
                *sections, last = key.split(".")
                at = nested
                for section in sections:
                    at = at.setdefault(section, {})
                at[last] = value
            return str(yaml.safe_dump({"train": {self.name: nested}}, sort_keys=False))
        where = ALL_PAIRS.where if self.winner is None else self.winner.range.where
        return f"select:\n  {self.name}:\n    where: {where}\n"

    @property
    def verdict(self) -> str:
        """What the fresh seeds say of the best range or setting, and of those of the other scores."""
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
        if self.is_grid:
            name, than = f"setting is {self.winner.range.label}", "the options as given"
        else:
            name = f"range is {self.winner.range.score}, {self.winner.range.label}"
            than = "random pairs"
        return (
            f"The best {name}. It {surely} better than {than}: {figures}{more}{self._on_tests(self.winner)}"
        )

    def _on_tests(self, winner: RangeResult) -> str:
        """What the test sets say, which chose nothing: the median of the best, and the oracle's mean."""
        oracle = self.oracle
        if oracle is None or not winner.fresh_tests:
            return ""
        best = f"{oracle.range.score}, {oracle.range.label}" if oracle.range.score else "all pairs"
        label = oracle.range.label if self.is_grid else best
        return (
            f" On the test sets its median over {len(winner.fresh_tests)} fresh seeds is "
            f"{statistics.median(winner.fresh_tests):.2f}. Chosen on them (the papers' oracle), {label} "
            f"would have been the best, with a mean of {statistics.fmean(oracle.tests):.2f}."
        )

    def best_table(self) -> Table:
        """The best range of each score on fresh seeds (in the shape of ParaNMT, table 4)."""
        rescored = [result for result in self.results[1:] if result.fresh is not None]
        what = "setting" if self.is_grid else "range of each score"
        return self._table(
            f"The best {what} on {self.fresh_seeds} fresh seeds, which did not choose it.",
            [(result, result.fresh, result.fresh_tests) for result in (*rescored, self.results[0])],
        )

    def table(self) -> Table:
        """All ranges on the first seeds."""
        what = "setting: encoders" if self.is_grid else "range: encoders"
        of = "" if self.is_grid else " of its"
        return self._table(
            f"Every {what} trained on {self.pairs:,}{of} pairs, with {self.seeds} seeds.",
            [(result, result.first, result.tests) for result in self.results],
            None if self.is_grid else "score",
        )

    def _table(
        self,
        caption: str,
        results: Sequence[tuple[RangeResult, Figures | None, tuple[float, ...]]],
        group: str | None = None,
    ) -> Table:
        """A row for each result, with the figures and the means on the test sets of one part of the seeds."""
        rows: list[dict[str, str | int | float | None]] = []
        for result, figures, tests in results:
            first: dict[str, str | int | float | None]
            if self.is_grid:
                first = {"setting": result.range.label if result.range.score else "as given"}
            else:
                first = {"score": result.range.score or "all pairs", "range": result.range.label}
            rows.append(first | _values(result, figures))
            if self.oracle is not None:
                rows[-1] |= {
                    "test": statistics.fmean(tests) if tests else None,
                    "median": statistics.median(tests) if tests else None,
                }
        notes = ["" if row["mean"] is not None else "too few pairs" for row in rows]
        return Table(
            caption=caption,
            columns=(
                *(_SETTING if self.is_grid else _RANGE),
                *_FIGURES,
                *(_TESTS if self.oracle is not None else ()),
            ),
            main="mean",
            rows=[Row(row, note) for row, note in zip(rows, notes, strict=True)],
            group=group,
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
    values: Mapping[str, Mapping[str, SettingValue]] | None = None,
) -> TuningResults:
    """The results of the trials of an entry.

    ranges: the range of all pairs first. sizes: how many pairs of the pool each range has. seed: of the
    bootstrap. values: the options of each setting of a grid, by the key of its range.
    """
    values = values or {}
    baseline = trials[ALL_PAIRS.key]
    first, again = _figures(trials, seed), _figures(fresh, seed)
    best_of = {
        score: best_range(
            [(key, trial) for key in trials if key.startswith(f"{score}/") for trial in trials[key].values()]
        )
        for score in dict.fromkeys(part.score for part in ranges)
    }

    def is_rescored(part: ScoreRange) -> bool:
        return not part.score or best_of.get(part.score) == part.key

    results = tuple(
        RangeResult(
            part,
            sizes[part.key],
            first[part.key],
            again.get(part.score or part.key) if is_rescored(part) else None,
            dict(values.get(part.key, {})),
            _tests(trials[part.key]),
            _tests(fresh[part.score or part.key]) if is_rescored(part) else (),
        )
        for part in ranges
    )
    means = {
        place: result.first.mean for place, result in enumerate(results) if place and result.first is not None
    }
    development = {dataset: len(gold) for dataset, (_, gold) in next(iter(baseline.values())).sets.items()}
    best = max(means, key=lambda place: means[place]) if means else None
    return TuningResults(name, pairs, len(baseline), len(fresh[ALL_PAIRS.key]), development, results, best)


def _tests(trials: Mapping[str, Trial]) -> tuple[float, ...]:
    """The mean over the test sets of each trial; nothing if one has none."""
    found = [trial.test for trial in trials.values() if trial.test is not None]
    return tuple(found) if len(found) == len(trials) else ()


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
    everything = [trial for of_range in complete.values() for trial in of_range]
    by_dataset = [
        resampled_pearson(np.stack([trial.sets[dataset][0] for trial in everything]), gold, seed=seed)
        for dataset, (_, gold) in complete[ALL_PAIRS.key][0].sets.items()
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


_SETTING = (Column(name="setting", type="text", meaning="the options of training"),)
_RANGE = (
    Column(name="score", type="text", meaning="the score"),
    Column(name="range", type="text", meaning="the range of its values"),
)
_TESTS = (
    Column(
        name="test",
        type="number",
        meaning="mean over the seeds of the mean over the test sets, which choose nothing",
        digits=2,
    ),
    Column(name="median", type="number", meaning="median over the seeds of the same", digits=2),
)
_FIGURES = (
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
