"""Whole runs on an S3-compatible store, and how little is asked of it."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from corpus import write_bitext, write_sts
from nmt_models import sentences, write_model
from object_store import Store, object_store
from runs import Silent, load

from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.looking.preview import preview
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.pipeline.running.status import workspace_status
from paranmt.transforms.beam.stage_pipeline import Dataset, run_parts
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.storage.dataset import read_columns, read_manifest, write_part
from paranmt.transforms.storage.workspace import Workspace

ROWS = 90


def recipe_of(inputs: str, model: str, sts: Path) -> str:
    """Every kind of stage; the translations are made by the model."""
    return f"""\
workspace: work
bitext:
  - corpus: news
    format: moses
    source: {inputs}/news.cs
    reference: {inputs}/news.en
    source_language: cs
ingest: {{part_rows: 12}}
translate: {{model: {model}, beam: 2, max_length: 20, device: cpu}}
scores:
  translation_cost: {{}}
  perplexity: {{lm: {{train_on: 20}}}}
  translation_length: {{}}
  paraphrase_similarity: {{encoder: {{type: avg, train_on: 60, dimension: 8, epochs: 1}}}}
select:
  some: {{where: translation_length >= 1, sample: 60}}
release: {{rows_per_file: 50, primary_score: paraphrase_similarity}}
train:
  avg: {{selection: some, encoder: {{type: avg, dimension: 8}}, epochs: 1, mega_batch: 2, batch: 10}}
evaluate:
  sts: {{encoder: avg, data: {sts}}}
"""


@dataclass(frozen=True)
class Corpus:
    """A folder with inputs and a model, and the recipe that uses them there."""

    folder: Path
    recipe: Recipe

    def on(self, folder: Path, workspace: str, inputs: str, model: str) -> Recipe:
        return load(folder, recipe_of(inputs, model, self.folder / "sts"), f"workspace={workspace}")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Run once with everything in local folders."""
    folder = tmp_path_factory.mktemp("corpus")
    paths = write_bitext(folder / "data", "news", ROWS)
    (folder / "data/news.cs").write_text("".join(f"{line}\n" for line in sentences(ROWS, 8)))
    Path(paths["xx"]).unlink()
    write_sts(folder / "sts")
    write_model(folder / "model")
    recipe = load(folder, recipe_of(f"{folder}/data", f"{folder}/model", folder / "sts")).located()
    run(recipe, LocalRunner(workers=1), Silent())
    return Corpus(folder, recipe)


@pytest.fixture(scope="module")
def store(corpus: Corpus) -> Iterator[Store]:
    """The store, with the inputs and the model in it."""
    with object_store() as running:
        fs = fsspec.filesystem("s3")
        for name in ("data", "model"):
            for file in (corpus.folder / name).iterdir():
                fs.put_file(str(file), f"bucket/{name}/{file.name}")
        yield running


@pytest.fixture
def on_store(corpus: Corpus, store: Store, tmp_path: Path) -> Recipe:
    """The recipe with inputs, model and a fresh workspace there."""
    workspace = f"s3://bucket/{tmp_path.name}"
    return corpus.on(tmp_path, workspace, "s3://bucket/data", "s3://bucket/model")


def release_of(workspace: str) -> dict[str, str]:
    found = Workspace(workspace)
    names = sorted(found.sizes("release/data"))
    return {name: hashlib.sha256(found.read(name) or b"").hexdigest() for name in names}


def modified(workspace: str, folder: str) -> dict[str, float]:
    listing = Workspace(workspace).listing(folder)
    return {name: one.modified for name, one in listing.items() if name.endswith(".parquet")}


def paranmt(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """The command, started in another folder than the recipe's, with nothing but the environment."""
    (folder / "elsewhere").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "paranmt", *arguments],
        cwd=folder / "elsewhere",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_a_whole_run(corpus: Corpus, store: Store, on_store: Recipe) -> None:
    """Bytes as on a local disk; then status, plan, preview, clean and a second run, all cheap."""
    url = on_store.workspace
    run(on_store, LocalRunner(workers=1), Silent())
    assert release_of(url) == release_of(corpus.recipe.workspace)
    assert len(release_of(url)) == 2
    results = Workspace(url).read_json("evaluate/sts/results.json")
    assert results == json.loads((corpus.folder / "work/evaluate/sts/results.json").read_text())
    assert b"<svg" in (Workspace(url).read("report/index.html") or b"")
    assert "testing" not in str(Workspace(url).read("release/manifest.json")), "the release holds credentials"

    store.clear()
    plan = make_plan(on_store)
    assert {condition.state for condition in plan.conditions} == {"fresh"}
    # A stage is listed once, and its manifest, the current one and run.json are read: no more.
    below = store.kinds(url.removeprefix("s3://bucket/"))
    stages = len(plan.stages)
    assert below["LIST"] == stages
    assert below["GET"] <= 3 * stages + 1
    assert below["HEAD"] == 0

    store.clear()
    status = workspace_status(url)
    assert {stage.name for stage in status.stages} == {stage.name for stage in plan.stages}
    counts = next(stage for stage in status.stages if stage.name == "translate").counts
    assert counts["translated"] == ROWS
    assert not any(kind == "LIST" and "/ingest/news" in key for kind, key in store.requests)

    assert preview(on_store, "some").drops.pairs == ROWS
    workspace = Workspace(url)
    left_behind = "translate/news/part-00009-0123456789abcdef.parquet"
    for name in (left_behind, "score/somebodys"):
        workspace.write_bytes(name, b"x")
    assert set(clean(on_store, dry_run=True).removed) == {left_behind}
    clean(on_store)
    assert workspace.read(left_behind) is None
    assert workspace.read("score/somebodys") == b"x"

    store.clear()
    assert run(on_store, LocalRunner(workers=1), Silent()).computed == ()
    assert store.kinds()["COPY"] == 0, "what was published is published again"
    assert release_of(url) == release_of(corpus.recipe.workspace)


