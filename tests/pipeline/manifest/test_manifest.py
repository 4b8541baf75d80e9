"""`manifest.json` of a release: one typed object, and one clear line for whatever else lies in its place."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import fails
from damaged_releases import change_manifest
from releases import PRIMARY, write_release

from paranmt.base.errors import InputError
from paranmt.pipeline.manifest.manifest import MANIFEST
from paranmt.pipeline.release.open_release import open_release
from paranmt.transforms.storage.content_hash import seal

COMMANDS = [
    "verify {}",
    "verify {} --sample 3",
    "publish {} public",
    "select {} --where short --output short",
    "inspect {} -n 2",
]
DEEP = b'{"a":' * 900 + b"1" + b"}" * 900


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("manifest") / "release", 60, files=1)


@pytest.fixture
def folder(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(release, tmp_path / "release"))


def test_what_is_written_is_read(release: Path) -> None:
    text = (release / "manifest.json").read_bytes()
    read = MANIFEST.parse(text, "manifest.json")
    assert MANIFEST.text(read) == text
    assert (read.pairs, read.primary_score, list(read.files)) == (
        60,
        PRIMARY,
        ["data/train-00000-of-00001.parquet"],
    )
    assert read == open_release(release).manifest


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", ["a pipe", "a device", "a folder"])
def test_what_is_no_file(folder: Path, what: str, command: str) -> None:
    file = folder / "manifest.json"
    file.unlink()
    if what == "a pipe":
        os.mkfifo(file)
    elif what == "a device":
        file.symlink_to("/dev/zero")
    else:
        file.mkdir()
    assert "manifest.json: cannot be " in fails(*command.format(folder).split())


@pytest.mark.parametrize("command", COMMANDS)
def test_too_large(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranmt.pipeline.manifest.release_parquet.LARGEST_JSON", 1_000)
    assert "manifest.json: expected at most 1,000 bytes" in fails(*command.format(folder).split())


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "text", [b"", b"\x00\xff", b"[" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900, b"[]"]
)
def test_what_is_no_manifest(folder: Path, text: bytes, command: str) -> None:
    (folder / "manifest.json").write_bytes(text)
    assert "manifest.json is not" in fails(*command.format(folder).split())


# Each key of a manifest, and a value that its readers could not use.
MALFORMED: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("name", lambda content: content.update(name=7)),
    ("name", lambda content: content.pop("name")),
    ("pairs", lambda content: content.update(pairs=10**12)),
    ("pairs", lambda content: content.pop("pairs")),
    ("licences", lambda content: content.update(licences="mit")),
    ("recipe_hash", lambda content: content.update(recipe_hash="0" * 16)),
    ("has version a list of", lambda content: content.update(format_version=[1])),
    ("files", lambda content: content.update(files=[{"path": "x"}])),
    ("files", lambda content: content.update(files={"data/train-0-of-1.parquet": {"rows": 1}})),
    ("files.data", lambda content: next(iter(content["files"].values())).update(rows="60")),
    ("files.data", lambda content: next(iter(content["files"].values())).update(bytes=None)),
    ("other_files.README.md.bytes", lambda content: content["other_files"]["README.md"].update(bytes=-1)),
    ("other_files", lambda content: content.update(other_files=None)),
    ("columns", lambda content: content.update(columns={})),
    ("columns.0.name", lambda content: content["columns"][0].update(name=None)),
    ("columns", lambda content: content["columns"].pop(0)),
    ("columns", lambda content: content["columns"].clear()),
    ("columns.1", lambda content: content["columns"].__setitem__(1, 5)),
    ("primary_score", lambda content: content.update(primary_score="none")),
    ("primary_score", lambda content: content.update(primary_score=["none"])),
    ("primary_score", lambda content: content["scores"].clear()),
    ("scores.0.n", lambda content: content["scores"][0].update(n=-1)),
    ("scores.0.n", lambda content: content["scores"][0].update(n=10**30)),
    ("scores.0.name", lambda content: content["scores"][0].pop("name")),
    ("scores.0.cuts.0", lambda content: content["scores"][0].update(cuts=["a"])),
    ("scores.0.cuts.0", lambda content: content["scores"][0].update(cuts=[[1]])),
    ("scores.0.values", lambda content: content["scores"][0].update(values=[])),
    ("scores.0.higher_is_better", lambda content: content["scores"][0].update(higher_is_better="yes")),
    ("scores", lambda content: content["scores"][0].pop("values")),
    ("corpora", lambda content: content.update(corpora=None)),
    ("corpora.0.pairs", lambda content: content["corpora"][0].update(pairs=1.5)),
    ("corpora.0.rejects", lambda content: content["corpora"][0].update(rejects=5)),
    ("translation", lambda content: content.update(translation=[])),
    ("translation.lost", lambda content: content["translation"].update(lost=1)),
    ("selections.0.where", lambda content: content["selections"][0].update(where=None)),
    ("columns", lambda content: content["selections"][0].update(name="pair_id")),
    ("recipe", lambda content: content.update(recipe=[])),
    ("recipe", lambda content: content["recipe"].pop("seed")),
    ("recipe", lambda content: content["recipe"].update(seed="one")),
    ("recipe", lambda content: content["recipe"].update(release={"rows_per_file": 0})),
    ("recipe_hash", lambda content: content.update(made_of={"a": [1, None]})),
    ("made_of", lambda content: content.update(made_of=5)),
    ("models", lambda content: content.update(models=[5])),
    ("models.0.hash", lambda content: content.update(models=[{"role": "translate", "name": "x"}])),
    ("contamination", lambda content: content.update(contamination=[7])),
    (
        "contamination: no score 'x'",
        lambda content: content.update(
            contamination=[{"score": "x", "n": 1, "share": 0.5, "compared": 1, "pairs": {}, "sets": []}]
        ),
    ),
    ("computed_with", lambda content: content.update(computed_with=[])),
    ("computed_with", lambda content: content.update(computed_with={"score/x": [{"versions": 1}]})),
    ("cut_from", lambda content: content.update(cut_from="x")),
    ("merged_from", lambda content: content.update(merged_from="x")),
    ("merged_from.0", lambda content: content.update(merged_from=[{"manifest": {}}])),
    ("cut_from.0", lambda content: content.update(cut_from=[{}])),
    ("packages.a", lambda content: content.update(packages={"a": 1})),
    ("more", lambda content: content.update(more=1)),
]


@pytest.mark.parametrize("number", range(len(MALFORMED)))
def test_a_sealed_manifest_with_other_content(folder: Path, number: int) -> None:
    key, changes = MALFORMED[number]
    change_manifest(folder, changes)
    with pytest.raises(InputError) as raised:
        _ = open_release(folder).manifest
    line = str(raised.value)
    assert line.isprintable() and key in line.partition("manifest.json ")[2]
    assert "not as paranmt writes it" in line or "this program knows" in line


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_with_such_a_manifest(folder: Path, command: str) -> None:
    change_manifest(folder, lambda content: content["scores"][0].pop("n"))
    assert "manifest.json is not as paranmt writes it: scores.0.n: " in fails(*command.format(folder).split())
    assert not Path("public").exists() and not Path("short").exists()


def test_escape_characters_of_a_manifest(folder: Path) -> None:
    change_manifest(folder, lambda content: content.update({"a\x1b[2J\n": 1}))
    assert fails("verify", folder).isprintable()


def test_deciles_without_an_end(release: Path) -> None:
    content = json.loads((release / "manifest.json").read_text())
    content["scores"][0]["cuts"] = [0.5, "inf"]
    read = MANIFEST.parse(json.dumps(seal(content)).encode(), "manifest.json")
    assert list(read.scores[0].cuts) == [0.5, float("inf")]
