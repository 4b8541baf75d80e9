"""`paranmt select RELEASE --output`: a release that is cut from another one."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from damaged_releases import rewrite, with_values
from releases import PRIMARY, write_release
from typer.testing import CliRunner, Result

from paranmt.base.processes import process_name
from paranmt.launch.cli import app
from paranmt.pipeline.release import cut
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify

WHERE = "trigram_overlap_decile <= 5 and reference_length > 8"


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["select", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("cut") / "release", 1_000)


def expected(folder: Path, where: pc.Expression) -> pa.Table:
    """The pairs that meet a condition, by pyarrow alone, in the order of their ids."""
    return pq.read_table(folder / "data").filter(where).sort_by("pair_id")


def test_the_pairs_are_those_that_meet_the_condition(folder: Path, tmp_path: Path) -> None:
    result = command(folder, "--where", WHERE, "--output", tmp_path / "short")
    assert result.exit_code == 0, result.output
    wanted = expected(folder, (pc.field("trigram_overlap_decile") <= 5) & (pc.field("reference_length") > 8))
    assert 100 < len(wanted) < 600
    assert f"wrote {len(wanted):,} of 1,000 pairs into" in result.stderr
    cut_release = open_release(tmp_path / "short")
    assert cut_release.pairs().to_table().sort_by("pair_id").equals(wanted, check_metadata=False)
    assert cut_release.schema.equals(open_release(folder).schema, check_metadata=True)
    assert verify(cut_release) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["short"]


def test_the_card_shows_pairs_of_the_cut(folder: Path, tmp_path: Path) -> None:
    summary = cut.cut_release(open_release(folder), WHERE, tmp_path / "cut")
    pairs = open_release(tmp_path / "cut").pairs().to_table().to_pylist()
    texts = {(pair["reference"], pair["translation"]) for pair in pairs}
    assert len(summary.examples) == 5
    assert {(pair.reference, pair.translation) for pair in summary.examples} <= texts
    assert "## Five pairs" in (tmp_path / "cut/README.md").read_text()


def test_the_manifest_names_the_larger_release(folder: Path, tmp_path: Path) -> None:
    command(folder, "--where", WHERE, "--output", tmp_path / "short")
    command(tmp_path / "short", "--where", "corpus = 'web'", "--output", tmp_path / "shorter")
    assert verify(open_release(tmp_path / "shorter")) == []
    manifest = json.loads((tmp_path / "shorter/manifest.json").read_text())
    whole, first = manifest["cut_from"]
    digest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    assert whole == {"name": "made-up", "pairs": 1_000, "manifest_sha256": digest, "where": WHERE}
    assert (first["name"], first["where"]) == ("short", "corpus = 'web'")
    assert [corpus["corpus"] for corpus in manifest["corpora"]] == ["web"]
    ours, parents = manifest, json.loads((folder / "manifest.json").read_text())
    assert all(ours[key] == parents[key] for key in ("recipe", "recipe_hash", "made_of", "columns"))
    assert [score["cuts"] for score in ours["scores"]] == [score["cuts"] for score in parents["scores"]]
    card = (tmp_path / "shorter/README.md").read_text()
    assert "These are the pairs of made-up (1,000 pairs)" in card and "corpus = 'web'" in card


def test_the_same_condition_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        assert command(folder, "--where", WHERE, "--output", tmp_path / name).exit_code == 0
    contents = [sorted(p.read_bytes() for p in (tmp_path / n / "data").iterdir()) for n in ("one", "other")]
    assert contents[0] == contents[1]


@pytest.mark.parametrize(
    ("column", "change", "start"),
    [
        (
            f"{PRIMARY}",
            lambda values: [1.0, *values[1:]],
            f"{PRIMARY}_decile: ",
        ),
        (
            "recipe_hash",
            lambda values: ["0" * 16, *values[1:]],
            "pairs with a recipe_hash that is not in manifest.json: 1",
        ),
        (
            "translation_model_hash",
            lambda values: ["0" * 16, "1" * 16, *values[2:]],
            "pairs with a translation_model_hash that is not in manifest.json: 2",
        ),
    ],
)
def test_a_changed_cut_is_noticed(
    folder: Path, tmp_path: Path, column: str, change: Callable, start: str
) -> None:
    where = f"{PRIMARY}_decile < 10 and trigram_overlap > 0.2"
    assert command(folder, "--where", where, "--output", tmp_path / "cut").exit_code == 0
    assert verify(open_release(tmp_path / "cut")) == []
    rewrite(tmp_path / "cut", with_values(column, change), file="data/train-00000-of-00001.parquet")
    lines = verify(open_release(tmp_path / "cut"))
    assert lines and lines[0].startswith(start), lines


def test_nothing_is_written_where_something_is(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    for output, where, message in (
        ("mine", WHERE, "already exists"),
        ("new", "corpus = 'none'", "has no pair for which this is true"),
        ("new", "corpus = ", "where"),
    ):
        result = command(folder, "--where", where, "--output", tmp_path / output)
        assert result.exit_code == 2 and message in result.stderr, result.output
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "notes.txt"]
    for arguments in (
        ["--where", WHERE],
        ["--output", "x"],
        ["--where", WHERE, "--preview", "--output", "x"],
    ):
        assert "expected a release with --where" in command(folder, *arguments).stderr


def test_a_damaged_release_is_not_cut(tmp_path: Path) -> None:
    source = write_release(tmp_path / "source", 300)
    file = next((source / "data").iterdir())
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)
    result = command(source, "--where", WHERE, "--output", tmp_path / "short")
    assert result.exit_code == 2 and "is not whole" in result.stderr
    assert not (tmp_path / "short").exists()


def test_a_killed_cut_leaves_nothing_that_the_next_one_does_not_remove(folder: Path, tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from paranmt.pipeline.release import cut;"
        "from paranmt.pipeline.release.open_release import open_release;"
        "cut._summary = lambda *given: os._exit(9);"
        "cut.cut_release(open_release(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))"
    )
    arguments = [str(folder), WHERE, str(tmp_path / "short")]
    assert subprocess.run([sys.executable, "-c", program, *arguments]).returncode == 9
    (left,) = tmp_path.iterdir()
    assert (left / "data").is_dir() and left.name != "short"
    other = tmp_path / f"{process_name()}-{'0' * 32}"  # of a process that lives
    other.mkdir()
    cut.cut_release(open_release(folder), WHERE, tmp_path / "short")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["short", other.name])
    assert verify(open_release(tmp_path / "short")) == []


def test_the_current_folder_is_not_a_new_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for output in ("", "."):
        result = command(folder.resolve(), "--where", WHERE, "--output", output)
        assert result.exit_code == 2, result.output
    assert not list(tmp_path.iterdir())
