"""Shows where the torch engine's time goes: how long the device is idle, and which kernels keep it busy.

    python benchmarks/profile_engine.py base --device cuda --precision float16 --sentences 4096
    python benchmarks/profile_engine.py tiny --gpu-batches --sentences 10000 --counts

MODEL: `base` or `big` with random weights (scheduled.py), or the folder of a checkpoint with --sources. On a
CPU the table lists operators instead of kernels. Because the profiler slows the CPU side down, `idle` is an
upper bound; the time that the same sentences take without the profiler is printed beside it.

Before the table it prints what can be counted without a GPU; --gpu-batches counts with the batches and the
policy of a GPU, and --counts stops there. For each batch of the budget's padded tokens: the decode steps over
the mean number of steps that its sentences need, how often the host reads from the device, and how often the
batch is refilled, for which the host waits. For each step:
the useful share of the computed hypotheses, the nodes of the prefix tree that a sentence reads, and the
operators that are dispatched, without views. The scan of the logits counts as one operator, because it is one
kernel on a GPU.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scheduled
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

from paranmt.models.translation.batching import Budget
from paranmt.models.translation.engines import resolve
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.torch_engine import search
from paranmt.models.translation.torch_engine.engine import TorchTranslator
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Translator


class Counted(NamedTuple):
    """What was counted; see the top of this file. steps: over all steps that the batches need on average."""

    batches: int
    steps: float
    occupancy: float
    operators: float
    looks: float
    nodes: float
    refills: float


class _Operators(TorchDispatchMode):
    """Counts the operators of decode steps, except views. The scan is one."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()
        self.counting = False

    def __torch_dispatch__(
        self, operator: Any, types: Sequence[type], args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        with self:
            parts = operator.decompose(*args, **kwargs)
        if parts is not NotImplemented:
            return parts
        if self.counting and not _is_view(operator):
            self.names[str(operator)] += 1
        return operator(*args, **kwargs)

    def during(self, function: Callable[..., Any], *, counting: bool) -> Callable[..., Any]:
        """The function, in which operators are counted, or not."""

        def called(*args: Any, **kwargs: Any) -> Any:
            before, self.counting = self.counting, counting
            try:
                return function(*args, **kwargs)
            finally:
                self.counting = before

        return called


def _is_view(operator: Any) -> bool:
    returned = [result.alias_info for result in operator._schema.returns]
    return any(alias is not None and not alias.is_write for alias in returned)


def count(engine: TorchTranslator, sentences: Sequence[str], beam: int) -> Counted:
    """Translate sentences, each of which occurs once, and count."""
    searcher, budget = engine._searcher, engine._budget
    lengths = [len(row) + 1 for row in engine._text.sources(sentences)]
    searcher.counts = counts = search.SearchCounts()
    needed = np.array(
        [
            max((candidate.n_tokens for candidate in ranked), default=0)
            for ranked in engine.translate(sentences, beam)
        ]
    )
    batches = budget.batches(lengths)
    wanted = sum(float(needed[batch].mean()) for batch in batches)
    return Counted(
        batches=len(batches),
        steps=counts.steps / wanted,
        occupancy=counts.useful / counts.computed,
        operators=sum(step_operators(engine, sentences).values()),
        looks=counts.looks / len(batches),
        nodes=counts.nodes / counts.rows,
        refills=counts.refills / len(batches),
    )


def step_operators(engine: TorchTranslator, sentences: Sequence[str]) -> dict[str, float]:
    """How often a decode step dispatches each operator, over a few sentences."""
    searcher = engine._searcher
    mode = _Operators()
    step, scan = searcher._step, search.scan

    def scanned(*args: Any) -> Any:
        mode.names["scan"] += 1
        return mode.during(scan, counting=False)(*args)

    searcher.counts = counts = search.SearchCounts()
    searcher._step = mode.during(step, counting=True)  # type: ignore[method-assign]
    search.scan = scanned
    try:
        with mode:
            engine.translate(sentences[:32], 1)
    finally:
        searcher._step, search.scan = step, scan  # type: ignore[method-assign]
    return {name: number / counts.steps for name, number in mode.names.most_common()}


def like_a_gpu(engine: TorchTranslator, options: TranslateOptions) -> None:
    """Let an engine on a CPU make a GPU's batches, and replace sentences when a GPU would."""
    engine._budget = Budget.of(replace(options, device="cuda"))
    engine._searcher.policy = search.POLICIES["cuda"]


def main() -> None:
    """Profile and print."""
    options = _arguments()
    with tempfile.TemporaryDirectory() as made:
        model, sentences = scheduled.workload(options.model, options.sources, options.sentences, Path(made))
        wanted = TranslateOptions(
            model=model,
            engine="torch",
            beam=options.beam,
            max_length=options.max_length,
            device=options.device,
            precision=options.precision,
            batch_tokens=options.batch_tokens or (16_384 if options.gpu_batches else "auto"),
            cuda_graphs=options.cuda_graphs,
        )
        resolved = resolve(wanted)
        if options.threads is not None:
            torch.set_num_threads(options.threads)
        translator = TorchTranslator(load_model(read_model_folder(model)), resolved)
    if options.gpu_batches:
        like_a_gpu(translator, resolved)
    sentences = list(dict.fromkeys(sentences))
    counted = count(translator, sentences, options.beam)
    print(
        f"{options.model}, beam {options.beam}: {len(sentences)} sentences, {counted.batches} batches of "
        f"{resolved.batch_tokens:,} tokens"
    )
    print(f"{counted.steps:8.2f}  steps a batch over the mean steps of its sentences")
    print(f"{counted.occupancy:8.1%}  of the computed hypotheses useful")
    print(f"{counted.operators:8.0f}  operators a step")
    print(f"{counted.nodes:8.0f}  nodes of the tree a sentence and step")
    print(f"{counted.looks:8.1f}  reads of the device by the host a batch")
    print(f"{counted.refills:8.1f}  refills a batch", flush=True)
    if options.counts:
        return
    graphs = translator._searcher.graphs
    if graphs is not None:
        _seconds(translator, sentences, options.device)  # most steps are recorded here
        steps, replays = translator._searcher.counts.steps, graphs.replays
    plain = _seconds(translator, sentences, options.device)
    if graphs is not None:
        steps, replays = translator._searcher.counts.steps - steps, graphs.replays - replays
        print(f"{len(graphs):8}  steps recorded; {replays} of {steps} steps played from a graph")
    activities = [ProfilerActivity.CPU]
    if options.device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    with profile(activities=activities) as profiled:
        slowed = _seconds(translator, sentences, options.device)
    _report(options, plain, slowed, profiled)


def _seconds(translator: Translator, sentences: list[str], device: str) -> float:
    started = time.perf_counter()
    translator.translate(sentences)
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - started


def _report(options: argparse.Namespace, plain: float, slowed: float, profiled: profile) -> None:
    """Print the seconds of each kernel, or of each operator on a CPU, the longest first."""
    on_gpu = options.device == "cuda"
    spent = []
    for row in profiled.key_averages():
        # With CUDA, the rows of operators repeat the time of their kernels, which have rows of the device.
        if on_gpu and row.device_type != torch.autograd.DeviceType.CUDA:
            continue
        seconds = (row.self_device_time_total if on_gpu else row.self_cpu_time_total) / 1e6
        spent.append((seconds, row.count, row.key))
    busy = sum(seconds for seconds, _, _ in spent)
    print(
        f"{options.model}, beam {options.beam}, {options.precision}: {options.sentences} sentences in "
        f"{plain:.2f} s, {options.sentences / plain:.0f} a second; {slowed:.2f} s while profiled, "
        f"the device busy for {busy:.2f} s: idle at most {max(0.0, 1 - busy / plain):.1%} of the plain time"
    )
    print(f"{'seconds':>8} {'share':>6} {'calls':>8}  kernel")
    for seconds, count, name in sorted(spent, reverse=True)[: options.rows]:
        print(f"{seconds:8.3f} {seconds / busy:6.1%} {count:8}  {name[:110]}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("--sources", help="a text file of sentences, for your own model")
    parser.add_argument("--sentences", type=int, default=4096)
    parser.add_argument("--beam", type=int, default=12)
    parser.add_argument("--batch-tokens", type=int, help="padded source tokens per batch")
    parser.add_argument("--max-length", type=int, default=300)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rows", type=int, default=20, help="lines of the table")
    parser.add_argument("--gpu-batches", action="store_true", help="count as for a GPU")
    parser.add_argument("--cuda-graphs", action="store_true", help="record steps and play them again")
    parser.add_argument("--counts", action="store_true", help="only count")
    return parser.parse_args()


if __name__ == "__main__":
    main()
