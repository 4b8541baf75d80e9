"""A dataset: Parquet parts and the manifest that lists them.

A part's file is `<part>-<key>.parquet` and never changes once it exists. Every dataset after `ingest` has
the same parts with the same rows in the same order, and contains `pair_id` and its own columns. But if
several translations of a record are kept, the datasets from `choose` on have a row for each of them, and
those before have one for each record. When datasets are read together, their pairs are compared. Whenever a
part is read, it is compared with the hashes in its seal (`sealed_parquet`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from ...base.counts import counted
from ...base.errors import DamagedError, WorkspaceError, first_line
from ...base.pair_ids import record_ids
from .content_hash import column_hashes
from .lease import check_lease
from .sealed_parquet import Footer, check_blocks, open_parquet, read_footer, seal_parquet
from .workspace import Workspace, checksum

_METADATA = b"paranmt"


@dataclass(frozen=True)
class Entry:
    """A manifest's entry for one part. `counts` are sums worth keeping: rejects by reason, statuses.

    given: the file of the scores that came with the pairs of a part of `ingest`.
    checksum: xxh3-128 of the file, or SHA-256 for a file of the release. seconds: how long the part took, by
    phase (`timing`); empty if an earlier, interrupted run made it. versions: of the packages that made it,
    and the kind of processor (`versions.made_with`). content: a hash of the rows alone, which does not depend
    on the versions; empty for a built file, whose checksum stands for it. footer: of a file of the release,
    the hash of its footer, which is in the release's manifest.
    """

    part: str
    key: str
    file: str
    rows: int
    bytes: int
    checksum: str
    counts: dict[str, int] = field(default_factory=dict)
    rejects: str | None = None
    given: str | None = None
    seconds: dict[str, float] = field(default_factory=dict, compare=False)
    versions: dict[str, str] = field(default_factory=dict)
    content: str = ""
    footer: str = ""

    def counted(self, what: str) -> dict[str, int]:
        """The counts of what is counted by name, such as `rejected`: by reason."""
        return counted(self.counts, what)

    @property
    def beside(self) -> tuple[str, ...]:
        """The files of a part besides its own."""
        return tuple(file for file in (self.rejects, self.given) if file is not None)


@dataclass(frozen=True)
class Manifest:
    """All parts of a dataset, in order, and the ingredients of its key.

    inputs: for each stage that was read, the `content` of its dataset.
    """

    stage: str
    key: str
    ingredients: dict[str, object]
    parts: tuple[Entry, ...]
    inputs: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """A hash of the content of all parts, whichever versions of packages wrote them."""
        parts = "\n".join(f"{entry.part} {entry.content or entry.checksum}" for entry in self.parts)
        return xxhash.xxh3_64_hexdigest(parts.encode())

    @property
    def rows(self) -> int:
        return sum(entry.rows for entry in self.parts)

    @property
    def counts(self) -> dict[str, int]:
        total: Counter[str] = Counter()
        for entry in self.parts:
            total.update(entry.counts)
        return dict(sorted(total.items()))

    def counted(self, what: str) -> dict[str, int]:
        """The sums over the parts of `Entry.counted`."""
        return counted(self.counts, what)


def corpus_of(part: str) -> str:
    """The corpus of a part."""
    return part.partition("/")[0]


def origin_of(part: str) -> str:
    """What a part is made of: the part's name without its number, the same for all parts of an input file."""
    return part.rpartition("-")[0]


def part_file(stage: str, part: str, key: str) -> str:
    """The name of a part's file in the workspace."""
    return f"{stage}/{part}-{key}.parquet"


def manifest_file(stage: str, key: str) -> str:
    """The file of the manifest with this key; `<stage>/_manifest.json` is a copy of the current manifest."""
    return f"{stage}/_manifests/{key}.json"


def write_manifest(workspace: Workspace, manifest: Manifest) -> None:
    """Write a dataset's manifest and make it the current one.

    WorkspaceError if the run that writes it lost the workspace to another run.
    """
    check_lease(workspace)
    workspace.write_record(manifest_file(manifest.stage, manifest.key), _written(manifest))
    make_current(workspace, manifest)


def make_current(workspace: Workspace, manifest: Manifest) -> None:
    """Make a manifest that already exists the current one of its dataset."""
    workspace.write_record(f"{manifest.stage}/_manifest.json", _written(manifest))


def _written(manifest: Manifest) -> dict[str, Any]:
    return {**asdict(manifest), "rows": manifest.rows, "counts": manifest.counts}


