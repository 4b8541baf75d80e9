"""Forecasts: the arithmetic on given measurements, by hand; and a whole one of a tiny model."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import ok, paranmt
from nmt_models import sentences, write_model

from paranmt.launch.display.forecast_text import forecast_summary, runner_advice, time_span
from paranmt.launch.display.status_text import status_text
from paranmt.pipeline.forecast.file import against_forecast
from paranmt.pipeline.forecast.forecast import make_forecast
from paranmt.pipeline.running.status import RunningStage, Status, workspace_status
from paranmt.pipeline.stages.kept_forecast import FORECAST_FILE, Forecast, Interval
from paranmt.pipeline.stages.samples import Corpus, Measurement, Pilot, StageSamples, TrainsOn
from paranmt.pipeline.stages.whole import Machines

SIZES = (100, 300, 200, 100, 300, 200)
HERE = Machines(workers=2, processors=2)


def samples(
    a: float, b: float, corpus: str = "one", bytes_: tuple[int, int] = (0, 0)
) -> tuple[Measurement, ...]:
    return tuple(Measurement(n, a + b * n, bytes_[0] + bytes_[1] * n, corpus) for n in SIZES)


def corpus(name: str, rows: int, part_rows: int = 10_000, **own: int) -> Corpus:
    counts = {"files": 1, "sampled": 600, "pairs": 600} | own
    return Corpus(
        name, counts["files"], rows, math.ceil(rows / part_rows), counts["sampled"], counts["pairs"]
    )


def forecast_of(
    *stages: StageSamples, corpora: tuple[Corpus, ...], machines: Machines = HERE, **own: bool
) -> Forecast:
    pilot = Pilot(corpora, stages, 500_000, 1.0)
    translated = {each.name: own.get(each.name, True) for each in corpora}
    return make_forecast(pilot, machines, {stage.name: "w" for stage in stages}, translated)


# --- the arithmetic


def test_a_parts_own_cost_is_told_from_its_pairs() -> None:
    # A part takes 2 s and 0.01 s a pair: 50,000 pairs in 5 parts of 10,000 take 10 + 500 s, begun in 4 s.
    stage = StageSamples("translate", samples(2.0, 0.01, bytes_=(1_000, 40)), start=1.0, load=3.0)
    found = forecast_of(stage, corpora=(corpus("one", 50_000),)).stages[0]
    assert found.seconds.mid == pytest.approx(514.0)
    assert found.bytes.mid == pytest.approx(5 * 1_000 + 50_000 * 40)
    assert found.pairs_per_second == pytest.approx(50_000 / 510)
    # Without noise there is no spread, but of draws that happen to hold one size only.
    assert found.seconds.low == pytest.approx(514.0)


def test_corpora_have_rates_of_their_own_and_rejects_take_no_time() -> None:
    parts = (*samples(0.0, 0.01, "long"), *samples(0.0, 0.002, "short"))
    corpora = (corpus("long", 10_000), corpus("short", 100_000, pairs=300))
    found = forecast_of(StageSamples("translate", parts, 0.0), corpora=corpora)
    assert found.pairs == 10_000 + 50_000
    assert found.seconds.mid == pytest.approx(10_000 * 0.01 + 50_000 * 0.002)


def test_small_corpora_share_a_rate_but_not_with_existing_translations() -> None:
    tiny = (
        Measurement(100, 1.0, corpus="a"),
        Measurement(300, 3.0, corpus="b"),
        Measurement(50, 0.0, corpus="c"),
    )
    corpora = (
        corpus("a", 1_000),
        corpus("b", 3_000),
        corpus("c", 5_000),
        corpus("d", 2_000, sampled=0, pairs=0),
    )
    found = forecast_of(StageSamples("translate", tiny, 0.0), corpora=corpora, c=False)
    # d, of which no row was drawn, costs what a and b do.
    assert found.seconds.mid == pytest.approx(6_000 * 0.01)


def test_gpus_share_what_translates_and_are_paid_while_it_lasts() -> None:
    stage = StageSamples("translate", samples(0.0, 0.01), start=10.0, load=40.0, on_gpu=True)
    score = StageSamples("score/x", samples(0.0, 0.0001), start=0.0)
    machines = Machines(2, 4, 2, gpu_price=2.5, cpu_price=0.1)
    found = forecast_of(stage, score, corpora=(corpus("one", 1_000_000),), machines=machines)
    # 10,000 s over 4 GPUs, and 50 s until they translate; 100 s of score in two processes.
    assert found.stages[0].seconds.mid == pytest.approx(2_550)
    assert found.gpu_hours.mid == pytest.approx(4 * 2_550 / 3_600)
    assert found.stages[1].seconds.mid == pytest.approx(50)
    assert found.cpu_hours.mid == pytest.approx(2 * 50 / 3_600)
    assert found.money is not None
    assert found.money.mid == pytest.approx(2.5 * 4 * 2_550 / 3_600 + 0.1 * 100 / 3_600)


def test_the_last_round_of_parts_is_waited_for() -> None:
    stage = StageSamples("translate", samples(0.0, 0.01), start=0.0, on_gpu=True)
    machines = Machines(2, 4, 2)
    # Five parts on four GPUs: two rounds.
    found = forecast_of(stage, corpora=(corpus("one", 50_000),), machines=machines)
    assert found.seconds.mid == pytest.approx(2 * 100)


@pytest.mark.parametrize(
    ("name", "rows", "workers", "seconds"),
    [
        ("ingest", 1_000_000, 2, 10_000),  # one process here
        ("ingest", 1_000_000, 8, 10_000),  # one file: nothing to share
        ("translate", 1_000_000, 2, 10_000),  # uses both processors by itself
        ("translate", 1_000_000, 8, 2_500),  # four machines of two
        ("score/x", 1_000_000, 2, 5_000),
        ("score/x", 100_000, 2, 1_000),  # too short for two processes, as the runner sees it
        ("score/x", 100_000, 8, 200),  # ten parts on eight
    ],
)
def test_what_more_workers_help(name: str, rows: int, workers: int, seconds: float) -> None:
    stage = StageSamples(name, samples(0.0, 0.01), start=0.0)
    found = forecast_of(stage, corpora=(corpus("one", rows),), machines=Machines(workers, 1, 2))
    assert found.seconds.mid == pytest.approx(seconds)


def test_a_single_job_with_a_cap_does_not_grow_with_the_corpus() -> None:
    sizes = ((250, 25), (500, 50), (1_000, 100))
    parts = tuple(
        Measurement(m, 1 + 0.01 * m, 700 * round(m**0.5), all_pairs=n, read=0.0001 * n) for n, m in sizes
    )
    stage = StageSamples(
        "model/perplexity", parts, 0.0, is_single_job=True, trains_on=TrainsOn(share=0.1, cap=4_000)
    )
    small = forecast_of(stage, corpora=(corpus("one", 20_000),))
    large = forecast_of(stage, corpora=(corpus("one", 2_000_000),))
    # Trained on 2,000 and on 4,000 pairs; all 20,000 and 2,000,000 are read.
    assert small.seconds.mid == pytest.approx(1 + 20 + 2)
    assert large.seconds.mid == pytest.approx(1 + 40 + 200)
    assert large.bytes.mid == pytest.approx(700 * 4_000**0.5, rel=0.02)
    flat = replace(stage, name="evaluate/sts", trains_on=None, parts=tuple(replace(p, read=0) for p in parts))
    assert forecast_of(flat, corpora=(corpus("one", 2_000_000),)).seconds.mid == pytest.approx(
        np.mean([1.25, 1.5, 2.0])
    )


@pytest.mark.parametrize(("workers", "rounds"), [(2, 41), (8, 11)])
def test_trials_cost_what_the_recipe_asks_for(workers: int, rounds: int) -> None:
    """82 trials take 5 s each and 0.5 ms a pass. Every process reads the pool of at most 4,000 pairs."""
    loads = tuple(Measurement(n, 1 + 0.001 * n) for n in (500, 1_000, 2_000))
    parts = tuple(Measurement(n, 5 + 0.0005 * n, 700) for n in SIZES)
    stage = StageSamples(
        "trials/x",
        parts,
        0.0,
        load=99.0,
        trains_on=TrainsOn(cap=4_000),
        trials=82,
        trial_pairs=20_000,
        loads=loads,
    )
    small = forecast_of(stage, corpora=(corpus("one", 2_000),), machines=Machines(workers, 1, 2)).stages[0]
    large = forecast_of(stage, corpora=(corpus("one", 2_000_000),), machines=Machines(workers, 1, 2)).stages[
        0
    ]
    assert small.seconds.mid == pytest.approx(1 + 2 + 15 * rounds)
    assert large.seconds.mid == pytest.approx(1 + 4 + 15 * rounds)
    assert large.bytes.mid == pytest.approx(82 * 700)


@pytest.mark.parametrize(("rows", "passes"), [(100_000, 2), (200_000, 4)])
def test_ranking_takes_more_passes_over_many_rows(rows: int, passes: int) -> None:
    stage = StageSamples("deciles/x", samples(0.0, 0.0), 0.0, ranking=samples(0.0, 0.001))
    found = forecast_of(stage, corpora=(corpus("one", rows),), machines=Machines(1, 1, 1))
    assert found.seconds.mid == pytest.approx(passes * 0.001 * rows)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    held = 0
    for trial in range(150):
        sizes = np.array(SIZES * 2)
        times = 0.5 + sizes * 0.01 + np.sqrt(sizes) * 0.01 * random.standard_normal(len(sizes))
        parts = tuple(Measurement(int(n), float(t), corpus="one") for n, t in zip(sizes, times, strict=True))
        pilot = Pilot((corpus("one", 100_000),), (StageSamples("translate", parts, 0.0),), 500_000, 1.0)
        found = make_forecast(pilot, HERE, {"translate": "w"}, {"one": True}, seed=trial).seconds
        held += found.low <= 10 * 0.5 + 1_000 <= found.high
    assert 0.75 <= held / 150 <= 0.98


def test_the_summary_in_one_line() -> None:
    def interval(low: float, high: float) -> Interval:
        return Interval(low, (low + high) / 2, high)

    found = Forecast(
        51_409_585, 40_000, 0.9, Machines(4, 4, 16, gpu_price=2.5), (),
        seconds=interval(2.92 * 3_600, 3.41 * 3_600), gpu_hours=interval(11.6, 13.6),
        cpu_hours=interval(1, 2), bytes=interval(3.7e10, 3.9e10), money=interval(29.0, 34.0),
    )  # fmt: skip
    said = forecast_summary(found)
    assert said == "51.4 million pairs: 2.9–3.4 h on 4 GPUs, 11.6–13.6 GPU h, 38 GB, $29–34"


@pytest.mark.parametrize(
    ("workers", "gpu_hours", "is_advised"), [(64, 12.0, True), (64, 0.0, False), (4, 12.0, False)]
)
def test_dask_is_advised_on_a_cluster_with_gpus(workers: int, gpu_hours: float, is_advised: bool) -> None:
    one, hours = Interval(1, 1, 1), Interval(gpu_hours, gpu_hours, gpu_hours)
    found = Forecast(
        9, 9, 0.9, Machines(workers, 4, 16), (),
        seconds=one, gpu_hours=hours, cpu_hours=one, bytes=one, money=None,
    )  # fmt: skip
    assert ("--runner dask" in (runner_advice(found) or "")) == is_advised


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.5, 0.52, "0.50–0.52 s"),
        (30, 90, "30–90 s"),
        (3_500, 4_000, "58–67 min"),
        (7e5, 8e5, "194–222 h"),
    ],
)
def test_spans_of_time(low: float, high: float, said: str) -> None:
    assert time_span(Interval(low, low, high)) == said


# --- against what comes to be


def test_the_running_stage_ends_by_the_forecast_and_then_by_its_own_pace(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    ten = {"low": 90.0, "mid": 100.0, "high": 120.0}
    zero = {"low": 0.0, "mid": 0.0, "high": 0.0}
    stages = [
        {
            "name": name, "work": "w", "pairs": 10, "pairs_per_second": 1.0, "processes": 1, "on_gpu": False,
            "seconds": ten, "gpu_hours": zero, "cpu_hours": zero, "bytes": zero,
        }
        for name in ("translate", "release")
    ]  # fmt: skip
    forecast = {
        "pairs": 10, "pilot_pairs": 5, "level": 0.9, "machines": {"workers": 2}, "stages": stages,
        "seconds": ten, "gpu_hours": zero, "cpu_hours": zero, "bytes": zero, "money": None,
    }  # fmt: skip
    pilot = {"corpora": [], "stages": [], "rows_per_file": 1, "seconds": 1.0}
    content = {"key": "k", "made": 0.0, "host": "h", "forecast": forecast, "pilot": pilot}
    (work / FORECAST_FILE).write_text(json.dumps(content))
    running = RunningStage(None, "translate", 0, 8, 0, 1_000.0, "h", 1, 1, True, work="w")

    def left(**changes: object) -> tuple[Interval | None, Interval]:
        status = Status(str(work), (), replace(running, **changes))  # type: ignore[arg-type]
        against = against_forecast(status, now=1_020.0)
        assert against is not None
        return against.running_left, against.left

    assert left() == (Interval(70, 80, 100), Interval(160, 180, 220))
    assert left(parts_done=2) == (Interval(60, 60, 60), Interval(150, 160, 180))
    assert left(parts_before=4, parts_done=4)[0] == Interval(25, 30, 40)
    assert left(work="other") == (None, Interval(180, 200, 240))
    text = status_text(
        Status(str(work), (), running), 1_020.0, against_forecast(Status(str(work), (), running), 1_020.0)
    )
    assert "translate: should end at about " in text
    assert "all stages of the forecast: should end at about " in text


def test_a_forecast_of_another_version_is_none(tmp_path: Path) -> None:
    (tmp_path / FORECAST_FILE).write_text('{"key": 1}')
    assert against_forecast(Status(str(tmp_path), (), None)) is None


# --- the whole command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe of a tiny model, and a corpus that came with translations."""
    folder = tmp_path_factory.mktemp("forecast")
    write_model(folder / "model", updates=20)
    for name, rows in (("one", 400), ("two", 200)):
        lines = [f"{line}\n" for line in sentences(rows, 8, seed=rows)]
        for side in ("xx", "en", "mt"):
            (folder / f"{name}.{side}").write_text("".join(lines))
    pairs = list(zip(sentences(30, 8, seed=1), sentences(30, 8, seed=2), strict=True))
    (folder / "STS2012-train").mkdir()
    for kind, lines in {"input": map("\t".join, pairs), "gs": (str(n % 6) for n in range(30))}.items():
        text = "".join(f"{line}\n" for line in lines)
        (folder / "STS2012-train" / f"STS.{kind}.words.txt").write_text(text)
    (folder / "recipe.yaml").write_text(
        f"""\
workspace: {folder / "work"}
bitext:
  - {{corpus: one, format: moses, source: one.xx, reference: one.en, source_language: xx}}
  - {{corpus: two, format: moses, source: two.xx, reference: two.en, source_language: xx,
     translation: two.mt}}
ingest: {{part_rows: 100}}
translate: {{model: model, beam: 2, engine: torch, device: cpu, max_length: 20}}
scores: {{translation_length: {{}}, perplexity: {{lm: {{train_on: 30, order: 2}}}}}}
tune:
  lengths: {{data: STS2012-train, scores: [perplexity], ranges: papers, pairs: 100, pool: 500,
    seeds: 2, fresh_seeds: 2, epochs: 2, encoder: {{dimension: 4}}}}
select: {{short: {{where: translation_length <= 10, sample: 50}}}}
"""
    )
    return folder


