"""The simulator against closed forms, and the figures in the documentation against the simulator."""

import importlib
import math
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("needs the checkout's benchmarks, which no wheel has", allow_module_level=True)
sys.path.append(str(ROOT / "benchmarks"))
from simulation import Cluster, Row, Workload, best, over_part_rows, pair_cost_spread, simulate  # noqa: E402

QUIET = Cluster(gpus=1, load_seconds=0, part_overhead=0, stragglers=0, preemptions=0, replacement_seconds=0)


@pytest.mark.parametrize(("parts", "gpus"), [(1, 1), (7, 3), (12, 4), (13, 4), (3, 5), (100, 7)])
def test_equal_parts_without_failures(parts: int, gpus: int) -> None:
    outcome = simulate([10.0] * parts, replace(QUIET, gpus=gpus))
    rounds = math.ceil(parts / gpus)
    assert outcome.makespan == pytest.approx(10.0 * rounds)
    assert outcome.utilisation == pytest.approx(parts / (gpus * rounds))
    assert (outcome.lost, outcome.preempted) == (0, 0)
    # The last round leaves some without a part.
    idle = parts % gpus != 0
    assert outcome.tail == pytest.approx(10.0 if idle and parts > gpus else 10.0 * idle)


def test_loading_and_overhead_are_added() -> None:
    outcome = simulate([10.0] * 6, replace(QUIET, gpus=2, load_seconds=5, part_overhead=1))
    assert outcome.makespan == pytest.approx(5 + 3 * 11)
    assert outcome.utilisation == pytest.approx(60 / (2 * 38))


def test_all_stragglers_take_the_factor_longer() -> None:
    assert simulate([10.0] * 6, replace(QUIET, gpus=2, stragglers=1, slow_down=3)).makespan == 90


def test_a_queue_gives_slow_workers_less_and_a_shuffle_does_not() -> None:
    cluster = replace(QUIET, gpus=20, stragglers=0.3, slow_down=3)
    queued = [simulate([10.0] * 2_000, cluster, seed).makespan for seed in range(20)]
    dealt = [
        simulate([10.0] * 2_000, replace(cluster, recovery="region"), seed).makespan for seed in range(20)
    ]
    # Of 20 workers 14 + 6/3 = 16 full ones are expected; alone with a hundred parts a slow one takes 3,000 s.
    assert np.mean(queued) == pytest.approx(2_000 * 10 / 16, rel=0.05)
    assert np.mean(dealt) > 2_900


@pytest.mark.parametrize("recovery", ["part", "region"])
@pytest.mark.parametrize("often", [1.0, 3.0])  # preemptions in the time of a part
def test_one_worker_under_preemption(recovery: str, often: float) -> None:
    """A part of t seconds that begins anew after every failure takes (e^(rate t) - 1) / rate on average."""
    seconds = 600.0
    rate = often / seconds
    cluster = replace(QUIET, preemptions=rate * 3_600, check_seconds=0, recovery=recovery)  # type: ignore[arg-type]
    parts = [seconds] * 200
    spans = np.array([simulate(parts, cluster, seed, hopeless=1e6).makespan / 200 for seed in range(60)])
    expected = (math.exp(often) - 1) / rate
    # Four standard errors of the mean.
    assert abs(spans.mean() - expected) < 4 * spans.std(ddof=1) / math.sqrt(len(spans))
    assert spans.std(ddof=1) / math.sqrt(len(spans)) < 0.02 * expected


def test_lost_time_is_the_time_that_was_not_useful() -> None:
    cluster = replace(QUIET, gpus=1, preemptions=3.0)
    outcome = simulate([600.0] * 50, cluster, 7)
    assert outcome.preempted > 5
    assert outcome.utilisation + outcome.lost == pytest.approx(1.0)
    assert outcome.makespan * outcome.utilisation == pytest.approx(50 * 600.0)


