"""The page of the report: `page.html.jinja` filled with the data of a run."""

import inspect
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment

from ...base.durations import duration
from ...base.templates import environment, resource, script_hash
from ...models.evaluation.table import Column, Value
from ..manifest.release_summary import rejects_by_reason
from ..release.card import VALUES_SHOWN
from ..stages.report_data import EXAMPLES, POINTS, ReportData, ScoreReport, TrainingCurves
from ..stages.results import TuningResults
from ..statistics.measuring import SAMPLE
from . import charts
from .charts import (
    Chart,
    Scatter,
    curves_chart,
    histogram_chart,
    intervals_chart,
    number,
    scatter_plot,
    shade,
)

_PACKAGE = "paranmt.pipeline.report"

# Characters that HTML cannot contain even as references: control characters except tab, newline and
# return, halves of surrogate pairs, and the last two code points of the first plane.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class FunnelStep:
    """One line of the funnel.

    kind: a `total`, a `part` of the total above it, rows `lost` from it, or pairs that are `more` than rows.
    """

    kind: str
    label: str
    rows: int


def render_report(data: ReportData) -> str:
    """The whole page as HTML. The same data gives the same page, and all texts of the data are escaped."""
    training = {curves.name: _curves(curves) for curves in data.training if any(curves.series.values())}
    sections = [
        ("pairs", "Ten pairs" if len(data.pairs) == 10 else "Some pairs", data.pairs),
        ("funnel", "From rows to pairs", True),
        ("selections", "Selections", data.selections),
        ("scores", "Scores", data.scores),
        ("examples", "Examples of each decile", data.examples),
        ("relations", "Score against score", data.relations and len(data.relations.scores) > 1),
        ("statistics", "References and translations", data.statistics),
        ("tuning", "Tuning", data.tunings),
        ("training", "Training", training),
        ("evaluation", "Evaluation", data.evaluations),
        ("stages", "Time and throughput", data.stages),
        ("origins", "Corpora, models and licences", True),
        ("recipe", "Recipe", data.recipe),
    ]
    return fill_page(
        "page.html.jinja",
        data=data,
        sections={anchor: title for anchor, title, content in sections if content},
        rows_in=sum(corpus.rows_in for corpus in data.corpora),
        pairs=sum(corpus.pairs for corpus in data.corpora),
        funnel=_funnel(data),
        training=training,
        plots=_plots(data),
        seconds=sum(cost.seconds or 0.0 for cost in data.stages),
        worker_seconds=sum(cost.worker_seconds or 0.0 for cost in data.stages),
    )


def fill_page(template: str, package: str = _PACKAGE, **values: object) -> str:
    """A template's page as HTML, without the characters that HTML cannot contain.

    package: where the template lies; those of the report's own package can be used in it.
    """
    text = files(package).joinpath(template).read_text("utf-8")
    return _NOT_TEXT.sub("\ufffd", _templates().from_string(text).render(values))


def render_tuning(results: TuningResults) -> str:
    """The page of an entry of `tune` as HTML."""
    return fill_page("tuning.html.jinja", results=results)


def _tuning_charts(results: TuningResults) -> list[Chart]:
    """A chart for each score, or two if it has both deciles and bounds of the papers."""
    charts = []
    for score, of_score in results.scores.items():
        for by_decile in (True, False):
            shown = [
                (result.range.tick, result.first)
                for result in of_score
                if result.first is not None and result.range.by_decile == by_decile
            ]
            if shown:
                if results.is_grid:
                    label = "number of the setting, in the order of the table"
                    baseline = than = "the options as given"
                else:
                    label = f"decile of {score}" if by_decile else f"range of {score}"
                    baseline, than = "the random sample", "random pairs"
                description = (
                    f"Mean of {results.seeds} seeds, with the 95 % interval over the items of the "
                    f"development sets; the broad bar is that over the seeds. The line at 0 is {baseline}."
                )
                points = [(tick, first.difference, first.low, first.high) for tick, first in shown]
                margins = [first.margin for _, first in shown]
                charts.append(intervals_chart(points, label, f"Difference from {than}", description, margins))
    return charts


