"""Input files that change between the plan and their reading, or while they are read."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import fsspec
import pytest
from corpus import write_bitext, write_sts
from nmt_models import write_model
from object_store import object_store

from paranmt.base.errors import InputError
from paranmt.filters.similarity import ParaphraseSimilarity
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.sts import Sts
from paranmt.models.training.train_options import TrainOptions
from paranmt.models.translation.engines import model_files, resolve
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.transforms.beam.stage_pipeline import Dataset, run_parts
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.bitexts.input_file import InputFile
from paranmt.transforms.bitexts.inputs import BitextInput, digests, input_files
from paranmt.transforms.bitexts.readers import Batch, read_records
from paranmt.transforms.storage.file_hashes import (
    FileVersion,
    HashCache,
    file_version,
    hash_paths,
    unchanged,
)
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.trainings.training_encoders import InputHashes, TrainEncoder
from paranmt.transforms.works import ingesting
from paranmt.transforms.works.evaluating import EvaluateEncoder
from paranmt.transforms.works.ingesting import IngestFile, IngestTask
from paranmt.transforms.works.scoring import ScorePart
from paranmt.transforms.works.translating import translator_for

LINES = 30


class Planned(NamedTuple):
    """A workspace, and the tasks of a moses bitext of two files a side, as a plan makes them."""

    workspace: Workspace
    tasks: list[IngestTask]

    def ingest(self) -> None:
        dataset = Dataset(self.tasks, IngestFile(part_rows=10, max_characters=100), "key", {})
        run_parts(LocalRunner(workers=1), self.workspace, dataset, seconds=0.0)

    def records(self) -> list[str]:
        """The input files of which is recorded what they became."""
        return [task.file.name for task in self.tasks if self.workspace.read(task.record) is not None]


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    for name in ("one", "two"):
        write_bitext(tmp_path / "data", name, LINES)
    return plan(Workspace(str(tmp_path / "work")), str(tmp_path / "data"))


def plan(workspace: Workspace, folder: str) -> Planned:
    entry = BitextInput("c", "moses", "xx", source=f"{folder}/*.xx", reference=f"{folder}/*.en")
    cache = HashCache()
    return Planned(
        workspace,
        [IngestTask(file, f"key{n}", digests(file, cache)) for n, file in enumerate(input_files(entry))],
    )


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], None]:
    """Have something done while a file is read, after its first part."""

    def during(name: str, change: Callable[[], None]) -> None:
        def read(file: InputFile, max_characters: int, part_rows: int) -> Iterator[Batch]:
            for number, batch in enumerate(read_records(file, max_characters, part_rows)):
                if number == 1 and file.name == name:
                    change()
                yield batch

        monkeypatch.setattr(ingesting, "read_records", read)

    return during


def test_unchanged_files_are_read(planned: Planned) -> None:
    planned.ingest()
    assert planned.records() == ["one.xx", "two.xx"]


@pytest.mark.parametrize("side", ["xx", "en"])
def test_a_file_that_changed_since_the_plan_is_refused_and_the_others_are_read(
    planned: Planned, tmp_path: Path, side: str
) -> None:
    path = tmp_path / "data" / f"one.{side}"
    path.write_bytes(path.read_bytes()[::-1].strip() + b"\n")
    with pytest.raises(InputError, match=rf"one\.{side}: changed since the plan was made") as raised:
        planned.ingest()
    assert "\n" not in str(raised.value)
    assert planned.records() == ["two.xx"]


@pytest.mark.parametrize("side", ["xx", "en"])
def test_a_file_that_changes_while_it_is_read_and_is_put_back_is_refused(
    planned: Planned, tmp_path: Path, meanwhile: Callable[[str, Callable[[], None]], None], side: str
) -> None:
    path = tmp_path / "data" / f"one.{side}"

    def change() -> None:
        before, times = path.read_bytes(), path.stat()
        path.write_bytes(b"another\n" * LINES)
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    meanwhile("one.xx", change)
    with pytest.raises(InputError, match=rf"one\.{side}: changed while it was being read"):
        planned.ingest()
    assert planned.records() == ["two.xx"]


def test_a_file_cut_while_it_is_read_is_reported_as_changed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with pytest.raises(InputError, match="changed while it was being read: it had 3 bytes and has 1"):
        with unchanged([str(path)]):
            path.write_bytes(b"a")
            raise ValueError("the reader stumbles over it")


def test_the_error_of_a_reader_stays_if_the_file_did_not_change(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with pytest.raises(ValueError, match="stumbles"), unchanged([str(path)]):
        raise ValueError("the reader stumbles over it")


@pytest.mark.parametrize(
    "change, what",
    [
        (lambda path: path.unlink(), "it was removed"),
        (lambda path: os.utime(path, (1, 1)), "it was written again"),
        (lambda path: (shutil.copy2(path, f"{path}2"), os.replace(f"{path}2", path)), "another file"),
    ],
)
def test_every_kind_of_change_is_named(tmp_path: Path, change: Callable[[Path], object], what: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    with pytest.raises(InputError, match=f"changed while it was being read: {what}"), unchanged([str(path)]):
        change(path)


def test_on_an_object_store(tmp_path: Path, meanwhile: Callable[[str, Callable[[], None]], None]) -> None:
    with object_store():
        fs = fsspec.filesystem("s3")
        write_bitext(tmp_path / "data", "one", LINES)
        for file in (tmp_path / "data").iterdir():
            fs.put_file(str(file), f"bucket/changing/{file.name}")
        planned = plan(Workspace(str(tmp_path / "work")), "s3://bucket/changing")
        meanwhile("one.xx", lambda: fs.pipe_file("bucket/changing/one.en", b"another\n" * LINES))
        with pytest.raises(InputError, match=r"one\.en: changed while it was being read: it had"):
            planned.ingest()
        meanwhile("", lambda: None)
        with pytest.raises(InputError, match=r"one\.en: changed since the plan was made"):
            planned.ingest()
        assert planned.records() == []


def changed_later(path: Path, content: bytes = b"of another run") -> str:
    """The hash of what lies there; then it changes."""
    digest = hash_paths([str(path)], HashCache())
    file = next(path.iterdir()) if path.is_dir() else path
    file.write_bytes(content)
    return digest


def test_a_translation_model_that_changed_since_the_plan_is_not_used(tmp_path: Path) -> None:
    options = resolve(TranslateOptions(model=str(write_model(tmp_path / "model", updates=1)), device="cpu"))
    planned = hash_paths(model_files(options), HashCache())
    with translator_for(options, planned) as translator:
        assert translator.translate([""]) == [[]]
    other = write_model(tmp_path / "other", seed=2, updates=1)
    os.replace(other / "model.pt", tmp_path / "model/model.pt")
    later = hash_paths(model_files(options), HashCache())
    assert later != planned
    with pytest.raises(InputError, match="model.pt: changed since the plan was made"):
        with translator_for(replace(options, beam=3), planned):
            pass
    with translator_for(options, later):  # and the one that was loaded before is not taken for the new one
        pass


def test_a_score_s_model_that_changed_since_the_plan_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("the 1 2\ncat 3 4\n")
    digest = changed_later(path, b"the 1 2\ncat 3 5\n")
    score = ParaphraseSimilarity(vectors=str(path))
    part = ScorePart("score/s", "s", score, model_hash=digest)
    with pytest.raises(InputError, match=r"vectors\.txt: changed since the plan was made"):
        part._load(None)


def test_vectors_that_changed_since_the_plan_are_not_trained_from(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("the 1 2\ncat 3 4\n")
    digest = changed_later(path, b"the 1 2\ncat 3 5\n")
    work = TrainEncoder("train/x", (), "some", TrainOptions(vectors=str(path)), InputHashes(digest))
    with pytest.raises(InputError, match=r"vectors\.txt: changed since the plan was made"):
        work.make(Workspace(str(tmp_path)), Task("", "key", ()), tmp_path, tmp_path)


@pytest.mark.parametrize("what", ["encoder", "sts"])
def test_evaluation_data_and_encoders_that_changed_since_the_plan_are_not_used(
    tmp_path: Path, what: str
) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\ncat 3 4\n")
    SentenceEncoder.from_vectors(str(vectors)).save(tmp_path / "encoder")
    write_sts(tmp_path / "sts")
    hashes = {name: hash_paths([str(tmp_path / name)], HashCache()) for name in ("encoder", "sts")}
    changed_later(tmp_path / what)
    data, encoder = str(tmp_path / "sts"), str(tmp_path / "encoder")
    read = ((data, hashes["sts"]),)
    work = EvaluateEncoder("evaluate/x", Sts(data=data), read, encoder, False, hashes["encoder"])
    with pytest.raises(InputError, match=f"{what}: changed since the plan was made"):
        work.make(Workspace(str(tmp_path)), Task("", "key", ()), tmp_path, tmp_path)


def test_the_version_of_a_missing_file() -> None:
    assert file_version("/no/such/file") is None
    assert isinstance(file_version(__file__), FileVersion)
