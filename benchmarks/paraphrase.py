"""How much time `paranmt paraphrase` adds to the search.

    python benchmarks/paraphrase.py MODEL SENTENCES --sentences 2000 --rounds 5 --encoder ENCODER

Three sides search the same sentences with the same beam in one process, in turn: CTranslate2 called bare
(`ctranslate2_peer.py`); our engine on it, which searches again where a candidate is empty, and computes the
exact costs of candidates that were cut; and a `Paraphraser`, which also filters and ranks the candidates
(with --encoder by similarity). Prints the median seconds of each, of wall-clock and processor time, and the
ratios.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from ctranslate2_peer import BareCTranslate2

from paranmt.base.host_cache import cache_folder
from paranmt.models.translation.engines import load, resolve
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.pipeline.texts.paraphrase_options import ParaphraseOptions
from paranmt.pipeline.texts.paraphrase_text import loaded_paraphraser
from paranmt.pipeline.texts.translate_text import read_sentences


def main() -> None:
    """Time both and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("text")
    parser.add_argument("--sentences", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--beam", type=int, default=20)
    parser.add_argument("--encoder")
    given = parser.parse_args()
    sentences = [line for line in read_sentences(given.text) if line.strip()][: given.sentences]
    options = resolve(
        TranslateOptions(model=str(given.model), beam=given.beam, device="cpu", engine="ctranslate2")
    )
    paraphraser = loaded_paraphraser(options, given.encoder)
    wanted = ParaphraseOptions(candidates=given.beam)
    bare = BareCTranslate2(options, cache_folder("models"), None)
    engine = load(options, cache_folder("models"))
    sides: dict[str, Callable[[], object]] = {
        "CTranslate2": lambda: bare.translate(sentences, given.beam),
        "engine": lambda: engine.translate(sentences, given.beam),
        "paraphrase": lambda: paraphraser.paraphrase(sentences, options=wanted),
    }
    for run in sides.values():
        run()
    clocks = {"seconds": time.perf_counter, "processor": time.process_time}
    times: dict[tuple[str, str], list[float]] = {(name, clock): [] for name in sides for clock in clocks}
    for _ in range(given.rounds):
        for name, run in sides.items():
            began = {clock: read() for clock, read in clocks.items()}
            run()
            for clock, read in clocks.items():
                times[name, clock].append(read() - began[clock])
    print(f"{len(sentences):,} sentences, beam {given.beam}, {given.rounds} rounds")
    for clock in clocks:
        medians = {name: statistics.median(times[name, clock]) for name in sides}
        shown = ", ".join(f"{name} {median:.2f} s" for name, median in medians.items())
        ratios = {name: medians["paraphrase"] / medians[name] for name in ("CTranslate2", "engine")}
        print(f"{clock}: {shown}; paraphrase over " + ", ".join(f"{n} {r:.3f}" for n, r in ratios.items()))


if __name__ == "__main__":
    main()
