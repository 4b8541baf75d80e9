"""Files and folders that commands write: whole or not there, and never in the place of others."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paranmt.base.errors import InputError
from paranmt.base.outputs import (
    SEAL,
    check_empty,
    check_replaceable,
    has_seal,
    is_unchanged,
    new_file,
    new_folder,
    put_new_folder,
    sealed,
)
from paranmt.base.processes import process_name
from paranmt.base.whole_files import put, put_folder, temporary_folder, written_whole
from paranmt.transforms.storage.file_hashes import HashCache

WRITERS = {"new_file": new_file, "new_folder": new_folder, "written_whole": written_whole}
_KILLED = """
import os, signal, sys
from pathlib import Path
from paranmt.base.outputs import new_file, new_folder
from paranmt.base.whole_files import written_whole
with globals()[sys.argv[1]](Path(sys.argv[2])) as made:
    made.write(b"half") if hasattr(made, "write") else (made / "file").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("writer", WRITERS)
def test_the_next_output_removes_what_a_killed_command_left(tmp_path: Path, writer: str) -> None:
    target = tmp_path / "sub" / "out"
    done = subprocess.run([sys.executable, "-c", _KILLED, writer, str(target)])
    assert done.returncode == -signal.SIGKILL
    (left,) = (tmp_path / "sub").iterdir()
    mine = [".out.x7ab3k", ".paranmt", "a.b.1-2-3", f"{process_name()}-x"]
    for name in mine:
        (tmp_path / "sub" / name).write_text("mine")
    ours = tmp_path / "sub" / f".{process_name()}-{'0' * 32}"
    ours.write_text("of a living process")
    with new_file(tmp_path / "sub" / "other") as file:
        file.write(b"done")
    assert left.name.startswith(".") and not left.exists() and not target.exists()
    assert {path.name for path in (tmp_path / "sub").iterdir()} == {*mine, ours.name, "other"}


def test_a_large_folder_of_a_user_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(Path, "rglob", lambda *arguments: pytest.fail("walked"))
    with new_file(tmp_path / "out") as file:
        file.write(b"x")


@pytest.mark.parametrize("writer", WRITERS)
def test_an_error_leaves_nothing(tmp_path: Path, writer: str) -> None:
    with pytest.raises(KeyboardInterrupt), WRITERS[writer](tmp_path / "out"):
        raise KeyboardInterrupt
    assert not [*tmp_path.iterdir()]


def test_nothing_is_written_in_the_place_of_something(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine")
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    for name in ("file", "full", "nowhere", "link", "pipe", "empty"):
        with pytest.raises(InputError, match="already exists"), new_file(tmp_path / name):
            pass
    for name in ("file", "full", "nowhere", "link", "pipe"):
        with pytest.raises(InputError, match="already exists"), new_folder(tmp_path / name):
            pass
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    check_empty(tmp_path / "empty")
    with new_folder(tmp_path / "empty") as folder:
        (folder / "file").write_text("whole")
    assert (tmp_path / "empty/file").read_text() == "whole"


@pytest.mark.parametrize("writer", ["new_file", "new_folder"])
def test_what_appears_meanwhile_stays(tmp_path: Path, writer: str) -> None:
    with pytest.raises(InputError, match="already exists"):
        with WRITERS[writer](tmp_path / "out"):
            (tmp_path / "out").write_text("mine")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_a_file_of_ours_is_replaced(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        with written_whole(tmp_path / "out") as file:
            file.write(content)
    assert (tmp_path / "out").read_bytes() == b"second"
    with pytest.raises(InputError, match=r"x cannot be written: .* choose another name"):
        with new_file(tmp_path / "out" / "x"):
            pass


def test_what_is_built_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        with written_whole(tmp_path / "file") as file:
            file.write(b"x")
        with new_folder(tmp_path / "folder"):
            pass
        os.utime(tmp_path / "file", (0, 0))
        HashCache(tmp_path / "hashes").file_hash(str(tmp_path / "file"))
    finally:
        os.umask(before)
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()}
    assert modes == {"file": "0o664", "folder": "0o775", "hashes": "0o664"}


def test_a_finished_file_reaches_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr("os.fsync", lambda file: done.append("synced"))
    replace = os.replace
    monkeypatch.setattr("os.replace", lambda *paths: (done.append("named"), replace(*paths)))
    with temporary_folder(tmp_path) as folder:
        (folder / "file").write_text("whole")
        put(folder / "file", tmp_path / "sub" / "file")
    assert done == ["synced", "named"]
    assert [path.name for path in tmp_path.iterdir()] == ["sub"]


def test_names_of_another_host_stay_for_a_day(tmp_path: Path) -> None:
    for name, hours in (("new", 23), ("old", 25)):
        path = tmp_path / f".{name}.1.0f-7.123-{'a' * 32}"
        path.write_text("half")
        then = time.time() - hours * 3600
        os.utime(path, (then, then))
    with new_file(tmp_path / "out") as file:
        file.write(b"x")
    assert sorted(path.name[:4] for path in tmp_path.iterdir()) == [".new", "out"]


def test_a_sealed_text_shows_whether_it_was_changed(tmp_path: Path) -> None:
    file, text = tmp_path / "file", f"# {SEAL} x`\nline\n"
    check_replaceable(file)
    for content, is_ours, is_known in (
        (sealed(text), True, True),
        (sealed(text) + " ", False, True),
        (sealed(text).replace("line", "lines"), False, True),
        (text, False, True),
        ("line\n", False, False),
        ("", False, False),
    ):
        file.write_text(content)
        assert (is_unchanged(file), has_seal(file)) == (is_ours, is_known)
    file.write_text(sealed(text))
    check_replaceable(file)
    (tmp_path / "link").symlink_to(file)
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "nowhere", "pipe", "."):
        with pytest.raises(InputError, match="move it away, or choose another folder"):
            check_replaceable(tmp_path / name)


def _folder(path: Path, content: str) -> Path:
    path.mkdir()
    (path / "file").write_text(content)
    return path


def test_a_finished_folder_replaces_another(tmp_path: Path) -> None:
    for there in ("none", "empty", "other"):
        path = tmp_path / there
        if there != "none":
            path.mkdir()
        if there == "other":
            (path / "old").write_text("old")
        put_folder(_folder(tmp_path / "made", there), path)
        assert [(file.name, file.read_text()) for file in path.iterdir()] == [("file", there)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "none", "other"]


def test_a_folder_that_is_as_good_is_kept(tmp_path: Path) -> None:
    made, path = _folder(tmp_path / "made", "ours"), _folder(tmp_path / "path", "theirs")
    put_folder(made, path, lambda there: (there / "file").read_text() == "theirs")
    assert (path / "file").read_text() == "theirs" and made.is_dir()


def test_a_folder_that_another_process_moves_away_meanwhile(tmp_path: Path) -> None:
    made, path = _folder(tmp_path / "made", "ours"), _folder(tmp_path / "path", "damaged")

    def moved(there: Path) -> bool:
        there.rename(tmp_path / "away")
        return False

    put_folder(made, path, moved)
    assert (path / "file").read_text() == "ours"


def test_a_file_in_the_place_of_a_folder_stays(tmp_path: Path) -> None:
    made, path = _folder(tmp_path / "made", "ours"), tmp_path / "path"
    path.write_text("a file")
    with pytest.raises(NotADirectoryError):
        put_folder(made, path)
    with pytest.raises(InputError, match="already exists; choose another folder"):
        put_new_folder(made, path)
    assert path.read_text() == "a file" and made.is_dir()
    put_new_folder(made, tmp_path / "new")
    assert (tmp_path / "new" / "file").read_text() == "ours"
