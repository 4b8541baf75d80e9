"""Batches of the torch engine: what is counted in them, and sentences that would hold the others up."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tapes import TapeDevice

from paranmt.models.translation import engines as translators
from paranmt.models.translation.batching import Budget
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.torch_engine.buffers import CAPTURED, EXACT, Buckets
from paranmt.models.translation.torch_engine.capture import Graphs
from paranmt.models.translation.torch_engine.engine import TorchTranslator
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.torch_engine.search import POLICIES, SearchCounts
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
LIMIT = 60
ENDLESS = 500  # a translation of so many tokens is asked for, which is more than the limit
BEAM = 6
TYPES = 2624  # 5 words that ask for each length

Engine = Callable[..., TorchTranslator]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    if not BENCHMARKS.is_dir():
        pytest.skip("needs the checkout's benchmarks, which no wheel has")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


@pytest.fixture(params=[False, True], ids=["exact", "recorded"])
def engine(
    program: Callable[[str], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Engine:
    """An engine with a model whose sources say how long their translations are, and a GPU's policy.

    It makes its steps in batches of any size, or in buckets and on tapes, as a GPU does with graphs.
    """

    def load(tokens: int, rows: int = 1000, layers: int = 1) -> TorchTranslator:
        scheduled = program("scheduled")
        monkeypatch.setitem(scheduled.SIZES, "smallest", scheduled.Size(layers, 32, 64, 2))
        folder = scheduled.write_scheduled(tmp_path / f"{layers}", "smallest", TYPES)
        options = TranslateOptions(
            model=str(folder), engine="torch", beam=BEAM, max_length=LIMIT, device="cpu"
        )
        loaded = TorchTranslator(load_model(read_model_folder(str(folder))), translators.resolve(options))
        loaded._budget = Budget(tokens, rows)
        loaded._searcher.policy = POLICIES["cuda"]
        if request.param:
            loaded._searcher.buckets = CAPTURED
            loaded._searcher.graphs = Graphs(TapeDevice(loaded._searcher.buffers), loaded._searcher.buffers)
        return loaded

    return load


def asking(length: int, asked: int, number: int) -> str:
    """Source number `number` of those with `length` words that ask for a translation of `asked` tokens."""
    return " ".join(f"w{4 + asked + 520 * (number // 5**place % 5)}" for place in range(length))


def counted(engine: TorchTranslator, texts: list[str]) -> tuple[list[list[Candidate]], SearchCounts]:
    engine._searcher.counts = counts = SearchCounts()
    return engine.translate(texts, BEAM), counts


def check_same(found: list[list[Candidate]], wanted: list[list[Candidate]]) -> None:
    for mine, other in zip(found, wanted, strict=True):
        assert [one.text for one in mine] == [one.text for one in other]
        for one, two in zip(mine, other, strict=True):
            assert one.token_log_probs == pytest.approx(two.token_log_probs, abs=5e-5, rel=2e-6)


def steps_of(ranked: list[Candidate]) -> int:
    return max(one.n_tokens for one in ranked)


def test_what_is_counted(engine: Engine, program: Callable[[str], ModuleType]) -> None:
    """With the lengths of the benchmark, whose longest searches take six times as long as most."""
    profile_engine, scheduled = program("profile_engine"), program("scheduled")
    texts = list(dict.fromkeys(scheduled.sentences(250, TYPES)))
    found = profile_engine.count(engine(tokens=256), texts, BEAM)
    assert found.batches > 10
    assert found.steps <= 1.25
    assert found.occupancy >= 0.85


@pytest.mark.parametrize("engine", [False], indirect=True)
@pytest.mark.parametrize("buckets", [EXACT, CAPTURED])
def test_operators_are_counted_without_views(
    buckets: Buckets, engine: Engine, program: Callable[[str], ModuleType]
) -> None:
    """Six layers: at most 110 in all, and by hand what the layers need."""
    loaded = engine(tokens=512, layers=6)
    loaded._searcher.buckets = buckets
    names = program("profile_engine").step_operators(loaded, [asking(5, 9, number) for number in range(8)])
    assert sum(names.values()) <= 110
    per_step = {name.removeprefix("aten.").partition(".")[0]: count for name, count in names.items()}
    assert per_step["addmm_"] == 3 * 6  # what comes out of each sublayer
    assert per_step["addmm"] == 2 * 6  # queries, keys and values; queries of the source
    assert per_step["_addmm_activation"] == 6
    assert per_step["native_layer_norm"] == 3 * 6
    assert per_step["_scaled_dot_product_flash_attention_for_cpu"] == 2 * 6
    assert per_step["scan"] == 1
    assert "view" not in per_step and "transpose" not in per_step


def test_one_sentence_that_never_ends(engine: Engine) -> None:
    """It runs to the limit while the others come and go; nothing is computed twice, nobody waits."""
    loaded = engine(tokens=256)
    texts = [asking(6, 8, number) for number in range(400)]
    _, usual = counted(loaded, texts)
    endless = asking(7, ENDLESS, 0)
    found, counts = counted(loaded, [*texts, endless])
    assert {one.n_tokens for one in found[-1]} == {LIMIT + 1}
    assert counts.steps <= usual.steps + 5
    assert counts.useful / counts.computed >= 0.85
    check_same([*found[:400:40], found[-1]], counted(loaded, [*texts[::40], endless])[0])


def test_stragglers_at_the_end_of_a_part(engine: Engine) -> None:
    """Nothing is left to join: the batch shrinks with them."""
    loaded = engine(tokens=256)
    texts = [asking(6, 8, number) for number in range(100)]
    endless = [asking(3, ENDLESS, number) for number in range(3)]
    found, counts = counted(loaded, texts + endless)
    assert all({one.n_tokens for one in ranked} == {LIMIT + 1} for ranked in found[-3:])
    needed = sum(1 + (steps_of(ranked) - 1) * BEAM for ranked in found)
    assert counts.useful == needed
    assert counts.computed <= needed / 0.85


def test_many_sentences_of_one_length(engine: Engine) -> None:
    loaded = engine(tokens=1024)
    texts = [asking(10, 5 + number % 11, number) for number in range(900)]
    found, counts = counted(loaded, texts)
    needed = np.array([steps_of(ranked) for ranked in found])
    batches = loaded._budget.batches([11] * 900)
    assert len(batches) == 10
    assert counts.steps <= 1.25 * sum(needed[batch].mean() for batch in batches)
    assert counts.useful / counts.computed >= 0.85
    check_same(found[::90], [loaded.translate([text], BEAM)[0] for text in texts[::90]])


def test_half_of_the_sentences_are_empty(engine: Engine) -> None:
    loaded = engine(tokens=64)
    texts = [asking(5, 7, number) for number in range(30)]
    wanted, counts = counted(loaded, texts)
    found, with_empty = counted(loaded, [text for one in texts for text in (one, "")])
    assert found[1::2] == [[]] * 30
    assert found[::2] == wanted
    assert with_empty == counts


def test_a_batch_of_one(engine: Engine) -> None:
    loaded = engine(tokens=1)
    found, counts = counted(loaded, [asking(5, 7, number) for number in range(3)])
    assert counts.begins == 3
    needed = [steps_of(ranked) for ranked in found]
    # The host sees with a lag of one step that a sentence is complete.
    assert sum(needed) <= counts.steps <= sum(needed) + 3
    assert counted(loaded, []) == ([], SearchCounts())


def test_the_host_reads_at_most_once_a_step_and_once_a_refill(engine: Engine) -> None:
    loaded = engine(tokens=256)
    _, counts = counted(loaded, [asking(6, 8, number) for number in range(100)])
    # With a lag, nothing is read after the first step of a stretch.
    assert counts.looks == counts.steps - counts.begins
    assert counts.refills <= counts.looks / 2
