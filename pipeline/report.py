"""The report of a run: one page that needs no network and no scripts."""

import inspect
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from .markup import Child, document, element
from .release_info import rejects_by_reason
from .report_charts import curves_chart, histogram_chart, number, share_bar
from .report_data import Evaluation, EvaluationRow, ReportData, SamplePair, ScoreReport, TrainingCurves
from .report_style import STYLE


def render_report(data: ReportData) -> str:
    """The whole page as HTML. The same data gives the same text; every text of the data is escaped."""
    sections = [
        ("funnel", "From rows to pairs", _funnel(data)),
        ("selections", "Selections", _selections(data)),
        (
            "pairs",
            "Ten pairs" if len(data.pairs) == 10 else "Some pairs",
            _pairs(data.pairs, data.pairs_from),
        ),
        ("scores", "Scores", _scores(data.scores)),
        ("training", "Training", _training(data.training)),
        ("evaluation", "Evaluation", _evaluations(data.evaluations)),
        ("origins", "Corpora, models and licences", _origins(data)),
        ("recipe", "Recipe", _recipe(data.recipe)),
    ]
    there = [(anchor, title, parts) for anchor, title, parts in sections if parts]
    links = [element("li", element("a", title, href=f"#{anchor}")) for anchor, title, _ in there]
    body = element(
        "body",
        element(
            "header",
            element("h1", data.title),
            element("p", _summary(data), class_="lead"),
            _facts(data.facts),
            element("nav", element("ol", links), aria_label="Sections"),
        ),
        element(
            "main",
            [
                element("section", element("h2", title, id=f"{anchor}-title"), parts, id=anchor,
                        aria_labelledby=f"{anchor}-title")
                for anchor, title, parts in there
            ],
        ),
        element("footer", element("p", "Made by paranmt.", class_="note")),
    )  # fmt: skip
    return document(data.title, STYLE, body)


def _summary(data: ReportData) -> str:
    pairs = sum(corpus.pairs for corpus in data.corpora)
    text = f"{pairs:,} pairs from {_plural(len(data.corpora), 'corpus', 'corpora')}, "
    text += _plural(len(data.scores), "score", "scores")
    chosen = [f"{s.selected:,} selected as {s.name}" for s in data.selections]
    return f"{text}; {', '.join(chosen)}." if chosen else f"{text}."


