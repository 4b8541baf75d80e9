"""Reproducing a table: which systems can be trained on the user's data, and what became of them."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from .. import __version__
from ..base.hashing import derive_seed
from ..base.host_cache import cache_folder
from ..base.logs import about, logged
from ..models.encoders.vectors import read_vectors
from ..models.evaluation.transfer import AVERAGED
from ..models.sts.development_sets import DEV_SETS, read_development
from ..models.sts.set_lists import DevSets
from ..models.sts.sts_data import StsDataset
from ..models.training.pairs import PairList
from ..models.training.train_options import TrainOptions, resolve_device
from ..pipeline.recipe.name import StageName
from ..pipeline.running.execution import Observer, StageExecution
from ..pipeline.running.run import held_workspace
from ..pipeline.stages.planned import StagePlan
from ..pipeline.tuning.trials import TrialsStage
from ..transforms.beam.runner import Runner
from ..transforms.beam.stage_pipeline import Dataset
from ..transforms.beam.task_work import Task
from ..transforms.storage.dataset import adopt_part, part_file
from ..transforms.storage.file_hashes import HashCache, hash_paths
from ..transforms.storage.run_note import RunNote, new_run_id
from ..transforms.storage.versions import source_commit
from ..transforms.storage.workspace import Workspace
from .evaluations import transfer_tasks
from .origin import Origin, command_of, data_of, day_of
from .paper_data import DataFiles
from .paper_table import (
    ROLES,
    TESTS,
    TRANSFER,
    Classification,
    EvaluationKind,
    Inference,
    Key,
    PaperTable,
    RoleSample,
    Statistics,
    Supervision,
    System,
)
from .run import Run
from .table_results import Reproduction
from .training_samples import Samples
from .trainings import (
    TRAININGS,
    Outcome,
    PaperTraining,
    RunPaperTraining,
    development_folders,
    evaluation_sets,
    key_of_tests,
    name_of,
    names_of,
    supervised_tasks,
    write_sample,
)

_MEASURED = {
    "nli": "`NLI` figures are accuracies × 100 of the head that the encoder was trained with",
    "sts": "The figures of the STS Benchmark are Pearson's r × 100 of cosines",
    "supervised": "those with `trained` are of a network on the fixed vectors, trained on the Benchmark",
    "transfer": "the results of transfer tasks are accuracies × 100 (SICK-R, STS-B: Pearson's r × 100) of "
    "logistic regressions on the fixed vectors; micro and macro averages are those of accuracies on "
    "development items over InferSent's tasks that are there, and have no interval over the items",
}

_RAREST = 10
"""Data with fewer than one in so many of the wanted pairs is no choice."""


def reproduce(
    table: PaperTable, data: DataFiles, output: Path, run: Run, runner: Runner, observer: Observer
) -> Reproduction:
    """The table with all results that there are, after those that are missing have been computed.

    Each training is a task of the stage `trainings` of the workspace `output`, so that a run that was killed
    continues, and no table trains what another one trained.
    """
    samples, table = Samples(data), table.for_corpora(data.corpora)
    dev_sets = run.dev_sets or table.dev_sets
    if not run.grid:  # an oracle has nothing to choose from
        table = replace(table, systems=tuple(each for each in table.systems if not each.is_oracle))
    tests = evaluation_sets(data.tests) if data.tests and any(map(_on_sets, table.systems)) else []
    reasons = {
        system.key: _reason(run.planned(system, run.dimension), samples, dev_sets) for system in table.systems
    }
    systems = [system for system in table.systems if not reasons[system.key]]
    vectors = None if data.vectors is None or not systems else read_vectors(data.vectors)
    dimension = run.dimension if vectors is None else vectors.dimension
    systems = [run.planned(system, dimension) for system in systems]
    planned = _plan(systems, samples, key_of_tests(tests), run, dev_sets)
    workspace = Workspace(str(output))
    wanted = [
        training
        for system, seed in _in_order(systems, run)
        if run.trains(system)
        for training in planned[system.key, seed]
    ]
    _compute({training.task.key: training for training in wanted}, workspace, runner, observer)
    outcomes: dict[Key, dict[int, Outcome]] = {system.key: {} for system in systems}
    chosen: dict[Key, Counter[str]] = {system.key: Counter() for system in systems if _chooses(system)}
    times: list[float] = []
    for system, seed in _in_order(systems, run):
        trainings = planned[system.key, seed]
        if not all(training.is_intact(workspace) for training in trainings):
            continue
        figure = system.figure or (table.set_list if _is_cosine(system) else "")
        done = [Outcome.read(workspace, training.file) for training in trainings]
        done = [outcome.figure(figure) if figure else outcome for outcome in done]
        worth = [(each.mean if system.is_oracle else each.dev) or 0.0 for each in done]
        best = worth.index(max(worth))
        outcomes[system.key][seed] = done[best]
        times += [os.path.getmtime(output / training.file) for training in trainings]
        if _chooses(system):
            chosen[system.key][trainings[best].choice] += 1
    finished = [system for system in systems if outcomes[system.key]]
    setting = _setting(table, finished or systems, samples, tests, run.pairs, dimension)
    setting += _of_development(finished or systems, dev_sets)
    missing = {key: why for key, why in reasons.items() if why}
    origin = _origin(table, run, finished, samples, times)
    return Reproduction(table, outcomes, missing, setting, chosen, origin)


class _Planned(NamedTuple):
    """A training, its task, and the samples that it is trained on. choice: what was chosen, in words."""

    choice: str
    training: PaperTraining
    task: Task
    samples: tuple[PairList, ...]

    @property
    def pairs(self) -> int:
        """How many pairs it processes."""
        return self.training.options.epochs * sum(len(pairs.references) for pairs in self.samples)

    @property
    def file(self) -> str:
        """The file of its result."""
        return part_file(TRAININGS, self.task.part, self.task.key)

    def is_intact(self, workspace: Workspace) -> bool:
        """Whether its result is there."""
        return adopt_part(workspace, TRAININGS, self.task.part, self.task.key) is not None


def _compute(
    wanted: Mapping[str, _Planned], workspace: Workspace, runner: Runner, observer: Observer
) -> None:
    """Run the trainings that have no result."""
    missing = [planned for planned in wanted.values() if not planned.is_intact(workspace)]
    if not missing:
        return
    work = RunPaperTraining(TRAININGS, {key: planned.training for key, planned in wanted.items()})
    tasks = tuple(planned.task for planned in wanted.values())
    passes = sum(planned.pairs for planned in wanted.values())
    stage = TrialsStage().trials_stage(StageName(TRAININGS), tasks, work, passes)
    condition = StagePlan(stage.name, "partial", "", len(tasks) - len(missing), len(tasks))
    note = RunNote(new_run_id(), "info")
    with (
        logged([], note.log_level),
        about(run=note.id),
        held_workspace(workspace, runner, note) as (held, lock),
    ):
        execution = StageExecution(held, runner, observer, lock)
        there = [planned for planned in missing if held.size(planned.file) is not None]
        execution.remove_damaged([planned.file for planned in there if not planned.is_intact(held)])
        samples = {pairs.key: pairs for planned in missing for pairs in planned.samples}
        for pairs in samples.values():
            write_sample(held, pairs)
        execution.compute_parts([stage], [condition], [Dataset(tasks, work, stage.key, {})])
        lock.check()


def _in_order(systems: Sequence[System], run: Run) -> list[tuple[System, int]]:
    """Each system with each seed; seed by seed, so that whatever is finished can be compared."""
    return [(system, seed) for seed in range(1, run.seeds + 1) for system in systems]


def _plan(
    systems: Sequence[System], samples: Samples, tests: str, run: Run, dev_sets: DevSets
) -> dict[tuple[Key, int], list[_Planned]]:
    """The trainings of each system with each seed, one for each choice that it has."""
    data = samples.data
    cache = HashCache(cache_folder("hashes.json"))
    vectors = None if data.vectors is None else hash_paths([data.vectors], cache)
    groups = {system.group: [other for other in systems if other.group == system.group] for system in systems}
    pairs = {group: _equal_size(members, samples, run.pairs) for group, members in groups.items()}
    keys = {(system.task, system.evaluations): tests for system in systems}
    for task, evaluations in keys:
        if evaluations:
            keys[task, evaluations] = hash_paths(_folders(evaluations, data), cache)
        elif isinstance(task, Supervision):
            keys[task, evaluations] = key_of_tests(supervised_tasks(tuple(data.tests), task.sets))
    dev_folders = tuple(development_folders(data.tests, dev_sets))
    dev = key_of_tests(read_development(dev_folders, dev_sets)) if any(map(_needs_dev, systems)) else ""
    planned: dict[tuple[Key, int], list[_Planned]] = {}
    for system, seed in _in_order(systems, run):
        key = keys[system.task, system.evaluations]
        on_dev = (dev_folders, dev, dev_sets, system.stops) if _needs_dev(system) else ()
        planned[system.key, seed] = []
        for source in _choices(system, samples, run.pairs):
            trained_on = system.trained_on(source)
            lists = tuple(samples.sample(part, pairs[system.group], seed) for part in trained_on)
            lists += tuple(map(samples.everything, system.held_out))
            for chosen in system.grid or (system.options,):
                options = replace(
                    chosen,
                    seed=derive_seed(seed, "training"),
                    vectors=data.vectors,
                    device=resolve_device(chosen.device),
                )
                folders = _folders(system.evaluations, data)
                training = PaperTraining(options, folders, key, vectors, system.task, *on_dev)
                training = replace(training, evaluations=system.evaluations)
                words = _in_words(system, source, chosen)
                planned[system.key, seed].append(_Planned(words, training, training.task(lists), lists))
    return planned


def _folders(evaluations: Sequence[EvaluationKind], data: DataFiles) -> tuple[str, ...]:
    """The folders of what is tested on."""
    if not evaluations:
        return tuple(data.tests)
    if TRANSFER in evaluations:
        return tuple(data.transfer)
    return data.benchmark


def _chooses(system: System) -> bool:
    """Whether its data or its options are chosen on the development sets."""
    return bool(system.choices or system.grid)


def _needs_dev(system: System) -> bool:
    """Whether it needs development sets; supervised training chooses on the dev part of its own sets."""
    return system.stops or (_chooses(system) and not isinstance(system.task, Supervision))


def _in_words(system: System, source: RoleSample, options: TrainOptions) -> str:
    """What is chosen: the data, and the options that the grid varies."""
    parts = [source.where] if system.choices else []
    flat = [_flat(each) for each in system.grid]
    varied = [name for name in (flat[0] if flat else {}) if len({repr(each[name]) for each in flat}) > 1]
    values = _flat(options)
    parts += [f"{name} {values[name]}" for name in varied if name != "embedding_updates"]
    return ", ".join(parts)


def _flat(options: TrainOptions) -> dict[str, object]:
    """The options, those of the encoder and those of the text by name."""
    values = {**vars(options), **vars(options.text), **vars(options.encoder)}
    return {name: value for name, value in values.items() if name not in ("encoder", "text")}


def _choices(system: System, samples: Samples, wanted: int) -> list[RoleSample]:
    """The data that a system can choose from; all of its data if it has nothing to choose.

    Too rare choices are left out, so that the other systems are not trained on as few pairs.
    """
    if not system.choices:
        return [system.source]
    return [choice for choice in system.choices if samples.available(choice) * _RAREST >= wanted]


def _reason(system: System, samples: Samples, dev_sets: DevSets) -> str:
    """Why a system cannot be trained; empty if it can."""
    missing = [
        f"the data has no `{role}`, {ROLES[role]}" for role in system.roles if role not in samples.data.roles
    ]
    missing += _absent_tests(system, samples.data)
    sets = system.task.sets if isinstance(system.task, Supervision) else None
    if sets is not None and not supervised_tasks(tuple(samples.data.tests), sets):
        missing.append(
            f"`sts` has no {'STS of 2012 to 2015' if sets == 'STS' else 'SICK with its three parts'}"
        )
    if _needs_dev(system) and not development_folders(samples.data.tests, dev_sets):
        others = "" if dev_sets == "standard" else "; `--dev-sets standard` takes others"
        missing.append(f"`sts` has no development sets ({DEV_SETS[dev_sets]}{others})")
    if any("translation_cost" in source.where for source in system.sources):
        missing.append("the data has no costs of its translations")
    missing += [
        f"the data names no corpus {source.corpus} of `{source.role}`"
        for source in system.sources
        if source.corpus and source.corpus not in samples.data.corpora.get(source.role, {})
    ]
    if missing:
        return " and ".join(missing)
    if system.choices:
        return "" if _choices(system, samples, _RAREST) else f"`{system.source.role}` has too few pairs"
    empty = [source.role for source in system.sources if not samples.available(source)]
    return f"`{empty[0]}` has no such pairs" if empty else ""


def _is_cosine(system: System) -> bool:
    """Whether its outcome is a mean of Pearson's r of cosines."""
    return _on_sets(system) and not isinstance(system.task, Supervision)