def read_manifest(workspace: Workspace, stage: str, key: str | None = None) -> Manifest | None:
    """The manifest of a dataset with this key, or the current one; None if it does not exist.

    DamagedError if its content is not what was written.
    """
    name = manifest_file(stage, key) if key else f"{stage}/_manifest.json"
    content = workspace.read_record(name)
    if content is None:
        return None
    try:
        parts = tuple(Entry(**entry) for entry in content["parts"])
        stage, key = content["stage"], content["key"]
        return Manifest(stage, key, content["ingredients"], parts, content["inputs"])
    except (KeyError, TypeError):
        raise workspace.damaged(name, "it is not a manifest") from None


def current_manifest(workspace: Workspace, stage: str) -> Manifest | None:
    """The current manifest of a dataset; None if it is missing or damaged, because it is only a copy."""
    try:
        return read_manifest(workspace, stage)
    except DamagedError:
        return None


def read_run(workspace: Workspace, folder: str) -> dict[str, Any]:
    """The record of a stage's last computation, from its run.json; empty if that cannot be read."""
    try:
        return workspace.read_record(f"{folder}/run.json") or {}
    except DamagedError:
        return {}


def write_part(
    workspace: Workspace,
    stage: str,
    part: str,
    key: str,
    table: pa.Table,
    counts: Mapping[str, int] | None = None,
    versions: Mapping[str, str] | None = None,
    row_group_rows: int | None = None,
) -> Entry:
    """Write one part, whole or not at all, and return its manifest entry.

    row_group_rows: the rows of a row group, if `read_range` is to read only some of them.
    """
    note = part_note(stage, part, key, table, counts, versions)
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), _METADATA: note.encode()})
    name = part_file(stage, part, key)
    with workspace.temporary_file() as file:
        # Dictionaries of texts, ids and scores take time and space and help nobody.
        write_parquet(table, str(file), use_dictionary=False, row_group_rows=row_group_rows)
        digest, size = checksum(file), file.stat().st_size
        workspace.put(file, name)
    entry = Entry(part, key, name, table.num_rows, size, digest, dict(counts or {}))
    return replace(entry, versions=dict(versions or {}), content=_content(json.loads(note)))


def part_note(
    stage: str,
    part: str,
    key: str,
    table: pa.Table,
    counts: Mapping[str, int] | None = None,
    versions: Mapping[str, str] | None = None,
) -> str:
    """A part's description of itself in its metadata, so that it can be trusted without a manifest."""
    content = {
        "stage": stage,
        "part": part,
        "key": key,
        "rows": table.num_rows,
        "counts": dict(counts or {}),
        "columns": column_hashes(table),
        "versions": dict(versions or {}),
    }
    return json.dumps(content, sort_keys=True)


def write_parquet(
    table: pa.Table, file: str, use_dictionary: bool = True, row_group_rows: int | None = None
) -> None:
    """Write Parquet the way this project always does: zstd, with page index, page checksums and a seal."""
    pq.write_table(
        table,
        file,
        compression="zstd",
        use_dictionary=use_dictionary,
        write_page_index=True,
        write_page_checksum=True,
        row_group_size=row_group_rows,
    )
    seal_parquet(Path(file))


def adopt_part(workspace: Workspace, stage: str, part: str, key: str) -> Entry | None:
    """The manifest entry of a part that an earlier, interrupted run left, after checking its every byte.

    None if there is no such part, or if it is damaged.
    """
    name = part_file(stage, part, key)
    with workspace.copied(name) as copy:
        if copy is None:
            return None
        try:
            with open(copy, "rb") as file, _decoding(workspace, name):
                footer = read_footer(file)
                check_blocks(file, footer)
            note = _note(workspace, name, footer)
        except DamagedError:
            return None
        size, digest = copy.stat().st_size, checksum(copy)
    entry = Entry(part, key, name, footer.metadata.num_rows, size, digest, note["counts"])
    return replace(entry, versions=note["versions"], content=_content(note))


def read_columns(workspace: Workspace, file: str, columns: Sequence[str] | None = None) -> pa.Table:
    """The given columns of one part (all columns if None), always including `pair_id`.

    DamagedError if their values are not what was written.
    """
    wanted = None if columns is None else ["pair_id", *(name for name in columns if name != "pair_id")]
    with _opened_part(workspace, file) as parquet:
        return parquet.read(columns=wanted).replace_schema_metadata(None)


def read_range(workspace: Workspace, file: str, column: str, low: int, high: int) -> pa.Table:
    """The rows of a part whose `column`, by which the part is sorted, is at least `low` and at most `high`.

    Only the row groups that hold such rows are read. DamagedError if they are not what was written.
    """
    with _opened_part(workspace, file) as parquet:
        place = parquet.schema_arrow.names.index(column)
        metadata = parquet.metadata
        ranges = [metadata.row_group(i).column(place).statistics for i in range(metadata.num_row_groups)]
        groups = [i for i, values in enumerate(ranges) if values and values.max >= low and values.min <= high]
        table = parquet.read_row_groups(groups).replace_schema_metadata(None)
    values = table[column].to_numpy()
    first = int(np.searchsorted(values, values.dtype.type(low), side="left"))
    last = int(np.searchsorted(values, values.dtype.type(high), side="right"))
    return table.slice(first, last - first)


