"""Structured logs: what a run writes, from the driver and from workers."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import recipe_text
from runs import Silent, load

from paranmt.base.errors import WorkspaceError
from paranmt.base.logs import JsonLines, about, log_on_worker, logged
from paranmt.base.processes import process_name
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.running.run import run

FIELDS = {"time", "level", "run", "stage", "part", "host", "process", "logger", "message"}


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_the_fields_of_a_line() -> None:
    record = logging.LogRecord("paranmt.x", logging.INFO, "f", 1, "%d rows", (3,), None)
    record.created = 0.5
    record.facts = {"seconds": 2.0}
    with about(run="r"), about(stage="translate", part="a-1"):
        found = json.loads(JsonLines().format(record))
    assert set(found) == FIELDS | {"seconds"}
    assert (found["time"], found["level"], found["message"]) == ("1970-01-01T00:00:00.500Z", "info", "3 rows")
    assert (found["run"], found["stage"], found["part"]) == ("r", "translate", "a-1")
    assert json.loads(JsonLines().format(record))["stage"] is None


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    monkeypatch.setattr("paranmt.launch.runners.local.WORTH_SECONDS", 0.0)
    recipe = load(tmp_path, recipe_text(tmp_path, {"first": 100}))
    log = tmp_path / "log.jsonl"
    run(
        recipe,
        LocalRunner(workers=processes),
        Silent(),
        only="ingest",
        log=str(log),
        log_level="debug",
    )
    run(recipe, LocalRunner(workers=processes), Silent(), first="translate", last="translate", log=str(log))
    entries = lines(log)
    assert all(FIELDS <= line.keys() for line in entries)
    runs = list(dict.fromkeys(line["run"] for line in entries))
    assert len(runs) == 2
    second = [line for line in entries if line["run"] == runs[1]]
    assert second[0]["message"] == "run started" and second[-1]["message"] == "run finished"
    assert second[-1]["computed"] == ["translate"]
    run_facts = json.loads((tmp_path / "work/translate/run.json").read_text())
    assert run_facts["run"] == runs[1]
    # Every process of a run has a file of its own in a local workspace.
    files = list((tmp_path / "work/_logs" / str(runs[1])).iterdir())
    entries = [line for file in files for line in lines(file)]
    begun = [line["part"] for line in entries if line["message"] == "part started"]
    assert sorted(begun) == ["first/first.xx-00000", "first/first.xx-00001"]
    parts = [line for line in entries if line["message"] == "part done"]
    assert {line["part"] for line in parts} == {"first/first.xx-00000", "first/first.xx-00001"}
    assert all(line["stage"] == "translate" and line["rows"] == 50 for line in parts)
    assert all(line["run"] == runs[1] and line["counts"] == {"existing": 50} for line in parts)
    assert sum(file.name == f"{process_name()}.jsonl" for file in files) == 1


def test_the_end_of_a_run_is_logged(tmp_path: Path) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, {"first": 60}))
    log = tmp_path / "log.jsonl"
    with pytest.raises(WorkspaceError):
        run(recipe, LocalRunner(workers=1), Silent(), only="release", log=str(log))
    (*_, last) = lines(log)
    assert last["level"] == "error" and last["kind"] == "WorkspaceError"
    assert str(last["message"]).startswith("run ended: release reads ingest, which is missing")


def test_warnings_are_still_printed_and_facts_are_not_printed_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("paranmt.somewhere")
    with logged([str(tmp_path / "log")], "info"):
        logger.warning("careful")
        logger.error("printed by the error itself", extra={"facts": {}})
        logger.info("quiet")
        log_on_worker(None, "info")  # nothing in the driver's process
    assert capsys.readouterr().err == "careful\n"
    assert [line["message"] for line in lines(tmp_path / "log")] == [
        "careful",
        "printed by the error itself",
        "quiet",
    ]
    logger.info("after")
    assert len(lines(tmp_path / "log")) == 3


def test_a_worker_logs_to_the_standard_error_and_to_the_file_of_its_run(tmp_path: Path) -> None:
    program = """
import logging, sys
logging.basicConfig()
from paranmt.base.logs import about, log_on_worker
logger = logging.getLogger("paranmt.x")
for run in ("one", "two"):
    log_on_worker(f"{sys.argv[1]}/{run}.jsonl", "info")
    with about(run=run):
        logger.info("part done")
        logger.debug("no")
"""
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert [json.loads(line)["run"] for line in found.stderr.splitlines()] == ["one", "two"]
    for name in ("one", "two"):
        assert [line["run"] for line in lines(tmp_path / f"{name}.jsonl")] == [name]
