"""Reproducing a table: which systems can be trained on the user's data, and what became of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.hashing import derive_seed
from ..models.encoders.vectors import read_vectors
from ..models.sts.sts_data import StsDataset
from ..transforms.storage.file_hashes import hash_file
from .paper_data import DataFiles
from .paper_table import ROLES, Key, PaperTable, RoleSample, System, with_dimension
from .table_results import Reproduction
from .training_samples import Samples
from .trainings import (
    EXPECTED,
    Outcome,
    Outcomes,
    PaperTraining,
    evaluation_sets,
    name_of,
    run_all,
    sets_key,
    supervised_tasks,
)

TRAININGS = "trainings"
"""The folder of the results of trainings, beside those of the tables."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What to run: how many pairs a system, how many seeds, and which dimension the encoders have.

    only: systems whose label does not begin with this are not trained. show: no system is trained.
    """

    pairs: int
    seeds: int
    dimension: int
    jobs: int = 1
    only: str = ""
    show: bool = False

    def trains(self, system: System) -> bool:
        """Whether a system is trained unless its result is there."""
        return not self.show and system.label.startswith(self.only)


def reproduce(
    table: PaperTable, data: DataFiles, output: Path, run: Run, done: Callable[[int, int], None]
) -> Reproduction:
    """The table with all results that there are, after those that are missing have been computed.

    Results are kept in `output`, so that a run that was killed continues, and no table trains what another
    one trained. done: hears how many trainings are finished, and how many there are to do.
    """
    samples, tests = Samples(data), evaluation_sets(data.tests)
    reasons = {system.key: _reason(system, samples) for system in table.systems}
    systems = [system for system in table.systems if not reasons[system.key]]
    vectors = None if data.vectors is None or not systems else read_vectors(data.vectors)
    dimension = run.dimension if vectors is None else vectors.dimension
    systems = [replace(system, options=with_dimension(system.options, dimension)) for system in systems]
    planned = _plan(systems, samples, sets_key(tests), run)
    kept = Outcomes(output / TRAININGS)
    run_all([planned[s.key, n] for s, n in _in_order(systems, run) if run.trains(s)], kept, run.jobs, done)
    outcomes: dict[Key, dict[int, Outcome]] = {system.key: {} for system in systems}
    for system, seed in _in_order(systems, run):
        if (outcome := kept.get(planned[system.key, seed].key)) is not None:
            outcomes[system.key][seed] = outcome
    setting = _setting(table, systems, samples, tests, run.pairs, dimension)
    return Reproduction(table, outcomes, {key: why for key, why in reasons.items() if why}, setting)


def _in_order(systems: Sequence[System], run: Run) -> list[tuple[System, int]]:
    """Each system with each seed; seed by seed, so that whatever is finished can be compared."""
    return [(system, seed) for seed in range(1, run.seeds + 1) for system in systems]


def _plan(
    systems: Sequence[System], samples: Samples, tests: str, run: Run
) -> dict[tuple[Key, int], PaperTraining]:
    data = samples.data
    vectors = "" if data.vectors is None else hash_file(data.vectors).digest
    groups = {system.group: [other for other in systems if other.group == system.group] for system in systems}
    pairs = {group: _equal_size(members, samples, run.pairs) for group, members in groups.items()}
    keys = {system.supervision: tests for system in systems}
    for supervision in keys:
        if supervision is not None:
            tasks = supervised_tasks(tuple(data.tests), supervision.sets)
            keys[supervision] = sets_key([part for task in tasks for part in task.parts])
    planned = {}
    for system, seed in _in_order(systems, run):
        options = replace(system.options, seed=derive_seed(seed, "training"), vectors=data.vectors)
        lists = tuple(samples.sample(source, pairs[system.group], seed) for source in system.sources)
        key, supervision = keys[system.supervision], system.supervision
        planned[system.key, seed] = PaperTraining(
            lists, options, tuple(data.tests), key, vectors, supervision
        )
    return planned


def _reason(system: System, samples: Samples) -> str:
    """Why a system cannot be trained; empty if it can."""
    roles = dict.fromkeys(role for source in system.sources for role in source.roles)
    missing = [f"the data has no `{role}`, {ROLES[role]}" for role in roles if role not in samples.data.roles]
    sets = None if system.supervision is None else system.supervision.sets
    if sets is not None and not supervised_tasks(tuple(samples.data.tests), sets):
        missing.append(
            f"`sts` has no {'STS of 2012 to 2015' if sets == 'STS' else 'SICK with its three parts'}"
        )
    if missing:
        return " and ".join(missing)
    empty = [source.role for source in system.sources if not samples.available(source)]
    return f"`{empty[0]}` has no pairs of this length" if empty else ""


def _equal_size(systems: Sequence[System], samples: Samples, wanted: int) -> int:
    """How many pairs each of some systems is trained on: what is wanted, or what the rarest source has."""
    sources = {
        source if source.tokens_of is None else RoleSample(role=source.tokens_of)
        for system in systems
        for source in system.sources
    }
    return min(wanted, *(samples.available(source) for source in sources))


def _setting(
    table: PaperTable,
    systems: Sequence[System],
    samples: Samples,
    tests: Sequence[StsDataset],
    pairs: int,
    dimension: int,
) -> list[str]:
    """What was measured, and what differs from the paper."""
    present = [(test.year, test.name) for test in tests]
    absent = [
        name if year is None else f"{name} {year}" for year, name in EXPECTED if (year, name) not in present
    ]
    epochs = {system.options.encoder.type: system.options.epochs for system in systems}
    start = "random vectors" if samples.data.vectors is None else "the given word vectors"
    sentences = [
        f"The figures are means of Pearson's r × 100 over {len(tests)} sets of the papers' 22: "
        f"{', '.join(map(name_of, tests))}" + (f"; not there: {', '.join(absent)}" if absent else "")
    ]
    if systems:
        sentences += [
            f"each system is trained on {pairs:,} pairs, or as many as the rarest data of its part of the "
            "table has; a seed also draws the pairs",
            "epochs: " + ", ".join(f"{name} {number}" for name, number in epochs.items()),
            f"{dimension} dimensions, from {start} instead of PARAGRAM-SL999",
        ]
    for role in dict.fromkeys(
        role for system in systems for source in system.sources for role in source.roles
    ):
        counted = samples.role(role)
        left_out = (
            f"{counted.left_out:,} of {counted.groups:,} groups, which share a sentence with the evaluation"
        )
        sentences.append(f"`{role}`: {len(counted.pairs):,} pairs, without {left_out}")
    return [*sentences, *table.differs]
