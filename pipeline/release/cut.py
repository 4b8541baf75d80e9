"""`paranmt select RELEASE --output`: a release of the pairs of another one that meet a condition.

Nothing is computed again: texts, scores and deciles are those of the larger release, and so is the order.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...base.columns import Column, decile_name
from ...base.documents import parse_json
from ...base.errors import InputError
from ...base.outputs import check_empty, new_folder
from ...base.streams import open_raw, reading
from ...filters.contamination import KINDS
from ...filters.where.condition import Where
from ...transforms.storage.content_hash import seal, unseal
from ...transforms.storage.dataset import write_parquet
from ...transforms.storage.release_files import (
    ROWS_PER_FILE,
    FileInfo,
    plan_release_files,
    release_file_name,
    release_table,
    write_release_file,
)
from ...transforms.storage.versions import package_versions
from .metadata import release_texts, to_json
from .open_release import Pairs, Release
from .release_parquet import open_parquet, sha256
from .release_summary import (
    ContaminationSummary,
    CorpusSummary,
    CutSummary,
    ModelSummary,
    OtherFile,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    SetSummary,
    TranslationCounts,
    VersionCounts,
    other_file,
)
from .verify import Counts, check_files, count_pairs


@dataclass
class _Written:
    """What was written: the files, their counts, and the matches with evaluation sets by score."""

    files: dict[str, FileInfo] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
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
    pairs: Pairs, manifest: Mapping[str, Any], folder: Path, progress: Callable[[int], None]
) -> _Written:
    """Write the data files: each joins the pairs of consecutive files, as many as fit."""
    release, primary = pairs.release, manifest["primary_score"]
    descending = next(s["higher_is_better"] for s in manifest["scores"] if s["name"] == primary) is not False
    scores = [score["name"] for score in manifest["scores"]]
    types = {field.name: field.type for field in release.schema}
    wheres = {s["name"]: Where.parse(s["where"], types) for s in manifest["selections"]}
    rows = np.zeros(len(release.files), np.int64)
    np.add.at(rows, [group.file for group in pairs.row_groups], pairs.counts)
    limit = manifest["recipe"].get("release", {}).get("rows_per_file", ROWS_PER_FILE)
    joined = plan_release_files([(str(n), int(count)) for n, count in enumerate(rows) if count], limit)
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
    release: Release, manifest: Mapping[str, Any], where: str, name: str, written: _Written
) -> ReleaseSummary:
    """The summary of the pairs that were written, for the card and the metadata."""
    counts = written.counts
    parent = CutSummary(
        manifest["name"],
        manifest["pairs"],
        sha256(f"{release.folder}/manifest.json"),
        " ".join(where.split()),
    )
    return ReleaseSummary(
        name=name,
        corpora=[
            CorpusSummary(
                entry["corpus"],
                entry["source_language"],
                entry["pairs"],
                counts.corpora[entry["corpus"]],
                domain=entry["domain"],
                licence=entry["licence"],
            )
            for entry in manifest["corpora"]
            if counts.corpora[entry["corpus"]]
        ],
        translation=TranslationCounts(
            **{status: counts.statuses[status] for status in TranslationCounts.__dataclass_fields__}
        ),
        columns=[_column(field) for field in release.schema],
        files=written.files,
        scores=[_score(entry, counts) for entry in manifest["scores"]],
        primary_score=manifest["primary_score"],
        selections=[_selection(entry, counts) for entry in manifest["selections"]],
        recipe=manifest["recipe"],
        made_of=manifest.get("made_of", {}),
        models=[ModelSummary(**entry) for entry in manifest["models"]],
        contamination=[
            _contamination(entry, counts, written.matches[entry["score"]])
            for entry in manifest.get("contamination", ())
        ],
        packages=package_versions(),
        computed_with={
            stage: [VersionCounts(**entry) for entry in entries]
            for stage, entries in manifest["computed_with"].items()
        },
        cut_from=[*(CutSummary(**entry) for entry in manifest.get("cut_from", ())), parent],
    )


def _column(field: pa.Field) -> Column:
    texts = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    return Column(field.name, field.type, texts.get("unit", ""), texts.get("meaning", ""))


def _score(entry: Mapping[str, Any], counts: Counts) -> ScoreSummary:
    name = entry["name"]
    if name in counts.deciles:
        tenths = counts.deciles[name].counts
        n, nulls, values = int(tenths[1:].sum()), int(tenths[0]), {}
    else:
        found = counts.values[name]
        nulls, n = found[None], found.total() - found[None]
        values = {str(value): pairs for value, pairs in found.most_common() if value is not None}
    cuts = [float(cut) for cut in entry["cuts"]]
    return replace(ScoreSummary(**{**entry, "cuts": cuts}), n=n, nulls=nulls, values=values)


def _selection(entry: Mapping[str, Any], counts: Counts) -> SelectionSummary:
    selected, passed, null, _ = (int(number) for number in counts.selected[entry["name"]])
    return SelectionSummary(entry["name"], entry["where"], passed, null, selected, entry["sample"])


# --- evaluation sets


def _matches(release: Release, manifest: Mapping[str, Any]) -> dict[str, pa.Table]:
    """For each score of contamination, the list of all matches in the release."""
    matches = {}
    for name in [entry["score"] for entry in manifest.get("contamination", ())]:
        url = f"{release.folder}/contamination/{name}.parquet"
        with reading(url):
            matches[name] = open_parquet(url).read()
    return matches


def _read(url: str) -> bytes:
    with reading(url), open_raw(url) as file:
        return file.read()


def _contamination(entry: Mapping[str, Any], counts: Counts, matches: pa.Table) -> ContaminationSummary:
    """The comparison with evaluation sets, counted again."""
    values = counts.values[entry["score"]]
    found = matches.group_by(["set", "kind"]).aggregate([([], "count_all")]).to_pylist()
    pairs = {(row["set"], row["kind"]): row["count_all"] for row in found}
    kinds = KINDS[::-1]
    return ContaminationSummary(
        entry["score"],
        entry["n"],
        entry["share"],
        values.total() - values[None],
        {kind: values[KINDS.index(kind) + 1] for kind in kinds},
        [
            SetSummary(of["name"], of["hash"], {kind: pairs.get((of["name"], kind), 0) for kind in kinds})
            for of in entry["sets"]
        ],
    )


def _write_certificates(
    release: Release, summary: ReleaseSummary, written: _Written, folder: Path
) -> dict[str, OtherFile]:
    """Write each certificate with its list of matches: the sets are those of the larger release."""
    files = {}
    for comparison in summary.contamination:
        path = f"contamination/{comparison.score}"
        (folder / path).parent.mkdir(exist_ok=True)
        matches = written.matches[comparison.score]
        write_parquet(matches, str(folder / f"{path}.parquet"))
        content = unseal(parse_json(_read(f"{release.folder}/{path}.json")))
        ids = set(matches["pair_id"].to_pylist())
        for entry, of in zip(content["sets"], comparison.sets, strict=True):
            entry["pairs"] = dict(of.pairs)
            entry["examples"] = {
                kind: [pair for pair in pairs if pair in ids] for kind, pairs in entry["examples"].items()
            }
        files[f"{path}.parquet"] = listed = other_file((folder / f"{path}.parquet").read_bytes())
        content |= {"compared": comparison.compared, "pairs": dict(comparison.pairs)}
        content["matches"] |= {"rows": len(matches), **asdict(listed)}
        text = to_json(seal(content))
        (folder / f"{path}.json").write_bytes(text)
        files[f"{path}.json"] = other_file(text)
    return files
