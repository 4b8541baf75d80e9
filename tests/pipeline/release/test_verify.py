"""`paranmt verify` on a release that is whole, and on releases that are not."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from damaged_releases import FIRST, change_manifest, rewrite, with_values
from releases import PRIMARY, write_release
from typer.testing import CliRunner, Result

from paranmt.filters import SCORES
from paranmt.launch.cli import app
from paranmt.pipeline.release.open_release import found_release, open_release
from paranmt.pipeline.release.verify import verify
from paranmt.pipeline.release.verify_sample import _compare, verify_sample
from paranmt.transforms.storage.versions import made_with
from paranmt.transforms.works.scoring import packages_of


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", 1_000)


def failures(folder: Path) -> list[str]:
    return verify(found_release(str(folder)))


def test_a_whole_release(folder: Path) -> None:
    assert failures(folder) == []
    result = command(folder)
    assert result.exit_code == 0
    said, checked = result.stderr.splitlines()[-2:]
    assert said == "no failure in 1,000 pairs in 2 files, 0.2 MB"
    assert "compared: size and SHA-256 of every file" in checked and "not compared: scores" in checked


def test_damaged_and_missing_files(folder: Path) -> None:
    (folder / "data/train-00001-of-00002.parquet").rename(folder / "data/other.parquet")
    path = folder / FIRST
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    (folder / "README.md").unlink()
    lines = failures(folder)
    assert lines[0] == "data/other.parquet is not in manifest.json"
    assert lines[1].startswith(f"{FIRST} is damaged or was changed: its SHA-256 is ")
    assert lines[2:] == ["data/train-00001-of-00002.parquet is missing", "README.md is missing"]
    result = command(folder)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == lines
    assert result.stderr.splitlines()[-1] == "4 failures"
    assert json.loads(command(folder, "--json").stdout)["failures"] == lines
    path.write_bytes(content[:-1])
    assert failures(folder)[1].endswith("bytes, expected " + f"{len(content):,}")


def test_no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    assert failures(folder) == [f"{folder}: there is no manifest.json, so nothing can be compared"]
    (folder / "manifest.json").write_text('{"format": "paranmt release", "format_version": 7}')
    assert "version 7 of the format; this program knows version 1" in command(folder).stderr
    (folder / "manifest.json").write_text("[]")
    assert command(folder).exit_code == 2
    assert command(folder / "none").exit_code == 2


@pytest.mark.parametrize("name", ["README.md", "croissant.json"])
@pytest.mark.parametrize("change", [lambda content: b"", lambda content: content.swapcase()])
def test_damaged_cards(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    (line,) = failures(folder)
    assert line.startswith(f"{name} ")


def test_an_edited_manifest(folder: Path) -> None:
    file = folder / "manifest.json"
    file.write_text(file.read_text("utf-8").replace("made-up", "made-in"), "utf-8")
    result = command(folder)
    assert result.exit_code == 2
    assert "manifest.json is damaged or was edited: it has changed since it was written" in result.stderr


def _swapped(values: list) -> list:
    """The first two values that differ, exchanged."""
    other = next(place for place, value in enumerate(values) if value is not None and value != values[0])
    return [values[other], *values[1:other], values[0], *values[other + 1 :]]


@pytest.mark.parametrize(
    ("column", "change", "expected"),
    [
        (
            "trigram_overlap_decile",
            lambda values: [3 if value == 2 else value for value in values],
            ["trigram_overlap_decile: pairs in decile 2: "],
        ),
        ("reference_length_decile", _swapped, ["reference_length_decile: a pair of decile "]),
        (
            "trigram_overlap",
            lambda values: [*values[:-1], None],
            ["trigram_overlap_decile: pairs with a decile but no trigram_overlap, or no decile: 1,"],
        ),
        (
            "corpus",
            lambda values: ["new", *values[1:]],
            ["pairs with the corpus 'news': 665, expected 666", "pairs with the corpus 'new': 1, expected 0"],
        ),
        (
            "short",
            lambda values: [not value for value in values],
            ["short: selected pairs that do not meet its condition: ", "short: selected pairs: "],
        ),
        (
            "pair_id",
            lambda values: [values[1], *values[1:]],
            ["pairs with the pair_id of another pair: 1, expected 0"],
        ),
    ],
)
def test_what_is_not_true(folder: Path, column: str, change: Callable, expected: list[str]) -> None:
    rewrite(folder, with_values(column, change))
    lines = failures(folder)
    if column == "pair_id":  # another id orders ties differently
        lines = [line for line in lines if "pair_id" in line]
    assert len(lines) == len(expected), lines
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True)), lines


def test_columns(folder: Path) -> None:
    rewrite(folder, lambda table: table.drop_columns("domain"))
    assert "has other columns than" in failures(folder)[0]


def test_a_types_mismatch(folder: Path) -> None:
    def change(content: dict) -> None:
        content["columns"][4]["type"] = "int32"
        del content["columns"][2]
        content["columns"].append({"name": "more", "type": "string", "unit": "", "meaning": ""})

    change_manifest(folder, change)
    assert failures(folder) == [
        "the column source_language is string, expected int32",
        "the files have no column more",
        "the column domain is not in manifest.json",
    ]


def test_the_order(folder: Path) -> None:
    rewrite(folder, lambda table: table, group_rows=70)
    assert failures(folder)[0] == f"{FIRST}: row group 1 holds several deciles of {PRIMARY}"
    rewrite(folder, lambda table: table.take(pc.sort_indices(table, [(f"{PRIMARY}_decile", "ascending")])))
    assert failures(folder)[0].startswith(f"{FIRST}: ")


def test_the_counts_of_the_manifest(folder: Path) -> None:
    def change(content: dict) -> None:
        content["translation"]["failed"] = 3
        content["scores"][1]["n"] += 1
        content["scores"][2]["cuts"][4] = 2.5
        content["selections"][0]["passed"] = 1

    change_manifest(folder, change)
    lines = failures(folder)
    assert lines[0] == "pairs with the translation_status 'failed': 10, expected 3"
    assert lines[1] == "pairs with reference_length: 1,000, expected 1,001"
    assert lines[2].startswith("trigram_overlap: deciles 2 to 10 begin at 0.")
    assert lines[3].startswith("short: pairs that meet its condition: ")


# --- a sample


def test_a_sample_has_the_scores_of_its_texts(folder: Path) -> None:
    result = command(folder, "--sample", 200, "--seed", 3)
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1] == (
        "200 pairs have the trigram_overlap that their texts give, within 1e-05 (the manifest does not say "
        "what it was computed with); at most 0 apart, 0 in another decile"
    )
    rewrite(
        folder, with_values("translation", lambda values: [text and "nothing like it" for text in values])
    )
    result = command(folder, "--sample", 50, "--seed", 3)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert any(" has trigram_overlap " in line and "its texts give" in line for line in lines)
    assert lines == command(folder, "--sample", 50, "--seed", 3).stdout.splitlines()


@pytest.mark.parametrize(
    ("made", "tolerance", "words"),
    [
        ({}, 0.0, []),
        ({"processor": "x86_64 Other"}, 1e-6, ["processor x86_64 Other, here "]),
        ({"numpy": "1.0"}, 1e-5, ["numpy 1.0, here "]),
        ({"numpy": "1.0", "processor": "x86_64 Other"}, 1e-5, ["numpy", "processor"]),
    ],
)
def test_the_tolerance_follows_from_what_differs(
    folder: Path, made: dict[str, str], tolerance: float, words: list[str]
) -> None:
    here = made_with(("paranmt", *packages_of(SCORES["trigram_overlap"]())))
    versions = (here, {**here, **made})

    def record(content: dict) -> None:
        parts = [{"versions": each, "parts": 1} for each in versions]
        content["computed_with"] = {"score/trigram_overlap": parts}

    change_manifest(folder, record)
    overlap = verify_sample(open_release(folder), 100, 1).checked["trigram_overlap"]
    assert overlap.tolerance == tolerance
    assert [text[: len(word)] for text, word in zip(overlap.differs, words, strict=True)] == words


def test_differences_are_counted_in_deciles() -> None:
    cuts = [number / 10 for number in range(1, 10)]
    pairs = pa.table({"pair_id": ["a", "b", "c"], "x": [0.1999, 0.25, None], "x_decile": [2, 3, None]})
    failures, found = _compare(pairs, "x", pa.array([0.2001, 0.2501, None]), 1e-3, (), cuts)
    assert failures == [] and found.moved == 1 and found.largest == pytest.approx(2e-4)
    failures, found = _compare(pairs, "x", pa.array([0.1999, 0.2501, 0.5]), 0.0, (), cuts)
    assert failures == [
        "b has x 0.25, but its texts give 0.2501",
        "c has x null, but its texts give 0.5",
    ]


def test_what_a_sample_cannot_check_is_said(folder: Path) -> None:
    result = command(folder, "--sample", 5)
    assert f"not checked: {PRIMARY} (it needs its model: --model {PRIMARY}=PATH)" in result.stderr
    result = command(folder, "--sample", 5, "--model", folder)
    assert result.exit_code == 2
    assert "no pair of this release was translated by a model" in result.stderr
