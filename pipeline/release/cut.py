"""`paranmt select RELEASE --output`: a release of the pairs of another one that meet a condition.

Nothing is computed again: texts, scores and deciles are those of the larger release, and so is the order.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import decile_name
from ...base.errors import InputError
from ...base.outputs import check_empty, new_folder
from ...base.streams import reading
from ...filters.contamination import KINDS
from ...filters.where.condition import Where
from ...transforms.storage.dataset import write_parquet
from ...transforms.storage.release_files import (
    FileInfo,
    plan_release_files,
    release_file_name,
    release_table,
    write_release_file,
)
from ...transforms.storage.versions import package_versions
from .certificate import CERTIFICATE, FOLDER, MATCHES_SCHEMA
from .metadata import release_texts
from .open_release import Pairs, Release
from .release_parquet import MANIFEST_FILE, open_parquet, read_typed, sha256
from .release_summary import (
    ContaminationSummary,
    CutSummary,
    OtherFile,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
    other_file,
)
from .verify import GroupCounts, check_files, count_pairs


@dataclass
class _Written:
    """What was written: the files, their counts, and the matches with evaluation sets by score."""

    files: dict[str, FileInfo] = field(default_factory=dict)
    counts: GroupCounts = field(default_factory=GroupCounts)
    matches: dict[str, pa.Table] = field(default_factory=dict)


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
    if release.manifest is None:
        raise InputError(f"{release.url} has no manifest.json; expected the folder of a release")
    pairs = release.pairs(where)
    if failures := check_files(release):
        raise InputError(f"{release.url} is not whole: {failures[0]}; nothing was written")
    if not len(pairs):
        raise InputError(f"{release.url} has no pair for which this is true: {where}; nothing was written")
    with new_folder(target) as folder:
        written = _write_data(pairs, release.manifest, folder, progress)
        summary = _summary(release, release.manifest, where, target.name, written)
        others = _write_certificates(release, summary, written, folder)
        for name, text in release_texts(summary, others).items():
            (folder / name).write_bytes(text)
    return summary


def _write_data(
    pairs: Pairs, manifest: ReleaseSummary, folder: Path, progress: Callable[[int], None]
) -> _Written:
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
    written = _Written(matches=_matches(release, manifest))
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
        for score, matches in written.matches.items():
            kept[score].append(
                matches.filter(pc.is_in(matches["pair_id"], table["pair_id"].combine_chunks()))
            )
        progress(sum(info.rows for info in written.files.values()))
    written.matches = {score: pa.concat_tables(tables) for score, tables in kept.items()}
    return written


def _summary(
    release: Release, manifest: ReleaseSummary, where: str, name: str, written: _Written
) -> ReleaseSummary:
    """The summary of the pairs that were written, for the card and the metadata."""
    counts = written.counts
    digest = sha256(f"{release.folder}/{MANIFEST_FILE}")
    parent = CutSummary(manifest.name, manifest.pairs, digest, " ".join(where.split()))
    corpora = [
        replace(
            corpus,
            rows_in=corpus.pairs,
            pairs=counts.corpora[corpus.corpus],
            rejects={},
            cleaned=(),
            further=0,
        )
        for corpus in manifest.corpora
        if counts.corpora[corpus.corpus]
    ]
    return replace(
        manifest,
        name=name,
        corpora=corpora,
        translation=TranslationCounts(
            **{status: counts.statuses[status] for status in TranslationCounts.__dataclass_fields__}
        ),
        files=written.files,
        other_files={},
        scores=[_score(score, counts) for score in manifest.scores],
        selections=[_selection(selection, counts) for selection in manifest.selections],
        contamination=[
            _contamination(comparison, counts, written.matches[comparison.score])
            for comparison in manifest.contamination
        ],
        packages=package_versions(),
        cut_from=[*manifest.cut_from, parent],
        url=None,
        date_published=None,
    )


def _score(score: ScoreSummary, counts: GroupCounts) -> ScoreSummary:
    if score.name in counts.deciles:
        tenths = counts.deciles[score.name].counts
        return replace(score, n=int(tenths[1:].sum()), nulls=int(tenths[0]), values={})
    found = counts.values[score.name]
    values = {str(value): pairs for value, pairs in found.most_common() if value is not None}
    return replace(score, n=found.total() - found[None], nulls=found[None], values=values)


def _selection(selection: SelectionSummary, counts: GroupCounts) -> SelectionSummary:
    selected, passed, null, _ = (int(number) for number in counts.selected[selection.name])
    return replace(selection, passed=passed, null=null, selected=selected, clauses=())


# --- evaluation sets


def _matches(release: Release, manifest: ReleaseSummary) -> dict[str, pa.Table]:
    """For each score of contamination, the list of all matches in the release."""
    matches = {}
    for comparison in manifest.contamination:
        url = f"{release.folder}/{FOLDER}/{comparison.score}.parquet"
        with reading(url):
            table = open_parquet(url).read()
            table.validate(full=True)
        if not table.schema.equals(MATCHES_SCHEMA):
            raise InputError(f"{url} is not a list of matches as paranmt writes it; fetch the release again")
        matches[comparison.score] = table
    return matches


def _contamination(of: ContaminationSummary, counts: GroupCounts, matches: pa.Table) -> ContaminationSummary:
    """The comparison with evaluation sets, counted again."""
    values = counts.values[of.score]
    found = matches.group_by(["set", "kind"]).aggregate([([], "count_all")]).to_pylist()
    pairs = {(row["set"], row["kind"]): row["count_all"] for row in found}
    kinds = KINDS[::-1]
    return replace(
        of,
        compared=values.total() - values[None],
        pairs={kind: values[KINDS.index(kind) + 1] for kind in kinds},
        sets=[
            replace(each, pairs={kind: pairs.get((each.name, kind), 0) for kind in kinds}) for each in of.sets
        ],
    )


def _write_certificates(
    release: Release, summary: ReleaseSummary, written: _Written, folder: Path
) -> dict[str, OtherFile]:
    """Write each certificate with its list of matches: the sets are those of the larger release."""
    files = {}
    for comparison in summary.contamination:
        path = f"{FOLDER}/{comparison.score}"
        (folder / path).parent.mkdir(exist_ok=True)
        matches = written.matches[comparison.score]
        write_parquet(matches, str(folder / f"{path}.parquet"))
        files[f"{path}.parquet"] = listed = other_file((folder / f"{path}.parquet").read_bytes())
        url = f"{release.folder}/{path}.json"
        larger = read_typed(url, CERTIFICATE)
        if [each.name for each in larger.sets] != [each.name for each in comparison.sets]:
            raise InputError(f"{url} is of other sets than manifest.json names; fetch the release again")
        text = CERTIFICATE.text(larger.of_fewer(comparison, matches, listed))
        (folder / f"{path}.json").write_bytes(text)
        files[f"{path}.json"] = other_file(text)
    return files
