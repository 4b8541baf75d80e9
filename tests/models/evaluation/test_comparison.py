import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import fsspec
import numpy as np
import pytest
from typer.testing import CliRunner

from paranmt.base.errors import ModelError
from paranmt.launch.cli import app
from paranmt.launch.display.comparison_text import (
    comparison_latex,
    comparison_markdown,
    comparison_text,
    distinct_names,
    legend,
)
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.any_encoder import CountingEncoder, FunctionEncoder, load_any
from paranmt.models.evaluation.comparison import Comparison
from paranmt.models.evaluation.evaluation import Measured
from paranmt.models.evaluation.sts import Sts
from paranmt.models.evaluation.table import Column, Row, Table
from paranmt.models.sts.set_lists import YEARS
from paranmt.pipeline.report import charts
from paranmt.pipeline.report.charts import bars_chart, scatter_plot
from paranmt.pipeline.report.comparison_page import render_comparison

COLUMNS = (
    Column(name="task", type="text", meaning="the task"),
    Column(name="items", type="count", meaning="its items"),
    Column(name="score", type="number", meaning="out of 100", maximum=100.0),
    Column(name="low", type="number", meaning="lower end"),
    Column(name="high", type="number", meaning="upper end"),
)


def measured(first: float | None, second: float, resampled: Sequence[float], note: str = "") -> Measured:
    def row(name: str, value: float | None, note: str = "") -> Row:
        ends = {"low": None if value is None else value - 2, "high": None if value is None else value + 2}
        return Row({"task": name, "items": 1000, "score": value, **ends}, note)

    rows = (row("a & b", first, note), row("plain_task", second))
    table = Table(caption="Some <tasks>.", columns=COLUMNS, main="score", rows=rows)
    points = {(None, "plain_task"): (np.array([0.1, 0.5, second / 100]), np.array([0.0, 2.5, 5.0]))}
    return Measured(table, {(None, "plain_task"): np.array(resampled)}, points)


def comparison() -> Comparison:
    """In the second row the second encoder is surely higher than the first, and the third perhaps."""
    base = np.linspace(50, 54, 101)
    return Comparison(
        {
            "base": measured(10, 52, base.tolist()),
            "<high>": measured(10.04, 57, (base + np.linspace(1, 9, 101)).tolist()),
            "like_it": measured(None, 53, (base + np.linspace(-4, 6, 101)).tolist()),
        },
        {"base": "knows 91.0 % of the tokens", "<high>": "", "like_it": ""},
    )


def test_cells() -> None:
    found = comparison()
    first, second = (found.cells(row) for row in found.blocks[0].rows)
    assert [(cell.value, cell.is_best, cell.mark) for cell in first] == [
        (10, True, ""), (10.04, True, ""), (None, False, "")
    ]  # fmt: skip
    assert [(cell.value, cell.is_best, cell.mark) for cell in second] == [
        (52, False, ""), (57, True, "↑"), (53, False, "")
    ]  # fmt: skip
    assert (second[1].low, second[1].high) == (55, 59)
    gap = second[1].difference
    assert gap is not None and (gap.value, gap.low, gap.high) == pytest.approx((5, 1.2, 8.8))


def test_the_order_of_encoders_turns_the_arrows() -> None:
    found = comparison()
    names = ["<high>", "base"]
    turned = Comparison({name: found.measured[name] for name in names}, {})
    assert [cell.mark for cell in turned.cells(turned.blocks[0].rows[1])] == ["", "↓"]


def test_text() -> None:
    assert comparison_text(comparison()).splitlines() == [
        "task        items               base              <high>            like_it",
        "a & b       1,000   10.0 [8.0, 12.0]    10.0 [8.0, 12.0]",
        "plain_task  1,000  52.0 [50.0, 54.0]  57.0 [55.0, 59.0]↑  53.0 [51.0, 55.0]",
    ]
    assert legend(comparison()).splitlines() == [
        "base: knows 91.0 % of the tokens",
        "↑ ↓ higher or lower than base, by a paired bootstrap over the items (95 %)",
    ]


