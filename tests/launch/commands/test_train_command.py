"""`paranmt train`: whose files lie beside its output, and how it knows its input again."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

import paranmt.models.training.trainer
from paranmt.launch.cli import app
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.training.trainer import TrainResult, train_encoder
from paranmt.pipeline.release.release_pairs import release_pairs


def _write(path: Path, word: str) -> Path:
    table = pa.table({"reference": [f"the {word}", "a cat"], "translation": ["one", "two"]})
    pq.write_table(table, path)
    return path


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return _write(tmp_path / "release.parquet", "dog")


def _train(release: Path, output: Path) -> Result:
    small = ["--dimension", "4", "--epochs", "1"]
    return CliRunner().invoke(app, ["train", str(release), "-o", str(output), *small])


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_it_removes_only_what_it_wrote(release: Path, tmp_path: Path) -> None:
    beside = tmp_path / ".avg.training"
    (beside / "scratch").mkdir(parents=True)
    for name in ("paranmt-training.lock", "notes.txt", "scratch/notes.txt"):
        (beside / name).write_text("")
    assert _train(release, tmp_path / "avg").exit_code == 0
    assert _files(beside) == ["notes.txt", "paranmt-training.lock", "scratch/notes.txt"]
    assert _train(release, tmp_path / "other").exit_code == 0
    assert not (tmp_path / ".other.training").exists()


def test_a_folder_of_someone_else_is_left_alone(release: Path, tmp_path: Path) -> None:
    theirs = tmp_path / ".avg.training/scratch/checkpoint.safetensors"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    result = _train(release, tmp_path / "avg")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "contains other files; move it away, or choose another output" in result.stderr
    assert _files(tmp_path / ".avg.training") == ["scratch/checkpoint.safetensors"]


def test_two_at_once_to_one_output(release: Path, tmp_path: Path) -> None:
    beside = tmp_path / ".avg.training"
    beside.mkdir()
    with (beside / "paranmt-training.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = _train(release, tmp_path / "avg")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "another `paranmt train` is writing to" in result.stderr
    assert _train(release, tmp_path / "avg").exit_code == 0


@pytest.mark.parametrize("place", ["release.parquet/avg", "/proc/avg", f"{'x' * 250}"])
def test_an_output_that_cannot_be_written(place: str, release: Path, tmp_path: Path) -> None:
    result = _train(release, tmp_path / place)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "cannot be written" in result.stderr


def test_an_output_that_appears_meanwhile(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "avg"
    results: list[TrainResult] = []

    def train(*args: object, **options: object) -> TrainResult:
        output.mkdir(exist_ok=True)
        results.append(train_encoder(*args, **options))  # type: ignore[arg-type]
        return results[-1]

    with monkeypatch.context() as patched:
        patched.setattr(paranmt.models.training.trainer, "train_encoder", train)
        result = _train(release, output)
        assert (result.exit_code, list(output.iterdir())) == (2, [])
        assert "already exists" in result.stderr
        # Nothing is lost: once it is out of the way, the same command goes on from the checkpoint.
        output.rmdir()
        _train(release, output)
    assert [result.resumed_from_epoch for result in results] == [0, 1]


def test_the_pairs_are_known_by_their_content(release: Path, tmp_path: Path) -> None:
    def key(path: Path) -> str:
        return release_pairs([str(path)], None).key

    before, size = key(release), release.stat().st_size
    assert key(Path(shutil.copy(release, tmp_path / "moved.parquet"))) == before
    _write(release, "cow")
    assert release.stat().st_size == size
    assert key(release) != before


def test_the_key_of_the_pairs_is_computed_once(release: Path) -> None:
    pairs = release_pairs([str(release)], None)
    before = pairs.key
    release.unlink()
    assert pairs.key == before


@pytest.mark.slow
def test_with_torchrun(release: Path, tmp_path: Path) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    train = ["train", str(release), "--dimension", "4", "--epochs", "2", "-o"]
    two, one = tmp_path / "two", tmp_path / "one"
    run = subprocess.run(
        [*torchrun, "-m", "paranmt", *train, two], capture_output=True, text=True, timeout=300, check=True
    )
    assert run.stdout.count("trained on 2 pairs") + run.stderr.count("trained on 2 pairs") == 1
    assert (two / "training.json").exists() and not (tmp_path / ".two.training").exists()
    assert CliRunner().invoke(app, [*train, str(one)]).exit_code == 0
    by_two, by_one = (
        SentenceEncoder.load(folder).encode(["the dog", "a cat", "two"]) for folder in (two, one)
    )
    np.testing.assert_allclose(by_two, by_one, atol=1e-5)
