"""Removes the temporary files and heartbeats that dead processes left behind.

Files of a process on this host are removed as soon as it is dead; files of a process on another host are
removed after a day without a sign of life. Work in progress that a later run can resume (checkpoints of a
training) is not named after a process, and stays.
"""

import shutil
import time
from pathlib import Path

from .heartbeat import HEARTBEATS
from .processes import is_dead, is_process_name, owner
from .workspace import TEMPORARY, Workspace

DAY = 86_400.0


def sweep(workspace: Workspace) -> int:
    """Clear a workspace, and this host's temporary folder; return how many files and folders were removed."""
    now = time.time()
    beats = {
        Path(name).stem: listed.modified
        for name, listed in workspace.listing(HEARTBEATS).items()
        if is_process_name(Path(name).stem)
    }  # process → its last sign of life
    leftovers = [
        f"{HEARTBEATS}/{name}.json" for name, beat in beats.items() if is_dead(name) or now - beat > DAY
    ]
    if not workspace.is_local:
        for name, listed in workspace.listing(TEMPORARY).items():
            if _is_leftover(name.split("/")[1], listed.modified, beats, now):
                leftovers.append(name)
    workspace.remove(*leftovers)
    return len(leftovers) + sweep_folder(workspace.scratch, beats) + workspace.end_uploads(now - DAY)


def sweep_folder(folder: Path, beats: dict[str, float] | None = None) -> int:
    """Clear a local folder of temporary files and folders; return how many were removed."""
    now = time.time()
    removed = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if not _is_leftover(path.name, _newest(path), beats or {}, now):
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            removed += 1
        except OSError:  # its owner, or another sweep, has removed it
            continue
    return removed


def _is_leftover(name: str, modified: float, beats: dict[str, float], now: float) -> bool:
    process = owner(name)
    if process is None:
        return False
    return is_dead(process) or now - max(modified, beats.get(process, 0.0)) > DAY


def _newest(path: Path) -> float:
    """The last time that a file, or anything in a folder, was written."""
    times = [path.stat().st_mtime]
    if path.is_dir():
        times += [inner.stat().st_mtime for inner in path.rglob("*")]
    return max(times)