def test_markdown_and_latex() -> None:
    assert comparison_markdown(comparison()).splitlines()[-1] == (
        "| plain_task | 1,000 | 52.0 [50.0, 54.0] | **57.0 [55.0, 59.0]**↑ | 53.0 [51.0, 55.0] |"
    )
    assert comparison_latex(comparison()).splitlines() == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"task & items & base & <high> & like\_it \\",
        r"\midrule",
        r"a \& b & 1,000 & \textbf{10.0} & \textbf{10.0} &  \\",
        r"plain\_task & 1,000 & 52.0 & \textbf{57.0}$\uparrow$ & 53.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_other_results_stand_behind_those_that_are_compared() -> None:
    columns = (*COLUMNS, Column(name="rho", type="number", title="Spearman", meaning="ρ", maximum=100.0))

    def encoder(score: float, rho: float | None) -> Measured:
        row = Row({"task": "a", "items": 3, "score": score, "low": None, "high": None, "rho": rho})
        return Measured(Table(caption="c", columns=columns, main="score", rows=[row]), {}, {})

    found = Comparison({"x": encoder(50, 40), "y": encoder(60, 30), "z": encoder(55, None)}, {})
    assert comparison_text(found).splitlines() == [
        "task  items     x     y     z  x Spearman  y Spearman  z Spearman",
        "a         3  50.0  60.0  55.0        40.0        30.0",
    ]
    assert comparison_markdown(found).splitlines()[-1] == (
        "| a | 3 | 50.0 | **60.0** | 55.0 | 40.0 | 30.0 |  |"
    )
    assert r"a & 3 & 50.0 & \textbf{60.0} & 55.0 & 40.0 & 30.0 &  \\" in comparison_latex(found)


def of_values(values: Sequence[float | None]) -> Measured:
    rows = [
        Row({"task": str(number), "items": 1, "score": value, "low": None, "high": None})
        for number, value in enumerate(values)
    ]
    return Measured(Table(caption="c", columns=COLUMNS, main="score", rows=rows, averages=rows[:1]), {}, {})


def test_distances() -> None:
    """Means count for nothing, nor do rows that one encoder lacks."""
    a, b, c = [10.0, 20.0, 60.0, 7.0], [12.0, 17.0, 61.0, None], [1.0, 2.0, None, None]
    found = Comparison({"a": of_values(a), "b": of_values(b), "c": of_values(c)}, {}).distances
    assert found is not None
    (row,) = found.rows
    assert row.values == {
        "encoders": "a, b",
        "sets": None,
        "rows": 3,
        "difference": pytest.approx((2 + 3 + 1) / 3),
        "correlation": pytest.approx(100 * np.corrcoef(a[:3], b[:3])[0, 1]),
    }
    assert comparison().distances is None, "two rows say nothing"
    page = render_comparison(Comparison({"a": of_values(a), "<b>": of_values(b)}, {}))
    assert "a, &lt;b&gt;" in page and "mean absolute difference" in page
    assert page.count(f">{found.caption}<") == 1