@pytest.mark.slow
def test_a_forecast_is_kept_and_held_against_the_run(folder: Path) -> None:
    recipe = folder / "recipe.yaml"
    found = json.loads(
        ok("plan", recipe, "--forecast", "--pilot", "150", "--workers", "64", "--cpu-price", "0.05", "--json")
    )
    names = [stage["name"] for stage in json.loads(ok("plan", recipe, "--json"))["stages"]]
    assert [stage["name"] for stage in found["stages"]] == names
    assert found["pairs"] == 600
    drawn = {corpus["name"]: corpus["pairs"] for corpus in found["pilot"]["corpora"]}
    assert sum(drawn.values()) == 150
    assert 75 < drawn["one"] < 125
    for stage in found["stages"]:
        assert 0 < stage["seconds"]["low"] <= stage["seconds"]["mid"] <= stage["seconds"]["high"]
        assert stage["bytes"]["mid"] > 0
    translate = next(stage for stage in found["pilot"]["stages"] if stage["name"] == "translate")
    assert translate["load"] > 0
    assert len({part["pairs"] for part in translate["parts"]}) > 1
    model = next(stage for stage in found["pilot"]["stages"] if stage["name"] == "model/perplexity")
    assert len(model["parts"]) == 3
    assert model["trains_on"]["cap"] == 30
    trials = next(stage for stage in found["pilot"]["stages"] if stage["name"] == "trials/lengths")
    assert (trials["trials"], trials["trial_pairs"], trials["trains_on"]["cap"]) == (2 * 8, 2 * 100, 500)
    assert len({part["pairs"] for part in trials["parts"]}) == len(trials["loads"]) == 3
    assert found["money"]["mid"] > 0
    assert sorted(file.name for file in (folder / "work").iterdir()) == [FORECAST_FILE, "_temporary"]

    # Other machines are arithmetic: nothing is measured again.
    again = json.loads(ok("plan", recipe, "--forecast", "--pilot", "150", "--json"))
    assert again["made"] == found["made"]
    assert again["machines"]["workers"] != 64
    text = paranmt("plan", recipe, "--forecast", "--pilot", "150")
    assert "translate " in text.stdout
    assert text.stdout.splitlines()[-1].startswith("600 pairs: ")

    assert paranmt("run", recipe).exit_code == 0
    content = json.loads(ok("status", recipe, "--json"))
    assert set(content["forecast"]["stages"]) == set(names)
    assert content["forecast"]["left"] == {"low": 0, "mid": 0, "high": 0}
    assert " forecast " in ok("status", recipe).splitlines()[0]

    # What was foretold of other work is not held against this.
    file = folder / "work" / FORECAST_FILE
    kept = json.loads(file.read_text())
    for stage in kept["forecast"]["stages"]:
        if stage["name"] == "translate":
            stage["work"] = "other"
    file.write_text(json.dumps(kept))
    against = against_forecast(workspace_status(str(folder / "work")))
    assert against is not None
    assert set(against.stages) == set(names) - {"translate"}
    dry = paranmt("clean", recipe, "--dry-run")
    assert FORECAST_FILE not in dry.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pilot", "50"], "--pilot: expected 100 pairs or more, got 50"),
        (["--gpus", "4"], "--gpus: nothing translates on a GPU here"),
        (["--price", "2.5"], "--price: nothing translates on a GPU here"),
        (["--workers", "0"], "--workers: expected at least 1, got 0"),
        (["--cpu-price", "nan"], "--cpu-price: expected a number, got nan"),
        (["--cpu-price", "-1"], "--cpu-price: expected at least 0, got -1"),
    ],
)
def test_mistakes(folder: Path, options: list[str], message: str) -> None:
    result = paranmt("plan", folder / "recipe.yaml", "--forecast", *options)
    assert result.exit_code == 2
    assert message in result.stderr
