"""The pairs of a release's Parquet files, read outside a run: to train an encoder on, or for statistics."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from ...base.errors import InputError
from ...base.host_cache import cache_folder
from ...base.streams import reading
from ...transforms.storage.file_hashes import HashCache
from ..manifest.release_parquet import check_columns, data_files, open_parquet
from ..manifest.whole_release import check_whole
from ..recipe.problems import nearest

_ROWS = 10_000
_TEXT = ("reference", "translation")


@dataclass(frozen=True)
class ReleasePairs:
    """Batches of (references, translations) from a release's files, in their order. Can be iterated again.

    selection: the boolean column that selects pairs; None for all pairs. Pairs without a translation are
    left out.
    """

    files: tuple[str, ...]
    selection: str | None = None

    @cached_property
    def key(self) -> str:
        """Changes if the selection or the content of the files changes; the files' names do not matter."""
        cache = HashCache(cache_folder("hashes.json"))
        digests = [cache.file_hash(file).digest for file in self.files]
        return hashlib.sha256(repr((digests, self.selection)).encode()).hexdigest()[:16]

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        for pairs in self.tables():
            yield pairs["reference"].to_pylist(), pairs["translation"].to_pylist()

    def tables(self, columns: Sequence[str] = ()) -> Iterator[pa.Table]:
        """The same batches as tables, with these columns beside the texts."""
        names = [*_TEXT, *columns, *([self.selection] if self.selection else [])]
        for file in self.files:
            with reading(file):
                for batch in open_parquet(file).iter_batches(_ROWS, columns=names):
                    pairs = pa.table(batch)
                    pairs.validate(full=True)  # texts may have bytes that are not UTF-8
                    keep = pc.and_(pairs["reference"].is_valid(), pairs["translation"].is_valid())
                    if self.selection:
                        keep = pc.and_(keep, pc.fill_null(pairs[self.selection], False))
                    yield pairs.filter(keep)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the first file."""
        return open_parquet(self.files[0]).schema_arrow


def release_pairs(paths: Sequence[str], selection: str | None) -> ReleasePairs:
    """The pairs of Parquet files, or of the folders of releases or of workspaces with a release.

    InputError if they are none of these, or are of a release that is not whole (see `check_whole`).
    """
    files = tuple(file for path in paths for file in data_files(path))
    footers = check_whole(files)
    for file in files:
        schema = open_parquet(file, footers.get(file)).schema_arrow
        check_columns(file, schema)
        for name in (*_TEXT, *([selection] if selection else [])):
            if name not in schema.names:
                raise InputError(f"{file}: no column {name!r}; {nearest(name, schema.names)}")
        if selection and schema.field(selection).type != pa.bool_():
            booleans = [field.name for field in schema if field.type == pa.bool_()]
            kind = schema.field(selection).type
            raise InputError(
                f"{file}: expected a boolean column, got {selection!r} with values of type {kind}; "
                f"{nearest(selection, booleans)}"
            )
    return ReleasePairs(files, selection)
