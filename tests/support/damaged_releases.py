"""Releases with changed values."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from paranmt.transforms.storage.content_hash import seal
from paranmt.transforms.storage.sealed_parquet import read_footer, seal_parquet

FIRST = "data/train-00000-of-00002.parquet"


def change_manifest(folder: Path, change: Callable[[dict], object]) -> None:
    """Change a manifest as a program would that seals what it wrote."""
    file = folder / "manifest.json"
    content = json.loads(file.read_text("utf-8"))
    change(content)
    file.write_text(json.dumps(seal(content)), "utf-8")


def rewrite(
    folder: Path,
    change: Callable[[pa.Table], pa.Table],
    group_rows: int | None = None,
    file: str = FIRST,
) -> None:
    """Change a file, and record its new checksum, as someone would who made the release that way."""
    path = folder / file
    read = pq.ParquetFile(path)
    groups = [read.read_row_group(number) for number in range(read.num_row_groups)]
    table = change(pa.concat_tables(groups))
    with pq.ParquetWriter(path, table.schema) as writer:
        first = 0
        for group in groups:
            writer.write_table(table.slice(first, group_rows or len(group)), group_rows or 10**6)
            first += group_rows or len(group)
    seal_parquet(path)

    def record(content: dict) -> None:
        entry = content["files"][file]
        entry["bytes"] = path.stat().st_size
        entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        with path.open("rb") as opened:
            entry["footer"] = read_footer(opened).digest

    change_manifest(folder, record)


def with_values(column: str, change: Callable[[list], list]) -> Callable[[pa.Table], pa.Table]:
    def changed(table: pa.Table) -> pa.Table:
        field = table.schema.field(column)
        values = pa.array(change(table[column].to_pylist()), field.type)
        return table.set_column(table.schema.get_field_index(column), field, values)

    return changed
