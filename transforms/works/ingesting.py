"""The `ingest` stage: cuts input files into parts of pairs, and all later datasets have the same parts.

A part's key is the hash of its rows, so that nothing becomes stale unless a row changes. The parts of each
input file are recorded in `ingest/_files/`, by the file's fingerprint, so that adding a corpus does not
cause other corpora to be read again.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import xxhash

from ...base.counts import by_name
from ...base.errors import InputError, WorkspaceError
from ...base.host_cache import cache_folder
from ..beam.timing import WORK
from ..bitexts.input_file import InputFile
from ..bitexts.inputs import digests
from ..bitexts.readers import Batch, read_records
from ..storage.dataset import Entry, adopt_part, write_parquet, write_part
from ..storage.file_hashes import HashCache, unchanged
from ..storage.sealed_parquet import open_parquet, read_footer
from ..storage.versions import package_versions
from ..storage.workspace import Workspace

RECORDS = "ingest/_files"
"""The folder of the records of input files."""

_LONGEST_NAME = 180
"""The most bytes of an input file's name in a part's name; a number, a key and an ending follow."""


@dataclass(frozen=True)
class IngestTask:
    """One input file; `key` is a hash of everything that determines its rows.

    digests: the hashes of its files when the run was planned (`inputs.digests`).
    """

    file: InputFile
    key: str
    digests: tuple[str, ...]

    @property
    def part(self) -> str:
        """The start of the names of its parts, short enough for any file system.

        If the file's name is long, only its start is used, followed by a hash of the whole name.
        """
        name = quote(self.file.name, safe="")
        if len(name) > _LONGEST_NAME:
            name = f"{name[: _LONGEST_NAME - 17]}-{xxhash.xxh3_64_hexdigest(name.encode())}"
        return f"{self.file.corpus}/{name}"

    @property
    def record(self) -> str:
        """The file in the workspace that lists the parts made from the input file."""
        return record_file(self.part, self.key)


@dataclass(frozen=True)
class IngestFile:
    """Reads one input file, one part at a time."""

    part_rows: int
    max_characters: int
    stage: str = "ingest"

    def __call__(self, workspace: Workspace, task: IngestTask) -> list[Entry]:
        known = read_file_record(workspace, task)
        if known is not None and not self._lost(workspace, task, known):
            return known
        with unchanged(task.file.paths):
            _refuse_changed_files(task)
            entries = self._write_parts(workspace, task)
        workspace.write_record(task.record, {"parts": [asdict(entry) for entry in entries]})
        return entries

    def _write_parts(self, workspace: Workspace, task: IngestTask) -> list[Entry]:
        entries = []
        batches = read_records(task.file, self.max_characters, self.part_rows)
        began = time.perf_counter()
        for number, batch in enumerate(batches):
            entry = self._write(workspace, task, number, batch)
            ended = time.perf_counter()  # a part's time includes reading its rows
            entries.append(replace(entry, seconds={WORK: ended - began}))
            began = ended
        return entries

    def _lost(self, workspace: Workspace, task: IngestTask, known: list[Entry]) -> bool:
        sizes = workspace.sizes(f"{self.stage}/{task.file.corpus}")
        return any(is_lost(entry, sizes) for entry in known)

    def _write(self, workspace: Workspace, task: IngestTask, number: int, batch: Batch) -> Entry:
        part = f"{task.part}-{number:05d}"
        counts = by_name("cleaned", {kind: count for kind, count in batch.cleaned.items() if count})
        counts |= by_name("rejected", Counter(batch.rejects["reason"].to_pylist()))
        key = rows_key(batch.pairs)
        entry = adopt_part(workspace, self.stage, part, key)
        if entry is None:
            packages = ("paranmt", "pyarrow", *(("ftfy",) if task.file.cleaning.mojibake else ()))
            versions = package_versions(packages)
            entry = write_part(workspace, self.stage, part, key, batch.pairs, versions=versions)
        rejects = None
        if len(batch.rejects):
            rejects = rejects_file(self.stage, part, rows_key(batch.rejects))
            _write_rejects(workspace, batch.rejects, rejects)
        given = None if batch.scores is None else self._write_given(workspace, part, batch.scores)
        return replace(entry, counts=dict(sorted(counts.items())), rejects=rejects, given=given)

    def _write_given(self, workspace: Workspace, part: str, scores: pa.Table) -> str:
        """Write the scores that came with a part's pairs, as a file of their own.

        So another score makes no stage stale that reads the texts.
        """
        name, key = f"{part}.given", rows_key(scores)
        written = adopt_part(workspace, self.stage, name, key) or write_part(
            workspace, self.stage, name, key, scores, versions=package_versions(("paranmt", "pyarrow"))
        )
        return written.file


def record_file(part: str, key: str) -> str:
    """The file in the workspace that lists the parts made from an input file."""
    return f"{RECORDS}/{part}-{key}.json"


def rejects_file(stage: str, part: str, key: str) -> str:
    """The file with a part's rejects."""
    return f"{stage}/{part}-{key}.rejects.parquet"


def read_file_record(workspace: Workspace, task: IngestTask) -> list[Entry] | None:
    """The parts made from an input file; None if it was not read yet, or if the record of it is damaged."""
    try:
        content = workspace.read_record(task.record)
        return None if content is None else [Entry(**entry) for entry in content["parts"]]
    except (WorkspaceError, KeyError, TypeError):
        return None


def is_lost(entry: Entry, sizes: Mapping[str, int]) -> bool:
    """Whether a part is missing or has another size, or a file beside it is missing. sizes: file → size."""
    return sizes.get(entry.file) != entry.bytes or any(file not in sizes for file in entry.beside)


def holds_rows(file: Path, name: str) -> bool:
    """Whether the rows of a file beside a part have the hash that is in its name."""
    try:
        with open(file, "rb") as opened:
            table = open_parquet(opened, read_footer(opened)).read()
    except (pa.ArrowException, OSError, ValueError):
        return False
    return f"-{rows_key(table)}." in name


def _write_rejects(workspace: Workspace, rejects: pa.Table, name: str) -> None:
    """Write a file of rejects, unless an interrupted run left it."""
    with workspace.copied(name) as copy:
        if copy is not None and holds_rows(copy, name):
            return
    with workspace.temporary_file() as file:
        write_parquet(rejects, str(file))
        workspace.put(file, name)


def _refuse_changed_files(task: IngestTask) -> None:
    """InputError if a file has changed since the task's key was made."""
    now = digests(task.file, HashCache(cache_folder("hashes.json")))
    for path, planned, digest in zip(task.file.paths, task.digests, now, strict=True):
        if digest != planned:
            raise InputError(f"{path}: changed since the plan was made; nothing was read from it: run again")


def rows_key(table: pa.Table) -> str:
    """The hash of a table's rows and column names, however they are chunked or sliced."""
    import pyarrow.compute as pc

    state = xxhash.xxh3_64()
    for name in table.column_names:
        column = table[name].combine_chunks().cast(pa.string())
        lengths = pc.fill_null(pc.binary_length(column), -1).cast(pa.int64()).to_numpy(zero_copy_only=False)
        state.update(f"{name}\0{len(column)}\0".encode())
        state.update(lengths.tobytes())
        state.update("".join(text for text in column.to_pylist() if text is not None).encode())
    return state.hexdigest()
