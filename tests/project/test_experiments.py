"""docs/experiments.md says what the tables' definitions and the stored results say."""

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from paranmt.base.outputs import SEAL, is_unchanged, sealed
from paranmt.papers.paper_tables import TABLES

DOCS = Path(__file__).resolve().parents[2] / "docs"
RESULTS = sorted((DOCS / "results").glob("*.json"))


@pytest.fixture
def experiments(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if not DOCS.is_dir():
        pytest.skip("no docs beside the tests: they run against a wheel")
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("experiments")


def test_the_page_is_what_the_program_writes(experiments: ModuleType) -> None:
    page = experiments.PAGE.read_text("utf-8")
    assert experiments.written(page) == page, "run `make experiments`"
    assert page.count("\n### `") == len(RESULTS) > 0


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_stored_results_are_those_of_the_table_as_it_is_defined(file: Path) -> None:
    """Rows, the paper's numbers and claims of another definition are of another table."""
    assert is_unchanged(file)
    results, table = json.loads(file.read_text("utf-8")), TABLES[file.stem]
    corpora = {each["role"]: {} for each in results["origin"]["data"]}
    for each in results["origin"]["data"]:
        corpora[each["role"]][each["corpus"]] = ()
    table = table.for_corpora(corpora)
    papers = {(system.group, system.name): system.paper for system in table.systems}
    rows = results["systems"]["rows"]
    assert {(row["group"] or "", row["system"]): row["paper"] for row in rows}.items() <= papers.items()
    claims = {claim.claim for claim in table.claims}
    assert {row["claim"] for row in results["claims"]["rows"]} == claims
    origin = results["origin"]
    assert origin["date"] and origin["commit"] and "-dirty" not in origin["commit"], "of no commit"
    assert any(row["seeds"] for row in rows)


def test_a_result_shows_on_the_page(experiments: ModuleType, tmp_path: Path) -> None:
    page, file = experiments.PAGE.read_text("utf-8"), RESULTS[0]
    results = json.loads(file.read_text("utf-8"))
    row = next(row for row in results["systems"]["rows"] if row["seeds"])
    row["ours"] = 12.34
    (tmp_path / file.name).write_text(json.dumps(results), encoding="utf-8")
    with pytest.raises(SystemExit, match="not as `paranmt reproduce` wrote them"):
        experiments.written(page, tmp_path)
    text = json.dumps({**results, "written": f"{SEAL} reproduce`"})
    (tmp_path / file.name).write_text(sealed(text), encoding="utf-8")
    changed = experiments.written(page, tmp_path)
    assert "| 12.3 |" in changed and changed.count("\n### `") == 1
    assert changed.partition("<!-- results")[0] == page.partition("<!-- results")[0]
