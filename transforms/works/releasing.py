"""The `release` stage: each file joins consecutive parts of all datasets, with all scores and deciles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataset_columns import (
    CANDIDATES,
    TRANSLATION_FACTS,
    TRANSLATION_RANK,
    DatasetColumn,
    decile_name,
    release_columns,
    score_column,
    selection_column,
)
from ...filters.score import Score
from ..beam.single_job import built_folder
from ..beam.timing import unit_seconds
from ..storage.dataset import Entry, adopt_part, own_columns, part_file, part_note, read_joined
from ..storage.release_files import release_table, write_release_file
from ..storage.versions import package_versions
from ..storage.workspace import SHA256, Workspace, checksum
from .held_out import HeldOut, read_held_out


@dataclass(frozen=True)
class ReleaseUnit:
    """One file of the release: the parts that it joins, and for each part its file in every dataset."""

    part: str
    key: str
    parts: tuple[str, ...]
    files: tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True)
class ReleaseFile:
    """Makes one file of the release.

    provenance: corpus → column → value. made_of: what the release is made of, whose hash is `recipe_hash`.
    models: the folders in the workspace of the models whose training pairs are `held_out`. wheres: selection
    → its condition, for the column's description. candidates, duplicates: as in `release_columns`. chosen:
    whether translations were chosen among the candidates.
    """

    stage: str
    scores: tuple[tuple[str, Score], ...]
    wheres: tuple[tuple[str, str], ...]
    primary: str
    candidates: bool
    chosen: bool
    duplicates: bool
    provenance: Mapping[str, Mapping[str, str | None]]
    made_of: Mapping[str, object]
    models: tuple[str, ...]

    def __call__(self, workspace: Workspace, unit: ReleaseUnit) -> list[Entry]:
        name = part_file(self.stage, unit.part, unit.key)
        versions = package_versions(("paranmt", "pyarrow"))
        adopted = adopt_part(workspace, self.stage, unit.part, unit.key)
        if adopted is not None:
            with workspace.copied(name) as copy:
                assert copy is not None, "it was adopted"
                return [replace(adopted, checksum=checksum(copy, like=SHA256), versions=versions)]
        with unit_seconds() as seconds, workspace.temporary_file() as file:
            table = self._table(workspace, unit)
            note = part_note(self.stage, unit.part, unit.key, table)
            info = write_release_file(table, file, decile_name(self.primary), {"paranmt": note})
            workspace.put(file, name)
        entry = Entry(unit.part, unit.key, name, info.rows, info.bytes, info.sha256)
        return [replace(entry, seconds=seconds, versions=versions)]

    def _table(self, workspace: Workspace, unit: ReleaseUnit) -> pa.Table:
        folders = [built_folder(workspace, model) for model in self.models]
        held_out = [pairs for folder in folders if (pairs := read_held_out(folder)) is not None]
        tables = [
            self._join(workspace, part, dict(files), held_out)
            for part, files in zip(unit.parts, unit.files, strict=True)
        ]
        descending = dict(self.scores)[self.primary].higher_is_better is not False
        return release_table(tables, decile_name(self.primary), descending)

    def columns(self) -> tuple[DatasetColumn, ...]:
        """The columns of every file, in order."""
        return release_columns(
            [score_column(name, score.dtype, score.unit, score.__doc__ or "") for name, score in self.scores],
            [selection_column(name, where) for name, where in self.wheres],
            without_deciles=[name for name, score in self.scores if not score.has_deciles],
            candidates=self.candidates,
            duplicates=self.duplicates,
        )

    def _join(
        self, workspace: Workspace, part: str, files: Mapping[str, str], held_out: Sequence[HeldOut]
    ) -> pa.Table:
        kept = [CANDIDATES.name] if self.candidates else []
        facts = ["translation", *(column.name for column in TRANSLATION_FACTS)]
        wanted: dict[str, list[str]] = {files["ingest"]: ["source", "reference"]}
        if self.chosen:
            wanted[files["choose"]] = [*facts, TRANSLATION_RANK.name]
            wanted[files["translate"]] = kept
        else:
            wanted[files["translate"]] = [*facts, *kept]
        for stage, file in files.items():
            if stage not in ("ingest", "translate", "choose"):
                wanted[file] = own_columns(stage)
        pairs = read_joined(workspace, wanted)
        for column, value in self.provenance[part.split("/")[0]].items():
            pairs = pairs.append_column(column, pa.array([value] * len(pairs), pa.string()))
        if not self.chosen:
            is_made = pc.equal(pairs["translation_status"], "translated")
            pairs = pairs.append_column(TRANSLATION_RANK.name, pc.if_else(is_made, 1, None))
        # Each set of held-out pairs contains the smaller ones, so the largest is enough.
        seen = max(held_out, key=lambda pairs: pairs.below).mask(pairs["reference"]) if held_out else None
        values = pa.array(seen) if seen is not None else pa.array([False] * len(pairs), pa.bool_())
        pairs = pairs.append_column("held_out", values)
        columns = self.columns()
        if self.candidates and CANDIDATES.name not in pairs.column_names:  # existing translations
            pairs = pairs.append_column(CANDIDATES.name, pa.nulls(len(pairs), CANDIDATES.type))
        return pa.table(
            [pairs[column.name].cast(column.type) for column in columns],
            schema=pa.schema([column.field() for column in columns]),
        )
