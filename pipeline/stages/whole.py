"""The whole bitext of a forecast, and the machines of its run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from ...base.bounds import MACHINES, NotNegative, Numbers
from .samples import Corpus, Pilot


@dataclass(frozen=True)
class Machines(Numbers):
    """The machines of the whole run.

    More workers than processors mean a cluster: every stage that works part by part is spread over them,
    including translating on CPUs. Otherwise the run is on this machine: ingest stays in one process, and so
    does translating, which already uses all processors, and any stage too short for more processes.
    """

    workers: Annotated[int, MACHINES]
    """How many processors the run will have; by default this machine's."""
    gpus: Annotated[int, MACHINES] = 1
    """How many GPUs the run will have."""
    processors: int = 1
    """How many processors the machine has on which the pilot ran."""
    gpu_price: NotNegative | None = None
    """The price of one GPU hour."""
    cpu_price: NotNegative | None = None
    """The price of one hour on one processor."""

    @property
    def is_cluster(self) -> bool:
        return self.workers > self.processors


class Whole:
    """The whole bitext: its pairs, parts and input files, and its pairs by corpus.

    translated: corpus → whether a model translates it. rows_per_file: the rows of a file of the release.
    """

    def __init__(self, pilot: Pilot, machines: Machines, translated: Mapping[str, bool]) -> None:
        self.machines = machines
        self.corpora = pilot.corpora
        self.translated = translated
        self.of = {corpus.name: _expected_pairs(corpus) for corpus in pilot.corpora}
        self.pairs = sum(self.of.values())
        self.parts = sum(corpus.parts for corpus in pilot.corpora)
        self.files = sum(corpus.files for corpus in pilot.corpora)
        self.rows_per_file = pilot.rows_per_file


def _expected_pairs(corpus: Corpus) -> float:
    return corpus.rows * (corpus.pairs / corpus.sampled if corpus.sampled else 1.0)