def _of_development(systems: Sequence[System], dev_sets: DevSets) -> list[str]:
    """What was chosen on which development sets."""
    chosen = [
        *(["the epoch"] if any(system.stops for system in systems) else []),
        *(["the data"] if any(system.choices for system in systems) else []),
        *(["the options"] if any(system.grid for system in systems if _needs_dev(system)) else []),
    ]
    if not chosen:
        return []
    no_test = "" if dev_sets == "standard" else ", whose results are no test of these encoders"
    return [f"chosen seed by seed on {DEV_SETS[dev_sets]}{no_test}: {', '.join(chosen)}"]


def _on_sets(system: System) -> bool:
    """Whether its outcome is of the papers' sets of semantic similarity."""
    return not system.evaluations and not isinstance(system.task, Classification | Statistics)


def _absent_tests(system: System, data: DataFiles) -> list[str]:
    """What the evaluations of a system need and the data lacks."""
    if not system.evaluations:
        is_absent = _on_sets(system) and not data.tests
        return [f"the data has no `{TESTS}`, sets of semantic similarity"] if is_absent else []
    if TRANSFER in system.evaluations:
        return [] if data.transfer else [f"the data has no `{TRANSFER}`, SentEval's transfer tasks"]
    is_there = {"sts", "supervised"}.isdisjoint(system.evaluations) or data.benchmark
    return [] if is_there else [f"`{TESTS}` has no STS Benchmark"]


