"""Removes the temporary files and heartbeats that dead processes left behind.

Files of a process on this host are removed as soon as it is dead; files of a process on another host are
removed after a day without a sign of life. Work in progress that a later run can resume (checkpoints of a
training) is not named after a process, and stays.
"""

import time
from pathlib import Path

from ...base.processes import DAY, is_dead, is_leftover, is_process_name, owner, sweep_folder
from .heartbeat import HEARTBEATS
from .workspace import TEMPORARY, Workspace


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
            process = owner(name.split("/")[1])
            if process is not None and is_leftover(process, listed.modified, beats, now):
                leftovers.append(name)
    workspace.remove(*leftovers)
    return len(leftovers) + sweep_folder(workspace.scratch, beats) + workspace.end_uploads(now - DAY)
