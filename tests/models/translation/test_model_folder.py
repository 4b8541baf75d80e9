import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import fsspec
import pytest
from fake_hub import Hub, fake_hub
from nmt_models import write_dictionaries

from paranmt.base.errors import ModelError
from paranmt.models.translation.languages import model_languages
from paranmt.models.translation.model_folder import build_once, digest, fetch, read_model_folder
from paranmt.models.translation.subwords import Subwords


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_dictionaries(tmp_path)
    (tmp_path / "model.pt").write_bytes(b"weights")
    (tmp_path / "spm.model").write_bytes(b"subwords")
    (tmp_path / "training.json").write_text("{}")
    return tmp_path


def test_a_fairseq_folder(folder: Path) -> None:
    found = read_model_folder(str(folder))
    assert (found.kind, found.weights, found.subwords) == ("fairseq", "model.pt", "spm.model")
    assert found.files == ["dict.cs.txt", "dict.en.txt", "model.pt", "spm.model"]


def test_a_ctranslate2_folder(folder: Path) -> None:
    for name in ("model.bin", "config.json", "shared_vocabulary.json"):
        (folder / name).write_text("[]")
    found = read_model_folder(str(folder))
    assert found.kind == "ctranslate2"
    assert found.files == ["config.json", "model.bin", "shared_vocabulary.json", "spm.model"]


@pytest.mark.parametrize("name", ["checkpoint_best.pt", "x.pt"])
def test_a_single_checkpoint_may_have_any_name(name: str, folder: Path) -> None:
    (folder / "model.pt").rename(folder / name)
    assert read_model_folder(str(folder)).weights == name


def test_the_error_names_what_is_missing(folder: Path) -> None:
    (folder / "model.bin").touch()
    with pytest.raises(ModelError, match="no config.json"):
        read_model_folder(str(folder))
    (folder / "model.bin").unlink()
    (folder / "model.pt").rename(folder / "a.pt")
    (folder / "b.pt").touch()
    with pytest.raises(ModelError, match="exactly one .*, found a.pt, b.pt"):
        read_model_folder(str(folder))
    (folder / "b.pt").unlink()
    (folder / "spm.model").rename(folder / "a.model")
    (folder / "b.model").touch()
    with pytest.raises(ModelError, match="one sentencepiece model, found a.model, b.model"):
        read_model_folder(str(folder))
    (folder / "dict.cs.txt").unlink()
    (folder / "dict.en.txt").unlink()
    with pytest.raises(ModelError, match="no dict.<language>.txt|one sentencepiece"):
        read_model_folder(str(folder))
    with pytest.raises(ModelError, match="there is no folder"):
        read_model_folder(str(folder / "nowhere"))


MARIAN = ("config.json", "source.spm", "target.spm", "vocab.json")


@pytest.fixture
def marian(tmp_path: Path) -> Path:
    """An OPUS-MT model as it is downloaded, with files that are not used."""
    for name in (*MARIAN, "pytorch_model.bin", "tf_model.h5", "tokenizer_config.json"):
        (tmp_path / name).write_text('{"model_type": "marian"}')
    return tmp_path


def test_a_marian_folder(marian: Path) -> None:
    found = read_model_folder(str(marian))
    assert (found.kind, found.weights, found.subwords) == ("marian", "pytorch_model.bin", None)
    assert found.files == sorted([*MARIAN, "pytorch_model.bin"])
    (marian / "model.safetensors").touch()
    (marian / "target_vocab.json").touch()
    assert read_model_folder(str(marian)).files == sorted([*MARIAN, "model.safetensors", "target_vocab.json"])


@pytest.mark.parametrize(
    ("gone", "told"),
    [
        (["vocab.json"], "is a model of the kind Marian .OPUS-MT. without vocab.json; fetch all files"),
        (["config.json", "target.spm"], "without config.json, target.spm;"),
        (["source.spm", "target.spm"], "without source.spm, target.spm;"),
        (["pytorch_model.bin"], "without model.safetensors or pytorch_model.bin;"),
    ],
)
def test_a_marian_folder_with_files_missing(gone: list[str], told: str, marian: Path) -> None:
    for name in gone:
        (marian / name).unlink()
    with pytest.raises(ModelError, match=told):
        read_model_folder(str(marian))


def test_weights_in_several_files(marian: Path) -> None:
    (marian / "pytorch_model.bin").unlink()
    index = marian / "model.safetensors.index.json"
    pieces = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    index.write_text(json.dumps({"weight_map": {"b": pieces[1], "a": pieces[0], "c": pieces[1]}}))
    with pytest.raises(ModelError, match="lacks model-00001-of-00002.safetensors, model-00002-of-00002.safe"):
        read_model_folder(str(marian))
    for name in pieces:
        (marian / name).touch()
    found = read_model_folder(str(marian))
    assert (found.weights, found.files) == (index.name, sorted([*MARIAN, index.name, *pieces]))


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        '{"weight_map": 3}',
        '{"weight_map": {"a": "../model.bin"}}',
        '{"weight_map": {"a": 1}}',
    ],
)
def test_a_damaged_index_of_weights(content: str, marian: Path) -> None:
    (marian / "pytorch_model.bin").unlink()
    (marian / "pytorch_model.bin.index.json").write_text(content)
    with pytest.raises(
        ModelError, match="index.json cannot be read .*: expected a weight_map with the names"
    ):
        read_model_folder(str(marian))


COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB_URL = f"hf://helsinki/opus-mt-fi-en@{COMMIT}"


@pytest.fixture
def hub(
    marian: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hub]:
    """A hub that has the Marian model, and an empty cache."""
    with fake_hub() as hub:
        hub.models[HUB_URL.removeprefix("hf://")] = {
            file.name: file.read_bytes() for file in marian.iterdir()
        }
        monkeypatch.setitem(fsspec.config.conf, "hf", {"endpoint": hub.url, "token": False})
        monkeypatch.setenv("PARANMT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield hub


def test_a_model_on_the_hub_is_fetched_once(
    hub: Hub, marian: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_model_folder(HUB_URL)
    assert sorted(hub.fetched) == found.files == read_model_folder(str(marian)).files
    assert digest(found) == digest(read_model_folder(str(marian)))
    assert fetch(found, tmp_path / "unused") is found
    hub.models.clear()  # and no other process asks the hub again
    monkeypatch.setattr("paranmt.models.translation.model_folder._verified", set())
    monkeypatch.setitem(fsspec.config.conf, "hf", {"endpoint": "http://127.0.0.1:9", "token": False})
    assert read_model_folder(HUB_URL) == found


def test_the_stand_in_is_reached_where_the_client_is_offline(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    hub = request.getfixturevalue("hub")
    assert read_model_folder(HUB_URL).files == sorted(hub.fetched)


def test_a_model_that_the_hub_does_not_have(hub: Hub) -> None:
    other = HUB_URL.replace("fi", "et")
    with pytest.raises(
        ModelError, match=f"{other} is not in the cache and cannot be fetched .*; check the name"
    ):
        read_model_folder(other)


def test_a_model_on_the_hub_without_network(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fsspec.config.conf, "hf", {"endpoint": "http://127.0.0.1:9", "token": False})
    with pytest.raises(
        ModelError, match="is not in the cache and cannot be fetched .*; check the name"
    ) as raised:
        read_model_folder(HUB_URL)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("revision", ["", "@main", f"@{COMMIT[:12]}"])
def test_a_model_on_the_hub_is_named_by_its_commit(revision: str) -> None:
    with pytest.raises(
        ModelError, match="expected hf://OWNER/NAME@COMMIT; COMMIT is the 40 hex digits of a commit"
    ):
        read_model_folder(f"hf://helsinki/opus-mt-fi-en{revision}")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.json", '{">>fra<<": 2, "a": 3, ">>deu_Latn<<": 1, ">><<": 4, "x>>ces<<": 5}'),
        ("shared_vocabulary.json", '["a", ">>fra<<", ">>deu_Latn<<"]'),
        ("source_vocabulary.txt", "a\n>>fra<<\n>>deu_Latn<<\n"),
    ],
)
def test_target_languages(name: str, content: str, marian: Path) -> None:
    if name != "vocab.json":
        (marian / "model.bin").touch()
    (marian / name).write_text(content)
    remote = fsspec.filesystem("memory")
    remote.put(str(marian) + "/", "/languages/", recursive=True)
    try:
        for url in (str(marian), "memory://languages"):
            assert [*model_languages(read_model_folder(url)).tokens] == ["deu_Latn", "fra"]
    finally:
        remote.rm("/languages", recursive=True)


@pytest.mark.parametrize(("content", "told"), [("{", "cannot be read: "), ("3", "has no symbols")])
def test_a_damaged_vocabulary(content: str, told: str, marian: Path) -> None:
    (marian / "vocab.json").write_text(content)
    with pytest.raises(ModelError, match=rf"vocab\.json {told}"):
        model_languages(read_model_folder(str(marian)))


@pytest.mark.parametrize("content", ['{"model_type": "t5"}', "{", "[]", '{"model_type": 3}'])
def test_a_folder_of_another_kind(content: str, tmp_path: Path) -> None:
    for name in ("config.json", "pytorch_model.bin"):
        (tmp_path / name).write_text(content)
    told = "the type 't5' in Hugging" if "t5" in content else "neither dict.<language>.txt nor source.spm"
    with pytest.raises(ModelError, match=told):
        read_model_folder(str(tmp_path))


def test_the_digest_follows_the_files_that_count(folder: Path) -> None:
    before = digest(read_model_folder(str(folder)))
    (folder / "training.json").write_text("{} ")
    assert digest(read_model_folder(str(folder))) == before
    (folder / "spm.model").write_bytes(b"others")
    assert digest(read_model_folder(str(folder))) != before


def test_a_remote_folder_is_copied_once_per_version(folder: Path, tmp_path: Path) -> None:
    remote = fsspec.filesystem("memory")
    remote.put(str(folder) + "/", "/models/cs-en/", recursive=True)
    try:
        found = read_model_folder("memory://models/cs-en")
        assert found.url == "memory://models/cs-en"
        cache = tmp_path / "cache"
        local = fetch(found, cache)
        assert local.files == found.files
        assert (Path(local.url) / "model.pt").read_bytes() == b"weights"
        assert fetch(found, cache) == local
        remote.pipe("/models/cs-en/model.pt", b"newer")
        newer = fetch(found, cache)
        assert (Path(newer.url) / "model.pt").read_bytes() == b"newer"
        assert len(os.listdir(cache)) == 2
    finally:
        remote.rm("/models", recursive=True)


def test_what_describes_a_paraphraser_is_fetched_and_changes_no_digest(folder: Path, tmp_path: Path) -> None:
    before = digest(read_model_folder(str(folder)))
    (folder / "paraphraser.json").write_text('{"control": []}')
    assert digest(read_model_folder(str(folder))) == before
    remote = fsspec.filesystem("memory")
    remote.put(str(folder) + "/", "/models/en-en/", recursive=True)
    try:
        local = Path(fetch(read_model_folder("memory://models/en-en"), tmp_path / "cache").url)
        assert (local / "paraphraser.json").read_text() == '{"control": []}'
    finally:
        remote.rm("/models", recursive=True)


def test_a_local_folder_is_not_copied(folder: Path, tmp_path: Path) -> None:
    found = read_model_folder(str(folder))
    assert fetch(found, tmp_path / "cache") is found
    assert not (tmp_path / "cache").exists()


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(aside: Path) -> None:
        (aside / "half").touch()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build_once(tmp_path, "thing", fail)
    assert os.listdir(tmp_path) == []


def test_one_process_builds_and_the_others_wait(tmp_path: Path) -> None:
    made = []

    def build(aside: Path) -> None:
        made.append(aside)
        time.sleep(0.2)
        (aside / "made").write_text(aside.name)

    builders = [threading.Thread(target=build_once, args=(tmp_path, "thing", build)) for _ in range(4)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(30)
    assert [path.name for path in made] == [(tmp_path / "thing" / "made").read_text()]
    assert os.listdir(tmp_path) == ["thing"]


def test_the_first_to_finish_wins_where_hosts_share_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(file: object, how: int) -> None:
        raise OSError("no locks on this file system")

    monkeypatch.setattr("fcntl.flock", no_locks)

    def build(aside: Path) -> None:
        # Another host's process finishes meanwhile.
        build_once(tmp_path, "thing", lambda other: (other / "made").write_text("first"))  # type: ignore[arg-type, return-value]
        (aside / "made").write_text("second")

    path = build_once(tmp_path, "thing", build)
    assert (path / "made").read_text() == "first"
    assert os.listdir(tmp_path) == ["thing"]


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone", "no checksums"])
def test_a_damaged_folder_of_the_cache_is_made_again(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    builds = []

    def build(aside: Path) -> None:
        builds.append(aside)
        (aside / "inner").mkdir()
        (aside / "inner/weights").write_bytes(b"weights")

    def of_another_process() -> Path:
        monkeypatch.setattr("paranmt.models.translation.model_folder._verified", set())
        return build_once(tmp_path, "thing", build)

    weights = of_another_process() / "inner/weights"
    of_another_process()
    assert len(builds) == 1
    if damage == "no checksums":
        (tmp_path / "thing/paranmt-checksums.json").unlink()
    elif damage == "gone":
        weights.unlink()
    else:
        weights.write_bytes(b"weigh" if damage == "cut" else b"weightr")
    of_another_process()
    assert (len(builds), weights.read_bytes()) == (2, b"weights")
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / 'thing'} is damaged; it is made again"
    ]
    of_another_process()
    assert len(builds) == 2
    assert os.listdir(tmp_path) == ["thing"]


def test_checksums_are_verified_once_per_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(aside: Path) -> None:
        (aside / "made").touch()

    build_once(tmp_path, "thing", build)
    monkeypatch.setattr("paranmt.models.translation.model_folder._verified", set())
    intact = Mock(return_value=True)
    monkeypatch.setattr("paranmt.models.translation.model_folder.is_intact", intact)
    for _ in range(3):
        build_once(tmp_path, "thing", build)
    assert intact.call_count == 1


def test_leftovers_of_killed_processes_in_the_cache_are_removed(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, signal, sys; from paranmt.models.translation.model_folder import build_once; "
        "build_once(pathlib.Path(sys.argv[1]), 'thing', lambda _: os.kill(os.getpid(), signal.SIGKILL))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)])
    assert len(os.listdir(tmp_path)) == 2  # the unfinished folder and its lock
    build_once(tmp_path, "thing", lambda aside: None)
    assert os.listdir(tmp_path) == ["thing"]


def test_a_damaged_sentencepiece_model(folder: Path) -> None:
    with pytest.raises(ModelError, match="not a sentencepiece model"):
        Subwords(folder / "spm.model")
    with pytest.raises(ModelError, match="not a sentencepiece model: expected a file"):
        Subwords(folder)


def test_plain_words() -> None:
    subwords = Subwords(None)
    assert subwords.encode(["a  b", "", "</s> c <pad>"]) == [["a", "b"], [], ["<unk>", "c", "<unk>"]]
    assert subwords.decode(["a", "b"]) == "a b"