def test_distances_are_over_the_papers_sets(tmp_path: Path) -> None:
    """ParaNMT's table 10 has 25 sets, 24 without SMT: no parts to train on, and not the Benchmark."""
    years = {year: names for year, names in YEARS.items() if year in (2015, 2016)}
    for year, names in (("2012-train", ("MSRvid",)), *years.items()):
        for name in names:
            write_sts(tmp_path / f"STS{year}", name=name, seed=len(name))
    sick = ["id\ta\tb\tscore\tentailment", *(f"{n}\tab\t{'a' * (n % 4)}c\t{1 + n % 5}\tx" for n in range(9))]
    for part in ("train", "trial", "test_annotated"):
        (tmp_path / f"SICK_{part}.txt").write_text("\n".join(sick) + "\n")
    benchmark = (f"main-captions\tx\t2015\t{n}\t{n % 6}\t{'a' * n}b\t{'b' * 3}a" for n in range(9))
    (tmp_path / "sts-test.csv").write_text("\n".join(benchmark) + "\n")
    kind = Sts(data=str(tmp_path))
    measured = {
        name: kind.measure(FunctionEncoder(function, name))
        for name, function in (("all", letters), ("two", lambda texts: [[t.count("a"), 1] for t in texts]))
    }
    tables = [
        {table.key(row): row.values["pearson"] for row in table.rows}
        for table in (found.table for found in measured.values())
    ]
    found = Comparison(measured, {}).distances
    assert found is not None
    of_2015, of_2016 = ([(str(year), name) for name in names] for year, names in years.items())
    for row, keys in zip(found.rows, ([*of_2015, (None, "SICK")], of_2015 + of_2016), strict=True):
        gaps = [abs(tables[0][key] - tables[1][key]) for key in keys]
        assert (row.values["rows"], row.values["difference"]) == (len(keys), pytest.approx(np.mean(gaps)))
    assert [row.values["sets"] for row in found.rows] == ["STS 2012–2015, SICK, Twitter", "STS 2012–2016"]
    assert '<td>STS 2012–2016</td><td class="n">10</td>' in "".join(
        render_comparison(Comparison(measured, {})).split("\n")
    )


def test_json() -> None:
    content = json.loads(json.dumps(comparison().to_json()))
    assert (content["main"], content["baseline"]) == ("score", "base")
    row = content["rows"][1]
    assert (row["task"], row["items"]) == ("plain_task", 1000)
    assert row["encoders"]["base"] == {"value": 52, "low": 50, "high": 54, "is_best": False}
    assert row["encoders"]["<high>"]["difference"]["value"] == 5
    assert Table.from_json(content["tables"]["like_it"]).rows[0].values["score"] is None


@pytest.mark.parametrize(
    ("notes", "shown"),
    [
        (("absent", "absent"), "absent"),
        (("absent", ""), "x: absent"),
        (("", "chosen on it"), "y: chosen on it"),
        (("one", "another"), "x: one; y: another"),
    ],
)
def test_the_notes_of_a_row(notes: tuple[str, str], shown: str) -> None:
    both = zip("xy", notes, strict=True)
    found = Comparison({name: measured(None, 1, [], note) for name, note in both}, {})
    assert comparison_text(found).splitlines()[1].split() == ["a", "&", "b", "1,000", *shown.split()]
    assert comparison_markdown(found).splitlines()[2].endswith(f" {shown} |")
    assert [row["note"] for row in found.to_json()["rows"]] == [shown, ""]


def test_distinct_names() -> None:
    assert distinct_names(["a/x.txt.gz", "b/x.txt", "c"]) == ["a/x.txt.gz", "b/x.txt", "c"]


