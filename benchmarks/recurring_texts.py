"""Training on pairs whose texts recur: the papers' negatives beside those without equal texts.

    python benchmarks/recurring_texts.py --dev STS SICK --tests STS REFERENCES TRANSLATIONS [TRANSLATIONS ...]

REFERENCES and each TRANSLATIONS are files with a sentence a line, plain or compressed; each file of
translations is another system's. Or `--folder FOLDER` of files NAME.en and NAME.SYSTEM.en. Averages are
trained on the translations of the first 1, 2, 4, … systems, with both rules of `negatives_exclude`.

For each training it prints the share of pairs that share a text with another one of their mega-batch, and the
means of Pearson's r (times 100) over the development sets (the train part of STS 2012 and SICK's trial part)
and over the tests of STS 2012 to 2015 without SMT of 2013, all with one thread.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import torch

from paranmt.base.streams import numbered_lines, utf8_lines
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.sts import Sts
from paranmt.models.training.dev_scores import measure, read_dev_sets
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import NegativesExclude, TrainOptions
from paranmt.models.training.trainer import train_encoder

REFERENCE = ".en"


def main(arguments: Sequence[str]) -> None:
    """Train with both rules, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="references, then each system's translations")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--dev", nargs="+", required=True)
    parser.add_argument("--tests", required=True)
    parser.add_argument("--dimension", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    corpus = read_folder(options.folder) if options.folder else [[lines(path) for path in options.files]]
    systems = max(len(files) for files in corpus) - 1
    numbers = sorted({min(2**power, systems) for power in range(systems.bit_length() + 1)})
    print("systems  pairs    recurring  rule         development      STS 2012–15")
    for number in numbers:
        references, translations = first_systems(corpus, number)
        for rule in get_args(NegativesExclude):
            results = []
            for seed in range(1, options.seeds + 1):
                training = TrainOptions(
                    seed=seed,
                    epochs=options.epochs,
                    encoder=AveragingOptions(dimension=options.dimension),
                    negatives_exclude=rule,
                )
                results.append(
                    train(PairList(references, translations), training, options.dev, options.tests)
                )
            pairs, recurring, dev, tests = (np.array(column) for column in zip(*results, strict=True))
            print(
                f"{number:7}  {int(pairs[0]):7,}  {100 * recurring.mean():7.0f} %  {rule:11}  "
                f"{mean_and_spread(dev)}     {mean_and_spread(tests)}",
                flush=True,
            )


def mean_and_spread(values: np.ndarray) -> str:
    """The mean of some seeds, and how far they are apart."""
    return f"{values.mean():.1f} ({values.min():.1f}–{values.max():.1f})"


def lines(path: str | Path) -> list[str]:
    """The lines of a file."""
    return [line for _, line in utf8_lines(str(path), numbered_lines(str(path)))]


def read_folder(folder: Path) -> list[list[list[str]]]:
    """For each file of references its lines, then those of each system in alphabetical order."""
    corpus = []
    for path in sorted(folder.glob(f"*{REFERENCE}*")):
        name = path.name.split(REFERENCE)[0]
        others = sorted(other for other in folder.glob(f"{name}.*{REFERENCE}*") if other != path)
        if "." not in name and others:
            corpus.append([lines(path), *map(lines, others)])
    return corpus


def first_systems(corpus: Sequence[Sequence[list[str]]], number: int) -> tuple[list[str], list[str]]:
    """The references, once for each system, and the translations of the first systems."""
    references, translations = [], []
    for files in corpus:
        for system in files[1 : number + 1]:
            references += files[0]
            translations += system
    return references, translations


def train(pairs: PairList, options: TrainOptions, dev: Sequence[str], tests: str) -> tuple[float, ...]:
    """Pairs, share that recurs, mean over the development sets, and over the tests."""
    with tempfile.TemporaryDirectory() as folder:
        result = train_encoder(pairs, options, Path(folder, "encoder"), Path(folder, "scratch"))
        encoder = SentenceEncoder.load(Path(folder, "encoder"))
    developments = measure(encoder, read_dev_sets(TrainOptions(dev=tuple(dev))))
    rows = Sts(data=tests).evaluate(encoder).averages
    of_years = next(row for row in rows if "2012-2015 without SMT" in str(row.values["dataset"]))
    pearson = [value for value in developments.values() if value is not None]
    test = of_years.values["pearson"]
    assert isinstance(test, float)
    return result.pairs, result.recurring, sum(pearson) / len(pearson), test


if __name__ == "__main__":
    main(sys.argv[1:])
