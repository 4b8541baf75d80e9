"""Forecasts the cost of the whole bitext, with intervals, from the measurements of a pilot. Pure arithmetic.

A stage that works part by part takes

    start + load + (a * parts + sum over corpora of b * pairs) / processes

where a (the cost of a part) and b (the cost of a pair of that corpus) are fitted to the pilot's parts by
least squares with the weights 1 / pairs, and are never below 0. A single job takes start + a + b * the
pairs it trains on, plus the time to read all pairs; its bytes grow as a power of the pairs. Trials take that
too, but they do not grow with the bitext: their number and their pairs are those of the recipe. The intervals
come from a bootstrap over the pilot's parts (Efron 1979), which are drawn within each corpus.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...filters.ranks.radix import FEW_ROWS
from ..recipe.name import StageName
from ..running.kinds import STAGES
from ..stages.kept_forecast import LEVEL, Forecast, Interval, StageForecast
from ..stages.samples import Measurement, Pilot, StageSamples
from ..stages.whole import Machines, Whole

DRAWS = 2_000
_OWN_RATE = 3  # how many parts a corpus needs to get its own rate
_PASSES = (3, 4, 5)  # of a ranking of more than FEW_ROWS rows; more passes if more values are equal


def make_forecast(
    pilot: Pilot,
    machines: Machines,
    work: Mapping[str, str],
    translated: Mapping[str, bool],
    seed: int = 1,
) -> Forecast:
    """Forecast the run of the pilot's recipe on its whole bitext.

    work: stage → work key. translated: corpus → whether a model translates it.
    """
    random = np.random.default_rng(seed)
    whole = Whole(pilot, machines, translated)
    costs = [_cost(whole, stage, random) for stage in pilot.stages]
    stages = tuple(
        StageForecast(
            stage.name,
            work[stage.name],
            round(whole.pairs),
            cost.rate,
            cost.processes,
            stage.on_gpu,
            *(_interval(values) for values in (cost.seconds, cost.gpu_hours, cost.cpu_hours, cost.bytes)),
        )
        for stage, cost in zip(pilot.stages, costs, strict=True)
    )
    gpu_hours = np.sum([cost.gpu_hours for cost in costs], axis=0)
    cpu_hours = np.sum([cost.cpu_hours for cost in costs], axis=0)
    money = None
    if machines.gpu_price is not None or machines.cpu_price is not None:
        money = _interval(gpu_hours * (machines.gpu_price or 0.0) + cpu_hours * (machines.cpu_price or 0.0))
    return Forecast(
        pairs=round(whole.pairs),
        pilot_pairs=pilot.pairs,
        level=LEVEL,
        machines=machines,
        stages=stages,
        seconds=_interval(np.sum([cost.seconds for cost in costs], axis=0)),
        gpu_hours=_interval(gpu_hours),
        cpu_hours=_interval(cpu_hours),
        bytes=_interval(np.sum([cost.bytes for cost in costs], axis=0)),
        money=money,
    )


@dataclass(frozen=True)
class _Cost:
    """The cost of one stage; arrays hold the best estimate, then one value per draw."""

    rate: float | None
    processes: int
    seconds: np.ndarray
    gpu_hours: np.ndarray
    cpu_hours: np.ndarray
    bytes: np.ndarray


def _cost(whole: Whole, stage: StageSamples, random: np.random.Generator) -> _Cost:
    kind = STAGES[StageName(stage.name).kind]
    if stage.is_single_job:
        work, size = _single_job(whole, stage, random)
        tasks, processes = 1, 1.0
    else:
        tasks = stage.trials or kind.tasks(whole)
        work, size = _parts(whole, stage, tasks, random)
        pairs = _pairs(whole, stage)
        processes = min(whole.machines.gpus, tasks) if stage.on_gpu else kind.processes(whole, tasks, pairs)
    # In the last round some processes have no part to work on.
    shared = work * math.ceil(tasks / processes) / tasks
    seconds = stage.start + (_pool_load(whole, stage, random) if stage.loads else stage.load) + shared
    occupied = max(processes, 1.0 if stage.on_gpu else float(whole.machines.processors))
    hours = seconds * occupied / 3_600
    zero = np.zeros_like(hours)
    rate = (
        _pairs(whole, stage) / work[0]
        if work[0] > 0 and (not stage.is_single_job or stage.trains_on)
        else None
    )
    return _Cost(
        rate,
        math.ceil(processes),
        seconds,
        hours if stage.on_gpu else zero,
        zero if stage.on_gpu else hours,
        size * kind.copies,
    )


def _pairs(whole: Whole, stage: StageSamples) -> float:
    """How many pairs a stage processes; trials train on the same pairs again and again."""
    return stage.trials * stage.trial_pairs or whole.pairs


def _pool_load(whole: Whole, stage: StageSamples, random: np.random.Generator) -> np.ndarray:
    """The seconds in which a process reads the pool of its trials."""
    assert stage.trains_on is not None, "trials have a pool"
    sizes, times = (np.array([getattr(s, name) for s in stage.loads], float) for name in ("pairs", "seconds"))
    drawn = _drawn([range(len(sizes))], random)
    return extrapolated(sizes, times, drawn, [stage.trains_on.pairs(whole.pairs)], 1)


def _parts(
    whole: Whole, stage: StageSamples, tasks: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The seconds and bytes of all parts together."""
    strata = _strata(whole, stage.parts)
    pairs = [_pairs(whole, stage)] if stage.trials else _pairs_of(whole, strata)
    place = {id(sample): index for index, sample in enumerate(stage.parts)}
    drawn = _drawn([[place[id(sample)] for sample in group] for group in strata.values()], random)
    sizes = np.array([sample.pairs for sample in stage.parts], float)
    times = np.array([sample.seconds for sample in stage.parts])
    weights = np.array([sample.bytes for sample in stage.parts], float)
    seconds = extrapolated(sizes, times, drawn, pairs, tasks)
    if stage.ranking:
        seconds = seconds + _ranking(whole, stage, random)
    return seconds, extrapolated(sizes, weights, drawn, pairs, tasks)


