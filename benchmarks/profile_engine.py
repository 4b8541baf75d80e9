"""Shows where the torch engine's time goes: how long the device is idle, and which kernels keep it busy.

    python benchmarks/profile_engine.py base --device cuda --precision float16 --sentences 4096

MODEL: `base` or `big` with random weights (scheduled.py), or the folder of a checkpoint with --sources. On a
CPU the table lists operators instead of kernels. Because the profiler slows the CPU side down, `idle` is an
upper bound; the time that the same sentences take without the profiler is printed beside it.
"""

import argparse
import tempfile
import time
from pathlib import Path

import scheduled
import torch
from torch.profiler import ProfilerActivity, profile

from paranmt.models.translation.engines import load, resolve
from paranmt.models.translation.options import TranslateOptions
from paranmt.models.translation.translator import Translator


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
            batch_tokens=options.batch_tokens or "auto",
        )
        translator = load(resolve(wanted), Path(made) / "cache", options.threads)
    translator.translate(sentences[: max(1, len(sentences) // 8)])
    plain = _seconds(translator, sentences, options.device)
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
    return parser.parse_args()


if __name__ == "__main__":
    main()
