"""Publishing: what people look at, in the workspace's `release/`, `train/…`, `evaluate/…` and `report/`.

Built files are linked there under plain names; what was published from another recipe goes.
"""

import hashlib
import json

from .plan import Plan
from .release.card import dataset_card
from .release.metadata import croissant, release_manifest
from .release.run_summary import manifest_of, release_files
from .release.run_summary import summarise_release as release_info
from .stages import Stage


def publish(plan: Plan, stage: Stage) -> None:
    """Publish a stage that is fresh; datasets that are no one's but the pipeline's stay where they are."""
    if stage.name == "release":
        _publish(plan, stage, _release(plan, stage))
    elif stage.is_piece:
        _publish(plan, stage, {entry.part: entry.file for entry in manifest_of(plan, stage.name).parts})


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
        # Its name holds its content, so that one which is published already is known to be the same.
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        files[name] = f"{stage.folder}/cards/{stage.key}/{digest}/{name}"
    there = plan.workspace.sizes(f"{stage.folder}/cards/{stage.key}")
    for name, text in written.items():
        if files[name] not in there:
            plan.workspace.write_bytes(files[name], text.encode())
    return files


def _publish(plan: Plan, stage: Stage, files: dict[str, str]) -> None:
    note = f"{stage.folder}/_published.json"
    said = {"key": stage.key, "files": files}
    before = plan.workspace.read_json(note)
    there = before["files"] if isinstance(before, dict) else {}
    if before != said:
        # Until the note tells of the new files, those that differ are not to be trusted.
        plan.workspace.remove(note)
    plan.workspace.publish(files, stage.name, there)
    if before != said:
        plan.workspace.write_json(note, said)
