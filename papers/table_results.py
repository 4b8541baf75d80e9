"""A table of a paper with our figures beside the paper's, and whether its claims hold."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..models.evaluation.bootstrap import estimate, interval, seed_margin
from ..models.evaluation.table import Column, Row, Table
from ..models.sts.correlation import pearson
from .origin import Origin
from .paper_table import Average, Close, Greater, Key, PaperTable, System
from .trainings import Outcome, names_of

NOT_RUN, NO_MEAN = "not run", "no mean"

_COLUMNS = (
    Column(name="group", type="text", meaning="the part of the table"),
    Column(name="system", type="text", meaning="the row of the paper's table, or one of ours"),
    Column(name="paper", type="number", digits=1, meaning="the paper's figure"),
    Column(name="ours", type="number", digits=1, meaning="the mean over the seeds"),
    Column(name="low", type="number", digits=1, meaning="the lower end of its 95 % interval over the items"),
    Column(name="high", type="number", digits=1, meaning="its upper end"),
    Column(name="over_seeds", type="number", digits=1, title="± seeds", meaning="the same over the seeds"),
    Column(name="median", type="number", digits=1, meaning="the median over the seeds"),
    Column(name="seeds", type="count", meaning="how many seeds were run"),
    Column(name="pairs", type="count", meaning="how many pairs each was trained on, the mean over the seeds"),
)
_SETS = (
    Column(name="system", type="text", meaning="the row of the table"),
    Column(name="set", type="text", meaning="the set, or the year of which it is the mean"),
    Column(name="paper", type="number", digits=1, meaning="the paper's figure"),
    Column(name="ours", type="number", digits=1, meaning="the mean over the seeds"),
    Column(
        name="over_seeds", type="number", digits=1, title="± seeds", meaning="its interval over the seeds"
    ),
    Column(name="median", type="number", digits=1, meaning="the median over the seeds"),
)
_CLAIMS = (
    Column(name="claim", type="text", meaning="what the paper's table says"),
    Column(name="paper", type="number", digits=1, meaning="the paper's difference"),
    Column(name="ours", type="number", digits=1, meaning="our difference, the mean over the seeds"),
    Column(name="low", type="number", digits=1, meaning="the lower end of its 95 % interval over the items"),
    Column(name="high", type="number", digits=1, meaning="its upper end"),
    Column(name="over_seeds", type="number", digits=1, title="± seeds", meaning="the same over the seeds"),
    Column(name="verdict", type="text", meaning="holds, does not hold, within noise, not run, or no mean"),
)
_DISTANCES = (
    Column(name="systems", type="text", meaning="two rows of the table"),
    Column(name="paper", type="number", digits=2, meaning="the paper's mean absolute difference"),
    Column(name="ours", type="number", digits=2, meaning="ours, the mean over the seeds"),
    Column(
        name="over_seeds", type="number", digits=2, title="± seeds", meaning="its interval over the seeds"
    ),
    Column(
        name="correlation",
        type="number",
        digits=1,
        meaning="Pearson's r, times 100, of their results over the sets",
    ),
)


@dataclass(frozen=True)
class Reproduction:
    """The results of one table. outcomes: of each system, by seed. reasons: why systems were not run.

    setting: what was measured and what differs from the paper, sentence by sentence. chosen: for systems that
    choose their data, how many seeds chose which. origin: where the results come from.
    """

    table: PaperTable
    outcomes: Mapping[Key, Mapping[int, Outcome]]
    reasons: Mapping[Key, str]
    setting: Sequence[str]
    chosen: Mapping[Key, Mapping[str, int]] = field(default_factory=dict)
    origin: Origin | None = None

    @property
    def systems(self) -> Table:
        """The rows of the table."""
        rows = [self._row(system, (system.key,)) for system in self.table.systems]
        rows += [self._row(average, average.of) for average in self.table.averages]
        columns = self._with_digits(_COLUMNS)
        return Table(caption=self.caption, columns=columns, main="ours", rows=rows, group="group")

    @property
    def sets(self) -> Table:
        """Single sets and means of years, for the systems of which the paper has them."""
        rows = []
        for system in self.table.systems:
            outcomes = list(self.outcomes.get(system.key, {}).values())
            for name, paper in system.sets.items():
                values = [outcome.of(name) for outcome in outcomes]
                figures = {**_over_seeds(values), "median": _median(values)}
                rows.append(Row({"system": system.label, "set": name, "paper": paper, **figures}))
        caption = "The results on single sets, and means of years."
        return Table(
            caption=caption, columns=self._with_digits(_SETS), main="ours", rows=rows, group="system"
        )

    @property
    def claims(self) -> Table:
        """The paper's claims, and whether they hold here."""
        rows = [self._claim(claim) for claim in self.table.claims]
        caption = "What the paper's table says, and whether it holds here."
        return Table(caption=caption, columns=_CLAIMS, main="ours", rows=rows)

    @property
    def distances(self) -> Table:
        """How far systems are apart over the sets, where the paper has that."""
        rows = []
        for pair in self.table.distances:
            left, right = (self.outcomes.get(key, {}) for key in (pair.left, pair.right))
            names = names_of(self.table.set_list)
            apart = [_apart(left[seed], right[seed], names) for seed in left if seed in right]
            figures = _over_seeds([difference for difference, _ in apart])
            correlation = _over_seeds([r for _, r in apart])["ours"]
            systems = " / ".join(name for _, name in (pair.left, pair.right))
            rows.append(Row({"systems": systems, "paper": pair.paper, **figures, "correlation": correlation}))
        caption = "How far systems are apart: the mean absolute difference of their results over the sets."
        return Table(caption=caption, columns=_DISTANCES, main="ours", rows=rows)

    def _row(self, row: System | Average, keys: Sequence[Key]) -> Row:
        """A row of the table: the mean over the outcomes of these systems, seed by seed."""
        by_seed = [self.outcomes.get(key, {}) for key in keys]
        seeds = [[of[seed] for of in by_seed] for seed in by_seed[0] if all(seed in of for of in by_seed)]
        values = [_mean([outcome.mean for outcome in outcomes]) for outcomes in seeds]
        ours = _spread(values, [_mean_samples([each.resampled for each in outcomes]) for outcomes in seeds])
        outcomes = list(itertools.chain(*seeds))
        without = {name for each in outcomes for name in each.without_correlation(self.table.set_list)}
        chosen = self.chosen.get(keys[0]) if len(keys) == 1 else None
        note = ""
        if not seeds:
            reasons = [self.reasons[key] for key in keys if key in self.reasons]
            note = f"{NOT_RUN}: {reasons[0] if reasons else 'no seed is finished'}"
        elif without:
            note = f"{NO_MEAN}: no correlation for {', '.join(sorted(without))}"
        elif chosen:
            note = f"chosen: {', '.join(f'{where} ({times})' for where, times in chosen.items())}"
        named = {"group": row.group or None, "system": row.name, "paper": row.paper}
        pairs = round(np.mean([outcome.pairs for outcome in outcomes])) if outcomes else None
        counts = {"median": _median(values), "seeds": len(values), "pairs": pairs}
        return Row({**named, **ours, **counts}, note)

    def _with_digits(self, columns: Sequence[Column]) -> list[Column]:
        digits = self.table.digits
        return [replace(column, digits=digits) if column.type == "number" else column for column in columns]

    @property
    def caption(self) -> str:
        """What the table is."""
        table = self.table
        return f"An analogue of table {table.number} of {table.paper}: {table.title}."

    def to_json(self) -> dict[str, Any]:
        """Everything, with the results of each seed and each set."""
        seeds = [
            {"group": group, "system": name, "seed": seed, "mean": outcome.mean, "sets": outcome.sets}
            for (group, name), outcomes in self.outcomes.items()
            for seed, outcome in outcomes.items()
        ]
        return {
            "name": self.table.name,
            "origin": None if self.origin is None else self.origin.to_json(),
            "setting": list(self.setting),
            "systems": self.systems.to_json(),
            "sets": self.sets.to_json(),
            "claims": self.claims.to_json(),
            "distances": self.distances.to_json(),
            "trainings": seeds,
        }

    def verdict(self, claim: Greater | Close) -> str:
        """Whether a claim holds: what the intervals over the seeds and the items say, if there are both."""
        gaps, items = self._gaps(claim)
        if not gaps:
            return NOT_RUN
        known = [gap for gap in gaps if gap is not None]
        if len(known) < len(gaps):
            return NO_MEAN
        mean, margin = float(np.mean(known)), seed_margin(known)
        verdicts = {claim.verdict(mean - margin, mean + margin)}
        if np.size(items):
            verdicts.add(claim.verdict(*interval(np.mean(items, axis=0))))
        return verdicts.pop() if len(verdicts) == 1 else "within noise"

    def _claim(self, claim: Greater | Close) -> Row:
        figures = {system.key: system.paper for system in self.table.systems}
        left, right = figures[claim.left], figures[claim.right]
        paper = claim.paper if left is None or right is None else left - right
        ours = _spread(*self._gaps(claim))
        return Row({"claim": claim.claim, "paper": paper, **ours, "verdict": self.verdict(claim)})

    def _gaps(self, claim: Greater | Close) -> tuple[list[float | None], list[np.ndarray]]:
        """The differences of the two systems, seed by seed, and those on the same resamples.

        None where one of the two has no mean.
        """
        left, right = (self.outcomes.get(key, {}) for key in (claim.left, claim.right))
        both = [(left[seed], right[seed]) for seed in left if seed in right]
        gaps = [None if a.mean is None or b.mean is None else a.mean - b.mean for a, b in both]
        return gaps, [a.resampled - b.resampled for a, b in both]


