"""Where the results of a table come from: its command, data, seeds, date and version."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from ..base.host_cache import cache_folder
from ..models.encoders.vectors import read_vectors
from ..models.sts.sts_data import read_sts
from ..transforms.storage.file_hashes import HashCache, hash_paths
from .evaluations import transfer_tasks
from .paper_data import VECTORS
from .paper_table import TESTS, TRANSFER, Classification, Statistics, System
from .training_samples import Samples


@dataclass(frozen=True)
class DataOrigin:
    """The data of a role, or of one corpus of it. names: of its files or folders. hash: of their content."""

    role: str
    corpus: str
    names: tuple[str, ...]
    size: str
    hash: str


@dataclass(frozen=True)
class Origin:
    """Where results come from. date: the day of the last training, empty if there is none. commit: of the
    checkout that paranmt runs from, if it does."""

    command: str
    seeds: int
    date: str
    version: str
    commit: str | None
    data: tuple[DataOrigin, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything."""
        return asdict(self)

    @property
    def sentences(self) -> list[str]:
        """The same in words, for people."""
        code = f"paranmt {self.version}" + (f", commit {self.commit}" if self.commit else "")
        date = f" on {self.date}" if self.date else ""
        return [
            f"`{self.command}`{date}, with {code}",
            *(
                f"`{data.role}`{f', {data.corpus}' if data.corpus else ''}: {', '.join(data.names)} "
                f"({data.size}, xxh3 {data.hash})"
                for data in self.data
            ),
        ]


def data_of(systems: Sequence[System], samples: Samples) -> tuple[DataOrigin, ...]:
    """The data that these systems are trained and evaluated on."""
    data, cache = samples.data, HashCache(cache_folder("hashes.json"))
    found = []

    def add(role: str, corpus: str, paths: Sequence[str], size: str) -> None:
        names = tuple(path.rstrip("/").rpartition("/")[2] for path in paths)
        found.append(DataOrigin(role, corpus, names, size, hash_paths(paths, cache)))

    for role, corpus in dict.fromkeys(
        (each.role, each.corpus) for system in systems for each in system.sources
    ):
        paths = data.corpora[role][corpus] if corpus else data.roles[role]
        add(role, corpus, paths, f"{len(samples.role(role, corpus).pairs):,} pairs")
    if any(TRANSFER in system.evaluations for system in systems):
        add(TRANSFER, "", data.transfer, f"{len(transfer_tasks(data.transfer))} tasks")
    if any(not _is_without_sets(system) for system in systems):
        sets = [dataset for folder in data.tests for dataset in read_sts(folder) if dataset.gold]
        add(TESTS, "", data.tests, f"{len(sets)} sets, {sum(len(each.left) for each in sets):,} pairs")
    if data.vectors is not None and not all(isinstance(system.task, Statistics) for system in systems):
        vectors = read_vectors(data.vectors)
        add(VECTORS, "", [data.vectors], f"{len(vectors.words):,} vectors of {vectors.dimension} dimensions")
    return tuple(found)


def command_of(table: str, options: Sequence[str]) -> str:
    """The command that computes a table, with general names for the data's file and the output folder."""
    words = ["paranmt", "reproduce", table, "--data", "data.yaml", "--output", "reproduction", *options]
    return shlex.join(words)


def day_of(times: Iterable[float]) -> str:
    """The day of the latest of some times in seconds; empty if there are none."""
    last = max(times, default=None)
    return "" if last is None else datetime.fromtimestamp(last, UTC).date().isoformat()


def _is_without_sets(system: System) -> bool:
    """Whether nothing of the role `sts` is evaluated on."""
    is_other = isinstance(system.task, Classification | Statistics)
    return is_other or bool({"nli", "transfer"} & {*system.evaluations})
