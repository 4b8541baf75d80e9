"""The files of a finished run's release, as they are published."""

import hashlib

from ...transforms.storage.dataset import Entry, is_intact
from ..manifest.release_summary import OtherFile
from ..stages.planned import Plan
from ..stages.stage import Stage
from .certifying import certificates
from .metadata import release_texts
from .run_summary import release_files, summarise_release


def files_of_release(plan: Plan, stage: Stage) -> dict[str, Entry]:
    """The files of the release: the data, the card, the metadata and the certificates."""
    summary = summarise_release(plan)
    entries = {entry.file: entry for entry in plan.manifest(stage.name).parts}
    files = {name: entries[file] for name, file in release_files(plan).items()}
    certified = certificates(plan, stage)
    files |= certified
    others = {name: OtherFile(entry.bytes, entry.checksum) for name, entry in certified.items()}
    for name, content in release_texts(summary, others).items():
        digest = hashlib.sha256(content).hexdigest()
        # The path contains a hash of the content, so a file that already exists there is the same.
        origin = f"{stage.folder}/cards/{stage.key}/{digest[:16]}/{name}"
        files[name] = Entry(name, stage.key, origin, 0, len(content), digest)
        if not is_intact(plan.workspace, files[name]):
            plan.workspace.write_bytes(origin, content)
    return files
