"""`paranmt publish`: copies a release into a folder, or uploads it to the Hugging Face hub.

The layout is the hub's: the card as README.md, and the data in `data/`. Only files that the manifest lists
are published, with the content that it lists; whatever else lies in the release's folder stays there.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from fsspec.implementations.local import LocalFileSystem

from ...base.documents import read_json
from ...base.errors import InputError, first_line
from ...base.extras import install_command
from ...base.streams import file_system, open_raw
from ...base.whole_files import written_whole
from ...transforms.storage.content_hash import seal, unseal
from ..manifest.manifest import MANIFEST
from ..manifest.release_parquet import MANIFEST_FILE, sha256
from ..manifest.release_summary import is_release_file
from .open_release import Release
from .verify import check_files

HUB = "hf://datasets/"
RECORD = "_published.json"
_BLOCK = 1 << 20

Progress = Callable[[str], None]


def publish_folder(release: Release, target: Path, progress: Progress) -> list[str]:
    """Copy a release into a folder, and return the names of the files that were written or removed there.

    A record in the folder has the checksums of what was written, so that the next publishing can replace it.
    InputError if the release is not whole, or if a file is in the way that this did not write, or that was
    changed since, or a link; then nothing is written.
    """
    folder, sources = _whole(release)
    _refuse_place(target, folder)
    _refuse_links(target, RECORD)
    record = _read_record(target / RECORD)
    there = _checksums(target, {*sources, *record})
    new = [name for name in sources if there.get(name) != sources[name]]
    old = [name for name in record if name not in sources and name in there]
    for name in (*new, *old):
        if name in there and there[name] not in record.get(name, ()):
            raise InputError(
                f"{target / name} was not written by paranmt, or was changed since; move it away"
            )
    # Even if this is killed, the record has the checksums of all files that may be ours.
    either = {name: [*record.get(name, ()), digest] for name, digest in sources.items()}
    _write_record(target / RECORD, {**record, **either})
    for name in new:
        progress(name)
        _copy(f"{folder}/{name}", target / name, sources[name])
    for name in old:
        (target / name).unlink()
    _write_record(target / RECORD, {name: [digest] for name, digest in sources.items()})
    return [*new, *old]


def publish_hub(release: Release, repository: str, private: bool, progress: Progress) -> str:
    """Upload a release to the dataset `repository` (owner/name) in one commit, and return its address.

    The repository is made if there is none. Files of an earlier release there that this one does not have are
    deleted in the same commit. InputError if the release is not whole or not on a disk, if the repository
    holds something else, or if the hub refuses; the package huggingface_hub must be installed.
    """
    try:
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalTokenNotFoundError
    except ImportError:
        command = install_command("hub")
        raise InputError(f"uploading needs the package huggingface_hub: {command}") from None
    folder, names = _whole(release)
    if "://" in folder:
        raise InputError(
            f"{folder} is not on this machine; first publish it to a local folder, and then that"
        )
    api = HfApi()
    try:
        repo = api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        there = api.list_repo_files(repository, repo_type="dataset")
        old: Sequence[str] = ()
        if MANIFEST_FILE in there:
            path = api.hf_hub_download(repository, MANIFEST_FILE, repo_type="dataset")
            old = _names_of(Path(path).read_bytes())
        strangers = [n for n in there if n not in old and (n in names or n.startswith("data/"))]
        if strangers:
            raise InputError(
                f"{repository} has {strangers[0]}, which paranmt did not publish; choose another name for "
                "the dataset, or remove that file"
            )
        progress(f"{len(names):,} files")
        removed = [CommitOperationDelete(name) for name in old if name in there and name not in names]
        added = [CommitOperationAdd(name, f"{folder}/{name}") for name in names]
        api.create_commit(
            repository,
            [*added, *removed],
            repo_type="dataset",
            commit_message=f"Publish {len(release):,} pairs",
        )
    except (HfHubHTTPError, HFValidationError, LocalTokenNotFoundError) as error:
        raise InputError(f"the hub refuses to publish {repository}: {first_line(error)}") from error
    return str(repo)


def _whole(release: Release) -> tuple[str, dict[str, str]]:
    """The folder of a release, and its files with their SHA-256, the manifest last.

    InputError if one is missing, damaged or was changed.
    """
    manifest = release.manifest
    if manifest is None or release.folder is None:
        raise InputError(f"{release.url} has no manifest.json; expected the folder of a release")
    failures = check_files(release)
    if failures:
        raise InputError(
            f"{release.url} is not whole: {failures[0]}; nothing was published: fetch or make that file "
            "again (a card can be edited where it was published)"
        )
    listed = {name: file.sha256 for name, file in manifest.all_files.items()}
    return release.folder, {**listed, MANIFEST_FILE: sha256(f"{release.folder}/{MANIFEST_FILE}")}


def _names_of(manifest: bytes) -> list[str]:
    """The files of the release that this manifest describes; none if it is not the manifest of a release."""
    try:
        return [*MANIFEST.parse(manifest, MANIFEST_FILE).all_files, MANIFEST_FILE]
    except InputError:
        return []


def _refuse_place(target: Path, folder: str) -> None:
    """InputError if the target is the top folder of the disk, or if it or the release contains the other."""
    filesystem, path = file_system(folder)
    # realpath follows a link to itself without an error.
    place = Path(os.path.realpath(target))
    release = Path(os.path.realpath(path)) if isinstance(filesystem, LocalFileSystem) else None
    if place == release:
        raise InputError(f"{target} is the release itself; expected another folder")
    if place.parent == place:
        raise InputError(f"{target} is the top folder of this machine; expected a folder in it")
    if release is not None and (place in release.parents or release in place.parents):
        where = "in the release" if release in place.parents else "a folder that the release is in"
        raise InputError(f"{target} is {where}, whose files must not mix; expected a folder beside it")


def _refuse_links(target: Path, name: str) -> None:
    """InputError unless a name in the target is free or a file, in folders of the target itself."""
    path = target / name
    for place in (path, *path.parents[: len(path.parts) - len(target.parts)]):
        if place.is_symlink() and place != target:
            raise InputError(f"{place} is a link, and what it leads to is not ours; remove it")
        if place.exists() and place.is_dir() == (place == path):
            expected = "file" if place == path else "folder"
            raise InputError(f"{place} is in the way: expected a {expected} there; move it away")


def _checksums(target: Path, names: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of the files in the target that have one of these names."""
    for name in names:
        _refuse_links(target, name)
    return {name: sha256(str(target / name)) for name in names if (target / name).exists()}


def _copy(source: str, target: Path, expected: str) -> None:
    """Copy a file, so that the target appears only once it is complete, with the expected SHA-256."""
    digest = hashlib.sha256()
    with written_whole(target) as out, open_raw(source) as file:
        while block := file.read(_BLOCK):
            out.write(block)
            digest.update(block)
        if digest.hexdigest() != expected:
            raise InputError(f"{source} was changed while it was being published; run again")


def _read_record(path: Path) -> dict[str, list[str]]:
    """The files that were published into a folder, with the checksums that they may have."""
    if not path.exists():
        return {}
    try:
        content = unseal(read_json(path))
        record = {
            str(name): [str(digest) for digest in digests] for name, digests in content["files"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path} is damaged; move it and the files beside it away") from None
    if not all(map(is_release_file, record)):
        raise InputError(f"{path} names files that no release has; move it away")
    return record


def _write_record(path: Path, files: Mapping[str, Sequence[str]]) -> None:
    content = {"format": "paranmt published files", "files": dict(sorted(files.items()))}
    with written_whole(path) as file:
        file.write(json.dumps(seal(content), indent=1).encode("utf-8"))
