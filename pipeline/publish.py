"""Publishing: what people look at, in the workspace's `release/`, `train/…`, `evaluate/…` and `report/`.

Built files are linked there under plain names; what was published from another recipe goes.
"""

import json

from ..transforms.dataset import read_manifest
from .card import dataset_card
from .facts import release_files, release_info
from .plan import Plan
from .release_metadata import croissant, release_manifest
from .stages import Stage


def publish(plan: Plan, names: set[str]) -> None:
    """Publish every stage of `names` that is fresh."""
    for stage in plan.stages:
        if stage.name not in names or plan.condition(stage.name).state != "fresh":
            continue
        if stage.name == "release":
            _publish(plan, stage, _release(plan, stage))
        elif stage.is_piece:
            manifest = read_manifest(plan.workspace, stage.folder, stage.key)
            assert manifest is not None
            _publish(plan, stage, {entry.part: entry.file for entry in manifest.parts})


def _release(plan: Plan, stage: Stage) -> dict[str, str]:
    """The files of the release, with its card and metadata beside the data."""
    info = release_info(plan, plan.workspace.url.rstrip("/").rsplit("/", 1)[-1])
    written = {
        "README.md": dataset_card(info),
        "croissant.json": json.dumps(croissant(info), indent=2, ensure_ascii=False) + "\n",
        "manifest.json": json.dumps(release_manifest(info), indent=2, ensure_ascii=False) + "\n",
    }
    files = release_files(plan)
    for name, text in written.items():
        files[name] = f"{stage.folder}/cards/{stage.key}/{name}"
        plan.workspace.write_bytes(files[name], text.encode())
    return files


def _publish(plan: Plan, stage: Stage, files: dict[str, str]) -> None:
    note = f"{stage.folder}/_published.json"
    said = {"key": stage.key, "files": files}
    # Where links are copies (on an object store) what is there already is not copied again.
    if plan.workspace.is_local or stage.name == "release" or plan.workspace.read_json(note) != said:
        plan.workspace.publish(files, stage.name)
        plan.workspace.write_json(note, said)