def _equal_size(systems: Sequence[System], samples: Samples, wanted: int) -> int:
    """How many pairs each of some systems is trained on: what is wanted, or what the rarest source has."""
    sources = {
        source if source.tokens_of is None else RoleSample(role=source.tokens_of)
        for system in systems
        for choice in _choices(system, samples, wanted)
        for source in system.trained_on(choice)
        if source.pairs is None
    }
    return min([wanted, *(samples.available(source) for source in sources)])


def _origin(
    table: PaperTable, run: Run, systems: Sequence[System], samples: Samples, times: Sequence[float]
) -> Origin:
    """Where the results of these systems come from, of which the trainings ended at these times."""
    has_encoders = not all(isinstance(system.task, Statistics) for system in systems)
    options = run.options(with_dimension=has_encoders and samples.data.vectors is None)
    return Origin(
        command_of(table.name, options),
        run.seeds,
        day_of(times),
        __version__,
        source_commit(),
        data_of(systems, samples),
    )


def _setting(
    table: PaperTable,
    systems: Sequence[System],
    samples: Samples,
    tests: Sequence[StsDataset],
    pairs: int,
    dimension: int,
) -> list[str]:
    """What was measured, and what differs from the paper."""
    epochs = {system.options.encoder.type: system.options.epochs for system in systems}
    start = "random vectors" if samples.data.vectors is None else "the given word vectors"
    is_infersent = all(isinstance(system.task, Inference) for system in systems)
    instead = "" if is_infersent else " instead of PARAGRAM-SL999"
    sentences = _outcomes(table, samples.data, tests)
    if systems:
        sentences.append(
            f"each system has {pairs:,} pairs, or the size of the smallest data set in that block of the "
            "table; a seed also draws the pairs"
        )
    if not all(isinstance(system.task, Statistics) for system in systems):
        sentences += [
            "epochs: " + ", ".join(f"{name} {number}" for name, number in epochs.items()),
            f"{dimension} dimensions, from {start}{instead}",
        ]
    for role in dict.fromkeys(role for system in systems for role in system.roles):
        counted = samples.role(role)
        sentences.append(
            f"`{role}`: {counted.left_out:,} of {counted.groups:,} groups are left out, because they share a "
            "sentence with the evaluation"
        )
    return [*sentences, *table.differs]


