"""The data that a report shows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...base.dataset_columns import PAIR_ID, REFERENCE, SOURCE, SOURCE_LANGUAGE, TRANSLATION, decile_name
from ...models.evaluation.table import Table
from ..manifest.release_summary import (
    CorpusSummary,
    ModelSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
)
from .histogram import Histogram
from .results import TuningResults

EXAMPLES = 3
"""How many pairs of each decile of each score are shown, if there are so many."""

POINTS = 1_000
"""How many pairs a scatter plot shows at most."""


@dataclass(frozen=True)
class ScoreReport:
    """One score: its summary, its histogram, and how many of its nulls are pairs held out.

    A score without deciles has no histogram; its summary has all values.
    """

    summary: ScoreSummary
    histogram: Histogram | None
    held_out: int = 0


@dataclass(frozen=True)
class SamplePair:
    """One pair to read. `scores`: value and decile by score, None for null and for a missing decile."""

    pair_id: str
    reference: str
    translation: str | None
    source: str | None = None
    source_language: str | None = None
    scores: Mapping[str, tuple[float | str | None, int | None]] = field(default_factory=dict)
    selections: Sequence[str] = ()


@dataclass(frozen=True)
class Example:
    """A pair, and the (score, decile) of which it is a random example."""

    pair: SamplePair
    shown_for: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class ScoreRelations:
    """How scores depend on each other in a sample of so many pairs.

    correlations: Spearman's ρ of (earlier score, later score) of `scores`, None if one does not vary.
    points: some pairs as (x, y), by the scores across and up.
    """

    pairs: int
    scores: Sequence[str]
    correlations: Mapping[tuple[str, str], float | None]
    points: Mapping[tuple[str, str], Sequence[tuple[float, float]]] = field(default_factory=dict)


@dataclass(frozen=True)
class EvaluationResults:
    """The results of one `evaluate` entry."""

    name: str
    table: Table


@dataclass(frozen=True)
class TrainingCurves:
    """The curves of one training: (x, y) points by series, at most four."""

    name: str
    x_label: str
    y_label: str
    series: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True)
class StageCost:
    """What one stage cost. seconds: by the clock, those of the whole stage; None if its run.json is lost.

    worker_seconds: the sum over its parts; None if none was timed. where: the runner, and the processors of
    the host that started it.
    """

    name: str
    pairs: int
    parts: int
    seconds: float | None
    worker_seconds: float | None
    runner: str = ""
    where: str = ""

    @property
    def pairs_per_second(self) -> float | None:
        """By the clock; None if that is not known."""
        return self.pairs / self.seconds if self.seconds and self.pairs else None


@dataclass(frozen=True)
class ReportData:
    """Everything that a report shows.

    run: texts about the runner, machine, duration and so on, by label. examples: those of the first score
    with deciles come first. statistics: the papers' tables that compare references with translations.
    recipe: YAML. pairs_of: the selection that `pairs` are drawn from; None for all pairs.
    """

    title: str
    run: Mapping[str, str]
    corpora: Sequence[CorpusSummary]
    translation: TranslationCounts
    selections: Sequence[SelectionSummary] = ()
    scores: Sequence[ScoreReport] = ()
    pairs: Sequence[SamplePair] = ()
    examples: Sequence[Example] = ()
    relations: ScoreRelations | None = None
    stages: Sequence[StageCost] = ()
    statistics: Sequence[Table] = ()
    evaluations: Sequence[EvaluationResults] = ()
    tunings: Sequence[TuningResults] = ()
    training: Sequence[TrainingCurves] = ()
    models: Sequence[ModelSummary] = ()
    recipe: str = ""
    description: str = ""
    pairs_of: str | None = None


def sample_pair(row: Mapping[str, object], scores: Sequence[str], selections: Sequence[str]) -> SamplePair:
    """A row of the release as a pair to read."""

    def text(name: str) -> str | None:
        value = row.get(name)
        return None if value is None else str(value)

    def value(name: str) -> float | str | None:
        found = row.get(name)
        return found if isinstance(found, int | float | str) else None

    def decile(score: str) -> int | None:
        found = row.get(decile_name(score))
        return found if isinstance(found, int) else None

    return SamplePair(
        pair_id=str(row[PAIR_ID.name]),
        reference=str(row[REFERENCE.name]),
        translation=text(TRANSLATION.name),
        source=text(SOURCE.name),
        source_language=text(SOURCE_LANGUAGE.name),
        scores={score: (value(score), decile(score)) for score in scores},
        selections=[name for name in selections if row.get(name)],
    )


Section = EvaluationResults | TrainingCurves | TuningResults
"""What the report shows of the results of one stage."""


def evaluation_results(title: str, text: str) -> EvaluationResults:
    """The results that a file has."""
    return EvaluationResults(title, Table.from_json(json.loads(text)))


def training_curves(name: str, text: str) -> Iterator[TrainingCurves]:
    """The losses of a training, and its scores on development sets if it has some. text: training.json."""
    training = json.loads(text)
    losses = [(float(epoch), float(loss)) for epoch, loss in enumerate(training["losses"], start=1)]
    yield TrainingCurves(name, "epoch", "mean loss", {"loss": losses})
    if "development_sets" in training:
        sets = f"{name} on {', '.join(training['development_sets'])}"
        means = [(score["epoch"], score["mean"]) for score in training["dev"] if score["mean"] is not None]
        yield TrainingCurves(sets, "epoch", "mean of Pearson's r", {"mean": means})
    elif "dev" in training:  # under a head
        numbered = enumerate(training["dev"], start=1)
        if scores := [(float(epoch), score) for epoch, score in numbered if score is not None]:
            yield TrainingCurves(f"{name} on dev", "epoch", "score on dev", {"dev": scores})
