"""Decode steps that a CUDA graph can hold: recorded on a tape where there is no GPU, and played again."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from nmt_models import sentences, write_model
from tapes import Tape, TapeDevice

from paranmt.models.translation import engines as translators
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.search_options import SearchOptions
from paranmt.models.translation.torch_engine.buffers import CAPTURED, Buckets, Buffers
from paranmt.models.translation.torch_engine.capture import Cuda, Graphs, Recording, Step
from paranmt.models.translation.torch_engine.engine import TorchTranslator
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.torch_engine.search import POLICIES, SearchCounts
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

OPTIONS = TranslateOptions(beam=5, max_length=20, device="cpu", engine="torch", batch_tokens=48)
SMALL = Buckets(octave=2, tokens=8, nodes=32)
TEXTS = list(dict.fromkeys(sentences(36, 12, seed=3)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("capture-model"))


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose sentences all have the greatest length."""
    return write_model(tmp_path_factory.mktemp("endless-model"), ends=False)


def engine(folder: Path, buckets: Buckets, search: SearchOptions | None = None) -> TorchTranslator:
    options = translators.resolve(replace(OPTIONS, model=str(folder), search=search))
    loaded = TorchTranslator(load_model(read_model_folder(str(folder))), options)
    loaded._searcher.buckets, loaded._searcher.policy = buckets, POLICIES["cuda"]
    return loaded


def taped(loaded: TorchTranslator) -> tuple[Graphs, TapeDevice]:
    """Let an engine record its steps on tapes."""
    searcher = loaded._searcher
    device = TapeDevice(searcher.buffers)
    searcher.graphs = Graphs(device, searcher.buffers)
    return searcher.graphs, device


def check_near(found: list[list[Candidate]], wanted: list[list[Candidate]]) -> None:
    """The same candidates; log-probabilities differ by rounding."""
    for mine, other in zip(found, wanted, strict=True):
        assert [one.text for one in mine] == [one.text for one in other]
        for one, two in zip(mine, other, strict=True):
            assert one.token_log_probs == pytest.approx(two.token_log_probs, abs=5e-5)


@pytest.mark.parametrize(
    "search",
    [
        None,
        SearchOptions(groups=5, diversity=0.7),
        SearchOptions(temperature=1.5, min_length=0),
        SearchOptions(min_length=6),
    ],
)
def test_recorded_steps_find_the_same_bit_for_bit(search: SearchOptions | None, folder: Path) -> None:
    texts = TEXTS[:12]
    plain, recorded = engine(folder, SMALL, search), engine(folder, SMALL, search)
    graphs, device = taped(recorded)
    wanted = plain.translate(texts, 5)
    for _ in range(3):  # with the graphs of the searches before
        assert recorded.translate(texts, 5) == wanted
    assert len(graphs) > 1
    assert graphs.replays > len(graphs)
    assert device.checked >= 2 * len(graphs)
    check_near(wanted, engine(folder, Buckets(), search).translate(texts, 5))


@pytest.mark.parametrize("search", [SearchOptions(no_repeat_ngram=2), SearchOptions(sampling=True)])
def test_what_the_host_decides_is_not_recorded(search: SearchOptions, folder: Path) -> None:
    plain, recorded = engine(folder, SMALL, search), engine(folder, SMALL, search)
    graphs, device = taped(recorded)
    assert recorded.translate(TEXTS, 5) == plain.translate(TEXTS, 5)
    assert len(graphs) == device.checked == graphs.replays == 0


def test_steps_with_a_prefix_or_at_a_limit_are_not_recorded(folder: Path) -> None:
    prefixes = ["t1 t2 t3" if number % 5 == 2 else "" for number in range(len(TEXTS))]
    plain, recorded = engine(folder, SMALL), engine(folder, SMALL)
    graphs, device = taped(recorded)
    assert recorded.translate(TEXTS, 5, prefixes=prefixes) == plain.translate(TEXTS, 5, prefixes=prefixes)
    counts = recorded._searcher.counts
    assert 0 < graphs.replays < counts.steps - counts.begins


def test_padding_changes_only_the_rounding(folder: Path) -> None:
    """The buckets of a GPU, of which a batch of few sentences is a small part."""
    exact, padded = engine(folder, Buckets()), engine(folder, CAPTURED)
    check_near(padded.translate(TEXTS, 5), exact.translate(TEXTS, 5))
    assert padded._searcher.counts.computed >= exact._searcher.counts.computed


