"""`paranmt publish` into folders, and to a hub on loopback."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_hub import Hub, fake_hub
from releases import write_release
from typer.testing import CliRunner, Result

from paranmt.launch.cli import app
from paranmt.pipeline.manifest.release_parquet import sha256
from paranmt.pipeline.release import publishing
from paranmt.pipeline.release.open_release import Release, open_release
from paranmt.pipeline.release.verify import verify
from paranmt.transforms.storage.content_hash import seal

CARDS = {"README.md", "croissant.json", "manifest.json"}


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["publish", *map(str, arguments)])


def contents(folder: Path) -> dict[str, bytes]:
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != publishing.RECORD]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("publish") / "release", 600)


@pytest.fixture
def smaller(tmp_path: Path) -> Path:
    """A later release with one file less."""
    return write_release(tmp_path / "smaller", 300, files=1)


# --- a folder


def test_a_folder_gets_the_release_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(folder, source)
    (source / "notes.txt").write_text("mine")
    result = command(source, tmp_path / "public")
    assert result.exit_code == 0, result.output
    assert "published 600 pairs in" in result.stderr and "5 files changed" in result.stderr
    assert contents(tmp_path / "public") == contents(folder)
    assert verify(open_release(tmp_path / "public")) == []
    again = command(source, tmp_path / "public")
    assert "0 files changed" in again.stderr


def test_a_newer_release_replaces_its_own_files_alone(folder: Path, smaller: Path, tmp_path: Path) -> None:
    target = tmp_path / "public"
    target.mkdir()
    (target / "LICENSE").write_text("mine")
    assert command(folder, target).exit_code == 0
    assert command(smaller, target).exit_code == 0
    assert contents(target) == {**contents(smaller), "LICENSE": b"mine"}
    assert [file.name for file in target.rglob(".*")] == []


@pytest.mark.parametrize("name", ["README.md", "data/train-00000-of-00001.parquet"])
def test_files_of_others_stay(smaller: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / "public"
    (target / name).parent.mkdir(parents=True)
    (target / name).write_text("mine")
    result = command(smaller, target)
    assert result.exit_code == 2
    assert f"{target / name} was not written by paranmt, or was changed since" in result.stderr
    assert contents(target) == {name: b"mine"}


def test_changed_files_stay(folder: Path, smaller: Path, tmp_path: Path) -> None:
    target = tmp_path / "public"
    assert command(folder, target).exit_code == 0
    (target / "data/train-00001-of-00002.parquet").write_text("mine")
    before = contents(target)
    result = command(smaller, target)
    assert result.exit_code == 2 and "was changed since" in result.stderr
    assert contents(target) == before


def test_a_killed_publishing_is_continued(
    folder: Path, smaller: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "public"
    assert command(folder, target).exit_code == 0
    copy, copied = publishing._copy, []

    def killed(source: str, file: Path, expected: str) -> None:
        if len(copied) == 2:
            raise KeyboardInterrupt
        copied.append(file)
        copy(source, file, expected)

    monkeypatch.setattr(publishing, "_copy", killed)
    with pytest.raises(KeyboardInterrupt):
        publishing.publish_folder(open_release(smaller), target, lambda text: None)
    monkeypatch.undo()
    assert command(smaller, target).exit_code == 0
    assert contents(target) == contents(smaller)


def test_a_damaged_release_is_not_published(smaller: Path, tmp_path: Path) -> None:
    (smaller / "croissant.json").unlink()
    result = command(smaller, tmp_path / "public")
    assert result.exit_code == 2
    assert "is not whole: croissant.json is missing; nothing was published" in result.stderr
    assert not (tmp_path / "public").exists()
    assert "has no manifest.json" in command(_without_manifest(smaller), tmp_path / "public").stderr


def _without_manifest(release: Path) -> Path:
    (release / "manifest.json").unlink()
    return release


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/passwd", "_published.json", "data/../x", "data/a\n.parquet"]
)
def test_names_that_no_file_of_a_release_has_are_refused(smaller: Path, tmp_path: Path, name: str) -> None:
    manifest = json.loads((smaller / "manifest.json").read_text())
    manifest["other_files"][name] = {"bytes": 0, "sha256": hashlib.sha256().hexdigest()}
    (smaller / "manifest.json").write_text(json.dumps(seal(manifest)))
    result = command(smaller, tmp_path / "public")
    assert result.exit_code == 2
    assert f"it names {name!r}, which no file of a release is called" in result.stderr
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize("target", ["", " ", "s3://bucket/x"])
def test_targets_that_are_no_folder_are_refused(
    smaller: Path, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = command(smaller, target)
    assert result.exit_code == 2
    assert "expected a local folder or hf://datasets/OWNER/NAME" in result.stderr
    assert not list((tmp_path / "here").iterdir())


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("smaller", "is the release itself"),
        ("link", "is the release itself"),
        ("smaller/data", "is in the release"),
        ("smaller/new/folder", "is in the release"),
        (".", "is a folder that the release is in"),
        ("/", "is the top folder"),
        ("//", "is the top folder"),
        ("/../", "is the top folder"),
    ],
)
@pytest.mark.parametrize("protocol", ["", "file://"])
def test_a_release_is_not_published_into_itself_or_the_top_folder(
    smaller: Path, tmp_path: Path, target: str, message: str, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to(smaller)
    before = contents(tmp_path)
    result = command(f"{protocol}{smaller}", target)
    assert result.exit_code == 2 and message in result.stderr
    assert contents(tmp_path) == before and not list(tmp_path.rglob(publishing.RECORD))


def test_a_link_to_itself_is_no_target(smaller: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for target in (loop, loop / "public"):
        result = command(smaller, target)
        assert result.exit_code == 2 and f"{loop}" in result.stderr
        assert "choose another one" in result.stderr


# --- links, and records of others


@pytest.mark.parametrize("content", [b"", b"a secret"])
def test_a_damaged_card_or_a_link_is_not_published(smaller: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    (smaller / "README.md").unlink()
    (smaller / "README.md").symlink_to(tmp_path / "secret")
    result = command(smaller, tmp_path / "public")
    assert result.exit_code == 2 and "README.md has" in result.stderr
    assert not (tmp_path / "public").exists()


def test_what_changes_while_it_is_published_is_noticed(
    smaller: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = publishing.check_files

    def changed(release: Release) -> list[str]:
        failures = check(release)
        (smaller / "README.md").write_text("something else")
        return failures

    monkeypatch.setattr(publishing, "check_files", changed)
    result = command(smaller, tmp_path / "public")
    assert result.exit_code == 2 and "README.md was changed while it was being published" in result.stderr
    assert not (tmp_path / "public/README.md").exists()


def test_links_in_the_target_are_refused(smaller: Path, tmp_path: Path) -> None:
    """A record that somebody else wrote must not make us delete or replace what its links lead to."""
    (tmp_path / "outside").mkdir()
    mine = tmp_path / "outside/train-00007-of-00009.parquet"
    mine.write_text("mine")
    target = tmp_path / "public"
    target.mkdir()
    (target / "data").symlink_to(tmp_path / "outside")
    publishing._write_record(target / publishing.RECORD, {f"data/{mine.name}": [sha256(str(mine))]})
    result = command(smaller, target)
    assert result.exit_code == 2 and "data is a link, and what it leads to is not ours" in result.stderr
    (target / "data").unlink()
    (target / "README.md").symlink_to(mine)
    assert "README.md is a link" in command(smaller, target).stderr
    (target / "README.md").unlink()
    (target / "README.md").mkdir()
    assert "README.md is in the way: expected a file there" in command(smaller, target).stderr
    assert mine.read_text() == "mine"
    assert "outside" in command(smaller, mine).stderr and mine.read_text() == "mine"


def test_records_of_others_are_refused(smaller: Path, tmp_path: Path) -> None:
    target = tmp_path / "public"
    target.mkdir()
    (target / "LICENSE").write_text("mine")
    digest = sha256(str(target / "LICENSE"))
    publishing._write_record(target / publishing.RECORD, {"LICENSE": [digest]})
    assert "names files that no release has" in command(smaller, target).stderr
    content = {"format": "paranmt published files", "files": {"README.md": [digest]}}
    (target / publishing.RECORD).write_text(json.dumps(content))
    assert "is damaged; move it" in command(smaller, target).stderr
    assert contents(target) == {"LICENSE": b"mine"}


# --- the hub


def upload(
    hub: Hub, release: Path, home: Path, *options: str, token: str = "hf_right"
) -> "subprocess.CompletedProcess[str]":
    """In a process of its own, because huggingface_hub reads its settings when it is imported."""
    pytest.importorskip("huggingface_hub")
    settings = {"HF_ENDPOINT": hub.url, "HF_TOKEN": token, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    settings |= {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_TELEMETRY": "1"}
    program = [
        sys.executable,
        "-m",
        "paranmt",
        "publish",
        str(release),
        "hf://datasets/me/captions",
        *options,
    ]
    return subprocess.run(program, env={**os.environ, **settings}, capture_output=True, text=True)


def test_the_hub_gets_the_release_in_one_commit(folder: Path, smaller: Path, tmp_path: Path) -> None:
    with fake_hub() as hub:
        done = upload(hub, folder, tmp_path / "home", "--private")
        assert done.returncode == 0, done.stderr
        assert done.stderr.splitlines()[-1] == f"published 600 pairs: {hub.url}/datasets/me/captions"
        stored = hub.files["me/captions"]
        assert {name: stored[name] for name in stored if name != ".gitattributes"} == contents(folder)
        assert hub.commits == ["Publish 600 pairs"] and hub.private["me/captions"]
        stored["LICENSE"] = b"mine"
        done = upload(hub, smaller, tmp_path / "home")
        assert done.returncode == 0, done.stderr
        assert stored.pop("LICENSE") == b"mine"
        assert {name: stored[name] for name in stored if name != ".gitattributes"} == contents(smaller)
        assert hub.commits[1:] == ["Publish 300 pairs"]


def test_the_hub_refuses(smaller: Path, tmp_path: Path) -> None:
    with fake_hub() as hub:
        done = upload(hub, smaller, tmp_path / "home", token="hf_wrong")
        assert done.returncode == 2
        assert "paranmt: the hub refuses to publish me/captions: " in done.stderr
        hub.files["me/captions"] = {"README.md": b"mine"}
        done = upload(hub, smaller, tmp_path / "home")
        assert done.returncode == 2
        assert "me/captions has README.md, which paranmt did not publish" in done.stderr
        assert hub.files["me/captions"] == {"README.md": b"mine"} and hub.commits == []


@pytest.mark.parametrize(
    "arguments", [["publish", "{release}", "hf://datasets/me/x"], ["inspect", "hf://datasets/me/x"]]
)
def test_the_hub_is_not_asked_offline(smaller: Path, tmp_path: Path, arguments: list[str]) -> None:
    pytest.importorskip("huggingface_hub")
    words = [word.format(release=smaller) for word in arguments]
    settings = {"HF_HUB_OFFLINE": "1", "HF_TOKEN": "hf_right", "HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "paranmt", *words],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("paranmt: cannot use the object store or the hub: ") and "offline mode" in line


def test_a_missing_package_is_named(smaller: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert "pip install 'huggingface_hub>=1'" in command(smaller, "hf://datasets/me/captions").stderr