def test_killed_in_the_middle(corpus: Corpus, store: Store, on_store: Recipe, tmp_path: Path) -> None:
    """A run that was killed goes on: no finished part is made again. Its status comes from the store."""
    url = on_store.workspace
    arguments = ("run", str(tmp_path / "recipe.yaml"), "--set", f"workspace={url}", "--until", "translate")
    first = paranmt(tmp_path, *arguments)
    while first.poll() is None and len(modified(url, "translate")) < 2:
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGSTOP)  # so that it does not end before it was looked at
    before = modified(url, "translate")
    assert first.poll() is None and 2 <= len(before) < 8, first.communicate()[0]
    seen = workspace_status(url).running
    assert seen is not None and seen.alive and seen.workers == 1
    output = paranmt(tmp_path, "status", url, "--json").communicate(timeout=300)[0]
    running = json.loads(output)["running"]
    assert (running["stage"], running["parts"], running["process"]) == ("translate", 8, first.pid)
    assert running["parts_done"] == len(before)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    again = paranmt(tmp_path, *arguments)
    assert re.search(r"translate: \d+ of 90 pairs computed", again.communicate(timeout=300)[0])
    after = modified(url, "translate")
    assert len(after) == 8
    assert {name: after[name] for name in before} == before
    manifest = read_manifest(Workspace(url), "translate")
    assert manifest is not None and [entry.rows for entry in manifest.parts] == [12] * 7 + [6]


def test_in_memory(corpus: Corpus, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    for name in ("data", "model"):
        for file in (corpus.folder / name).iterdir():
            memory.pipe_file(f"/store/{name}/{file.name}", file.read_bytes())
    recipe = corpus.on(tmp_path, "memory://memory-run", "memory://store/data", "memory://store/model")
    run(recipe, LocalRunner(workers=1), Silent(), last="release")
    assert release_of("memory://memory-run") == release_of(corpus.recipe.workspace)


@dataclass(frozen=True)
class Squares(PartWork):
    """A part of two rows."""

    stage: str = "squares"

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        number = int(task.part[-3:])
        return pa.table({"pair_id": [f"{number}:1", f"{number}:2"], "square": [number, number**2]}), {}


def squares(workspace: Workspace, parts: int) -> None:
    tasks = [Task(f"c/f-{number:03d}", "k", ()) for number in range(parts)]
    run_parts(LocalRunner(workers=1), workspace, Dataset(tasks, Squares(), "K", {}), seconds=0.0)


def test_requests_of_many_parts(store: Store) -> None:
    """A part costs one look and one write; nothing is listed, however many parts there are."""
    workspace = Workspace("s3://bucket/many")
    squares(workspace, 150)
    assert store.kinds("many/squares")["GET"] <= 150 + 2  # besides: _failed.json, and the manifest
    assert store.kinds("many/squares")["PUT"] == 150 + 2  # and two manifests
    assert store.kinds("many")["LIST"] == 0
    assert store.kinds("many")["HEAD"] == 0
    store.clear()
    squares(workspace, 150)  # resumed: what is there is read to be checked, and not written again
    assert store.kinds("many/squares/c")["PUT"] == 0
    assert store.kinds("many")["LIST"] == 0


def test_refused_requests_are_repeated(store: Store) -> None:
    workspace = Workspace("s3://bucket/busy")
    store.refuse_every, store.refused = 9, 0
    try:
        squares(workspace, 30)
    finally:
        store.refuse_every = 0
    assert store.refused > 5
    manifest = read_manifest(workspace, "squares")
    assert manifest is not None
    found = [read_columns(workspace, entry.file)["square"].to_pylist() for entry in manifest.parts]
    assert found == [[number, number**2] for number in range(30)]


def test_only_the_wanted_columns_of_a_large_part_are_transferred(store: Store) -> None:
    workspace = Workspace("s3://bucket/large")
    rows = 400_000
    noise = np.random.default_rng(1).random((3, rows))
    table = pa.table({"pair_id": [str(row) for row in range(rows)], **dict(zip("abc", noise, strict=True))})
    part = write_part(workspace, "wide", "p", "k", table)
    assert part.bytes > 9_000_000
    store.clear()
    assert read_columns(workspace, part.file, ["b"])["b"].to_numpy().tolist() == noise[1].tolist()
    # The last 4 MiB, for they may be all of it; the footer; two columns of four.
    assert store.sent < part.bytes * 0.55 + 4.3e6
    assert store.kinds()["GET"] <= 5


def test_a_model_is_fetched_once_a_host(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path))
    workspace = Workspace("s3://bucket/models")
    for name in ("config.json", "deep/weights"):
        workspace.write_bytes(f"_built/model/x/k/{name}", name.encode())
    store.clear()
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(workspace.local("_built/model/x/k"))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 6
    assert (found[0] / "deep/weights").read_text() == "deep/weights"
    assert store.kinds("models/_built")["GET"] == 2
    store.clear()
    workspace.local("_built/model/x/k")
    assert not store.requests


