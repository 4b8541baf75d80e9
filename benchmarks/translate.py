"""Measures the translation engines in sentences per second, in turn on the same machine in one run.

    python benchmarks/translate.py base --engines fairseq,torch --beams 1,5,12 --seconds 60
    python benchmarks/translate.py base --engines fairseq,bare:int8,ctranslate2:int8 --beams 12 --seconds 120

MODEL: the folder of a checkpoint, with --sources (a text file, plain or gz); or `base` or `big`, a
transformer with random weights whose translations end like a trained model's and have ParaNMT's lengths
(scheduled.py). A cell of the table takes --seconds for each engine, whatever its speed: in each of --rounds,
every engine translates as many evenly spaced blocks of the length-sorted pool as it can in its share of the
time, so that all see the same lengths and the same drift of the machine. Ratios are relative to the first
engine in the same round; their median and range are printed. Engines with several --tune budgets (padded
source tokens per batch) use the fastest of them; the speed and the memory of each are printed.

An engine is fairseq, torch or ctranslate2 (all three as in paranmt); graphs, which is torch with
`cuda_graphs: true`; transformers; or bare, which is CTranslate2 as its users call it: the ratio of
ctranslate2 to bare shows the overhead of paranmt.
ENGINE:PRECISION gives an engine another precision; shares of the peak always refer to --precision.
"""

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

import scheduled
import torch

from paranmt.models.translation.batching import Budget
from paranmt.models.translation.engines import load, resolve
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.torch_engine.weights import Weights
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

PARANMT = 51_400_000  # sentences
_HEADER = (
    "beam  engine            tokens/batch  sentences/s  tokens/s   ratio (min-max)      top   lists"
    "  padding  peak   GiB  hours"
)


class Engine(Protocol):
    """The part of a translator that is measured."""

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]: ...


class Pool(NamedTuple):
    """Sentences sorted by length, in blocks of neighbours."""

    blocks: list[list[str]]

    def spaced(self, count: int, shift: float) -> list[str]:
        """The sentences of `count` evenly spaced blocks. shift: from 0 to 1, within the space of a block."""
        count = min(count, len(self.blocks))
        places = [int((place + shift) * len(self.blocks) / count) for place in range(count)]
        return [sentence for place in places for sentence in self.blocks[place]]


class Measured(NamedTuple):
    """One engine in one cell: sentences and tokens of best translations per second, for each round."""

    sentences: list[float]
    tokens: list[float]


def main() -> None:
    """Measure and print."""
    options = _arguments()
    with tempfile.TemporaryDirectory() as made:
        _table(options, *scheduled.workload(options.model, options.sources, options.pool, Path(made)))


def _table(options: argparse.Namespace, model: str, sentences: list[str]) -> None:
    loaded = load_model(read_model_folder(model))
    lengths = {
        text: len(row) + 1 for text, row in zip(sentences, loaded.text.sources(sentences), strict=True)
    }
    ordered = sorted(sentences, key=lambda text: -lengths[text])
    pool = Pool([ordered[start : start + options.block] for start in range(0, len(ordered), options.block)])
    peak = _peak(options)
    place = torch.cuda.get_device_name() if options.device == "cuda" else f"{torch.get_num_threads()} threads"
    print(
        f"{options.model}: {len(sentences)} sentences, {sum(lengths.values()) / len(lengths):.1f} tokens in "
        f"the mean, {options.precision}, {place}, matrix products at {peak / 1e12:.2f} TFLOP/s"
    )
    print(_HEADER)
    for beam in options.beams:
        wanted = TranslateOptions(
            model=model,
            beam=beam,
            max_length=options.max_length,
            device=options.device,
            precision=options.precision,
        )
        _cell(options, resolve(replace(wanted, engine="torch")), pool, lengths, loaded.members, peak)