class Tags(HTMLParser):
    """Checks that every element that is opened is closed in turn."""

    VOID = {"meta", "rect", "line", "path", "polyline", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.VOID or self.open.pop() == tag


def test_the_page() -> None:
    page = render_comparison(comparison())
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "<high>" not in page and page.count("&lt;high&gt;") >= 3
    assert "<title>3 encoders compared</title>" in page and "Some &lt;tasks&gt;." in page
    assert "http" not in page.replace("http-equiv", "")
    assert len(re.findall(r'<svg class="scatter"', page)) == 3
    assert len(re.findall(r'class="whisker"', page)) == 5, "one a result"
    assert '<span class="value">57.0</span>↑' in page
    assert page == render_comparison(comparison())


def test_the_means_of_all_sets_come_first() -> None:
    one = measured(10, 52, [52.0])
    mean = Row({**one.table.rows[0].values, "task": "mean"})
    table = replace(one.table, averages=[mean])
    headings = re.findall(r"<h3>(.*?)</h3>", render_comparison(Comparison({"a": Measured(table)}, {})))
    assert headings == ["Means of all", "All"]


def test_every_encoder_has_a_colour_of_its_own() -> None:
    style = (Path(charts.__file__).parent / "style.css").read_text()
    fills = re.findall(r"svg \.f(\d) \{ --own: var\((--\w+)\)", style)
    assert [int(number) for number, _ in fills] == list(range(charts.FILLS))
    for colours in re.findall(r":root \{(.*?)\}", style, re.S)[:2]:  # light and dark
        found = dict(re.findall(r"(--\w+): (#\w+)", colours))
        assert len({found[colour] for _, colour in fills}) == charts.FILLS


def test_bars_and_whiskers() -> None:
    """From 0 to 100 over 170 units of height: 50 is in the middle."""
    chart = bars_chart(
        {"x": [(50, 25, 100), None], "y": [(100, None, None), (25, None, None)]}, ["a", "b"], "of"
    )
    (bar,) = chart.grouped["x"]
    assert (bar.y, bar.height) == (107, 85)
    (whisker,) = chart.whiskers
    assert (whisker.low, whisker.high) == (149.5, 22)
    assert whisker.x == pytest.approx(bar.x + bar.width / 2)
    assert bar.x + bar.width < chart.grouped["y"][0].x
    assert [tick.text for tick in chart.x_ticks] == ["a", "b"]
    assert chart.x_ticks[1].at < 260, "few bars stand at the left, where a phone shows them"
    below = bars_chart({"x": [(-10.0, None, None)]}, ["a"], "of")
    assert below.grouped["x"][0].y == pytest.approx(22) and below.grouped["x"][0].height == pytest.approx(170)


def test_a_scatter_plot() -> None:
    plot = scatter_plot([(0.2, 0.5), (4.8, 1.0), (4.8, 1.0)], "x")
    assert plot.points == [(42, 140), (214, 22)]
    assert [tick.text for tick in plot.x_ticks] == ["0", "1", "2", "3", "4", "5"]


def letters(sentences: list[str]) -> list[list[float]]:
    return [[text.count(letter) for letter in "abcde"] for text in sentences]


def write_sts(folder: Path, n: int = 60, name: str = "made", seed: int = 1) -> None:
    random = np.random.default_rng(seed)
    folder.mkdir(exist_ok=True)
    words = ["".join(random.choice(list("abcde"), size=6)) for _ in range(2 * n)]
    gold = [len(set(a) & set(b)) for a, b in zip(words[:n], words[n:], strict=True)]
    pairs = "".join(f"{a}\t{b}\n" for a, b in zip(words[:n], words[n:], strict=True))
    (folder / f"STS.input.{name}.txt").write_text(pairs)
    (folder / f"STS.gs.{name}.txt").write_text("".join(f"{score}\n" for score in gold))


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["evaluate", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_sts(tmp_path / "sts")
    (tmp_path / "vectors.txt").write_text("aaaaaa 1 2\nbbbbbb 2 1\n")
    (tmp_path / "of_mine.py").write_text(
        "def encode(sentences):\n    return [[s.count(c) for c in 'abcde'] for s in sentences]\n"
        "def first(sentences):\n    return [[s.count('a'), s.count('b')] for s in sentences]\n"
        "def short(sentences):\n    return [[1.0]]\n"
    )
    code, out, err = run("of_mine:encode", "of_mine:first", "sts", "--page", "page.html")
    assert code == 0, err
    assert re.search(
        r"^test set +pairs( +of_mine:(encode|first)){2}( +of_mine:(encode|first) Spearman){2}$", out, re.M
    )
    assert re.search(r"^made +60 +[\d.]+ \[[\d.]+, [\d.]+\] +[\d.]+ \[.*\]↓( +[\d.]+){2}$", out, re.M)
    assert "page.html: the results of " in err
    assert "of_mine:first" in (tmp_path / "page.html").read_text()
    alone = json.loads(run("of_mine:encode", "sts", "--json")[1])
    both = json.loads(run("of_mine:encode", "of_mine:first", "--data", "sts", "--json")[1])
    assert both["tables"]["of_mine:encode"] == alone
    assert run("of_mine:encode", "of_mine:first", "sts", "--latex")[1].startswith(r"\begin{tabular}")
    assert run("of_mine:encode", "sts", "--markdown")[1].startswith("| test set | pairs |")
    for arguments, message in [
        (["of_mine:encode", "sts", "--page", "page.html"], "page.html already exists"),
        (["of_mine:encode", "sts", "--json", "--latex"], "expected only one of"),
        (["of_mine:encode", "of_mine:encode", "sts"], "of_mine:encode is given twice"),
        (["of_mine:short", "sts"], r"expected an array of \d+ rows .* got shape \(1, 1\)"),
        (["of_mine:nothing", "sts"], "cannot be imported"),
        (["no_such_module:encode", "sts"], "cannot be imported"),
        (["of_mine:encode", "nowhere", "sts"], "nowhere does not exist"),
        (["of_mine:encode"], "expected the data after the encoders"),
    ]:
        code, _, err = run(*arguments)
        assert code == 2 and re.search(message, err), (arguments, err)


def test_an_encoder_and_data_at_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path / "cache"))
    write_sts(tmp_path / "sts")
    (tmp_path / "vectors.txt").write_text("aaaaaa 1 2\nbbbbbb 2 1\n")
    remote = fsspec.filesystem("memory")
    remote.put(f"{tmp_path}/", "/compared/", recursive=True)
    url = "memory://compared/"
    assert run(f"{url}vectors.txt", f"{url}sts") == run(tmp_path / "vectors.txt", tmp_path / "sts")
    code, _, err = run(f"{url}nowhere", f"{url}sts")
    assert code == 2 and "there is no file or folder memory://compared/nowhere" in err
    remote.rm("/compared", recursive=True)


