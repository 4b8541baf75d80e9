"""Records how long trained models search: the steps until a sentence is complete, over its source tokens.

    python benchmarks/completion.py MODEL SOURCES [SOURCES …] --sentences 2000

A search takes as many steps as the longest of its `beam` candidates has tokens, because it is complete when
the last of them ends. Source tokens include the end symbol. The last line, over all files together, is the
table of scheduled.py, from which the benchmark's model draws when its hypotheses end.
"""

import argparse
import gzip
from pathlib import Path

import numpy as np
from scheduled import SHARES

from paranmt.models.translation.engines import load, resolve
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.translate_options import TranslateOptions


def main() -> None:
    """Search and print the quantiles of each file."""
    options = _arguments()
    wanted = TranslateOptions(
        model=options.model, engine="torch", beam=options.beam, max_length=options.max_length, device="cpu"
    )
    translator = load(resolve(wanted), Path(".benchmark-cache"))
    text = load_model(read_model_folder(options.model)).text
    print(" " * 30 + "".join(f"{share:8.1%}" for share in SHARES))
    ratios = []
    for path in options.sources:
        opened = gzip.open if path.endswith(".gz") else open
        with opened(path, "rt", encoding="utf-8") as file:
            sentences = [line for line in file.read().splitlines() if line.strip()]
        # Evenly spaced, because neighbours come from the same document.
        places = np.linspace(0, len(sentences) - 1, min(options.sentences, len(sentences))).astype(int)
        sentences = [sentences[place] for place in places]
        tokens = [len(row) + 1 for row in text.sources(sentences)]
        ranked = translator.translate(sentences, options.beam)
        steps = [max((candidate.n_tokens for candidate in one), default=0) for one in ranked]
        ratios.append(np.array(steps)[np.array(steps) > 0] / np.array(tokens)[np.array(steps) > 0])
        _print(Path(path).name, ratios[-1])
    _print("together", np.concatenate(ratios))


def _print(name: str, ratios: np.ndarray) -> None:
    quantiles = np.quantile(ratios, SHARES)
    print(f"{name[:22]:22} {len(ratios):6} " + "".join(f"{value:8.2f}" for value in quantiles), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="the folder of a checkpoint")
    parser.add_argument("sources", nargs="+", help="text files, plain or gz")
    parser.add_argument("--sentences", type=int, default=2000, help="of each file")
    parser.add_argument("--beam", type=int, default=12)
    parser.add_argument("--max-length", type=int, default=200)
    return parser.parse_args()


if __name__ == "__main__":
    main()
