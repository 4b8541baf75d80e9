"""`paranmt select RELEASE --output`: a release of the pairs of another one that meet a condition.

Nothing is computed again: texts, scores and deciles are those of the larger release, and so is the order.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...base.errors import InputError
from ...base.outputs import check_empty, new_folder
from ...transforms.storage.release_files import (
    plan_release_files,
)
from ...transforms.storage.versions import package_versions
from ..manifest.release_parquet import MANIFEST_FILE, sha256
from ..manifest.release_summary import CutSummary, ReleaseSummary
from .metadata import release_texts
from .open_release import Pairs, Release
from .pair_counts import conditions
from .rewriting import (
    WrittenPairs,
    counted_again,
    matches_of,
    read_matches,
    whole_manifest,
    write_certificates,
    write_data,
)


def cut_release(
    release: Release, where: str, target: Path, progress: Callable[[int], None] = lambda pairs: None
) -> ReleaseSummary:
    """Write the pairs of `release` for which `where` is true as a release in the new folder `target`.

    Its manifest says from which release it was cut, and by which condition. The folder appears once it is
    complete. The same release and condition give the same data files. InputError if the folder exists and is
    not empty, if the release is not whole, or if it has no such pair. progress: called with the number of
    pairs written so far.
    """
    check_empty(target)
    pairs, manifest = release.pairs(where), whole_manifest(release)
    if not len(pairs):
        raise InputError(f"{release.url} has no pair for which this is true: {where}; nothing was written")
    with new_folder(target) as folder:
        written = _write_data(pairs, manifest, folder, progress)
        summary = _summary(release, manifest, where, target.name, written)
        others = write_certificates([release], summary, written.matches, folder)
        for name, text in release_texts(summary, others).items():
            (folder / name).write_bytes(text)
    return summary


def _write_data(
    pairs: Pairs, manifest: ReleaseSummary, folder: Path, progress: Callable[[int], None]
) -> WrittenPairs:
    """Write the data files: each joins the pairs of consecutive files, as many as fit."""
    release = pairs.release
    rows = np.zeros(len(release.files), np.int64)
    np.add.at(rows, [group.file for group in pairs.row_groups], pairs.counts)
    counts_by_file = [(str(number), int(count)) for number, count in enumerate(rows) if count]
    joined = plan_release_files(counts_by_file, manifest.rows_per_file)
    matches = read_matches(release)

    def read(files: Sequence[str]) -> tuple[list[pa.Table], list[dict[str, pa.Table]]]:
        groups = [group for group in pairs.row_groups if str(group.file) in files]
        with ThreadPoolExecutor() as pool:
            tables = list(pool.map(pairs.read, groups))
        return tables, [matches_of(matches, tables)]

    return write_data(joined, read, manifest, conditions(manifest, release.schema), folder, progress)


def _summary(
    release: Release, manifest: ReleaseSummary, where: str, name: str, written: WrittenPairs
) -> ReleaseSummary:
    """The summary of the pairs that were written, for the card and the metadata."""
    digest = sha256(f"{release.folder}/{MANIFEST_FILE}")
    parent = CutSummary(manifest.name, manifest.pairs, digest, " ".join(where.split()))
    return replace(
        counted_again(manifest, written),
        name=name,
        description=None,
        files=written.files,
        other_files={},
        packages=package_versions(),
        cut_from=[*manifest.cut_from, parent],
        url=None,
        date_published=None,
    )
