import base64
import copy
import hashlib
import json
import math
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import astuple, replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranmt.models.evaluation.table import Column, Row, Table
from paranmt.pipeline.manifest.release_summary import (
    ClauseCounts,
    CorpusSummary,
    ModelSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
)
from paranmt.pipeline.report.charts import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    curves_chart,
    histogram_chart,
    intervals_chart,
    number,
)
from paranmt.pipeline.report.example_pairs import decile_examples, score_relations
from paranmt.pipeline.report.page import render_report
from paranmt.pipeline.stages.histogram import collect_histogram
from paranmt.pipeline.stages.report_data import (
    EvaluationResults,
    Example,
    ReportData,
    SamplePair,
    ScoreRelations,
    ScoreReport,
    StageCost,
    TrainingCurves,
    training_curves,
)

HOSTILE = (
    "</style></title><script>alert(1)</script> \"'><img src=x onerror=alert(2)> &amp; \x00 ]]> --> {{ x }} "
    '\u202e\u2067\u200f<!--<script> hidden data-shown-for="a=1"'
)

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """A parsed page: its tags with attributes, and its text; fails on a tag left open or crossed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []
        self.scripts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self._open:
            self.scripts.append(data)
        elif "style" not in self._open:
            self.pieces.append(data)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


RANKS = [
    Column(name="side", type="text", meaning="what is searched for"),
    Column(name="rank", type="number", meaning="the median rank", digits=0),
]
RANK = Row({"side": "captions", "rank": 17.0})


def results(text: str) -> Table:
    """A table by years, with an average of a year and one of all."""

    def row(
        year: str | None,
        name: str,
        pairs: int | None,
        first: float | None,
        second: float | None,
        note: str = "",
    ) -> Row:
        return Row({"year": year, "set": name, "pairs": pairs, "pearson": first, "spearman": second}, note)

    return Table(
        caption=text,
        columns=[
            Column(name="year", type="text", meaning=text),
            Column(name="set", type="text", title=text, meaning=text),
            Column(name="pairs", type="count", meaning=text),
            Column(name="pearson", type="number", meaning=text, unit="times 100", maximum=100.0),
            Column(name="spearman", type="number", title="Spearman", meaning=text),
        ],
        main="pearson",
        group="year",
        rows=[row("2012", text, 750, 61.25, -3.5), row("2013", "SMT", None, None, None, note=text)],
        averages=[row("2012", "mean", 750, 61.25, -3.5), row(None, "all years", None, 58.0, 57.0)],
    )


def report(text: str = "plain") -> ReportData:
    """A report with every section, and `text` wherever a run's texts go."""
    values = pa.array(np.linspace(0, 1, 1_000), pa.float32())
    cuts = [k / 10 for k in range(1, 10)]
    score = ScoreSummary("trigram_overlap", text, "", False, 1_000, 30, cuts)
    return ReportData(
        title=text,
        run={"runner": text},
        corpora=[CorpusSummary("captions", text, 1_050, 1_030, {text: 20}, text, text)],
        translation=TranslationCounts(translated=1_000, existing=25, failed=5),
        selections=[
            SelectionSummary("paraphrases", text, 700, 30, 500, 500, [ClauseCounts(text, 300, 30)]),
        ],
        scores=[ScoreReport(score, collect_histogram(values), held_out=30)],
        pairs=[
            SamplePair(text, text, text, text, text, {"trigram_overlap": (0.25, 3)}, ["paraphrases"]),
            SamplePair("c:2", "A dog.", None, scores={"trigram_overlap": (None, None)}),
        ],
        evaluations=[
            EvaluationResults("sts", results(text)),
            EvaluationResults("ranks", Table(caption=text, columns=RANKS, main="rank", rows=[RANK])),
        ],
        training=[TrainingCurves("avg", text, text, {text: [(0.0, 0.5), (100.0, 0.25)], "empty": []})],
        models=[ModelSummary("translate", text, "f00d", text)],
        recipe=text,
        examples=[
            Example(SamplePair(text, text, text, text, text), [("trigram_overlap", 1), ("perplexity", 3)]),
            Example(SamplePair("c:3", "A cat.", "Cats."), [("perplexity", 2)]),
        ],
        relations=ScoreRelations(
            1_000, ["trigram_overlap", "perplexity"], {("trigram_overlap", "perplexity"): -0.25}
        ),
        stages=[
            StageCost("ingest", 1_030, 2, 0.5, 0.75, "local", text),
            StageCost("translate", 1_030, 2, 103.0, 205.0, "local", text),
            StageCost("model/perplexity", 500, 1, None, None),
        ],
    )


