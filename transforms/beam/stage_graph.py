"""The Beam graph that every stage is: small, linear, and the same on every runner.

`Create(tasks) → Reshuffle → ParDo(process) → CombineGlobally → ParDo(write)`. No other module builds one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import apache_beam as beam

from .task_work import Outcome

U = TypeVar("U")
R = TypeVar("R")

_NAMESPACE = "paranmt"


def build(
    pipeline: beam.Pipeline,
    label: str,
    tasks: Sequence[U],
    process: Callable[[U], Outcome[R]],
    merge: Callable[[Outcome[R], Outcome[R]], Outcome[R]],
    write: Callable[[Outcome[R]], None],
    counts: Callable[[Outcome[R]], Mapping[str, int]],
) -> None:
    """Add a stage's steps to a pipeline.

    process: gives what `merge` puts together, in any order, and `write` gets once. label: the stage's name.
    counts: what the counters of the runner's own pages show of a task. Nothing reads them here, because some
    runners drop them.
    """
    (
        pipeline
        | f"{label}: tasks" >> beam.Create(tasks, reshuffle=False)
        | f"{label}: spread" >> beam.Reshuffle()
        | f"{label}: work" >> beam.ParDo(_Process(process, counts))
        | f"{label}: merge" >> beam.CombineGlobally(_Merge(merge))
        | f"{label}: write" >> beam.ParDo(_Write(write))
    )


class _Process(beam.DoFn, Generic[U, R]):
    def __init__(
        self, process: Callable[[U], Outcome[R]], counts: Callable[[Outcome[R]], Mapping[str, int]]
    ) -> None:
        self._process = process
        self._counts = counts

    def process(self, task: U) -> Iterator[Outcome[R]]:
        outcome = self._process(task)
        for name, count in self._counts(outcome).items():
            beam.metrics.Metrics.counter(_NAMESPACE, name).inc(count)
        yield outcome


class _Merge(beam.CombineFn, Generic[R]):
    def __init__(self, merge: Callable[[Outcome[R], Outcome[R]], Outcome[R]]) -> None:
        self._merge = merge

    def create_accumulator(self) -> Outcome[R]:
        return None, ()

    def add_input(self, accumulator: Outcome[R], element: Outcome[R]) -> Outcome[R]:
        return self._merge(accumulator, element)

    def merge_accumulators(self, accumulators: Iterable[Outcome[R]]) -> Outcome[R]:
        merged = self.create_accumulator()
        for accumulator in accumulators:
            merged = self._merge(merged, accumulator)
        return merged

    def extract_output(self, accumulator: Outcome[R]) -> Outcome[R]:
        return accumulator


class _Write(beam.DoFn, Generic[R]):
    def __init__(self, write: Callable[[Outcome[R]], None]) -> None:
        self._write = write

    def process(self, outcome: Outcome[R]) -> None:
        self._write(outcome)