def test_a_full_bucket_has_no_padding(folder: Path) -> None:
    """As long as sentences wait, the batch has as many as a bucket; the steps are as useful as without."""
    exact, padded = engine(folder, Buckets()), engine(folder, SMALL)
    exact.translate(TEXTS, 5), padded.translate(TEXTS, 5)
    most, least = (loaded._searcher.counts for loaded in (padded, exact))
    assert most.useful == least.useful
    assert most.computed <= 1.1 * least.computed


def test_memory_that_grows_ends_the_graphs(endless: Path) -> None:
    """The steps of all sentences need more memory than those of a single one, whatever the weights are."""
    loaded = engine(endless, SMALL)
    graphs, _ = taped(loaded)
    one = [min(TEXTS, key=len)]
    for _ in range(3):
        loaded.translate(one, 5)
    before, moves = len(graphs), loaded._searcher.buffers.moves
    assert before > 0
    wanted = engine(endless, SMALL).translate(TEXTS, 5)
    assert loaded.translate(TEXTS, 5) == wanted
    assert loaded._searcher.buffers.moves > moves
    assert loaded.translate(one, 5) == engine(endless, SMALL).translate(one, 5)


class Failing(TapeDevice):
    """Cannot record."""

    tries = 0

    def record(self, step: Step) -> Recording:
        self.tries += 1
        raise RuntimeError("operation not permitted when stream is capturing\nand more")


