"""What a release says anew whose pairs are those of other releases: counts, and certificates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import decile_name
from ...base.errors import InputError
from ...base.streams import reading
from ...filters.contamination import KINDS
from ...filters.where.condition import Where
from ...transforms.storage.dataset import write_parquet
from ...transforms.storage.release_files import (
    FileInfo,
    release_file_name,
    release_table,
    write_release_file,
)
from ..manifest.release_parquet import open_parquet, read_typed
from ..manifest.release_summary import (
    ContaminationSummary,
    CorpusSummary,
    OtherFile,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
    other_file,
)
from .certificate import CERTIFICATE, FOLDER, MATCHES_SCHEMA
from .examples import draw, example_columns, example_pairs, first_selection
from .open_release import Release
from .pair_counts import PairCounts, count_pairs
from .verify import check_files


@dataclass
class WrittenPairs:
    """What was written: the files, their counts, the matches with evaluation sets by score.

    drawn: the pairs that the card shows, as at most one table.
    """

    files: dict[str, FileInfo] = field(default_factory=dict)
    counts: PairCounts = field(default_factory=PairCounts)
    matches: dict[str, pa.Table] = field(default_factory=dict)
    drawn: list[pa.Table] = field(default_factory=list)

    def add(self, table: pa.Table, manifest: ReleaseSummary, wheres: Mapping[str, Where]) -> None:
        """Count the pairs of a file, and keep those that the card may show."""
        counts = count_pairs(table, manifest, wheres)
        counts.ids = []  # only verifying needs them
        self.counts.add(counts)
        selection = first_selection(manifest)
        table = table.select(example_columns(manifest.primary_score, selection))
        self.drawn = [draw(pa.concat_tables([*self.drawn, table]), selection, manifest.seed)]


def whole_manifest(release: Release) -> ReleaseSummary:
    """The manifest of a release. InputError if it has none, or its files are not those of the manifest."""
    if release.manifest is None:
        raise InputError(f"{release.url} has no manifest.json; expected the folder of a release")
    if failures := check_files(release):
        raise InputError(f"{release.url} is not whole: {failures[0]}; nothing was written")
    return release.manifest


def write_data(
    joined: Sequence[Sequence[str]],
    read: Callable[[Sequence[str]], tuple[list[pa.Table], list[dict[str, pa.Table]]]],
    manifest: ReleaseSummary,
    wheres: Mapping[str, Where],
    folder: Path,
    progress: Callable[[int], None],
) -> WrittenPairs:
    """Write the data files of a release, and count their pairs.

    joined: the files that each file of the release is made of. read: their pairs, and the matches of these
    with evaluation sets. wheres: the conditions of the selections. progress: as for `cut_release`.
    """
    primary = decile_name(manifest.primary_score)
    descending = manifest.primary.higher_is_better is not False
    written = WrittenPairs()
    matches: dict[str, list[pa.Table]] = {each.score: [] for each in manifest.contamination}
    (folder / "data").mkdir()
    for number, files in enumerate(joined):
        tables, found = read(files)
        for of_tables in found:
            for score, table in of_tables.items():
                matches[score].append(table)
        table = release_table(tables, primary, descending)
        name = f"data/{release_file_name(number, len(joined))}"
        written.files[name] = write_release_file(table, folder / name, primary, {})
        written.add(table, manifest, wheres)
        progress(sum(info.rows for info in written.files.values()))
    written.matches = {score: pa.concat_tables(tables) for score, tables in matches.items()}
    return written


def counted_again(manifest: ReleaseSummary, written: WrittenPairs) -> ReleaseSummary:
    """The manifest with what was counted in the pairs that were written, and with a few of them."""
    counts, matches = written.counts, written.matches
    return replace(
        manifest,
        examples=[pair for table in written.drawn for pair in example_pairs(table, manifest.primary_score)],
        corpora=[_corpus(each, counts) for each in manifest.corpora if counts.corpora[each.corpus]],
        translation=TranslationCounts(
            **{status: counts.statuses[status] for status in TranslationCounts.__dataclass_fields__}
        ),
        scores=[_score(score, counts) for score in manifest.scores],
        selections=[_selection(selection, counts) for selection in manifest.selections],
        contamination=[
            _contamination(comparison, counts, matches[comparison.score])
            for comparison in manifest.contamination
        ],
    )


def _corpus(corpus: CorpusSummary, counts: PairCounts) -> CorpusSummary:
    pairs = counts.corpora[corpus.corpus]
    return replace(corpus, rows_in=corpus.pairs, pairs=pairs, rejects={}, cleaned=(), further=0)


def _score(score: ScoreSummary, counts: PairCounts) -> ScoreSummary:
    if score.name in counts.deciles:
        tenths = counts.deciles[score.name].counts
        return replace(score, n=int(tenths[1:].sum()), nulls=int(tenths[0]), values={})
    found = counts.values[score.name]
    values = {str(value): pairs for value, pairs in found.most_common() if value is not None}
    return replace(score, n=found.total() - found[None], nulls=found[None], values=values)


def _selection(selection: SelectionSummary, counts: PairCounts) -> SelectionSummary:
    selected, passed, null, _ = (int(number) for number in counts.selected[selection.name])
    return replace(selection, passed=passed, null=null, selected=selected, clauses=())


# --- evaluation sets


def read_matches(release: Release) -> dict[str, pa.Table]:
    """For each score of contamination, the list of all matches in the release."""
    assert release.manifest is not None, "it was checked"
    matches = {}
    for comparison in release.manifest.contamination:
        url = f"{release.folder}/{FOLDER}/{comparison.score}.parquet"
        with reading(url):
            table = open_parquet(url).read()
            table.validate(full=True)
        if not table.schema.equals(MATCHES_SCHEMA):
            raise InputError(f"{url} is not a list of matches as paranmt writes it; fetch the release again")
        matches[comparison.score] = table
    return matches


def matches_of(matches: Mapping[str, pa.Table], pairs: Sequence[pa.Table]) -> dict[str, pa.Table]:
    """Those of the matches that are of these pairs."""
    ids = pa.concat_tables([table.select(["pair_id"]) for table in pairs])["pair_id"].combine_chunks()
    return {score: table.filter(pc.is_in(table["pair_id"], ids)) for score, table in matches.items()}


def _contamination(of: ContaminationSummary, counts: PairCounts, matches: pa.Table) -> ContaminationSummary:
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


def write_certificates(
    releases: Sequence[Release], summary: ReleaseSummary, matches: Mapping[str, pa.Table], folder: Path
) -> dict[str, OtherFile]:
    """Write each certificate with its list of matches. releases: those that the pairs are from."""
    files = {}
    for comparison in summary.contamination:
        path = f"{FOLDER}/{comparison.score}"
        (folder / path).parent.mkdir(exist_ok=True)
        write_parquet(matches[comparison.score], str(folder / f"{path}.parquet"))
        files[f"{path}.parquet"] = listed = other_file((folder / f"{path}.parquet").read_bytes())
        certificates = []
        for release in releases:
            url = f"{release.folder}/{path}.json"
            certificates.append(read_typed(url, CERTIFICATE))
            if [each.name for each in certificates[-1].sets] != [each.name for each in comparison.sets]:
                raise InputError(f"{url} is of other sets than manifest.json names; fetch the release again")
        first, *others = certificates
        text = CERTIFICATE.text(
            first.with_examples(others).of_pairs(comparison, matches[comparison.score], listed)
        )
        (folder / f"{path}.json").write_bytes(text)
        files[f"{path}.json"] = other_file(text)
    return files