def _ranking(whole: Whole, stage: StageSamples, random: np.random.Generator) -> np.ndarray:
    """The seconds of all passes together."""
    sizes = np.array([sample.pairs for sample in stage.ranking], float)
    times = np.array([sample.seconds for sample in stage.ranking])
    single_pass = extrapolated(sizes, times, _drawn([range(len(sizes))], random), [whole.pairs], whole.parts)
    if whole.pairs <= FEW_ROWS or not STAGES[StageName(stage.name).kind].ranks_values:
        return single_pass * 2  # a sample is ranked by hashes, which no two rows share
    passes = random.choice(_PASSES, len(single_pass))
    passes[0] = _PASSES[len(_PASSES) // 2]
    return single_pass * passes


def _single_job(
    whole: Whole, stage: StageSamples, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The seconds and bytes of a single job."""
    drawn = _drawn([range(len(stage.parts))], random)
    times = np.array([sample.seconds + (0 if stage.trains_on else sample.read) for sample in stage.parts])
    sizes = np.array([sample.pairs for sample in stage.parts], float)
    files = np.array([sample.bytes for sample in stage.parts], float)
    if stage.trains_on is None:
        mean = np.mean(times[drawn[0]], axis=1)
        return mean, np.full_like(mean, files.max())
    trained = stage.trains_on.pairs(whole.pairs)
    read = np.array([sample.read for sample in stage.parts])
    all_pairs = np.array([sample.all_pairs for sample in stage.parts], float)
    seconds = extrapolated(sizes, times, drawn, [trained], 1)
    seconds = seconds + extrapolated(all_pairs, read, drawn, [whole.pairs], 1)
    return seconds, grown(sizes, files, drawn[0], trained)


def _strata(whole: Whole, samples: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    """Samples by corpus. Corpora with few parts share a stratum: one if they are translated, one if not."""
    count = {corpus.name: 0 for corpus in whole.corpora} | {"": 0}
    for sample in samples:
        count[sample.corpus] += 1
    strata: dict[str, list[Measurement]] = {}
    for sample in samples:
        strata.setdefault(_stratum(whole, count, sample.corpus), []).append(sample)
    return strata


def _stratum(whole: Whole, count: Mapping[str, int], corpus: str) -> str:
    if not corpus or count[corpus] >= _OWN_RATE:
        return corpus
    return "*translated" if whole.translated[corpus] else "*existing"


def _pairs_of(whole: Whole, strata: Mapping[str, Sequence[Measurement]]) -> list[float]:
    """How many pairs each stratum stands for; a corpus without samples counts to the most similar stratum."""
    if list(strata) == [""]:
        return [whole.pairs]
    pairs = dict.fromkeys(strata, 0.0)
    named = {sample.corpus: stratum for stratum, samples in strata.items() for sample in samples}
    for corpus, expected in whole.of.items():
        like = [s for c, s in named.items() if whole.translated[c] == whole.translated[corpus]]
        pairs[named.get(corpus) or (like or list(strata))[0]] += expected
    return list(pairs.values())


def _drawn(groups: Sequence[Sequence[int]], random: np.random.Generator) -> list[np.ndarray]:
    """For each stratum, indices of samples: in row 0 all of them, then `DRAWS` draws with replacement."""
    drawn = []
    for group in groups:
        indices = np.asarray(group)
        places = random.integers(0, len(indices), (DRAWS, len(indices)))
        drawn.append(np.vstack([indices, indices[places]]))
    return drawn


def extrapolated(
    sizes: np.ndarray, values: np.ndarray, drawn: Sequence[np.ndarray], pairs: Sequence[float], parts: int
) -> np.ndarray:
    """a * parts + sum of b * pairs over strata, for each draw; (1 + draws,), first the value for all samples.

    sizes, values: (m,) the pairs of each sample, and its seconds or bytes. drawn: for each stratum
    (1 + draws, k) indices of samples. pairs: of the whole bitext, for each stratum. The spread of the
    draws is multiplied by sqrt(m / (m - 1)), because a bootstrap of m values underestimates it by that.
    """
    above = below = np.zeros(len(drawn[0]))
    for index in drawn:
        n, v = sizes[index], values[index]
        m = index.shape[1]
        above = above + (v / n).sum(axis=1) - m * v.sum(axis=1) / n.sum(axis=1)
        below = below + (1 / n).sum(axis=1) - m**2 / n.sum(axis=1)
    # If all parts have one size (below is 0), the cost of a part cannot be separated from that of its pairs.
    is_separable = below > 1e-9 * sum(index.shape[1] for index in drawn) / sizes.max()
    a = np.divide(above, below, out=np.zeros_like(above), where=is_separable)
    most = np.min([values[index].mean(axis=1) for index in drawn], axis=0)
    a = np.clip(a, 0.0, most)
    total = a * parts
    for index, whole in zip(drawn, pairs, strict=True):
        total = total + whole * (values[index].sum(axis=1) - index.shape[1] * a) / sizes[index].sum(axis=1)
    m = sum(index.shape[1] for index in drawn)
    widened = total[0] + (total - total[0]) * math.sqrt(m / max(1, m - 1))
    return np.maximum(widened, 0.0)


def grown(sizes: np.ndarray, values: np.ndarray, drawn: np.ndarray, size: float) -> np.ndarray:
    """c * size ** e for each draw, c and e by least squares of the logarithms, 0 <= e <= 1.

    The size of a model grows like this, because most of it is its vocabulary (Heaps 1978). If all samples
    have the same size, e is 1.
    """
    x = np.log(np.maximum(sizes, 1))[drawn]
    y = np.log(np.maximum(values, 1))[drawn]
    x_mean, y_mean = x.mean(axis=1, keepdims=True), y.mean(axis=1, keepdims=True)
    spread = ((x - x_mean) ** 2).sum(axis=1)
    slope = np.divide(
        ((x - x_mean) * (y - y_mean)).sum(axis=1), spread, out=np.ones(len(x)), where=spread > 1e-9
    )
    exponent = np.clip(slope, 0.0, 1.0)
    return np.exp(y_mean[:, 0] + exponent * (math.log(max(size, 1)) - x_mean[:, 0]))


def _interval(values: np.ndarray) -> Interval:
    low, high = np.quantile(values[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    mid = float(values[0])
    return Interval(min(float(low), mid), mid, max(float(high), mid))