def test_a_hub_that_is_not_reached_is_no_missing_file(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    there = "hf://datasets/me/x"
    for arguments in (["os:listdir", there], ["os:listdir", there, "--kind", "transfer"], [there, there]):
        code, _, err = run(*arguments)
        assert code == 2 and re.search(f"{there}: cannot be opened: .*offline mode is enabled", err), err


def test_how_much_an_encoder_knows(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("a 1 2\nb 2 1\n")
    counted = CountingEncoder(SentenceEncoder.from_vectors(str(tmp_path / "vectors.txt")))
    counted.encode(["A b c", ""])
    counted.encode(["a"])
    assert counted.note == "tokens: words; knows 75.0 % of the tokens"
    assert CountingEncoder(FunctionEncoder(letters, "x")).note == ""


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0], [float("nan")]], "not finite"),
        ([1.0, 2.0], r"got shape \(2,\)"),
        ([["a"], ["b"]], "rows of numbers"),
        ([[1j], [2]], "rows of numbers"),
    ],
)
def test_what_a_function_may_not_return(vectors: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        FunctionEncoder(lambda sentences: vectors, "x").encode(["a", "b"])


def test_no_encoder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="expected an encoder's folder or a file of word vectors"):
        load_any(str(tmp_path / "none"))


def test_each_sentence_is_encoded_once(tmp_path: Path) -> None:
    write_sts(tmp_path / "sts")
    for kind in ("input", "gs"):
        file = tmp_path / f"sts/STS.{kind}.made.txt"
        (tmp_path / f"sts/STS.{kind}.again.txt").write_bytes(file.read_bytes())
    asked: list[str] = []

    class Noting:
        def encode(self, sentences: Sequence[str]) -> np.ndarray:
            asked.extend(sentences)
            return np.array(letters(list(sentences)), dtype=np.float32)

    table = Sts(data=str(tmp_path / "sts")).evaluate(Noting())
    assert len(asked) == len(set(asked)) <= 120
    assert table.rows[0].values["pearson"] == table.rows[1].values["pearson"]
