"""Stages that are one piece of work: a folder of files built by one process, then published.

They are built at `_built/<stage>/<key>/`, which never changes once complete; `<stage>/` shows the
files of the current recipe.
"""

import shutil
from dataclasses import replace
from pathlib import Path

from .dataset import Entry, Manifest, write_manifest
from .heartbeat import working
from .stage import Runner, Unit, run_parts
from .timing import unit_seconds
from .workspace import Workspace, checksum


def home(stage: str) -> str:
    """Where the manifests and the built files of a published stage lie."""
    return f"_built/{stage}"


class PieceWork:
    """Work that makes a folder: subclasses write its files.

    `stage` is the stage's `home`. `part` and `key` of the unit name the folder.
    """

    stage: str

    def __call__(self, workspace: Workspace, unit: Unit) -> list[Entry]:
        scratch = workspace.scratch_folder(f"{self.stage}-{unit.key}")
        with workspace.temporary_folder() as folder:
            with unit_seconds() as seconds:
                counts = self.make(workspace, unit, folder, scratch)
            entries = [
                _put(
                    workspace,
                    file,
                    f"{self.stage}/{unit.key}/{file.relative_to(folder).as_posix()}",
                    unit,
                    folder,
                )
                for file in sorted(path for path in folder.rglob("*") if path.is_file())
            ]
        shutil.rmtree(scratch, ignore_errors=True)
        if not entries:
            raise ValueError(f"{self.stage} wrote no file")
        return [
            replace(entries[0], rows=counts.pop("pairs", 0), counts=counts, seconds=seconds),
            *entries[1:],
        ]

    def make(self, workspace: Workspace, unit: Unit, folder: Path, scratch: Path) -> dict[str, int]:
        """Write the files into `folder`; return counts (`pairs`: how many it was made from).

        `scratch` outlives an interrupted run: what is kept there lets the next one resume.
        """
        raise NotImplementedError


def run_piece(
    workspace: Workspace,
    work: PieceWork,
    unit: Unit,
    ingredients: dict[str, object],
    runner: Runner | None,
    gpu: bool = False,
) -> None:
    """Do a piece of work, in this process or, with a `runner`, as one unit on a worker.

    gpu: the work wants a GPU for itself.
    """
    if runner is not None:
        run_parts(
            runner, workspace, [unit], work, key=unit.key, ingredients=ingredients, seconds=0.0, gpu=gpu
        )
        return
    with working(workspace, work.stage, ""):
        entries = tuple(work(workspace, unit))
    write_manifest(workspace, Manifest(work.stage, unit.key, ingredients, entries))


def _put(workspace: Workspace, file: Path, name: str, unit: Unit, folder: Path) -> Entry:
    with open(file, "rb") as content:
        digest = checksum(content)
    size = file.stat().st_size
    part = file.relative_to(folder).as_posix()
    workspace.put(file, name)
    return Entry(part, unit.key, name, 0, size, digest)