def test_a_failed_capture_falls_back(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    loaded = engine(folder, SMALL)
    device = Failing(loaded._searcher.buffers)
    loaded._searcher.graphs = Graphs(device, loaded._searcher.buffers)
    with caplog.at_level(logging.WARNING):
        assert loaded.translate(TEXTS, 5) == engine(folder, SMALL).translate(TEXTS, 5)
    assert device.tries == 1
    (record,) = caplog.records
    assert record.getMessage().endswith(
        "steps go on without graphs (operation not permitted when stream is capturing)"
    )


def test_a_full_gpu_ends_the_graphs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = engine(folder, SMALL)
    graphs, _ = taped(loaded)
    for _ in range(2):
        loaded.translate(TEXTS, 5)
    assert len(graphs) > 0
    advance = loaded._searcher._advance
    calls = iter([True])

    def full(*args: object) -> torch.Tensor:
        if next(calls, False):
            raise torch.cuda.OutOfMemoryError("full")
        return advance(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(loaded._searcher, "_advance", full)
    sizes = []
    clear = graphs.clear
    monkeypatch.setattr(graphs, "clear", lambda: (sizes.append(len(graphs)), clear()))
    check_near(loaded.translate(TEXTS, 5), engine(folder, Buckets()).translate(TEXTS, 5))
    assert loaded.halvings == 1
    assert sizes[0] > 0


def test_the_tape_refuses_what_a_graph_cannot_hold() -> None:
    values = torch.arange(4.0)
    for operation in (
        lambda: values.sum().item(),
        lambda: values.nonzero(),
        lambda: values[values > 1],
        lambda: torch.tensor([1.0]) + values,
        lambda: torch.from_numpy(np.ones(4)) + values,
    ):
        with pytest.raises(RuntimeError, match="cannot be recorded"), Tape():
            operation()


def test_the_tape_notices_a_tensor_that_is_made_anew(folder: Path) -> None:
    loaded = engine(folder, SMALL)
    taped(loaded)
    made = loaded._searcher._on_device
    anew = iter([torch.zeros(1) for _ in range(100)])

    def with_another(*args: object) -> tuple[torch.Tensor, ...]:
        args[0].totals.add_(next(anew))  # type: ignore[attr-defined]
        return made(*args)  # type: ignore[arg-type]

    loaded._searcher._on_device = with_another  # type: ignore[method-assign]
    with pytest.raises(AssertionError, match="not fixed"):
        loaded.translate(TEXTS, 5)


def test_buffers_return_the_same_memory() -> None:
    buffers = Buffers(torch.device("cpu"))
    first = buffers.take("a", (3, 4), torch.float32)
    assert buffers.take("a", (2, 6), torch.float32).data_ptr() == first.data_ptr()
    assert buffers.take("b", (3, 4), torch.int64).data_ptr() != first.data_ptr()
    assert buffers.moves == 2
    grown = buffers.take("a", (4, 4), torch.float32)
    assert buffers.moves == 3 and grown.shape == (4, 4)
    assert buffers.take("a", (20,), torch.float32).data_ptr() == grown.data_ptr()  # 1.25 times 16
    assert buffers.moves == 3


class FakeCuda:
    """The calls to torch.cuda, in their order; a capture reserves 30 bytes of 1,000."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.reserved, self.pools = 0, 0
        self.current, self.side = FakeStream(self, "current"), FakeStream(self, "side")
        fakes = {
            "Stream": lambda device: self.side,
            "current_stream": lambda device: self.current,
            "stream": self.on,
            "graph_pool_handle": self.pool,
            "synchronize": lambda device: self.calls.append("synchronize"),
            "memory_reserved": lambda device: self.reserved,
            "get_device_properties": lambda device: SimpleNamespace(total_memory=1_000),
            "CUDAGraph": lambda: self,
        }
        for name, fake in fakes.items():
            monkeypatch.setattr(torch.cuda, name, fake)

    @contextmanager
    def on(self, stream: "FakeStream") -> Iterator[None]:
        self.calls.append(f"on {stream.name}")
        yield
        self.calls.append("back")

    def pool(self) -> int:
        self.pools += 1
        return self.pools

    def capture_begin(self, pool: int, capture_error_mode: str) -> None:
        assert capture_error_mode == "thread_local"
        self.calls.append(f"begin in pool {pool}")

    def capture_end(self) -> None:
        self.reserved += 30
        self.calls.append("end")

    def replay(self) -> None:
        self.calls.append("replay")


class FakeStream:
    def __init__(self, cuda: FakeCuda, name: str) -> None:
        self.cuda, self.name = cuda, name

    def wait_stream(self, other: "FakeStream") -> None:
        self.cuda.calls.append(f"{self.name} waits for {other.name}")


class FakeOutput:
    def __init__(self, cuda: FakeCuda) -> None:
        self.cuda = cuda

    def record_stream(self, stream: FakeStream) -> None:
        self.cuda.calls.append(f"used on {stream.name}")


def test_the_calls_of_a_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = FakeCuda(monkeypatch)
    device = Cuda(torch.device("cuda"))

    def step() -> tuple[torch.Tensor, ...]:
        cuda.calls.append("step")
        return (FakeOutput(cuda),)  # type: ignore[return-value]

    def broken() -> tuple[torch.Tensor, ...]:
        raise RuntimeError("not permitted")

    device.warm(step)
    around = ["side waits for current", "on side", "step", "back", "current waits for side"]
    assert cuda.calls == [*around, "used on current"]
    cuda.calls.clear()
    recording = device.record(step)
    assert cuda.calls == ["synchronize", "on side", "begin in pool 1", "step", "end", "back"]
    recording.replay()
    assert cuda.calls[-1] == "replay"
    with pytest.raises(RuntimeError, match="not permitted"):
        device.record(broken)
    assert cuda.calls[-1] == "end"  # otherwise the stream would go on capturing
    assert not device.is_full()
    for _ in range(6):  # 7 captures take 210 of the 200 bytes
        device.record(step)
    assert device.is_full()
    device.forget()
    assert not device.is_full()
    device.record(step)
    assert "begin in pool 2" in cuda.calls


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_graphs_on_a_gpu(precision: str, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The same bits as the same buckets without graphs."""
    found = []
    for graphs in (False, True):
        options = replace(OPTIONS, model=str(folder), device="cuda", precision=precision, cuda_graphs=graphs)  # type: ignore[arg-type]
        loaded = TorchTranslator(load_model(read_model_folder(str(folder))), translators.resolve(options))
        loaded._searcher.buckets = SMALL
        loaded._searcher.counts = SearchCounts()
        found.append([loaded.translate(TEXTS, 5) for _ in range(3)])
        assert (loaded._searcher.graphs is not None) == graphs
    assert loaded._searcher.graphs is not None and loaded._searcher.graphs.replays > 0
    assert not caplog.records
    assert found[0] == found[1]
