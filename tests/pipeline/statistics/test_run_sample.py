"""The papers' tables in the report: of all pairs of a small run, or of a sample whose size is bounded."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import recipe_text
from runs import go, load
from typer.testing import CliRunner

from paranmt.launch.cli import app
from paranmt.pipeline.report import example_pairs
from paranmt.pipeline.report.report_work import report_data, stage_costs
from paranmt.pipeline.stages.planned import Plan
from paranmt.pipeline.statistics import run_sample
from paranmt.pipeline.statistics.run_sample import RunSample, run_tables


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """The plan of a finished run of three corpora; `lost` has pairs, but no translation of them."""
    folder = tmp_path_factory.mktemp("finished")
    text = recipe_text(folder, {"first": 230, "second": 60, "lost": 1})
    rest = ("select={}", "duplicates={keep: trigram_overlap}", "release={}", "train={}", "evaluate={}")
    return go(load(folder, text, "scores={trigram_overlap: {}, translation_length: {}}", *rest)).plan


def test_the_tables_of_a_small_run_are_those_of_its_release(plan: Plan) -> None:
    release = plan.workspace.path("release")
    result = CliRunner().invoke(app, ["stats", release, "--json"])
    expected = json.loads(result.stdout)
    for table, name in zip(run_tables(plan), ("texts", "differences", "correlations"), strict=True):
        wanted, found = expected[name], table.to_json()
        assert found["columns"] == wanted["columns"]
        for rows in ("rows", "averages"):
            # In a release the log-probability is a number like a score.
            by_name = {
                tuple(row.values())[:3]: row
                for row in wanted[rows]
                if row.get("score") != "translation_log_prob"
            }
            assert len(by_name) == len(found[rows]) > 0
            for row in found[rows]:
                assert row == pytest.approx(by_name[tuple(row.values())[:3]])


def test_the_report_shows_them(plan: Plan) -> None:
    content = plan.workspace.read("report/index.html")
    assert content is not None
    page = content.decode()
    assert '<a href="#statistics">References and translations</a>' in page
    assert "at most 100,000 pairs of" in page
    for table in run_tables(plan):
        assert f"<caption>{table.caption.replace(chr(39), '&#39;')}</caption>" in page
    assert "para. score" not in page, "no score has that name, so its column would be empty"


def test_a_sample_is_bounded_random_and_always_the_same(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_sample, "SAMPLE", 70)
    monkeypatch.setattr(run_sample, "MOST_PARTS", 3)
    monkeypatch.setattr(run_sample, "_LEAST_ROWS", 20)

    def drawn() -> dict[str | None, list[list[str]]]:
        found: dict[str | None, list[list[str]]] = {}
        for batch in RunSample(plan).batches():
            found.setdefault(batch.corpus, []).append(batch.references.to_pylist())
        return found

    sample = drawn()
    # Five parts of `first`, of which three are read, 20 rows each; both parts of `second`.
    assert [len(rows) for rows in sample["first"]] == [20, 20, 20]
    assert [sorted(map(len, parts)) for name, parts in sample.items() if name != "first"] == [[10, 50], [1]]
    assert drawn() == sample
    (tables,) = [table for table in run_tables(plan) if table.main == "unigram_repetition"]
    assert [row.values["pairs"] for row in tables.rows][::2] == [60, 60, 1]

    first = Path(str(plan.recipe.bitext[0].reference)).read_text().splitlines()[:20]
    assert first not in sample["first"]


def test_the_examples_of_a_small_run_are_drawn_from_all_its_pairs(plan: Plan) -> None:
    rows = example_pairs.random_rows(plan)
    ids = rows["pair_id"].to_pylist()
    assert ids == example_pairs.random_rows(plan)["pair_id"].to_pylist() != sorted(ids)
    release = {row["pair_id"]: row for row in released(plan).to_pylist()}
    assert len(ids) == len(set(ids)) == 291
    for row in rows.to_pylist():
        assert {name: release[row["pair_id"]][name] for name in row} == row


def test_the_rows_of_a_large_run_are_bounded_and_random(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, bound in {"_PAIRS": 70, "_MOST_PARTS": 4, "_LEAST_ROWS": 15}.items():
        monkeypatch.setattr(example_pairs, name, bound)
    rows = example_pairs.random_rows(plan)
    ids = rows["pair_id"].to_pylist()
    assert 15 < len(ids) == len(set(ids)) <= 60
    assert example_pairs.random_rows(plan).equals(rows)


def test_the_documentation_has_the_bounds() -> None:
    documents = sorted((Path(__file__).resolve().parents[3] / "docs").glob("*.md"))
    if not documents:
        pytest.skip("no docs beside the tests: they run against a wheel")
    text = " ".join(" ".join(document.read_text(encoding="utf-8") for document in documents).split())
    pairs, parts = f"{example_pairs._PAIRS:,}", example_pairs._MOST_PARTS
    assert f"at most {pairs} pairs of all corpora, from at most {parts} parts" in text
    assert f"{run_sample.SAMPLE:,} pairs of each corpus from at most {run_sample.MOST_PARTS} of its" in text


def test_the_report_has_examples_of_every_decile(plan: Plan) -> None:
    found = {cell for example in report_data(plan).examples for cell in example.shown_for}
    assert found == {(score, decile) for score in plan.recipe.scores for decile in range(1, 11)}


def released(plan: Plan) -> pa.Table:
    return pq.read_table(plan.workspace.path("release/data"))


def test_the_stages_of_a_run_have_their_cost(plan: Plan) -> None:
    costs = {cost.name: cost for cost in stage_costs(plan)}
    assert list(costs) == [stage.name for stage in plan.stages]
    overlap = costs["score/trigram_overlap"]
    manifest = plan.manifest(overlap.name)
    assert (overlap.pairs, overlap.parts) == (291, len(manifest.parts)) == (291, 8)
    assert overlap.worker_seconds == pytest.approx(sum(sum(e.seconds.values()) for e in manifest.parts))
    run = json.loads(plan.workspace.read("score/trigram_overlap/run.json") or b"")
    assert overlap.seconds == run["seconds"] and overlap.where.startswith("local, ")
    assert run["host"] not in overlap.where
    assert costs["release"].pairs == 291


def test_a_stage_without_its_run_record_has_no_wall_time(plan: Plan) -> None:
    plan.workspace.write_record("deciles/trigram_overlap/run.json", {"key": "another", "seconds": 7})
    cost = next(cost for cost in stage_costs(plan) if cost.name == "deciles/trigram_overlap")
    assert (cost.seconds, cost.pairs_per_second, cost.where) == (None, None, "")
    assert cost.worker_seconds is not None