def test_a_replacement_comes_after_its_delay_and_loads() -> None:
    cluster = replace(QUIET, preemptions=3.0, replacement_seconds=100, load_seconds=20)
    outcome = simulate([600.0] * 50, cluster, 7)
    waiting = outcome.makespan * (1 - outcome.utilisation - outcome.lost)
    # At each start but those that are preempted again while they load, 20 s; after each preemption 100 s.
    assert outcome.preempted * 100 < waiting <= 20 + outcome.preempted * 120 + 1e-6


def test_a_part_that_is_never_done_ends_the_simulation() -> None:
    outcome = simulate([3_600.0] * 5, replace(QUIET, preemptions=20.0))
    assert math.isinf(outcome.makespan)
    assert outcome.utilisation == 0


def test_a_parts_time_is_the_sum_over_its_pairs() -> None:
    spread = pair_cost_spread(2.0, 0.3)
    # By quadrature over words w = exp(N(1.969, 1.065^2)) cut at 200, of 2 + w, times noise of 0.3.
    assert spread == pytest.approx(1.267, abs=0.01)
    work = Workload(100.0, pairs=2_000_000, part_rows=1_000, block_spread=0.0)
    parts = work.part_seconds(np.random.default_rng(1))
    assert len(parts) == 2_000
    assert parts.mean() == pytest.approx(10.0, rel=0.01)
    assert parts.std() == pytest.approx(10.0 * spread / math.sqrt(1_000), rel=0.08)


def test_stretches_make_parts_unequal_but_keep_the_total() -> None:
    work = Workload(100.0, pairs=20_000_000, part_rows=10_000, block_spread=0.25)
    parts = work.part_seconds(np.random.default_rng(1))
    assert parts.sum() == pytest.approx(200_000.0, rel=0.01)
    assert parts.std() / parts.mean() == pytest.approx(0.25, rel=0.3)
    # A part of many stretches is nearer to their mean.
    large = replace(work, part_rows=2_500_000).part_seconds(np.random.default_rng(1))
    assert large.std() / large.mean() < 0.15


def test_the_last_part_is_shorter() -> None:
    parts = Workload(1.0, pairs=25_000, part_rows=10_000, noise=0, block_spread=0).part_seconds(
        np.random.default_rng(1)
    )
    assert len(parts) == 3
    assert parts[2] == pytest.approx(5_000, rel=0.1)


def test_the_same_seed_gives_the_same_simulation() -> None:
    cluster = Cluster(gpus=10, preemptions=1.0)
    parts = Workload(100.0, pairs=1_000_000).part_seconds(np.random.default_rng(1))
    assert simulate(parts, cluster, 3) == simulate(parts, cluster, 3) != simulate(parts, cluster, 4)


def test_the_best_size_ends_first() -> None:
    rows = over_part_rows(Workload(100.0, pairs=1_000_000), Cluster(gpus=10), [100, 5_000, 500_000], 2)
    # 10,000 parts cost a second each; two parts leave eight GPUs idle.
    assert best(rows).part_rows == 5_000
    assert best([Row(1, 2.0, 1, 0, 0), Row(10, 2.0, 1, 0, 0), Row(100, 3.0, 1, 0, 0)]).part_rows == 10


# --- the documentation


def test_the_documented_table_matches_the_simulator() -> None:
    program = importlib.import_module("simulate")
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    for setting in (program.Setting("part", 100.0, 0.05), program.Setting("region", 5_000.0, 0.0)):
        assert program.line(setting, setting.rows()) in page
    table = page.partition(program.BEGIN)[2].partition(program.END)[0]
    assert table.count("\n| ") == 1 + len(program.settings(program.RATES))
    assert program.written(page, table.strip().splitlines()[2:]) == page
    drawn = ET.parse(ROOT / "docs" / "img" / "simulation.svg").getroot()
    lines = [line for line in drawn.iter() if line.tag.endswith("polyline")]
    assert len(lines) == len(program.settings(program.RATES))