def test_every_section_is_there() -> None:
    page = Page(render_report(report()))
    for expected in [
        "1,030 pairs from 1 corpus, 1 score; 500 selected as paraphrases.",
        "1,050",
        "−20",
        "98.1 %",  # 1,030 of 1,050
        "The condition holds for 700 of 1,030 pairs and is null for 30.",
        "0.25, decile 3",
        "no translation",
        "61.2",
        "−3.5",
        "plain ends at 0.25",
        "f00d",
    ]:
        assert expected in page.text, expected
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert {f"#{i}" for i in ids} >= links >= {"#funnel", "#scores", "#evaluation", "#score-trigram_overlap"}


def test_an_evaluation_is_shown_by_groups_with_their_averages() -> None:
    page = Page(render_report(report()))
    shown = " ".join(page.text.split())
    assert "2012 plain 750 61.2 −3.5 mean 750 61.2 −3.5 2013 SMT – – – plain all years – 58.0 57.0" in shown
    assert "pairs: plain pearson (times 100): plain Spearman: plain" in shown
    assert "side rank captions 17 rank: the median rank" in shown


def test_what_few_read_is_folded() -> None:
    page = render_report(report())
    folded = re.findall(r'<section id="(\w+)"[^>]*>\n<h2[^>]*>[^<]*</h2>\n<details>', page)
    assert folded == ["examples", "relations", "training", "stages", "recipe"]
    assert page.count("<summary>scores</summary>") == 2, "those of the pairs to read"
    assert "<summary>What it is, and where its deciles begin</summary>" in page


def test_the_pairs_are_those_of_a_selection() -> None:
    page = Page(render_report(replace(report(), pairs_of="paraphrases", description="What it is."))).text
    assert "drawn by a seeded hash from the selection paraphrases, not by hand" in page
    assert "What it is." in page and "from the selection" not in Page(render_report(report())).text


def test_meanings_say_more_than_headings() -> None:
    columns = [
        Column(name="side", type="text", meaning="a side"),
        Column(name="sentences", type="count", meaning="sentences"),
        Column(name="share", type="number", title="share %", unit="%", meaning="how many"),
    ]
    row = Row({"side": "a", "sentences": 1, "share": 2.0})
    table = Table(caption="c", columns=columns, main="share", rows=[row])
    page = render_report(replace(report(), statistics=[table]))
    assert "<dt>sentences:</dt>" not in page and "<dt>share %:</dt> <dd>how many</dd>" in page


def test_the_stages_show_their_time_and_throughput() -> None:
    shown = " ".join(Page(render_report(report())).text.split())
    assert "ingest 1,030 2 0.5 s 2,060 0.8 s plain" in shown
    assert "translate 1,030 2 1 min 43 s 10 3 min 25 s plain" in shown
    assert "model/perplexity 500 1 – – – –" in shown
    assert "all stages 1 min 44 s 3 min 26 s" in shown  # 103.5 and 205.75 seconds


def test_hostile_text_stays_text() -> None:
    html = render_report(report(HOSTILE))
    page = Page(html)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"img", "link", "iframe", "object"}
    ours = files("paranmt.pipeline.report").joinpath("examples.js").read_text("utf-8").strip()
    assert [script.strip() for script in page.scripts] == [ours]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    shown = HOSTILE.replace("\x00", "\ufffd")
    # title, h1, fact, reason, where, clause, score, pair (id, two sides, source), test set, recipe …
    assert page.text.count(shown) >= 15
    assert html.count("</style>") == 1


