"""A simulation, event by event, of a big translation on many GPUs: parts, workers and failures.

Nothing here is measured; measurements come in as parameters. Parts are queued; a worker loads a model, takes
a part, writes it, and takes the next. A worker may be slow, and may be preempted: then its current part is
lost and starts again. The simulation knows the two ways in which runners recover:

- `part`: all workers take parts from one queue, and a lost worker costs only its own part. This is Dask, and
  Dataflow is similar.
- `region`: each worker gets its parts at the start, and when one worker is lost all workers restart, find the
  parts that are already written, and lose those in progress. This is how Flink runs this project's pipelines.
"""

import heapq
import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from paranmt.base.hashing import derive_seed

Recovery = Literal["part", "region"]

PARANMT_PAIRS = 51_409_585
MEAN_WORDS, SD_WORDS, MOST_WORDS = 13.3, 19.3, 200
"""The lengths of ParaNMT-50M's sentences (Wieting and Gimpel 2018, table 2), cut at its authors' limit."""

HOPELESS = 5.0

PART_ROWS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)


@dataclass(frozen=True)
class Workload:
    """What to translate.

    pairs_per_second: of one GPU at full speed. fixed_words: the cost of a pair besides its words, in words.
    noise: standard deviation over mean of the cost of pairs of equal length. block_rows, block_spread: the
    size of stretches of the bitext (a corpus, a book) that have a typical sentence length, and the standard
    deviation over mean of a stretch's cost.
    """

    pairs_per_second: float
    pairs: int = PARANMT_PAIRS
    part_rows: int = 10_000
    fixed_words: float = 2.0
    noise: float = 0.3
    block_rows: int = 250_000
    block_spread: float = 0.25

    def part_seconds(self, random: np.random.Generator) -> np.ndarray:
        """The seconds of each part on a GPU at full speed, without the overhead of a part; (parts,).

        A part's cost is the sum over its pairs. From a thousand pairs on it is normally distributed, with
        the mean and the variance that follow from the cost of a pair.
        """
        starts = np.arange(0, self.pairs, self.part_rows)
        ends = np.minimum(starts + self.part_rows, self.pairs)
        rows = (ends - starts).astype(float)
        spread = pair_cost_spread(self.fixed_words, self.noise)
        level = self._levels(starts, ends, random)
        cost = rows * level + np.sqrt(rows) * spread * random.standard_normal(len(rows))
        return np.maximum(cost, 0.01 * rows) / self.pairs_per_second

    def _levels(self, starts: np.ndarray, ends: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The mean cost of each part's stretches."""
        variance = math.log(1 + self.block_spread**2)
        blocks = math.ceil(self.pairs / self.block_rows)
        levels = random.lognormal(-variance / 2, math.sqrt(variance), blocks)
        edges = np.minimum(np.arange(blocks + 1) * self.block_rows, self.pairs)
        reached = np.concatenate([[0.0], np.cumsum(levels * np.diff(edges))])
        sums = np.interp(ends, edges, reached) - np.interp(starts, edges, reached)
        return sums / (ends - starts) * (self.pairs / reached[-1])


@dataclass(frozen=True)
class Cluster:
    """The machines that translate.

    load_seconds: from a worker's start until it can translate. part_overhead: extra seconds of each part
    (reading, writing, handing it out). stragglers, slow_down: the share of slow workers, and how much
    longer they take. preemptions: of one GPU per hour. replacement_seconds: until a new worker starts.
    check_seconds: the time to see that a part is already written, after the restart of a region.
    """

    gpus: int = 100
    load_seconds: float = 30.0
    part_overhead: float = 1.0
    stragglers: float = 0.05
    slow_down: float = 2.0
    preemptions: float = 0.0
    replacement_seconds: float = 300.0
    check_seconds: float = 0.05
    recovery: Recovery = "part"


@dataclass(frozen=True)
class Outcome:
    """The result of a simulation.

    makespan: seconds from the start to the end of the last part. utilisation: the share of the GPUs' time in
    that span that GPUs at full speed would have needed. lost: the share that was spent on parts that were
    then preempted. tail: seconds from the time when the first worker has nothing left to do, to the end.
    preempted: how many workers were. If the run takes more than `HOPELESS` times the sum of the ideal span
    and twenty recoveries, makespan and tail are infinite.
    """

    makespan: float
    utilisation: float
    lost: float
    tail: float
    preempted: int


def simulate(
    parts: Sequence[float] | np.ndarray, cluster: Cluster, seed: int = 1, hopeless: float = HOPELESS
) -> Outcome:
    """Simulate the translation of parts, given the seconds that each takes on a GPU at full speed.

    hopeless: the simulation gives up after this many times the sum of the ideal span and twenty recoveries.
    """
    return _Simulation(parts, cluster, seed).run(hopeless)


@dataclass(frozen=True)
class Row:
    """The means over seeds of one setting with one size of parts. hours: of the makespan."""

    part_rows: int
    hours: float
    utilisation: float
    lost: float
    tail_hours: float


def over_part_rows(
    work: Workload, cluster: Cluster, sizes: Sequence[int] = PART_ROWS, seeds: int = 5
) -> list[Row]:
    """Simulate the same work with parts of several sizes; each seed is the same bitext and luck for all."""
    rows = []
    for size in sizes:
        outcomes = []
        for seed in range(seeds):
            parts = replace(work, part_rows=size).part_seconds(
                np.random.default_rng(derive_seed(seed, "parts"))
            )
            outcomes.append(simulate(parts, cluster, derive_seed(seed, "workers")))
            if math.isinf(outcomes[-1].makespan):
                break  # and so is the mean
        rows.append(
            Row(
                size,
                float(np.mean([outcome.makespan for outcome in outcomes])) / 3_600,
                float(np.mean([outcome.utilisation for outcome in outcomes])),
                float(np.mean([outcome.lost for outcome in outcomes])),
                float(np.mean([outcome.tail for outcome in outcomes])) / 3_600,
            )
        )
    return rows


def best(rows: Sequence[Row]) -> Row:
    """The row that ends first; of two that end together the one with larger parts, and so fewer files."""
    return min(rows, key=lambda row: (row.hours, -row.part_rows))


@cache
def pair_cost_spread(fixed_words: float, noise: float) -> float:
    """Standard deviation over mean of the cost of a pair, with ParaNMT's lengths."""
    variance = math.log(1 + (SD_WORDS / MEAN_WORDS) ** 2)
    random = np.random.default_rng(0)
    words = random.lognormal(math.log(MEAN_WORDS) - variance / 2, math.sqrt(variance), 1_000_000)
    cost = fixed_words + np.clip(np.rint(words), 1, MOST_WORDS)
    of_length = cost.std() / cost.mean()
    return math.sqrt((1 + of_length**2) * (1 + noise**2) - 1)


@dataclass
class _Worker:
    """One GPU. `life` counts its successive workers, so that events planned for an earlier one are void."""

    queue: deque[int]
    slowness: float = 1.0
    life: int = 0
    part: int | None = None
    since: float = 0.0
    idle: bool = False


class _Simulation:
    def __init__(self, parts: Sequence[float] | np.ndarray, cluster: Cluster, seed: int) -> None:
        self._seconds = np.asarray(parts, float).tolist()
        self._cluster = cluster
        # Streams of their own: the same workers are slow, however the work is cut.
        self._slowness, self._preemption, dealing = (np.random.default_rng([seed, k]) for k in range(3))
        self._left = len(self._seconds)
        shared: deque[int] = deque(range(self._left))
        self._workers = [_Worker(shared) for _ in range(cluster.gpus)]
        if cluster.recovery == "region":
            # As a shuffle by random keys deals them out.
            for worker in self._workers:
                worker.queue = deque()
            for part, place in enumerate(dealing.integers(0, cluster.gpus, self._left).tolist()):
                self._workers[place].queue.append(part)
        self._events: list[tuple[float, int, str, int, int]] = []
        self._count = 0
        self._lost = 0.0
        self._preempted = 0
        self._first_idle: float | None = None

    def run(self, hopeless: float) -> Outcome:
        for place in range(len(self._workers)):
            self._begin(place, 0.0)
        if self._cluster.recovery == "region":
            self._plan_preemption(0.0, 0)
        recovering = self._cluster.replacement_seconds + self._cluster.load_seconds
        most = hopeless * (sum(self._seconds) / self._cluster.gpus + 20 * recovering)
        now = 0.0
        for now, kind, place in self._happening():
            if now > most:
                return Outcome(
                    math.inf, 0.0, self._lost / (now * self._cluster.gpus), math.inf, self._preempted
                )
            if kind == "ready":
                self._take(place, now)
            elif kind == "done":
                self._workers[place].part = None
                self._left -= 1
                self._take(place, now)
            elif self._cluster.recovery == "part":
                self._lose_worker(place, now)
            else:
                self._lose_region(now)
        spent = now * self._cluster.gpus
        return Outcome(
            now,
            sum(self._seconds) / spent if spent else 0.0,
            self._lost / spent if spent else 0.0,
            now - (now if self._first_idle is None else self._first_idle),
            self._preempted,
        )

    def _happening(self) -> Iterator[tuple[float, str, int]]:
        """Process events in the order of time, until no part is left."""
        while self._left:
            now, _, kind, place, life = heapq.heappop(self._events)
            region_wide = kind == "preempted" and self._cluster.recovery == "region"
            if region_wide or life == self._workers[place].life:
                yield now, kind, place

    def _plan(self, when: float, kind: str, place: int) -> None:
        self._count += 1
        heapq.heappush(self._events, (when, self._count, kind, place, self._workers[place].life))

    def _begin(self, place: int, now: float, check_seconds: float = 0.0) -> None:
        """A worker starts: it loads its model, and may be preempted later."""
        worker = self._workers[place]
        worker.idle, worker.part = False, None
        worker.slowness = (
            self._cluster.slow_down if self._slowness.random() < self._cluster.stragglers else 1.0
        )
        self._plan(now + self._cluster.load_seconds + check_seconds, "ready", place)
        if self._cluster.recovery == "part":
            self._plan_preemption(now, place)

    def _plan_preemption(self, now: float, place: int) -> None:
        rate = self._cluster.preemptions / 3_600
        if self._cluster.recovery == "region":
            rate *= self._cluster.gpus
        if rate > 0:
            self._plan(now + self._preemption.exponential(1 / rate), "preempted", place)

    def _take(self, place: int, now: float) -> None:
        worker = self._workers[place]
        if not worker.queue:
            worker.idle = True
            if self._first_idle is None:
                self._first_idle = now
            return
        worker.idle = False
        worker.part, worker.since = worker.queue.popleft(), now
        seconds = self._seconds[worker.part] * worker.slowness + self._cluster.part_overhead
        self._plan(now + seconds, "done", place)

    def _drop(self, worker: _Worker, now: float) -> None:
        """The worker's current part is lost, and goes back to the front of the queue."""
        if worker.part is not None:
            self._lost += now - worker.since
            worker.queue.appendleft(worker.part)
            worker.part = None
        worker.life += 1

    def _lose_worker(self, place: int, now: float) -> None:
        self._preempted += 1
        self._drop(self._workers[place], now)
        self._begin(place, now + self._cluster.replacement_seconds)
        for idle_place, worker in enumerate(self._workers):
            if worker.idle and worker.queue:
                self._take(idle_place, now)

    def _lose_region(self, now: float) -> None:
        self._preempted += 1
        again = now + self._cluster.replacement_seconds
        done = len(self._seconds) - self._left
        check_seconds = done / len(self._workers) * self._cluster.check_seconds
        for place, worker in enumerate(self._workers):
            slowness = worker.slowness
            self._drop(worker, now)
            self._begin(place, again, check_seconds)
            worker.slowness = slowness  # the same machines, but for one
        self._plan_preemption(again, 0)
