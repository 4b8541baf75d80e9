"""Damage to every kind of file of a workspace: it is repaired, named in an error, or it does not matter."""

import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from file_operations import FileOperations
from outcomes import Broken, Steps, Verdict
from workspaces import (
    CHANGED,
    compute,
    copy_folder,
    differences,
    files_of,
    finished_files,
    not_fresh,
    published,
    small_project,
)

from paranmt.base.errors import UserError
from paranmt.pipeline.forecast.file import against_forecast
from paranmt.pipeline.running.status import workspace_status

WAYS = ("halved", "emptied", "deleted", "one bit flipped")
STOPPED_IN = (
    *("ingest/", "translate/", "score/perplexity/", "deciles/", "select/middling/", "_built/release/"),
    *("fingerprints/", "duplicates/", "pool/found/", "trials/found/"),
)
# What has to be computed again for such a file to be read.
READERS = {
    "_built/model/perplexity/": "score/perplexity",
    "_built/model/paraphrase_similarity/": "score/paraphrase_similarity",
    "_built/train/avg/": "evaluate/sts",
    "fingerprints/": "groups",
    "groups/": "duplicates",
    "pool/": "trials/found",
    "trials/": "tune/found",
    "fresh/": "tune/found",
}
# Files that hold times: they may be made again with other bytes.
TIMED = ("index.html", "training.json", "README.md", "manifest.json", "croissant.json")


def kind_of(name: str) -> str:
    """A file's name without what differs between files of one kind."""
    name = re.sub(r"[0-9a-f]{16}", "KEY", name)
    name = re.sub(r"/(first|second|third)/[^/]*?-(?=KEY)", "/CORPUS/FILE-", name)
    name = re.sub(r"FILE-(\d+-)?KEY", "PART-KEY", name) if "_files" not in name else name
    name = re.sub(r"^(score|deciles|select)/\w+/", r"\1/NAME/", name)
    name = re.sub(r"^(trials|fresh)/found/.*/[a-z0-9-]+(?=-KEY)", r"\1/NAME/RANGE/SEED", name)
    name = re.sub(r"(/|train-)\d{5}-", r"\1N-", name)
    name = re.sub(r"_(heartbeats|logs)/.*(\..*)", r"_\1/…\2", name)
    return re.sub(r"_temporary/.*", "_temporary/…", name)


def kinds(workspace: Path) -> dict[str, list[str]]:
    """The names of the workspace's files by their kind."""
    found: dict[str, list[str]] = {}
    for name in files_of(workspace):
        found.setdefault(kind_of(name), []).append(name)
    return found


