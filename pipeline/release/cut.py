"""`paranmt select RELEASE --output`: a release of the pairs of another one that meet a condition.

Nothing is computed again: texts, scores and deciles are those of the larger release, and so is the order.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import decile_name
from ...base.errors import InputError
from ...base.outputs import check_empty, new_folder
from ...filters.where.condition import Where
from ...transforms.storage.release_files import (
    plan_release_files,
    release_file_name,
    release_table,
    write_release_file,
)
from ...transforms.storage.versions import package_versions
from ..manifest.release_parquet import MANIFEST_FILE, sha256
from ..manifest.release_summary import CutSummary, ReleaseSummary
from .metadata import release_texts
from .open_release import Pairs, Release
from .rewriting import Written, counted_again, read_matches, whole_manifest, write_certificates
from .verify import count_pairs


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
) -> Written:
    """Write the data files: each joins the pairs of consecutive files, as many as fit."""
    release, primary = pairs.release, manifest.primary_score
    descending = manifest.primary.higher_is_better is not False
    scores = [score.name for score in manifest.scores]
    types = {field.name: field.type for field in release.schema}
    wheres = {each.name: Where.parse(each.where, types) for each in manifest.selections}
    rows = np.zeros(len(release.files), np.int64)
    np.add.at(rows, [group.file for group in pairs.row_groups], pairs.counts)
    counts_by_file = [(str(number), int(count)) for number, count in enumerate(rows) if count]
    joined = plan_release_files(counts_by_file, manifest.rows_per_file)
    written = Written(matches=read_matches(release))
    kept: dict[str, list[pa.Table]] = {score: [] for score in written.matches}
    (folder / "data").mkdir()
    for number, files in enumerate(joined):
        groups = [group for group in pairs.row_groups if str(group.file) in files]
        with ThreadPoolExecutor() as pool:
            table = release_table(list(pool.map(pairs.read, groups)), decile_name(primary), descending)
        name = f"data/{release_file_name(number, len(joined))}"
        written.files[name] = write_release_file(table, folder / name, decile_name(primary), {})
        counts = count_pairs(table, scores, wheres, seed=0)
        counts.ids = []  # only verifying needs them
        written.counts.add(counts)
        written.draw(table, manifest)
        for score, matches in written.matches.items():
            kept[score].append(
                matches.filter(pc.is_in(matches["pair_id"], table["pair_id"].combine_chunks()))
            )
        progress(sum(info.rows for info in written.files.values()))
    written.matches = {score: pa.concat_tables(tables) for score, tables in kept.items()}
    return written


def _summary(
    release: Release, manifest: ReleaseSummary, where: str, name: str, written: Written
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
