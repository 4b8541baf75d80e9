"""The overhead of a part on the local runner, compared with a bare loop in the same process and run.

    python benchmarks/parts.py                       # everything, about two minutes
    python benchmarks/parts.py --model models/cs-en --sentences train.cs --only processes

    stage      a stage of two parts: through Beam in this process instead of without Beam, and on two
               new worker processes instead of two forked ones
    tiny       1,000 parts of two rows: seconds per part through Beam, and in a bare loop
    huge       one part of 200,000 rows, both ways
    layer      translating with a stand-in of known speed, which waits like the process that drives a GPU:
               a bare loop around the translator, and the whole stage with Beam, reading and writing parts
    processes  translating on two worker processes and on one, each with one thread (OMP_NUM_THREADS=1)

The two sides alternate `--rounds` times. The medians and the ratio of each round are printed.
"""

import argparse
import logging
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import apache_beam as beam
import pyarrow as pa
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from paranmt.launch.runners.local import LocalRunner
from paranmt.models.translation.engines import resolve
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate
from paranmt.transforms.beam.runner import Runner
from paranmt.transforms.beam.stage_pipeline import Dataset, run_parts
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.storage.dataset import part_file, read_columns, read_manifest, write_part
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.translating import (
    PlannedModel,
    TranslatePart,
    translate_column,
    translations_table,
)

TINY_PARTS = 1_000
HUGE_ROWS = 200_000
LAYER_ROWS = 10_000


@dataclass(frozen=True)
class Numbers(PartWork):
    """Almost no work: writes a part with a number of numbered rows."""

    rows: int
    stage: str

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        ids = [f"{task.part}:{row}" for row in range(self.rows)]
        return pa.table({"pair_id": ids, "number": list(range(self.rows))}), {"rows": self.rows}


@dataclass(frozen=True)
class Waiting:
    """A translator that waits for a known time, like the process that drives a GPU."""

    per_second: float

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        time.sleep(len(sentences) / self.per_second)
        return [[Candidate(sentence, -1.0, 8, ())] for sentence in sentences]