def _outcomes(table: PaperTable, data: DataFiles, tests: Sequence[StsDataset]) -> list[str]:
    """What the figures of a table are, and of what."""
    kinds = {kind for system in table.systems for kind in system.evaluations}
    sentences = [_MEASURED[kind] for kind in sorted(kinds)]
    if TRANSFER in kinds and data.transfer:
        tasks = [task.name for task in transfer_tasks(data.transfer)]
        absent = [name for name in AVERAGED if name not in tasks]
        sentences.append(
            f"transfer tasks: {', '.join(tasks)}" + (f"; not there: {', '.join(absent)}" if absent else "")
        )
    tasks_of = {type(system.task) for system in table.systems}
    if Statistics in tasks_of:
        sentences.append("The figures are entropies in nats, and shares of repeated n-grams in percent")
    elif Classification in tasks_of and any(system.figure for system in table.systems):
        sentences.append("The figures are Spearman's ρ × 100 on translations that were not trained on")
    elif Classification in tasks_of:
        sentences.append(
            "The figures are accuracies × 100 on references and translations that were not trained on"
        )
    elif Supervision in tasks_of:
        sentences.append(
            "The figures are Pearson's r × 100 on test parts, of scores that encoders were trained to predict"
        )
    elif not all(system.evaluations for system in table.systems):
        listed, present = names_of(table.set_list), set(map(name_of, tests))
        absent = [name for name in listed if name not in present]
        sentences.append(
            f"The figures are means of Pearson's r × 100 over {len(listed) - len(absent)} of the paper's "
            f"{len(listed)} sets" + (f"; not there: {', '.join(absent)}" if absent else "")
        )
    return sentences
