"""Averages of vectors trained on public data alone: the best recipe known for them.

    python benchmarks/word_averages.py data.yaml OUT
    python benchmarks/word_averages.py data.yaml OUT --units subwords

data.yaml names the data by role, as for `paranmt reproduce` (docs/reproduction.md): translations,
simplification, captions, ppdb_lexical and sts. No training pair shares a sentence with the evaluation.

The recipe was chosen on development sets (the train part of STS 2012, SICK's trial part and STS 2017). It is
a mixture of all roles, a margin of 0.8, and 12 epochs; everything else is as in ParaNMT. The encoder is
written to OUT, and the means of STS 2012 to 2015 are printed beside those of ParaNMT's word averages.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.sts import Sts
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.trainer import train_encoder
from paranmt.papers.paper_data import DataFiles
from paranmt.papers.paper_table import RoleSample
from paranmt.papers.training_samples import Samples

AT_MOST = {"translations": 300_000, "simplification": 100_000, "captions": 150_000, "ppdb_lexical": 100_000}
"""How many pairs of each role are trained on. More are not better: words and captions crowd out the rest."""
PARANMT = {"2012": 66.2, "2013": 61.8, "2014": 76.2, "2015": 79.3}
"""ParaNMT, table 7, Word: trained on 5 million selected pairs, from PARAGRAM-SL999."""


def main(arguments: Sequence[str]) -> None:
    """Train an encoder, and print its evaluation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--units", default="words", choices=["words", "trigrams", "subwords"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    began = time.monotonic()
    data = DataFiles.read(options.data)
    pairs = mixture(Samples(data), options.seed)
    print(f"{len(pairs.references):,} pairs after {time.monotonic() - began:.0f} s")
    training = TrainOptions(
        text=TextOptions(units=options.units), margin=0.8, epochs=options.epochs, seed=options.seed
    )
    with tempfile.TemporaryDirectory() as scratch:
        result = train_encoder(pairs, training, options.out, Path(scratch), show)
    print(f"trained on {result.pairs:,} pairs; {time.monotonic() - began:.0f} s since the start")
    print_means(SentenceEncoder.load(options.out), data.tests)
    print(f"{time.monotonic() - began:.0f} s in all, with {options.threads} threads")


def mixture(samples: Samples, seed: int) -> PairList:
    """Random pairs of each role that the data has, a pair of each group before the second of any."""
    references: list[str] = []
    translations: list[str] = []
    for role, most in AT_MOST.items():
        if role in samples.data.roles:
            available = samples.available(RoleSample(role=role))
            drawn = samples.sample(RoleSample(role=role), min(most, available), seed)
            references += drawn.references
            translations += drawn.translations
            print(f"{role}: {len(drawn.references):,} of {available:,} pairs")
    return PairList(references, translations)


def show(progress: TrainProgress) -> None:
    """Print the end of each epoch."""
    if progress.epoch and progress.pairs == progress.pairs_in_epoch:
        print(f"epoch {progress.epoch}: {progress.pairs_per_second:,.0f} pairs/s, loss {progress.loss:.3f}")


def print_means(encoder: SentenceEncoder, folders: Sequence[str]) -> None:
    """The mean of Pearson's r of each year's test sets, times 100."""
    for folder in folders:
        for row in Sts(data=folder).evaluate(encoder).averages:
            year = str(row.values["year"])
            paper = f" (ParaNMT's Word: {PARANMT[year]})" if year in PARANMT else ""
            name, pearson = row.values["dataset"], row.values["pearson"]
            low, high = row.values["low"], row.values["high"]
            print(f"{year} {name}: {pearson:.1f} ({low:.1f} to {high:.1f}){paper}")


if __name__ == "__main__":
    main(sys.argv[1:])