def test_models_of_scores_and_evaluations_on_an_object_store(
    corpus: Corpus, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path / "cache"))
    here = tmp_path / "given"
    here.mkdir()
    work = corpus.folder / "work"
    shutil.copy(next(work.rglob("language_model.binary")), here / "lm.binary")
    shutil.copytree(work / "train/avg", here / "encoder")
    shutil.copytree(corpus.folder / "sts", here / "sts")
    vectors = [f"w{number} {number}.5 -1 2\n" for number in range(50)]
    (here / "vectors.txt").write_text("".join(vectors))
    fsspec.filesystem("s3").put(f"{here}/", "bucket/given/", recursive=True)
    (tmp_path / "copy.en").write_text((corpus.folder / "data/news.en").read_text())

    def recipe(name: str, given: str) -> Recipe:
        text = f"""\
workspace: {name}
bitext:
  - corpus: news
    format: moses
    source: {corpus.folder}/data/news.cs
    reference: {corpus.folder}/data/news.en
    translation: {tmp_path}/copy.en
    source_language: cs
scores:
  perplexity: {{lm: {{path: {given}/lm.binary}}}}
  by_vectors: {{score: paraphrase_similarity, vectors: {given}/vectors.txt}}
  by_encoder: {{score: paraphrase_similarity, encoder: {{path: {given}/encoder}}}}
evaluate:
  sts: {{encoder: {{path: {given}/encoder}}, data: {given}/sts}}
"""
        return load(tmp_path, text).located()

    local, there = recipe("local", str(here)), recipe("there", "s3://bucket/given")
    for one in (local, there):
        run(one, LocalRunner(workers=1), Silent())
    assert release_of(there.workspace) == release_of(local.workspace)
    results = [Workspace(one.workspace).read_json("evaluate/sts/results.json") for one in (local, there)]
    assert results[0] is not None and results[0] == results[1]
    # The keys are of what the files are, not of where they lie.
    assert {condition.state for condition in make_plan(there).conditions} == {"fresh"}


def test_multipart_uploads_of_a_killed_process_are_aborted(store: Store) -> None:
    fs = fsspec.filesystem("s3")
    for key in ("cut/release/a", "kept/release/b"):
        upload = fs.call_s3("create_multipart_upload", Bucket="bucket", Key=key)
        fs.call_s3(
            "upload_part", Bucket="bucket", Key=key, UploadId=upload["UploadId"], PartNumber=1, Body=b"1"
        )
    workspace = Workspace("s3://bucket/cut")
    began = datetime(2010, 11, 10, tzinfo=UTC).timestamp()  # as moto says of every upload
    assert workspace.end_uploads(began - 86_400) == 0, "a younger one may be a living process's"
    assert workspace.end_uploads(time.time()) == 1
    left = fs.call_s3("list_multipart_uploads", Bucket="bucket")["Uploads"]
    assert [upload["Key"] for upload in left] == ["kept/release/b"]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Unable to locate credentials"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "Could not connect"),
    ],
)
def test_an_unusable_store_is_reported_in_one_line(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], message: str
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    process = paranmt(tmp_path, "status", "s3://bucket/w")
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 2
    assert output.count("\n") == 1 and f"paranmt: cannot use the object store or the hub: {message}" in output


def test_the_error_names_a_missing_bucket(corpus: Corpus, store: Store, tmp_path: Path) -> None:
    recipe = corpus.on(tmp_path, "s3://no-such-bucket/w", "s3://bucket/data", "s3://bucket/model")
    with pytest.raises(Exception, match="workspace s3://no-such-bucket/w cannot be written.*its bucket"):
        run(recipe, LocalRunner(workers=1), Silent())
