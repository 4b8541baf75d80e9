"""Files that no program should have written, given to the commands that read them: one clear error each."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import fails, paranmt
from releases import write_release

from paranmt.base.errors import DamagedError
from paranmt.models.training.pairs import _append
from paranmt.transforms.storage.workspace import Workspace

TEXT = ["a dog runs", "a cat sits", "two men"]


def not_utf8() -> pa.Array:
    offsets = np.array([0, 2, 4, 6], np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"\xff\xfe\xfa\xfb\xc3\x28")]
    return pa.Array.from_buffers(pa.string(), 3, buffers)


TABLES = {
    "twice": pa.Table.from_arrays([pa.array(TEXT)] * 3, names=["reference", "reference", "translation"]),
    "bytes": pa.table({"reference": not_utf8(), "translation": not_utf8()}),
    "numbers": pa.table({"reference": [1, 2, 3], "translation": [1, 2, 3]}),
    "nulls": pa.table({"reference": pa.nulls(3), "translation": pa.nulls(3)}),
    "nested": pa.table({"reference": [{"a": 1}] * 3, "translation": [[1]] * 3}),
}
READERS = [
    "train {} -o m --epochs 1 --dimension 2",
    "train {} --format parquet -o m --epochs 1 --dimension 2",
    "stats {}",
    "embed vectors.txt {} v.npy --column reference",
    "embed vectors.txt {} v.parquet --column reference --keep",
    "inspect {}",
    "select {} --preview --where reference='a'",
]
HALF = (
    r'{"sentence1": "\ud800", "sentence2": "a b", "gold_label": "neutral", "score": 1, "label": "0"}' + "\n"
)
DEEP = '{"sentence1":' * 20_000 + "\n"


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vectors.txt").write_text("cat 3 0\ndog 0 3\na 1 1\n")
    Path("pairs.tsv").write_text("a dog\tthe dog\n" * 8)


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str, command: str) -> None:
    pq.write_table(TABLES[name], "bad.parquet")
    assert "bad.parquet" in fails(*command.format("bad.parquet").split())


@pytest.mark.parametrize("objective", ["nli", "relatedness", "classification"])
@pytest.mark.parametrize("text", [HALF, DEEP], ids=["half a surrogate pair", "deep"])
def test_examples(text: str, objective: str) -> None:
    Path("bad.jsonl").write_text(text * 5)
    message = fails("train", "bad.jsonl", "--objective", objective, "--dev", "bad.jsonl", "-o", "m")
    assert "bad.jsonl, line 1: expected a JSON object, but it" in message


@pytest.mark.parametrize("value", ["learning_rate=-1", "learning_rate=1e39", "seed=-1", "batch=-3"])
def test_options_of_training(value: str) -> None:
    assert f"{value.partition('=')[0]}: expected" in fails("train", "pairs.tsv", "-o", "m", "--set", value)


def test_an_option_of_an_evaluation() -> None:
    message = fails("evaluate", "vectors.txt", ".", "--kind", "transfer", "--set", "seed=-1")
    assert "seed: expected at least 0, got -1" in message


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    (folder / "pairs.tsv").write_text("a dog\tthe dog\n" * 8)
    options = ("-o", folder / "avg", "--epochs", "1", "--dimension", "2")
    result = paranmt("train", folder / "pairs.tsv", *options)
    assert result.exit_code == 0, result.output
    return folder / "avg"


def copied(encoder: Path) -> Path:
    folder = Path("changed")
    folder.mkdir()
    for file in encoder.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": -1},
        {"rows": 10**12},
        {"rows": 10**30},
        {"rows": "a"},
        {"rows": None},
        {"text": []},
        {"text": {"units": []}},
        {"encoder": {"type": "avg", "dimension": 10**12}},
        {"encoder": {"type": "avg", "dimension": -1}},
        {"encoder": {"type": "avg", "dimension": 2.5}},
        {"encoder": {"type": "avg", "dimension": "2"}},
        {"encoder": {"type": "cse", "widths": [100_000]}},
        {"encoder": {"type": "cse", "widths": [1] * 100_000}},
        {"encoder": {"type": "cse", "widths": 1}},
        {"encoder": {"type": "cse"}},
        {"encoder": {"type": "lstm", "size": 10**6}},
        {"encoder": {"type": "gran", "variant": 9}},
        {"encoder": {"type": "transformer", "layers": 100_000}},
        {"encoder": {"type": "mixed", "parts": [1]}},
        {"encoder": {"type": "mixed", "parts": {}}},
        {"encoder": {"type": "mixed"}},
        {"encoder": {"type": ["avg"]}},
        {"encoder": []},
        {"xxh3": []},
        {"development": 1},
        {"format": ["a"]},
    ],
    ids=lambda changes: json.dumps(changes)[:60],
)
def test_settings_of_an_encoder(encoder: Path, changes: dict[str, object]) -> None:
    folder = copied(encoder)
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**content, **changes}))
    assert "changed" in fails("embed", "changed", "pairs.tsv", "v.npy")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "vocabulary.txt"])
def test_a_folder_for_a_file_of_an_encoder(encoder: Path, name: str) -> None:
    folder = copied(encoder)
    (folder / name).unlink()
    (folder / name).mkdir()
    assert "changed" in fails("embed", "changed", "pairs.tsv", "v.npy")


def test_places_where_nothing_can_be_written(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", 300)
    logs = paranmt("train", "pairs.tsv", "-o", "m", "--logs", "/proc/logs", "--dimension", "2")
    assert logs.exit_code == 2 and "/proc" in logs.stderr.splitlines()[-1]  # after warnings
    for command in ("train pairs.tsv -o pairs.tsv/m --dimension 2", "export vectors.txt pairs.tsv/e"):
        assert "pairs.tsv" in fails(*command.split())
    assert "pairs.tsv" in fails("publish", release, "pairs.tsv")
    assert "pairs.tsv" in fails("select", release, "--where", "short", "--output", "pairs.tsv/x")


def test_numbers_on_a_full_disk() -> None:
    with open("/dev/full", "wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        _append(file, np.arange(3))


def test_a_record_without_its_seal_is_refused(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    workspace.write_record("score/x/_manifest.json", {"rows": 3})
    sealed = json.loads((tmp_path / "score/x/_manifest.json").read_text())
    assert workspace.read_record("score/x/_manifest.json") == {"rows": 3} != sealed
    (tmp_path / "score/x/_manifest.json").write_text(json.dumps({"rows": 3}))
    with pytest.raises(DamagedError, match=r"_manifest\.json is damaged \(it has changed since"):
        workspace.read_record("score/x/_manifest.json")