def _apart(left: Outcome, right: Outcome, names: Sequence[str]) -> tuple[float | None, float | None]:
    """The mean absolute difference of two outcomes over these sets, and how they correlate, times 100."""
    pairs = [(left.sets.get(name), right.sets.get(name)) for name in names]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not both:
        return None, None
    one, other = (np.array(values) for values in zip(*both, strict=True))
    r = pearson(one, other) if len(both) > 2 else None
    return float(np.abs(one - other).mean()), None if r is None else 100 * r


def _spread(values: Sequence[float | None], resampled: Sequence[np.ndarray]) -> dict[str, float | None]:
    """The mean over the seeds, its interval over the items, and half of its interval over the seeds.

    None without a seed, and where one of the seeds has no value.
    """
    figures = _over_seeds(values)
    samples = np.mean(resampled, axis=0) if resampled else np.empty(0)
    over_items = estimate(figures["ours"], samples)
    return {**figures, "low": over_items.low, "high": over_items.high}


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; None if one has no value."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _mean_samples(resampled: Sequence[np.ndarray]) -> np.ndarray:
    """The mean on each resample; empty if one has none."""
    return np.mean(resampled, axis=0) if all(samples.size for samples in resampled) else np.empty(0)


def _median(values: Sequence[float | None]) -> float | None:
    """The median over the seeds; None without a seed, or if one has no value."""
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known and len(known) == len(values) else None


def _over_seeds(values: Sequence[float | None]) -> dict[str, float | None]:
    """The mean over the seeds, and half of its interval; None without a seed, or if one has no value."""
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return {"ours": None, "over_seeds": None}
    return {"ours": float(np.mean(known)), "over_seeds": seed_margin(known) if len(known) > 1 else None}