def _plural(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def _facts(facts: Mapping[str, str]) -> ET.Element | None:
    if not facts:
        return None
    return element(
        "dl",
        [element("div", element("dt", label), element("dd", text)) for label, text in facts.items()],
        class_="facts",
    )


def _funnel(data: ReportData) -> list[Child]:
    rows_in = sum(corpus.rows_in for corpus in data.corpora)
    pairs = sum(corpus.pairs for corpus in data.corpora)
    done = data.translation
    steps = [
        ("sum", "rows in", rows_in, False),
        *(("out under", reason, n, True) for reason, n in rejects_by_reason(data.corpora).items()),
        ("sum", "pairs", pairs, False),
        ("under", "translated by the model", done.translated, False),
        ("under", "existing translations", done.existing, False),
        ("out under", "translation failed", done.failed, True),
        *(("sum", f"selected as {s.name}", s.selected, False) for s in data.selections),
    ]
    shown = [step for step in steps if step[2] or step[0] == "sum"]
    body = [
        element(
            "tr",
            element("th", label, scope="row"),
            element("td", f"−{n:,}" if lost else f"{n:,}", class_="n"),
            element("td", _percent(n, rows_in), class_="n"),
            element("td", share_bar(n / rows_in if rows_in else 0, lost), class_="bar"),
            class_=kind,
        )
        for kind, label, n, lost in shown
    ]
    head = [("step", ""), ("rows", "n"), ("of rows in", "n"), ("", "")]
    return [_table("What became of the rows; those with a minus are lost, with the reason.", head, body)]


def _selections(data: ReportData) -> list[Child]:
    pairs = sum(corpus.pairs for corpus in data.corpora)
    parts: list[Child] = []
    for selection in data.selections:
        sampled = ""
        if selection.sample is not None:
            sampled = f" A sample of at most {selection.sample:,} of them was asked for."
        parts += [
            element("h3", element("code", selection.name)),
            element("pre", element("code", inspect.cleandoc(selection.where)), class_="where", tabindex=0),
            element(
                "p",
                f"Holds for {selection.passed:,} of {pairs:,} pairs and is null for {selection.null:,}."
                f"{sampled} Selected: {selection.selected:,} ({_percent(selection.selected, pairs)}).",
            ),
        ]
        if selection.clauses:
            body = [
                element(
                    "tr",
                    element("th", element("code", clause.clause), scope="row"),
                    element("td", f"{clause.dropped:,}", class_="n"),
                    element("td", _percent(clause.dropped, pairs), class_="n"),
                    element("td", f"{clause.null:,}", class_="n"),
                    element("td", share_bar(clause.dropped / pairs if pairs else 0), class_="bar"),
                )
                for clause in selection.clauses
            ]
            head = [("clause", ""), ("drops", "n"), ("of pairs", "n"), ("null for", "n"), ("", "")]
            parts.append(_table("What each clause would drop by itself.", head, body))
    return parts


def _scores(scores: Sequence[ScoreReport]) -> list[Child]:
    if not scores:
        return []
    head = [("score", ""), *((name, "n") for name in _STATISTICS)]
    body = [
        element(
            "tr",
            element(
                "th", element("a", element("code", s.facts.name), href=f"#score-{s.facts.name}"), scope="row"
            ),
            [element("td", text, class_="n") for text in _statistics(s)],
        )
        for s in scores
    ]
    overview = _table(
        "All scores. Held out: pairs without the score because its language model was trained on them.",
        head,
        body,
    )
    return [overview, [_score(s) for s in scores]]


_STATISTICS = ("pairs", "null", "held out", "mean", "s.d.", "least", "median", "greatest")


def _statistics(score: ScoreReport) -> list[str]:
    """The figures of one score, in the order of `_STATISTICS`."""
    h = score.histogram
    median = score.facts.cuts[4] if len(score.facts.cuts) == 9 else None
    figures = [number(figure) for figure in (h.mean, h.sd, h.minimum, median, h.maximum)]
    return [f"{h.n:,}", f"{h.nulls:,}", f"{score.held_out:,}", *figures]


def _score(score: ScoreReport) -> ET.Element:
    facts, h = score.facts, score.histogram
    better = "higher is better" if facts.higher_is_better else "lower is better"
    outside = [
        f"{n:,} values {where} the axis are not drawn."
        for n, where in ((h.below, "below"), (h.above, "above"))
        if n
    ]
    caption = " ".join(["Pairs by value; dashed lines part the deciles, numbered above.", *outside])
    label = f"{facts.name}, {facts.unit}" if facts.unit else facts.name
    figure = None
    if h.counts:
        description = (
            f"Histogram of {h.n:,} values from {number(h.minimum)} to {number(h.maximum)}, "
            f"mean {number(h.mean)}."
        )
        figure = element(
            "figure", histogram_chart(h, facts.cuts, label, description), element("figcaption", caption)
        )
    cuts = None
    if len(facts.cuts) == 9:
        head = [("decile", ""), *((str(decile), "n") for decile in range(1, 11)), ("greatest", "n")]
        values = [number(value) for value in (h.minimum, *facts.cuts, h.maximum)]
        row = element(
            "tr", element("th", "from", scope="row"), [element("td", v, class_="n") for v in values]
        )
        cuts = _table(None, head, [row], label=f"Cut points of the deciles of {facts.name}")
    return element(
        "div",
        element("h3", element("code", facts.name), element("span", better, class_="note")),
        [element("p", paragraph) for paragraph in inspect.cleandoc(facts.doc).split("\n\n")],
        figure,
        cuts,
        class_="score",
        id=f"score-{facts.name}",
    )


def _pairs(pairs: Sequence[SamplePair], picked_from: str) -> list[Child]:
    if not pairs:
        return []
    picked = f"Picked from {picked_from}" if picked_from else "Picked"
    text = f"{picked} by a seeded hash, not by hand: reference and translation, the source below."
    return [element("p", text), [_pair(pair) for pair in pairs]]


def _pair(pair: SamplePair) -> ET.Element:
    def sentence(text: str | None, language: str | None) -> ET.Element:
        if text is None:
            return element("p", element("em", "no translation"))
        return element("p", text, dir="auto", lang=language)

    def side(title: str, text: str | None) -> ET.Element:
        return element("div", element("h4", title), sentence(text, "en"))

    source = None
    if pair.source is not None:
        title = f"source ({pair.source_language})" if pair.source_language else "source"
        source = element(
            "div", element("h4", title), sentence(pair.source, pair.source_language), class_="source"
        )
    scores = [
        element(
            "div",
            element("dt", name),
            element("dd", number(value) + (f", decile {decile}" if decile is not None else "")),
        )
        for name, (value, decile) in pair.scores.items()
    ]
    return element(
        "article",
        element("h3", pair.pair_id),
        element(
            "div", side("reference", pair.reference), side("translation", pair.translation), class_="sides"
        ),
        source,
        element("dl", scores) if scores else None,
        element("p", f"Selected as {', '.join(pair.selections)}", class_="chosen")
        if pair.selections
        else None,
        class_="pair",
    )


def _training(training: Sequence[TrainingCurves]) -> list[Child]:
    parts: list[Child] = []
    for curves in training:
        series = {name: points for name, points in curves.series.items() if points}
        if not series:
            continue
        ends = "; ".join(f"{name} ends at {number(points[-1][1])}" for name, points in series.items())
        chart = curves_chart(series, curves.x_label, curves.y_label, f"{ends}.")
        caption = f"{curves.y_label} by {curves.x_label}: {ends}."
        parts += [
            element("h3", element("code", curves.name)),
            element("figure", chart, element("figcaption", caption)),
        ]
    return parts


def _evaluations(evaluations: Sequence[Evaluation]) -> list[Child]:
    head = [("test set", ""), ("pairs", "n"), ("Pearson", "n"), ("Spearman", "n"), ("", "")]
    parts: list[Child] = []
    for evaluation in evaluations:
        years = dict.fromkeys(row.year for row in evaluation.rows)
        groups = []
        for year in years:
            rows = [_result(row, "under") for row in evaluation.rows if row.year == year]
            if year is not None:
                title = element("th", str(year), scope="rowgroup", colspan=5)
                rows = [element("tr", title), *rows]
            groups.append(element("tbody", rows, class_="group"))
        averages = [_result(row, "sum") for row in evaluation.averages]
        parts += [
            element("h3", element("code", evaluation.name)),
            _table(
                "Correlation of the encoder's cosine with people's judgement, times 100.",
                head,
                [*groups, element("tbody", averages, class_="averages")] if averages else groups,
            ),
        ]
    return parts


def _result(row: EvaluationRow, kind: str) -> ET.Element:
    def figure(value: float | None) -> str:
        return "–" if value is None else f"{value:.1f}".replace("-", "−")

    last = (
        share_bar(row.pearson / 100) if row.pearson is not None else element("span", row.note, class_="note")
    )
    return element(
        "tr",
        element("th", row.dataset, scope="row"),
        element("td", "–" if row.pairs is None else f"{row.pairs:,}", class_="n"),
        element("td", figure(row.pearson), class_="n"),
        element("td", figure(row.spearman), class_="n"),
        element("td", last, class_="bar"),
        class_=kind,
    )


def _origins(data: ReportData) -> list[Child]:
    corpora = [
        element(
            "tr",
            element("th", element("code", corpus.corpus), scope="row"),
            element("td", corpus.domain or "not stated"),
            element("td", corpus.source_language),
            element("td", f"{corpus.rows_in:,}", class_="n"),
            element("td", f"{sum(corpus.rejects.values()):,}", class_="n"),
            element("td", f"{corpus.pairs:,}", class_="n"),
            element("td", corpus.licence or "not stated"),
        )
        for corpus in data.corpora
    ]
    head = [("corpus", ""), ("domain", ""), ("source", ""), ("rows", "n"), ("rejects", "n"), ("pairs", "n")]
    parts: list[Child] = [_table("Corpora.", [*head, ("licence", "")], corpora)]
    if data.models:
        models = [
            element(
                "tr",
                element("th", model.role, scope="row"),
                element("td", model.name),
                element("td", model.licence or "not stated"),
                element("td", model.hash, class_="hash"),
            )
            for model in data.models
        ]
        parts.append(
            _table(
                "Models.",
                [("used for", ""), ("model", ""), ("licence", ""), ("hash of its files", "")],
                models,
            )
        )
    return parts


def _recipe(recipe: str) -> list[Child]:
    if not recipe:
        return []
    summary = element("summary", "The recipe as it was run, defaults included")
    return [element("details", summary, element("pre", element("code", recipe), tabindex=0))]


def _table(
    caption: str | None,
    head: Sequence[tuple[str, str]],
    body: Sequence[ET.Element],
    label: str | None = None,
) -> ET.Element:
    """A table that scrolls by itself where it is wider than the page. head: (title, class) a column."""
    titles = [
        element("th", title, scope="col", class_=kind or None) if title else element("td")
        for title, kind in head
    ]
    bodies = body if body and body[0].tag == "tbody" else [element("tbody", body)]
    table = element(
        "table",
        element("caption", caption) if caption else None,
        element("thead", element("tr", titles)),
        bodies,
        aria_label=label,
    )
    return element("div", table, class_="scroll", role="region", aria_label=label or caption, tabindex=0)


def _percent(part: int, whole: int) -> str:
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{share:.1f} %" if share >= 0.1 or part == 0 else "<0.1 %"