@dataclass(frozen=True)
class TranslateWaiting(PartWork):
    """The translate stage with that translator."""

    translator: Waiting
    stage: str

    def make(self, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        pairs = read_columns(workspace, task.input("ingest"), ["source", "translation"])
        n_best = translate_column(self.translator, pairs["source"], 1)
        return translations_table(pairs["pair_id"], n_best, 0), {}


@dataclass(frozen=True)
class Processes(LocalRunner):
    """A runner with a number of worker processes on this machine, even if it is only one."""

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> beam.Pipeline:
        command = (
            f"OMP_NUM_THREADS=1 {shlex.quote(sys.executable)} -m apache_beam.runners.worker.sdk_worker_main"
        )
        environment = SubprocessSDKEnvironment.from_command_string(f"{command} 2>/dev/null")
        options = PipelineOptions([f"--direct_num_workers={self.workers}"])
        return beam.Pipeline(runner=FnApiRunner(default_environment=environment), options=options)


def tasks(count: int, inputs: tuple[tuple[str, str], ...] = ()) -> list[Task]:
    """A number of parts, each with these input files."""
    return [Task(f"c/f-{number:05d}", "k", inputs) for number in range(count)]


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, and seconds of processor time of this process, whatever else runs."""

    clock: float
    processors: float


def taken(work: Callable[[str], object], stage: str) -> Taken:
    """The time that a function takes."""
    began, used = time.perf_counter(), time.process_time()
    work(stage)
    return Taken(time.perf_counter() - began, time.process_time() - used)


@dataclass(frozen=True)
class Sides:
    """The medians of both sides, which alternate in one process, and of the ratio of each round."""

    bare: Taken
    whole: Taken
    ratio: str


def compare(name: str, rounds: int, bare: Callable[[str], object], whole: Callable[[str], object]) -> Sides:
    """Measure both sides in turn, each time in a new stage that has no finished parts."""
    both = [(taken(bare, f"{name}-bare-{n}"), taken(whole, f"{name}-whole-{n}")) for n in range(rounds)]
    ratios = sorted(whole_time.clock / bare_time.clock for bare_time, whole_time in both)
    ratio = f"{median(ratios):.3f} ({ratios[0]:.3f}–{ratios[-1]:.3f})"
    bare_median, whole_median = (
        Taken(median(side.clock for side in sides), median(side.processors for side in sides))
        for sides in zip(*both, strict=True)
    )
    return Sides(bare_median, whole_median, ratio)


def through_beam(
    workspace: Workspace, work: PartWork, todo: list[Task], runner: Runner | None = None
) -> None:
    """Run the stage through Beam; by default in this process."""
    runner = runner or LocalRunner(workers=1, beam_options=("--direct_running_mode=in_memory",))
    run_parts(runner, workspace, Dataset(todo, work, "K", {}), seconds=1e6)


def stage(workspace: Workspace, rounds: int) -> None:
    """What a stage costs before its first row."""

    def on(runner: LocalRunner) -> Callable[[str], None]:
        return lambda stage: through_beam(workspace, Numbers(2, stage), tasks(2), runner)

    on(LocalRunner(workers=2))("stage-first")  # imports what is forked
    here = compare(
        "stage-here",
        rounds,
        on(LocalRunner(workers=1)),
        lambda stage: through_beam(workspace, Numbers(2, stage), tasks(2)),
    )
    print(
        f"stage: through Beam {here.whole.clock * 1e3:.0f} ms, without {here.bare.clock * 1e3:.0f} ms; "
        f"ratio {here.ratio}"
    )
    two = compare("stage-two", rounds, on(LocalRunner(workers=2)), on(Processes(workers=2)))
    print(
        f"stage: on two new processes {two.whole.clock * 1e3:.0f} ms, on forked ones "
        f"{two.bare.clock * 1e3:.0f} ms; ratio {two.ratio}"
    )


def tiny(workspace: Workspace, rounds: int) -> None:
    """Many parts of two rows."""
    parts = TINY_PARTS

    def bare(stage: str) -> None:
        work = Numbers(2, stage)
        for task in tasks(parts):
            work(workspace, task)

    def whole(stage: str) -> None:
        through_beam(workspace, Numbers(2, stage), tasks(parts))

    sides = compare("tiny", rounds, bare, whole)
    beam_ms = (sides.whole.processors - sides.bare.processors) / parts * 1e3
    print(
        f"tiny: {parts:,} parts: {sides.whole.clock / parts * 1e3:.2f} ms a part, bare "
        f"{sides.bare.clock / parts * 1e3:.2f} ms; ratio {sides.ratio}; Beam {beam_ms:.2f} ms of processor"
    )


def huge(workspace: Workspace, rounds: int) -> None:
    """One part."""

    def bare(stage: str) -> None:
        Numbers(HUGE_ROWS, stage)(workspace, tasks(1)[0])

    def whole(stage: str) -> None:
        through_beam(workspace, Numbers(HUGE_ROWS, stage), tasks(1))

    sides = compare("huge", rounds, bare, whole)
    print(
        f"huge: 1 part of {HUGE_ROWS:,} rows: {sides.whole.clock:.2f} s, bare {sides.bare.clock:.2f} s; "
        f"ratio {sides.ratio}; processor {sides.whole.processors:.2f} s, bare {sides.bare.processors:.2f} s"
    )


def layer(workspace: Workspace, rounds: int, per_second: float, parts: int = 15) -> None:
    """A bare loop around a translator of known speed, compared with the whole stage."""
    sentences = [f"a sentence of nine words with the number {row}" for row in range(LAYER_ROWS)]
    ids = [f"c/f:{row}" for row in range(LAYER_ROWS)]
    nulls = pa.nulls(LAYER_ROWS, pa.string())
    table = pa.table({"pair_id": ids, "source": sentences, "reference": sentences, "translation": nulls})
    entry = write_part(workspace, "ingest", "c/f", "k", table)
    translator = Waiting(per_second)

    def bare(stage: str) -> None:
        for _ in range(parts):
            translator.translate(sentences)

    def whole(stage: str, count: int = parts) -> None:
        todo = tasks(count, (("ingest", entry.file),))
        through_beam(workspace, TranslateWaiting(translator, stage), todo)

    whole("layer-first", 1)  # what Python imports once does not count as the cost of a stage
    sides = compare("layer", rounds, bare, whole)
    one_part = median(
        taken(lambda stage: whole(stage, 1), f"layer-one-{n}").processors for n in range(rounds)
    )
    # The cost of several parts minus that of one leaves out what a stage costs once, which is shown apart.
    own = (sides.whole.processors - one_part) / (parts - 1) - sides.bare.processors / parts
    print(
        f"layer: {per_second:,.0f} sentences/s: bare {sides.bare.clock:.2f} s, the stage "
        f"{sides.whole.clock:.2f} s; ratio {sides.ratio}; processor: {own * 1e3:.0f} ms a part of "
        f"{LAYER_ROWS:,} rows, {own * per_second / LAYER_ROWS:.1%}, and "
        f"{(one_part - own) * 1e3:.0f} ms a stage"
    )


def processes(workspace: Workspace, rounds: int, model: str, file: Path, rows: int, parts: int = 12) -> None:
    """Translating with a real model on one worker process, and on two."""
    with open(file, encoding="utf-8") as lines:
        sentences = [line.strip() for _, line in zip(range(rows * parts), lines, strict=False)]
    inputs = []
    for number in range(parts):
        some = sentences[number * rows : (number + 1) * rows]
        ids = [f"c/f:{number * rows + row}" for row in range(len(some))]
        nulls = pa.nulls(len(some), pa.string())
        table = pa.table({"pair_id": ids, "source": some, "reference": some, "translation": nulls})
        inputs.append(write_part(workspace, "sentences", f"c/f-{number:05d}", "k", table).file)
    todo = [Task(f"c/f-{number:05d}", "k", (("ingest", name),)) for number, name in enumerate(inputs)]
    options = resolve(TranslateOptions(model=model, device="cpu", beam=4))

    def rate(workers: int, stage: str) -> float:
        """Parts per second from the first finished part to the last, without the start of the processes."""
        work = TranslatePart({"c": PlannedModel(options)}, frozenset(), stage)
        through_beam(workspace, work, todo, Processes(workers=workers))
        ends = sorted(
            os.stat(workspace.path(part_file(stage, task.part, task.key))).st_mtime for task in todo
        )
        assert read_manifest(workspace, stage) is not None
        return (len(ends) - workers) / (ends[-1] - ends[workers - 1])

    both = [(rate(1, f"one{number}"), rate(2, f"two{number}")) for number in range(rounds)]
    ratios = sorted(on_two / on_one for on_one, on_two in both)
    on_one, on_two = (median(side) * rows for side in zip(*both, strict=True))
    print(
        f"processes: one {on_one:.1f} sentences/s, two {on_two:.1f}; speed-up {median(ratios):.2f} "
        f"({ratios[0]:.2f}–{ratios[-1]:.2f})"
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=["stage", "tiny", "huge", "layer", "processes"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--per-second", type=float, default=5_000.0, help="the speed of the stand-in translator"
    )
    parser.add_argument("--model", help="a translation model, for `processes`")
    parser.add_argument("--sentences", type=Path, help="a text file in its source language")
    parser.add_argument("--rows", type=int, default=20, help="sentences per part, for `processes`")
    given = parser.parse_args()
    logging.getLogger("apache_beam").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(folder)
        if given.only in (None, "stage"):
            stage(workspace, given.rounds)
        if given.only in (None, "tiny"):
            tiny(workspace, given.rounds)
        if given.only in (None, "huge"):
            huge(workspace, given.rounds)
        if given.only in (None, "layer"):
            layer(workspace, given.rounds, given.per_second)
        if given.only == "processes" and not (given.model and given.sentences):
            parser.error("processes needs --model and --sentences")
        if given.model and given.sentences and given.only in (None, "processes"):
            processes(workspace, given.rounds, given.model, given.sentences, given.rows)


if __name__ == "__main__":
    main()
