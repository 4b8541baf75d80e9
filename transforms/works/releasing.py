"""The `release` stage: each file joins consecutive parts of all datasets, with all scores and deciles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ...base.dataset_columns import CANDIDATES, TRANSLATION_RANK, DatasetColumn, decile_name, schema
from ..beam.single_job import built_folder
from ..beam.timing import task_seconds
from ..storage.dataset import Entry, adopt_part, corpus_of, part_file, part_note, read_joined
from ..storage.release_files import release_table, write_release_file
from ..storage.sealed_parquet import read_footer
from ..storage.versions import package_versions
from ..storage.workspace import SHA256, Workspace, checksum
from ..trainings.held_out import model_folder, read_held_out


@dataclass(frozen=True)
class ReleaseTask:
    """One file of the release: the parts that it joins, and for each part its file in every dataset."""

    part: str
    key: str
    parts: tuple[str, ...]
    files: tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True)
class ReleaseFile:
    """Makes one file of the release.

    columns: those of every file, in order. reads: stage → the columns that it adds. primary: the score whose
    deciles order the pairs, and whether its higher values are better. provenance: corpus → column → value.
    made_of: what the release is made of, whose hash is `recipe_hash`. models: the folders in the workspace of
    the models whose training pairs are `held_out`.
    """

    stage: str
    columns: tuple[DatasetColumn, ...]
    reads: Mapping[str, Sequence[str]]
    primary: str
    descending: bool
    provenance: Mapping[str, Mapping[str, str | None]]
    made_of: Mapping[str, object]
    models: tuple[str, ...]

    def __call__(self, workspace: Workspace, task: ReleaseTask) -> list[Entry]:
        name = part_file(self.stage, task.part, task.key)
        versions = package_versions(("paranmt", "pyarrow"))
        adopted = adopt_part(workspace, self.stage, task.part, task.key)
        if adopted is not None:
            with workspace.copied(name) as copy:
                assert copy is not None, "it was adopted"
                with copy.open("rb") as file:
                    footer = read_footer(file).digest
                digest = checksum(copy, like=SHA256)
                return [replace(adopted, checksum=digest, footer=footer, versions=versions)]
        with task_seconds() as seconds, workspace.temporary_file() as path:
            table = self._table(workspace, task)
            note = part_note(self.stage, task.part, task.key, table)
            info = write_release_file(table, path, decile_name(self.primary), {"paranmt": note})
            workspace.put(path, name)
        entry = Entry(task.part, task.key, name, info.rows, info.bytes, info.sha256, footer=info.footer)
        return [replace(entry, seconds=seconds, versions=versions)]

    def _table(self, workspace: Workspace, task: ReleaseTask) -> pa.Table:
        folders = [built_folder(workspace, model) for model in self.models]
        tables = [
            self._join(workspace, part, dict(files), folders)
            for part, files in zip(task.parts, task.files, strict=True)
        ]
        return release_table(tables, decile_name(self.primary), self.descending)

    def _join(
        self, workspace: Workspace, part: str, files: Mapping[str, str], folders: Sequence[Path]
    ) -> pa.Table:
        import pyarrow.compute as pc

        pairs = read_joined(workspace, {file: self.reads[stage] for stage, file in files.items()})
        for column, value in self.provenance[corpus_of(part)].items():
            pairs = pairs.append_column(column, pa.array([value] * len(pairs), pa.string()))
        if TRANSLATION_RANK.name not in pairs.column_names:
            is_made = pc.equal(pairs["translation_status"], "translated")
            pairs = pairs.append_column(TRANSLATION_RANK.name, pc.if_else(is_made, 1, None))
        of_corpus = [read_held_out(model_folder(folder, corpus_of(part))) for folder in folders]
        held_out = [each for each in of_corpus if each is not None]
        # Each set of held-out pairs of a corpus contains the smaller ones, so the largest is enough.
        seen = max(held_out, key=lambda pairs: pairs.below).mask(pairs["reference"]) if held_out else None
        values = pa.array(seen) if seen is not None else pa.array([False] * len(pairs), pa.bool_())
        pairs = pairs.append_column("held_out", values)
        if CANDIDATES.name not in pairs.column_names:  # existing translations
            pairs = pairs.append_column(CANDIDATES.name, pa.nulls(len(pairs), CANDIDATES.type))
        return pa.table(
            [pairs[column.name].cast(column.type) for column in self.columns], schema=schema(self.columns)
        )