def damage(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """One file of a finished workspace; then plan, run, and a run of another recipe that needs the file."""
    choose = Random(seed)
    place = folder / "kept"
    copy_folder(shared / "finished", place)
    workspace = place / "work"
    by_kind = kinds(workspace)
    # Seeds go through all kinds in a random order, and in each of eight rounds damage a kind in another way.
    time_around, position = divmod(seed, len(by_kind))
    index = Random(time_around).sample(range(len(by_kind)), len(by_kind))[position]
    kind = list(by_kind)[index]
    name = choose.choice(by_kind[kind])
    steps.kind = f"`{kind}`"
    keep_time, way = divmod((time_around + index) % (2 * len(WAYS)), len(WAYS))
    reader = next((stage for start, stage in READERS.items() if name.startswith(start)), "")
    trial = _Damaged(workspace, name, steps, redone=reader)
    trial.hurt(WAYS[way], bool(keep_time), choose)
    trial.does("plan", lambda: not_fresh(place))
    trial.does("status", lambda: against_forecast(workspace_status(str(workspace))))
    trial.does("run", lambda: compute(place))
    if reader:
        trial.does(f"--redo {reader}", lambda: compute(place, redo=reader))
    project = small_project()
    # Of a release's data, size and time are compared; `verify` compares their hashes.
    data = {name for name in trial.hurt_names if name.startswith("release/data/")}
    trial.compares(published(shared / "finished", project), published(place, project), data)
    trial.does(f"run --set {' --set '.join(CHANGED)}", lambda: compute(place, *CHANGED))
    trial.compares(published(shared / "changed", project), published(place, project), set())
    return trial.verdict()


def damage_resumed(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """One finished part of an interrupted run, which no manifest names yet; then the run goes on."""
    choose = Random(seed)
    stage = STOPPED_IN[seed % len(STOPPED_IN)]
    steps.kind = f"a part of `{stage.strip('/')}`, of a run that was stopped"
    place = folder / "kept"
    _stopped(shared, stage, place, steps)
    workspace = place / "work"
    names = [name for name in finished_files(workspace) if name.startswith(stage)]
    name = choose.choice(names)
    trial = _Damaged(workspace, name, steps)
    trial.hurt(WAYS[seed // len(STOPPED_IN) % len(WAYS)], choose.random() < 0.5, choose)
    trial.does("plan", lambda: not_fresh(place))
    trial.does("run", lambda: compute(place))
    project = small_project()
    trial.compares(published(shared / "finished", project), published(place, project), set())
    return trial.verdict()


def _stopped(shared: Path, stage: str, place: Path, steps: Steps) -> None:
    """A folder whose run was interrupted when the third part of a stage was about to be put in its place."""
    kept = shared / f"stopped-{stage.replace('/', '-')}"
    if not kept.exists():
        folder = place.with_name("stopped")
        folder.mkdir()
        small_project().write(folder)
        try:
            with FileOperations(folder / "work", 3, _interrupt, parts_of=stage):
                compute(folder)
        except BaseException as error:  # Beam makes an error of its own of it
            steps.append(f"run, interrupted in {stage}: {type(error).__name__}")
        else:
            raise ValueError(f"the run was not interrupted in {stage}")
        try:
            folder.rename(kept)
        except OSError:  # another process was quicker
            shutil.rmtree(folder)
    copy_folder(kept, place)


def _interrupt() -> None:
    raise KeyboardInterrupt


class _Damaged:
    """A workspace in which one file is damaged, and what commands say of it."""

    def __init__(self, workspace: Path, name: str, steps: Steps, redone: str = "") -> None:
        self._workspace = workspace
        self._name = name
        self._steps = steps
        self._redone = f"/{redone}/" if redone else ""  # its files are removed because the trial asks for it
        self._finished = finished_files(workspace)
        self._content = (workspace / name).read_bytes()
        node = (workspace / name).stat().st_ino
        # The same file may have several names.
        self.hurt_names = {each for each in files_of(workspace) if (workspace / each).stat().st_ino == node}
        self._named = False
        self._set_aside: bytes | None = None

    def hurt(self, way: str, keep_time: bool, choose: Random) -> None:
        """Damage the file in one of WAYS; keep_time: as a failing disk does, not as an editor."""
        self._steps.append(f"{self._name}: {way}, modification time {'kept' if keep_time else 'new'}")
        path = self._workspace / self._name
        content = bytearray(self._content)
        times = path.stat()
        if way == "deleted" or not content:
            path.unlink()
            self.hurt_names = {self._name}
            return
        if way == "one bit flipped":
            content[choose.randrange(len(content))] ^= 1 << choose.randrange(8)
        else:
            del content[0 if way == "emptied" else len(content) // 2 :]
        path.write_bytes(content)
        self._set_aside = bytes(content)
        modified = times.st_mtime_ns if keep_time else time.time_ns()
        os.utime(path, ns=(times.st_atime_ns, modified))

    def does(self, what: str, command: Callable[[], object]) -> None:
        """A command that works, or says in a line which file is damaged, and works once that is removed."""
        try:
            command()
            self._steps.append(what)
        except UserError as error:
            self._steps.append(f"{what}: {error}")
            if "\n" in str(error) or not self._is_named(str(error)):
                raise Broken("unclear", f"{what}: the error does not name the file: {error}") from error
            self._check_finished()
            self._named = True
            for name in self.hurt_names:
                (self._workspace / name).unlink(missing_ok=True)
            try:
                compute(self._workspace.parent)
                command()
            except UserError as still:
                raise Broken("unclear", f"{what}: not mended by removing the file: {still}") from still
            self._steps.append(f"remove {', '.join(sorted(self.hurt_names))}; run; {what}")

    def _is_named(self, message: str) -> bool:
        return any(name in message for name in self.hurt_names) or any(
            str(Path(name).parent) in message for name in self.hurt_names if name.startswith("_built/")
        )

    def compares(self, wanted: dict[str, bytes], there: dict[str, bytes], but_for: set[str]) -> None:
        """Broken where published files differ, those in `but_for` apart."""
        # A published file that changed is a user's: it may be kept under another name.
        there = {name: there[name] for name in there if name in wanted or there[name] != self._set_aside}
        differ = [line for line in differences(wanted, there) if line.split(" is ")[0] not in but_for]
        if differ:
            raise Broken("silent", f"unlike the undisturbed run: {'; '.join(differ)}")

    def _check_finished(self) -> None:
        """Nothing but the damaged file may be gone or changed."""
        there = finished_files(self._workspace)
        for name, content in self._finished.items():
            if name in self.hurt_names or self._redone and self._redone in f"/{name}":
                continue
            if name not in there or (there[name] != content and not name.endswith(TIMED)):
                raise Broken("lost", f"{name} is {'changed' if name in there else 'gone'}")

    def verdict(self) -> Verdict:
        """What became of the file, where all went well."""
        self._check_finished()
        if self._named:
            return "named"
        path = self._workspace / self._name
        return "repaired" if path.exists() and path.read_bytes() == self._content else "not needed"