@contextmanager
def _opened_part(workspace: Workspace, name: str) -> Iterator[pq.ParquetFile]:
    """A part to read from; DamagedError if it, or what is read of it, is not what was written."""
    with workspace.open(name) as file, _decoding(workspace, name):
        footer = read_footer(file)
        _note(workspace, name, footer)
        yield open_parquet(file, footer)


def _note(workspace: Workspace, name: str, footer: Footer) -> dict[str, Any]:
    """A part's description of itself; DamagedError if the part has the name of another."""
    try:
        note: dict[str, Any] = json.loads((footer.metadata.metadata or {})[_METADATA])
    except KeyError:
        raise workspace.damaged(name, "it is not a part") from None
    if part_file(note["stage"], note["part"], note["key"]) != name:
        raise workspace.damaged(name, f"it contains {note['part']} of {note['stage']}")
    return note


@contextmanager
def _decoding(workspace: Workspace, name: str) -> Iterator[None]:
    """DamagedError if a part cannot be decoded."""
    try:
        yield
    except (pa.ArrowException, ValueError, KeyError, TypeError, MemoryError, OverflowError) as error:
        raise workspace.damaged(name, first_line(error)) from None
    except OSError as error:
        if error.errno is not None:  # from the disk or store; Arrow's decoding errors have none
            raise
        raise workspace.damaged(name, first_line(error)) from None


def is_intact(workspace: Workspace, entry: Entry, copy: Path | None = None) -> bool:
    """Whether a file of the workspace is the one that its manifest lists.

    copy: a copy of the file on this machine. Without it, only the size is checked on an object store.
    """
    if copy is None and not workspace.is_local:
        return workspace.size(entry.file) == entry.bytes
    path = copy or Path(workspace.path(entry.file))
    try:
        return path.stat().st_size == entry.bytes and checksum(path, entry.checksum) == entry.checksum
    except FileNotFoundError:
        return False


def check_file(workspace: Workspace, entry: Entry, copy: Path | None = None) -> None:
    """DamagedError if a file of the workspace is not the one that its manifest lists; see `is_intact`."""
    if not is_intact(workspace, entry, copy):
        raise workspace.damaged(entry.file, "its content is not what its manifest lists")


def _content(note: Mapping[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(note["columns"], sort_keys=True).encode())


def read_joined(
    workspace: Workspace, files: Mapping[str, Sequence[str] | None], joined: pa.Table | None = None
) -> pa.Table:
    """Columns of one part from the files of several datasets, side by side (file → columns, None for all).

    joined: columns of the part that were read before, to which these are added. A file with a row for each
    record is repeated for the record's pairs, if another one has those.
    """
    first = next(iter(files), "")
    for file, columns in files.items():
        table = read_columns(workspace, file, columns)
        if joined is None:
            joined = table
            continue
        if len(table) < len(joined):
            table = _repeated(table, joined["pair_id"])
        elif len(table) > len(joined):
            joined = _repeated(joined, table["pair_id"])
        if not table["pair_id"].equals(joined["pair_id"]):
            raise WorkspaceError(
                f"{workspace.path(file)} and {workspace.path(first)} do not hold the same pairs in the same "
                "order; the workspace was changed by hand: remove the wrong one and run again"
            )
        for name in table.column_names:
            if name != "pair_id":
                joined = joined.append_column(table.schema.field(name), table[name])
    if joined is None:
        raise ValueError("read_joined needs at least one file")
    return joined


def _repeated(records: pa.Table, pair_ids: pa.ChunkedArray) -> pa.Table:
    """The records of a part, each as often as it has pairs; as they are if the pairs are others' pairs."""
    import pyarrow.compute as pc  # slow, and planning does not need it

    of_pairs = record_ids(pair_ids)
    is_first = pc.equal(of_pairs, pair_ids)
    rows = pa.array(np.cumsum(is_first.to_numpy()) - 1)
    if not of_pairs.filter(is_first).equals(records["pair_id"]) or not len(records):
        return records
    if not of_pairs.equals(records["pair_id"].take(rows)):
        return records
    place = records.schema.get_field_index("pair_id")
    return records.take(rows).set_column(place, "pair_id", pair_ids)


def sorted_entries(entries: Iterable[Entry], order: Sequence[str]) -> tuple[Entry, ...]:
    """The entries in the given order of their parts."""
    place = {part: position for position, part in enumerate(order)}
    return tuple(sorted(entries, key=lambda entry: place[entry.part]))
