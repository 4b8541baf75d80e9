"""Sentences a second of the translation engines, back to back on the same sentences, and how they agree.

    python benchmarks/translate.py MODEL SOURCES --engines fairseq,torch,ctranslate2 --beams 1,5,12

MODEL: a folder with a fairseq checkpoint. SOURCES: a text file, plain or gz. In each round every engine
translates the same sentences, in turn, so that a machine whose speed drifts is as slow for one as for
the other; the ratio to the first engine is taken round by round, and its median printed. Agreement is
of top translations and of whole n-best lists with the first engine.
"""

import argparse
import gzip
import statistics
import time
from dataclasses import replace
from pathlib import Path

from paranmt.models.translator import Candidate, TranslateOptions, load, resolve


def main() -> None:
    """Measure and print."""
    options = _arguments()
    opened = gzip.open if options.sources.endswith(".gz") else open
    with opened(options.sources, "rt", encoding="utf-8") as file:
        sentences = [line.rstrip("\n") for line in file][: options.sentences]
    print(f"{len(sentences)} sentences, {options.rounds} rounds, {options.device}, {options.precision}")
    print("beam  engine        sentences/s   tokens/s   ratio (min-max)      top   lists")
    for beam in options.beams:
        _cell(options, sentences, beam)


def _cell(options: argparse.Namespace, sentences: list[str], beam: int) -> None:
    """One beam size: all engines, round after round."""
    wanted = TranslateOptions(
        model=options.model,
        beam=beam,
        device=options.device,
        precision=options.precision,
        batch_tokens=options.batch_tokens or "auto",
    )
    translators = {
        engine: load(resolve(replace(wanted, engine=engine)), Path(options.cache), options.threads)
        for engine in options.engines
    }
    seconds: dict[str, list[float]] = {engine: [] for engine in translators}
    found: dict[str, list[list[Candidate]]] = {}
    for translator in translators.values():
        translator.translate(sentences[:16], beam)  # what is made at the first use is not measured
    for _ in range(options.rounds):
        for engine, translator in translators.items():
            started = time.perf_counter()
            found[engine] = translator.translate(sentences, beam)
            seconds[engine].append(time.perf_counter() - started)
    first = options.engines[0]
    for engine, times in seconds.items():
        ratios = [base / own for base, own in zip(seconds[first], times, strict=True)]
        tokens = sum(ranked[0].n_tokens for ranked in found[engine] if ranked)
        middle = statistics.median(times)
        pairs = list(zip(found[first], found[engine], strict=True))
        top = sum(_texts(a[:1]) == _texts(b[:1]) for a, b in pairs) / len(pairs)
        lists = sum(_texts(a) == _texts(b) for a, b in pairs) / len(pairs)
        print(
            f"{beam:4}  {engine:12} {len(sentences) / middle:12.1f} {tokens / middle:10.0f}   "
            f"{statistics.median(ratios):5.2f} ({min(ratios):.2f}-{max(ratios):.2f})  "
            f"{top:8.1%} {lists:7.1%}",
            flush=True,
        )


def _texts(ranked: list[Candidate]) -> list[str]:
    return [one.text for one in ranked]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("sources")
    parser.add_argument("--engines", type=lambda text: text.split(","), default=["fairseq", "torch"])
    parser.add_argument(
        "--beams", type=lambda text: [int(one) for one in text.split(",")], default=[1, 5, 12]
    )
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--batch-tokens", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cache", default=".benchmark-cache", help="for converted models")
    return parser.parse_args()


if __name__ == "__main__":
    main()