def _cell(
    options: argparse.Namespace,
    wanted: TranslateOptions,
    pool: Pool,
    lengths: dict[str, int],
    members: Sequence[Weights],
    peak: float,
) -> None:
    """One beam: all engines, round after round."""
    chosen: dict[str, tuple[TranslateOptions, Engine, int]] = {}
    for engine in options.engines:
        chosen[engine] = _tuned(options, wanted, engine, pool)
    measured = {engine: Measured([], []) for engine in chosen}
    memory = dict.fromkeys(chosen, 0.0)
    for number in range(options.rounds):
        for engine, (_, translator, blocks) in chosen.items():
            sample = pool.spaced(blocks, (number + 0.5) / options.rounds)
            seconds, n_best = _timed(options, translator, sample)
            memory[engine] = max(memory[engine], _memory(options))
            measured[engine].sentences.append(len(sample) / seconds)
            measured[engine].tokens.append(sum(ranked[0].n_tokens for ranked in n_best if ranked) / seconds)
    shared = pool.spaced(min(blocks for _, _, blocks in chosen.values()), 0.5)[: options.compared]
    lists = {name: engine.translate(shared, wanted.beam) for name, (_, engine, _) in chosen.items()}
    first = options.engines[0]
    for engine, (own, _, _) in chosen.items():
        speed, tokens = (statistics.median(field) for field in measured[engine])
        ratios = [a / b for a, b in zip(measured[engine].sentences, measured[first].sentences, strict=True)]
        share = speed * _flop(members, lengths, tokens / speed, wanted.beam) / peak
        row = {
            "model": options.model,
            "beam": wanted.beam,
            "engine": engine,
            "batch_tokens": own.batch_tokens,
            "sentences_per_second": speed,
            "tokens_per_second": tokens,
            "ratio": statistics.median(ratios),
            "ratio_range": [min(ratios), max(ratios)],
            "same_top": _agreement(lists[first], lists[engine], 1),
            "same_lists": _agreement(lists[first], lists[engine], wanted.beam),
            "padding": _padding(own, lengths),
            "share_of_peak": share,
            "gibibytes": memory[engine],
            "paranmt_hours": PARANMT / speed / 3600,
        }
        print(_line(row), flush=True)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def _tuned(
    options: argparse.Namespace, wanted: TranslateOptions, engine: str, pool: Pool
) -> tuple[TranslateOptions, Engine, int]:
    """The engine with the fastest of its budgets, and how many blocks it takes in its share of a round."""
    budgets = options.tune.get(engine, ["auto"])
    best: tuple[float, TranslateOptions, Engine] | None = None
    for budget in budgets:
        batch_tokens = wanted.batch_tokens if budget == "auto" else int(budget)
        own = replace(wanted, batch_tokens=batch_tokens)
        translator = _load(options, own, engine)
        sample = pool.spaced(options.probe, 0.5)
        _timed(options, translator, sample[: max(1, len(sample) // 4)])  # what the first use makes
        seconds, _ = _timed(options, translator, sample)
        more = int(options.tuning / seconds * options.probe)
        if more > options.probe:  # a batch of a fast engine may be larger than the first sample
            sample = pool.spaced(more, 0.5)
            seconds, _ = _timed(options, translator, sample)
        speed = len(sample) / seconds
        if len(budgets) > 1:
            print(
                f"      {engine:16} {own.batch_tokens:13,} {speed:12.1f}   on {len(sample)} sentences, "
                f"{_memory(options):.1f} GiB",
                flush=True,
            )
        if best is None or speed > best[0]:
            best = speed, own, translator
    assert best is not None
    speed, own, translator = best
    blocks = round(speed * options.seconds / options.rounds / options.block)
    return own, translator, max(1, blocks)


def _load(options: argparse.Namespace, own: TranslateOptions, engine: str) -> Engine:
    name, _, precision = engine.partition(":")
    own = replace(own, precision=precision or own.precision)  # type: ignore[arg-type]
    if name == "transformers":
        from transformers_peer import TransformersTranslator

        return TransformersTranslator(own)
    if name == "bare":
        from ctranslate2_peer import BareCTranslate2

        return BareCTranslate2(own, Path(options.cache), options.threads)
    if name == "graphs":
        name, own = "torch", replace(own, cuda_graphs=True)
    return load(resolve(replace(own, engine=name)), Path(options.cache), options.threads)  # type: ignore[arg-type]


def _timed(
    options: argparse.Namespace, translator: Engine, sentences: list[str]
) -> tuple[float, list[list[Candidate]]]:
    if options.device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    n_best = translator.translate(sentences)
    return time.perf_counter() - started, n_best


def _memory(options: argparse.Namespace) -> float:
    """The peak memory in GiB: of the GPU in the last call, or of the process so far."""
    if options.device == "cuda":
        return torch.cuda.max_memory_allocated() / 2**30
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _peak(options: argparse.Namespace) -> float:
    """FLOP per second of big matrix products in the measured precision."""
    dtype = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}[
        options.precision
    ]
    size = 8192 if options.device == "cuda" else 1024
    left, right = (torch.randn(size, size, device=options.device, dtype=dtype) for _ in range(2))
    times = []
    for _ in range(8):
        started = time.perf_counter()
        left @ right
        if options.device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - started)
    return 2 * size**3 / min(times)


def _flop(members: Sequence[Weights], lengths: dict[str, int], tokens: float, beam: int) -> float:
    """FLOP of a sentence's matrix products: a source of mean length once, `tokens` steps with all beams."""
    source = sum(lengths.values()) / len(lengths)
    total = 0.0
    for weights in members:
        encoder, decoder = weights.architecture.encoder, weights.architecture.decoder
        a, b = encoder.dimension, decoder.dimension
        types = len(weights.tensors["decoder.output_projection.weight"])
        read = encoder.layers * (4 * a * a + 2 * a * encoder.feed_forward) + decoder.layers * 2 * a * b
        step = decoder.layers * (6 * b * b + 2 * b * decoder.feed_forward) + types * b
        total += 2 * (source * read + tokens * beam * step)
    return total


def _padding(own: TranslateOptions, lengths: dict[str, int]) -> float:
    """The share of padding in the source tokens of the whole pool in length-sorted batches."""
    every = list(lengths.values())
    batches = Budget.of(own).batches(every)
    return 1 - sum(every) / sum(len(batch) * max(every[row] for row in batch) for batch in batches)


def _agreement(first: list[list[Candidate]], second: list[list[Candidate]], count: int) -> float:
    pairs = zip(first, second, strict=True)
    same = [[x.text for x in a[:count]] == [y.text for y in b[:count]] for a, b in pairs]
    return sum(same) / len(same)


def _line(row: dict[str, float]) -> str:
    low, high = row["ratio_range"]  # type: ignore[misc]
    return (
        f"{row['beam']:4}  {row['engine']:16} {row['batch_tokens']:13,} {row['sentences_per_second']:12.1f} "
        f"{row['tokens_per_second']:9.0f}   {row['ratio']:5.2f} ({low:.2f}-{high:.2f}) "
        f"{row['same_top']:8.1%} {row['same_lists']:7.1%} {row['padding']:8.1%} {row['share_of_peak']:5.1%} "
        f"{row['gibibytes']:5.1f} {row['paranmt_hours']:6.1f}"
    )


def _arguments() -> argparse.Namespace:
    def listed(text: str) -> list[str]:
        return text.split(",")

    def budgets(text: str) -> tuple[str, list[str]]:
        engine, _, values = text.partition("=")
        return engine, values.split(",")

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("--sources", help="a text file of sentences, for your own model")
    parser.add_argument("--engines", type=listed, default=["fairseq", "torch"])
    parser.add_argument(
        "--beams", type=lambda text: [int(beam) for beam in text.split(",")], default=[1, 5, 12]
    )
    parser.add_argument("--seconds", type=float, default=60, help="seconds for an engine in a cell")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--pool", type=int, default=10_000, help="sentences to choose from; by default as many as a part has"
    )
    parser.add_argument("--block", type=int, default=16, help="sentences of neighbouring lengths")
    parser.add_argument("--probe", type=int, default=4, help="blocks to estimate an engine's speed from")
    parser.add_argument("--tuning", type=float, default=0, help="estimate for at least so many seconds")
    parser.add_argument("--compared", type=int, default=64, help="sentences whose lists are compared")
    parser.add_argument(
        "--tune",
        type=budgets,
        action="append",
        default=[],
        metavar="ENGINE=TOKENS,…",
        help="batch budgets from which an engine uses the fastest",
    )
    parser.add_argument("--max-length", type=int, default=300)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cache", default=".benchmark-cache", help="the folder for converted models")
    parser.add_argument("--json", help="a file to append each row to, as a line of JSON")
    options = parser.parse_args()
    options.tune = dict(options.tune)
    return options


if __name__ == "__main__":
    main()