def _funnel(data: ReportData) -> list[FunnelStep]:
    done = data.translation
    steps = [
        FunnelStep("total", "rows in", sum(corpus.rows_in for corpus in data.corpora)),
        *(FunnelStep("lost", reason, n) for reason, n in rejects_by_reason(data.corpora).items()),
        FunnelStep("more", "further translations of a row", sum(corpus.further for corpus in data.corpora)),
        FunnelStep("total", "pairs", sum(corpus.pairs for corpus in data.corpora)),
        FunnelStep("part", "translated by the model", done.translated),
        FunnelStep("part", "existing translations", done.existing),
        FunnelStep("lost", "translation failed", done.failed),
        FunnelStep("lost", "not wanted, so not translated", done.not_wanted),
        FunnelStep("lost", "no candidate within bounds", done.out_of_bounds),
        *(FunnelStep("total", f"selected as {s.name}", s.selected) for s in data.selections),
    ]
    return [step for step in steps if step.rows or step.kind == "total"]


def _statistics(score: ScoreReport) -> list[str]:
    """The figures of a score, in the order of the overview's columns."""
    h, summary = score.histogram, score.summary
    median = summary.cuts[4] if len(summary.cuts) == 9 else None
    figures = (h.mean, h.sd, h.minimum, median, h.maximum) if h else [None] * 5
    n, nulls = (h.n, h.nulls) if h else (summary.n, summary.nulls)
    return [f"{n:,}", f"{nulls:,}", f"{score.held_out:,}", *map(number, figures)]


def _score_chart(score: ScoreReport) -> Chart | None:
    summary = score.summary
    label = f"{summary.name}, {summary.unit}" if summary.unit else summary.name
    histogram = score.histogram
    return histogram_chart(histogram, summary.cuts, label) if histogram and histogram.counts else None


def _curves(curves: TrainingCurves) -> Chart:
    series = {name: points for name, points in curves.series.items() if points}
    ends = "; ".join(f"{name} ends at {number(points[-1][1])}" for name, points in series.items())
    return curves_chart(series, curves.x_label, curves.y_label, f"{ends}.")


def _plots(data: ReportData) -> list[tuple[str, Scatter]]:
    """The score across, and the plot, whose title is the score up."""
    points = data.relations.points if data.relations else {}
    return [(across, scatter_plot(pairs, up, whole_ends=False)) for (across, up), pairs in points.items()]


def _percent(part: int, whole: int) -> str:
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{share:.1f} %" if share >= 0.1 or part == 0 else "<0.1 %"


def _result(value: Value, column: Column) -> str:
    """A figure of an evaluation, with a dash for none and a minus sign."""
    return column.text(value).replace("-", "−") if value is not None else "–"


def _rho(correlation: float | None) -> str:
    return "–" if correlation is None else f"{correlation:z.2f}".replace("-", "−")


def _value(value: float | str | None) -> str:
    """The value of a score: a label or a number."""
    return value if isinstance(value, str) else number(value)


def _duration(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def _plural(n: int, singular: str, plural: str) -> str:
    return f"{n:,} {singular if n == 1 else plural}"


@cache
def _templates() -> Environment:
    """The templates of the report, with what they use beside a page's own data."""
    script = resource(_PACKAGE, "examples.js").strip()  # line breaks around it count for its hash
    templates = environment(_PACKAGE)
    templates.globals |= {
        "box": charts,
        "decile_columns": [("decile", ""), *((str(d), "n") for d in range(1, 11)), ("maximum", "n")],
        "examples_each": EXAMPLES,
        "percent": _percent,
        "points": POINTS,
        "sample": SAMPLE,
        "score_chart": _score_chart,
        "shade": shade,
        "script": script,
        "script_hash": script_hash(script),
        "statistics": _statistics,
        "values_shown": VALUES_SHOWN,
        "tuning_charts": _tuning_charts,
        "style": resource(_PACKAGE, "style.css"),
    }
    templates.filters |= {
        "cleandoc": inspect.cleandoc,
        "count": "{:,}".format,
        "duration": _duration,
        "number": number,
        "place": "{:g}".format,
        "plural": _plural,
        "result": _result,
        "rho": _rho,
        "value": _value,
    }
    return templates