def test_the_browser_may_run_no_script_but_ours() -> None:
    page = Page(render_report(report(HOSTILE)))
    (policy,) = [a["content"] or "" for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256("".join(page.scripts).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy and policy.startswith("default-src 'none';")


def test_without_javascript_the_examples_of_the_first_score_are_there() -> None:
    page = Page(render_report(report()))
    examples = [a for tag, a in page.tags if tag == "article" and "data-shown-for" in a]
    assert [(a["data-shown-for"], "hidden" in a) for a in examples] == [
        ("trigram_overlap=1 perplexity=3 ", False),
        ("perplexity=2 ", True),
    ]
    assert ("form", {"id": "choose-examples", "hidden": None}) in page.tags
    assert "The examples of trigram_overlap, by decile." in page.text


def rows_of(scores: Sequence[str], n: int, words: int = 12) -> pa.Table:
    """Pairs in random order with independent scores, each with its own random decile."""
    random = np.random.default_rng(4)
    texts = [" ".join(random.choice(["boat", "don't", "říčka", "<b>"], words)) for _ in range(n)]
    columns: dict[str, object] = {"pair_id": [f"corpus/file:{row}" for row in range(n)]}
    columns |= dict.fromkeys(("reference", "translation", "source"), texts)
    for score in scores:
        columns[score] = pa.array(random.random(n), pa.float32())
        columns[f"{score}_decile"] = pa.array(random.integers(1, 11, n), pa.int8())
    return pa.table(columns)


def test_examples_are_the_first_rows_of_each_decile() -> None:
    deciles = [1] * 5 + [10] * 2 + [None] + [2]
    others = [4, 4, 1, 1, 1, 1, 1, 1, 4]
    table = pa.table(
        {
            "pair_id": [f"c:{row}" for row in range(9)],
            "reference": ["x" * 501] + ["x" * 500] * 8,
            "a": [1.0] * 9,
            "b": [2.0] * 9,
            "a_decile": pa.array(deciles, pa.int8()),
            "b_decile": pa.array(others, pa.int8()),
        }
    )
    examples = decile_examples(table, ["a", "b"], ["a", "b"], [])
    assert [(e.pair.pair_id, list(e.shown_for)) for e in examples] == [
        ("c:0", [("a", 1), ("b", 4)]),
        ("c:1", [("a", 1), ("b", 4)]),
        ("c:2", [("a", 1), ("b", 1)]),
        ("c:8", [("a", 2), ("b", 4)]),
        ("c:5", [("a", 10)]),
        ("c:6", [("a", 10)]),
        ("c:3", [("b", 1)]),
        ("c:4", [("b", 1)]),
    ]
    assert [len(e.pair.reference) for e in examples[:2]] == [502, 500]
    assert decile_examples(table.slice(0, 0), ["a"], ["a"], []) == []
    assert decile_examples(table, [], ["a"], []) == []


def test_a_page_of_20_scores_is_small() -> None:
    scores = [f"some_longer_score_{index}" for index in range(20)]
    rows = rows_of(scores, 2_000)
    histogram = collect_histogram(rows[scores[0]].chunks)
    cuts = [k / 10 for k in range(1, 10)]
    summaries = [ScoreSummary(name, "doc", "", True, 2_000, 0, cuts) for name in scores]
    examples = decile_examples(rows, scores, scores, [])
    cells = [cell for example in examples for cell in example.shown_for]
    assert len(cells) == len(set((*cell, e.pair.pair_id) for e in examples for cell in e.shown_for)) == 600
    data = replace(
        report(),
        scores=[ScoreReport(summary, histogram) for summary in summaries],
        examples=examples,
        relations=score_relations(rows, scores),
    )
    assert len(render_report(data).encode()) < 1_000_000


def test_scores_against_scores() -> None:
    """Worked by hand: ρ = 1 − 6 Σ d² / (n (n² − 1)), over the pairs that have both scores."""
    table = pa.table(
        {
            "reference_length": pa.array([1, 2, 3, 4, None], pa.int32()),
            "translation_length": pa.array([1, 2, 4, 3, 9], pa.int32()),
            "perplexity": pa.array([9.0, math.inf, 3.0, 2.0, 5.0], pa.float32()),
            "same": pa.array([1.0] * 5, pa.float32()),
        }
    )
    relations = score_relations(table, table.column_names)
    assert relations.correlations == {
        ("reference_length", "translation_length"): pytest.approx(0.8),  # d = 0, 0, 1, 1
        ("reference_length", "perplexity"): pytest.approx(-0.8),  # ranks 3, 4, 2, 1: d = 2, 2, 1, 3
        ("reference_length", "same"): None,
        ("translation_length", "perplexity"): pytest.approx(-0.5),  # 4, 5, 2, 1, 3: d = 3, 3, 2, 2, 2
        ("translation_length", "same"): None,
        ("perplexity", "same"): None,
    }
    # The pair with the longest translation, and the one with the longest reference, are left out.
    ((scores, points),) = relations.points.items()
    assert scores == ("reference_length", "translation_length")
    assert [(round(x), round(y)) for x, y in points] == [(1, 1), (2, 2)]
    assert all(abs(x - round(x)) <= 0.4 for x, _ in points)

    page = Page(render_report(replace(report(), relations=relations, examples=[])))
    shown = " ".join(page.text.split())
    assert "1 reference_length 2 translation_length 0.80 3 perplexity −0.80 −0.50 4 same – – –" in shown
    shades = [(a.get("class") or "").split() for tag, a in page.tags if tag == "td" and "title" in a]
    assert shades == [["n", "plus5"], ["n", "minus5"], ["n", "minus3"], ["n"], ["n"], ["n"]]
    assert "across: reference_length" in shown


def test_one_score_has_no_other_to_be_compared_with() -> None:
    relations = score_relations(rows_of(["a"], 20), ["a"])
    page = Page(render_report(replace(report(), relations=relations)))
    assert "#relations" not in {a.get("href") for _, a in page.tags}


@pytest.mark.parametrize(("rho", "text"), [(-0.004, "0.00"), (-0.305, "−0.30"), (1.0, "1.00"), (None, "–")])
def test_a_correlation_has_two_digits(rho: float | None, text: str) -> None:
    relations = ScoreRelations(9, ["a", "b"], {("a", "b"): rho})
    page = Page(render_report(replace(report(), relations=relations, examples=[])))
    assert f"2 b {text} " in " ".join(page.text.split())


def test_lengths_may_all_be_equal_in_a_plot() -> None:
    rows = pa.table({"paraphrase_similarity": [0.5, 0.5], "trigram_overlap": [0.25, 0.25]})
    relations = score_relations(rows, rows.column_names)
    assert relations.points == {("paraphrase_similarity", "trigram_overlap"): [(0.5, 0.25)] * 2}
    assert "<path class=" in render_report(replace(report(), relations=relations))
    empty = score_relations(pa.table({"paraphrase_similarity": pa.array([None], pa.float32())}), ["x"][:0])
    assert (empty.correlations, empty.points) == ({}, {})


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def opened(page: Path, fragment: str) -> str:
    """The page as headless Chromium shows it; fails if its console has a message."""
    done = subprocess.run(
        [
            str(CHROMIUM),
            *("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"),
            f"--user-data-dir={page.parent / 'profile'}",
            page.as_uri() + fragment,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout


def shown_ids(dom: str) -> list[str]:
    """The ids of the examples that are not hidden."""
    articles = re.findall(r"<article class=\"pair\"( data-shown-for[^>]*)>\s*<h3>(.*?)</h3>", dom)
    return [pair_id for attributes, pair_id in articles if "hidden" not in attributes]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_browser_opens_the_page_and_filters_the_examples(tmp_path: Path) -> None:
    rows = rows_of(["a", "b"], 300)
    hostile = SamplePair("hostile", HOSTILE, HOSTILE, HOSTILE, "he", {"b": (0.5, 3)})
    examples = [*decile_examples(rows, ["a", "b"], ["a", "b"], []), Example(hostile, [("b", 3)])]
    data = replace(report(HOSTILE), examples=examples, relations=score_relations(rows, ["a", "b"]))
    page = tmp_path / "index.html"
    page.write_text(render_report(data), encoding="utf-8")

    def expected(score: str, decile: int | None = None) -> list[str]:
        cells = [(d, e.pair.pair_id) for e in examples for s, d in e.shown_for if s == score]
        return [i for d, i in sorted(cells, key=lambda cell: cell[0]) if decile in (None, d)]

    for fragment, ids in {
        "": expected("a", 1),
        "#score=b&decile=3": expected("b", 3),
        "#score=b": expected("b"),
        "#score=<img src=x onerror=alert(1)>&decile=77": expected("a", 1),
    }.items():
        dom = opened(page, fragment)
        assert shown_ids(dom) == ids != [], fragment
        assert f"{len(ids)} examples of" in dom
    assert "hostile" in expected("b", 3) and len(expected("b", 3)) == 4


def test_the_page_needs_nothing_else() -> None:
    html = render_report(report())
    for _, attributes in Page(html).tags:
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"url\(|@import|https?://", html)


def test_the_same_data_gives_the_same_page() -> None:
    assert render_report(report()) == render_report(copy.deepcopy(report()))


def test_a_report_with_nothing_to_show_has_no_empty_sections() -> None:
    page = Page(render_report(ReportData("empty", {}, [CorpusSummary("a", "cs", 0, 0)], TranslationCounts())))
    ids = [attributes["id"] for tag, attributes in page.tags if tag == "section"]
    assert ids == ["funnel", "origins"]


def test_a_score_that_no_pair_has() -> None:
    summary = ScoreSummary("perplexity", "doc", "", False, 0, 5)
    nothing = collect_histogram(pa.array([None] * 5, pa.float32()))
    page = Page(render_report(replace(report(), scores=[ScoreReport(summary, nothing, 5)])))
    assert "perplexity" in page.text


def test_tables_and_drawings_are_accessible() -> None:
    page = Page(render_report(report()))
    assert ("html", {"lang": "en"}) in page.tags
    for tag, attributes in page.tags:
        if tag == "th":
            assert attributes["scope"] in ("col", "row", "rowgroup")
        if tag == "svg":
            assert attributes.get("aria-hidden") == "true" or attributes["role"] == "img"
    tables = [tag for tag, _ in page.tags if tag in ("table", "caption")]
    assert tables.count("caption") + 1 == tables.count("table")  # the decile cuts have a label instead
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(headings, headings[1:], strict=False))


def test_sentences_find_their_own_direction() -> None:
    pair = SamplePair("a:1", "A dog runs.", "הכלב רץ.", "כלב רץ.", "he")
    page = Page(render_report(replace(report(), pairs=[pair], examples=[])))
    sentences = [attributes for tag, attributes in page.tags if tag == "p" and "dir" in attributes]
    assert [(s["dir"], s["lang"]) for s in sentences] == [("auto", "en"), ("auto", "en"), ("auto", "he")]


def _colours(block: str) -> dict[str, tuple[float, float, float]]:
    found = re.findall(r"--(\w+): #([0-9a-f]{3,6})\b", block)
    full = {name: code if len(code) == 6 else "".join(2 * c for c in code) for name, code in found}
    return {n: tuple(int(c[i : i + 2], 16) / 255 for i in (0, 2, 4)) for n, c in full.items()}  # type: ignore[misc]


def _contrast(a: Sequence[float], b: Sequence[float]) -> float:
    """WCAG 2.1, contrast ratio."""

    def luminance(colour: Sequence[float]) -> float:
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", [0, 1, 2], ids=["light", "dark", "print"])
def test_contrast(mode: int) -> None:
    style = files("paranmt.pipeline.report").joinpath("style.css").read_text("utf-8")
    colours = _colours(re.findall(r":root \{.*?\}", style, re.S)[mode])
    for ground in ("paper", "raised"):
        for text in ("ink", "soft", "accent", "bad"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        for drawn in ("bar", "second", "third"):
            assert _contrast(colours[drawn], colours[ground]) >= 3, (drawn, ground)
    share = max(int(percent) for percent in re.findall(r"--share: (\d+)%", style)) / 100
    for shade in ("bar", "second"):  # behind the strongest correlations
        mixed = [share * a + (1 - share) * b for a, b in zip(colours[shade], colours["paper"], strict=True)]
        assert _contrast(colours["ink"], mixed) >= 4.5, shade
    assert _contrast(colours["bar"], colours["band"]) >= 3
    assert _contrast(colours["accent"], colours["band"]) >= 4.5


def test_histogram_bars_have_the_heights_of_their_counts() -> None:
    histogram = collect_histogram(pa.array([1, 2, 2, 3, 3, 3, 3], pa.int32()))
    heights = [bar.height for bar in histogram_chart(histogram, [], "length").bars]
    assert [round(h / max(heights), 3) for h in heights] == [0.25, 0.5, 1.0]


@given(st.lists(st.floats(width=32, allow_infinity=False), min_size=1, max_size=60))
@settings(deadline=None, max_examples=60)
def test_any_histogram_can_be_drawn(values: list[float]) -> None:
    histogram = collect_histogram(pa.array(values, pa.float32()))
    if histogram.counts:
        chart = histogram_chart(histogram, sorted(v for v in values if v == v)[:9], "x")
        for rectangle in (*chart.bars, *chart.bands):
            assert all(0 <= value < math.inf for value in astuple(rectangle))
        for label in (*chart.x_ticks, *chart.y_ticks, *chart.deciles):
            assert 0 <= label.at < math.inf


@given(st.lists(st.tuples(st.integers(0, 10**6), st.floats(-1e9, 1e9)), min_size=1, max_size=40))
@settings(deadline=None, max_examples=60)
def test_any_curve_can_be_drawn(points: list[tuple[float, float]]) -> None:
    chart = curves_chart({"loss": points}, "step", "loss", "described")
    assert all(0 <= place < math.inf for point in chart.lines["loss"] for place in point)
    assert all(0 <= label.at < math.inf for label in (*chart.x_ticks, *chart.y_ticks))


def test_a_chart_has_few_series() -> None:
    with pytest.raises(ValueError, match="1 to 4 series, not 5"):
        curves_chart({str(i): [(0, 0)] for i in range(5)}, "step", "loss", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.5, "0.5"), (12_345.6, "12,346"), (-0.001, "−0.001"), (None, "–"), (1e20, "1e+20")],
)
def test_number(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    "values",
    [
        [("1", 2.0, 1.0, 3.5), ("2", -0.5, -1.5, 0.25), ("3", 0.0, 0.0, 0.0)],
        [("all", 5.0, 4.0, 6.0)],
        [("all", 0.0, 0.0, 0.0)],
    ],
)
def test_intervals_stand_side_by_side_around_their_values(values: list) -> None:
    chart = intervals_chart(values, "decile", "difference", "")
    assert chart.level is not None and len(chart.points) == len(chart.whiskers) == len(values)
    xs = [x for x, _ in chart.points]
    assert xs == sorted(xs) == [label.at for label in chart.x_ticks] and LEFT < xs[0] and xs[-1] < RIGHT
    for (x, y), (x_whisker, low, high), (_, value, below, above) in zip(
        chart.points, map(astuple, chart.whiskers), values, strict=True
    ):
        assert x == x_whisker and BOTTOM >= low >= y >= high >= TOP  # heights grow downwards
        assert np.sign(chart.level - y) == np.sign(value)
        assert np.sign(chart.level - low) == np.sign(below) and np.sign(chart.level - high) == np.sign(above)


def test_margins_stand_behind_the_intervals() -> None:
    values = [("1", 2.0, 1.0, 3.0), ("2", -1.0, -2.0, 0.0)]
    chart = intervals_chart(values, "decile", "difference", "", [6.0, None])
    (margin,) = chart.margins
    (x, y), wide = chart.points[0], chart.whiskers[0]
    assert x == margin.x and margin.low > wide.low > y > wide.high > margin.high
    assert margin.low - y == pytest.approx(y - margin.high)
    assert BOTTOM >= margin.low and margin.high >= TOP
    assert not intervals_chart(values, "decile", "difference", "").margins


def test_a_training_has_a_curve_of_its_development_scores() -> None:
    training: dict[str, Any] = {"losses": [0.5, 0.25]}
    assert [curves.name for curves in training_curves("avg", json.dumps(training))] == ["avg"]
    training["development_sets"] = ["SICK-trial", "MSRvid of 2012-train"]
    training["dev"] = [
        {"epoch": 0.25, "mean": 60.5},
        {"epoch": 0.5, "mean": None},
        {"epoch": 0.75, "mean": 61},
    ]
    losses, scores = training_curves("avg", json.dumps(training))
    assert losses.series == {"loss": [(1.0, 0.5), (2.0, 0.25)]}
    assert scores.name == "avg on SICK-trial, MSRvid of 2012-train"
    assert scores.series == {"mean": [(0.25, 60.5), (0.75, 61)]}
