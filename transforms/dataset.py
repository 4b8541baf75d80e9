"""A dataset: Parquet parts and the manifest that lists them.

A part's file is `<part>-<key>.parquet` and never changes once there. Every dataset after `ingest` has
the same parts with the same rows in the same order, holds `pair_id` and its own columns, and is
checked against its inputs when it is read.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import WorkspaceError
from .lease import check_lease
from .workspace import Workspace, checksum

_METADATA = b"paranmt"


@dataclass(frozen=True)
class Entry:
    """What a manifest says of one part. `counts` are sums worth keeping: rejects by reason, statuses.

    seconds: what the part took, by phase (`timing`); empty where it was found, made by an earlier run.
    """

    part: str
    key: str
    file: str
    rows: int
    bytes: int
    checksum: str
    counts: dict[str, int] = field(default_factory=dict)
    rejects: str | None = None
    seconds: dict[str, float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Manifest:
    """All parts of a dataset, in order, and the ingredients of its key."""

    stage: str
    key: str
    ingredients: dict[str, object]
    parts: tuple[Entry, ...]

    @property
    def rows(self) -> int:
        return sum(entry.rows for entry in self.parts)

    @property
    def counts(self) -> dict[str, int]:
        total: Counter[str] = Counter()
        for entry in self.parts:
            total.update(entry.counts)
        return dict(sorted(total.items()))


def part_file(stage: str, part: str, key: str) -> str:
    """The name of a part's file in the workspace."""
    return f"{stage}/{part}-{key}.parquet"


def manifest_file(stage: str, key: str) -> str:
    """The manifest of one state of a dataset; `_manifest.json` beside it is a copy of the current one."""
    return f"{stage}/_manifests/{key}.json"


def write_manifest(workspace: Workspace, manifest: Manifest) -> None:
    """Write a dataset's manifest and make it the current one.

    WorkspaceError where the run that writes it lost the workspace to another.
    """
    check_lease(workspace)
    content = {**asdict(manifest), "rows": manifest.rows, "counts": manifest.counts}
    workspace.write_json(manifest_file(manifest.stage, manifest.key), content)
    workspace.write_json(f"{manifest.stage}/_manifest.json", content)


def read_manifest(workspace: Workspace, stage: str, key: str | None = None) -> Manifest | None:
    """The manifest of a state of a dataset, or the current one; None where there is none."""
    name = manifest_file(stage, key) if key else f"{stage}/_manifest.json"
    content = workspace.read_json(name)
    if content is None:
        return None
    try:
        assert isinstance(content, dict)
        parts = tuple(Entry(**entry) for entry in content["parts"])
        return Manifest(content["stage"], content["key"], content["ingredients"], parts)
    except (AssertionError, KeyError, TypeError):
        raise WorkspaceError(f"{workspace.path(name)} is not a manifest; remove it and run again") from None


def write_part(
    workspace: Workspace,
    stage: str,
    part: str,
    key: str,
    table: pa.Table,
    counts: Mapping[str, int] | None = None,
) -> Entry:
    """Write one part, whole or not at all, and return its manifest entry."""
    note = {"stage": stage, "part": part, "key": key, "counts": dict(counts or {})}
    table = table.replace_schema_metadata(
        {**(table.schema.metadata or {}), _METADATA: json.dumps(note, sort_keys=True).encode()}
    )
    name = part_file(stage, part, key)
    with workspace.temporary_file() as file:
        write_parquet(table, str(file))
        with open(file, "rb") as written:
            digest = checksum(written)
        size = file.stat().st_size
        workspace.put(file, name)
    return Entry(part, key, name, table.num_rows, size, digest, note["counts"])  # type: ignore[arg-type]


def write_parquet(table: pa.Table, file: str) -> None:
    """The one way in which this project writes Parquet: zstd, with page index."""
    pq.write_table(table, file, compression="zstd", write_page_index=True)


def adopt_part(workspace: Workspace, stage: str, part: str, key: str) -> Entry | None:
    """The manifest entry of a part that an earlier, interrupted run left.

    None where there is none, or none that can be read.
    """
    name = part_file(stage, part, key)
    with workspace.copied(name) as copy:
        if copy is None:
            return None
        try:
            with pq.ParquetFile(copy) as parquet:
                note = json.loads((parquet.schema_arrow.metadata or {}).get(_METADATA, b"{}"))
                rows = parquet.metadata.num_rows
        except (pa.ArrowInvalid, ValueError):
            return None
        with open(copy, "rb") as file:
            digest = checksum(file)
            size = file.tell()
    if (note.get("stage"), note.get("part"), note.get("key")) != (stage, part, key):
        return None
    return Entry(part, key, name, rows, size, digest, note["counts"])


def read_columns(workspace: Workspace, file: str, columns: Sequence[str] | None = None) -> pa.Table:
    """The wanted columns of one part (all where None), `pair_id` always among them."""
    wanted = None if columns is None else ["pair_id", *(name for name in columns if name != "pair_id")]
    try:
        with workspace.open(file) as opened:
            return pq.ParquetFile(opened, pre_buffer=True).read(columns=wanted).replace_schema_metadata(None)
    except pa.ArrowInvalid as error:
        raise WorkspaceError(
            f"{workspace.path(file)} is damaged ({error}); remove it and run the stage again"
        ) from None


def read_joined(workspace: Workspace, files: Mapping[str, Sequence[str] | None]) -> pa.Table:
    """Columns of several datasets' files of one part, side by side (file → wanted columns)."""
    joined: pa.Table | None = None
    first = ""
    for file, columns in files.items():
        table = read_columns(workspace, file, columns)
        if joined is None:
            joined, first = table, file
            continue
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


def sorted_entries(entries: Iterable[Entry], order: Sequence[str]) -> tuple[Entry, ...]:
    """Entries in the order of the parts' names."""
    place = {part: position for position, part in enumerate(order)}
    return tuple(sorted(entries, key=lambda entry: place[entry.part]))
