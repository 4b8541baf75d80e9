"""How well a classifier tells references from translations, and how fast it is trained.

    python benchmarks/classifier.py references.en google.en microsoft.en --frequencies wikipedia.txt
    python benchmarks/classifier.py references.en google.en --speed --dimension 300

The first prints tables 8 and 10 of Wieting et al. 2017. Line n of every file is the same sentence; HTML
entities such as &#39; are replaced by their characters. For each system a tenth of the references, with
their translations, is not trained on but tested with, and another tenth is for choosing options (`valid.`).
Each seed has another split and another start. Copies of a reference stay together. `±` is the standard
deviation over the seeds. Table 10 correlates P(reference) of the tested sentences with their measures, as
`paranmt stats` defines them. The paper does not say whether references are among the sentences, so the
table has both.

The second prints processor seconds of an epoch, beside those of the same network in plain torch: padded
sentences, torch's LSTM (without peepholes), and Adam over all word vectors in every step.
"""

import argparse
import gzip
import html
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch

from paranmt.base.hashing import derive_seed
from paranmt.filters.ranks.draws import copy_keys
from paranmt.filters.statistics import NgramCounts, SentenceMeasures, TextStatistics
from paranmt.models.encoders.row_index import RowIndex
from paranmt.models.encoders.token_ids import TokenIds
from paranmt.models.encoders.vectors import WordVectors, read_vectors
from paranmt.models.sts.correlation import spearman
from paranmt.models.training.classifier import (
    CandidateLists,
    ClassifierOptions,
    SentenceClassifier,
    train_classifier,
)
from paranmt.pipeline.statistics.measuring import MEASURES, word_frequencies
from paranmt.transforms.model_kinds.word_frequencies import read_frequencies

BATCH = 100
PAIRS = 40_000  # as in the paper
TIMED = 4_000


@dataclass(frozen=True)
class Result:
    """A trained classifier: shares right of all, references and translations; ρ with each of MEASURES."""

    valid: np.ndarray
    test: np.ndarray
    of_translations: np.ndarray
    of_both: np.ndarray


def main(arguments: Sequence[str]) -> None:
    """Train classifiers and print tables in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("references")
    parser.add_argument("translations", nargs="+")
    parser.add_argument("--types", nargs="+", choices=["lstm", "avg"], default=["lstm", "avg"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--dimension", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--lambda-words", type=float, default=1e-6)
    parser.add_argument("--vectors", help="word vectors to start from")
    parser.add_argument("--frequencies", help="a text whose words are counted for the IDF")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args(arguments)
    references = read_lines(options.references)
    systems = {Path(path).name.split(".")[0]: read_lines(path) for path in options.translations}
    if options.speed:
        print_speed(references, next(iter(systems.values())), options)
        return
    vectors = read_vectors(options.vectors) if options.vectors else None
    if options.frequencies:
        frequencies = read_frequencies(options.frequencies)
    else:
        frequencies = word_frequencies([references, *systems.values()])
    results: dict[tuple[str, str], list[Result]] = {}
    for system, translations in systems.items():
        for type in options.types:
            results[type, system] = [
                train(references, translations, classifier_options(type, options, seed), vectors, frequencies)
                for seed in range(1, options.seeds + 1)
            ]
            shares = (f"{100 * result.test[0]:.1f}" for result in results[type, system])
            print(type, system, *shares, file=sys.stderr)
    print_accuracies(results, list(systems))
    print_correlations(results)


def read_lines(path: str) -> pa.Array:
    """The lines of a text file, plain or gz, without HTML entities."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="\n") as file:
        return pa.array([html.unescape(line.rstrip("\n")) for line in file], pa.string())


def classifier_options(type: str, options: argparse.Namespace, seed: int) -> ClassifierOptions:
    """The options of one training."""
    return ClassifierOptions(
        type, options.dimension, options.epochs, "random", options.lambda_words, "words", seed
    )


def train(
    references: pa.Array,
    translations: pa.Array,
    options: ClassifierOptions,
    vectors: WordVectors | None,
    frequencies: NgramCounts,
) -> Result:
    """Train on eight tenths of the pairs, and measure on the others."""
    tenths = copy_keys(references, derive_seed(options.seed, "split")).lead // np.uint64(2**64 // 10)
    valid, test = (
        [side.filter(pa.array(tenths == tenth)) for side in (references, translations)] for tenth in (1, 0)
    )
    trained = (side.filter(pa.array(tenths > 1)) for side in (references, translations))
    classifier, _ = train_classifier(examples(*trained), examples(*test), options, vectors)
    measures = [TextStatistics().add(side, frequencies) for side in test]
    probabilities = [classifier.reference_probability(side.to_pylist()) for side in test]
    return Result(
        shares_right(classifier, valid),
        shares_right(classifier, test),
        correlations(probabilities[1:], measures[1:]),
        correlations(probabilities, measures),
    )


def examples(references: pa.Array, translations: pa.Array) -> CandidateLists:
    """One candidate for each reference."""
    return CandidateLists(references, translations, np.arange(len(references) + 1))


def shares_right(classifier: SentenceClassifier, sides: Sequence[pa.Array]) -> np.ndarray:
    """The accuracy of all sentences, of references and of translations; (3,)."""
    of_references, of_translations = (classifier.reference_probability(side.to_pylist()) for side in sides)
    right = np.array([(of_references > 0.5).mean(), (of_translations <= 0.5).mean()])
    return np.array([right.mean(), *right])


def correlations(probabilities: Sequence[np.ndarray], measures: Sequence[SentenceMeasures]) -> np.ndarray:
    """Spearman's ρ of the probability with each measure, times 100; (4,)."""
    values = np.concatenate(probabilities)
    columns = [np.concatenate([getattr(side, name) for side in measures]) for name in MEASURES]
    return np.array([100 * (spearman(values, column) or 0.0) for column in columns])


def print_accuracies(results: dict[tuple[str, str], list[Result]], systems: Sequence[str]) -> None:
    """Table 8, and the gap between the two types of network."""
    print("| Model | Translations | valid. | Test Acc. | ± | + Acc. | - Acc. |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for (type, system), found in results.items():
        tests = 100 * np.array([result.test for result in found])
        valid = 100 * np.mean([result.valid[0] for result in found])
        every, plus, minus = tests.mean(axis=0)
        print(f"| {type} | {system} | {valid:.1f} | {every:.1f} | {tests[:, 0].std(ddof=1):.1f} ", end="")
        print(f"| {plus:.1f} | {minus:.1f} |")
    print("\n| Translations | LSTM less AVG, by seed |\n|---|---|")
    for system in systems:
        if ("lstm", system) in results and ("avg", system) in results:
            both = zip(results["lstm", system], results["avg", system], strict=True)
            gaps = [f"{100 * (lstm.test[0] - avg.test[0]):+.1f}" for lstm, avg in both]
            print(f"| {system} | {', '.join(gaps)} |")


def print_correlations(results: dict[tuple[str, str], list[Result]]) -> None:
    """Table 10."""
    print("\n| Model | Translations | Sentences | Unigram repetition rate | Trigram repetition rate ", end="")
    print("| Average IDF | Length |\n|---|---|---|--:|--:|--:|--:|")
    for (type, system), found in results.items():
        for name, attribute in (("translations", "of_translations"), ("both sides", "of_both")):
            mean = np.mean([getattr(result, attribute) for result in found], axis=0)
            print(f"| {type} | {system} | {name} | {' | '.join(f'{rho:.1f}' for rho in mean)} |")


class Plain(torch.nn.Module):
    """The classifier's network in plain torch."""

    def __init__(self, rows: int, type: str, dimension: int) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(rows, dimension)
        self.lstm = torch.nn.LSTM(dimension, dimension, batch_first=True) if type == "lstm" else None
        self.output = torch.nn.Linear(dimension, 2)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        words = self.embedding(ids)
        if self.lstm is None:
            here = torch.arange(ids.shape[1]) < lengths[:, None]
            return self.output((words * here[..., None]).sum(dim=1) / lengths[:, None])
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            words, lengths, batch_first=True, enforce_sorted=False
        )
        return self.output(self.lstm(packed)[1][0][0])


def print_speed(references: pa.Array, translations: pa.Array, options: argparse.Namespace) -> None:
    """Measure epochs of a few pairs, with vectors for the words of all, as seconds for 40,000 pairs."""
    print("| Model | words | seconds an epoch | in plain torch | ratio |\n|---|--:|--:|--:|--:|")
    few = [side[:TIMED] for side in (references, translations)]
    for type in options.types:
        settings = replace(classifier_options(type, options, 1), epochs=1)
        untrained, _ = train_classifier(examples(references, translations), examples(*few), settings)
        vocabulary = untrained.encoder.vocabularies["words"]
        table = untrained.encoder.encoder.get_parameter("embedding.weight").detach().numpy()
        vectors = WordVectors(vocabulary.entries, table[1:], table[0])
        pairs, seconds = examples(*few), []
        for epochs in (1, 2):
            began = time.process_time()
            train_classifier(pairs, pairs, replace(settings, epochs=epochs), vectors)
            seconds.append(time.process_time() - began)
        index = RowIndex(vocabulary)
        network = Plain(len(vocabulary), type, options.dimension)
        plain = plain_epoch(*(index.token_ids(side) for side in few), network, options.lambda_words)
        ours, plain = (each * PAIRS / len(few[0]) for each in (seconds[1] - seconds[0], plain))
        print(f"| {type} | {len(vocabulary):,} | {ours:.1f} | {plain:.1f} | {plain / ours:.1f} |")


def plain_epoch(references: TokenIds, translations: TokenIds, network: Plain, lambda_words: float) -> float:
    """Processor seconds of an epoch in plain torch."""
    sides = [side.take(np.flatnonzero(side.lengths())) for side in (references, translations)]
    adam = torch.optim.Adam(network.parameters(), 1e-3, fused=True)
    began = time.process_time()
    for start in range(0, min(map(len, sides)), BATCH // 2):
        batch = [side.take(np.arange(start, min(start + BATCH // 2, len(side)))) for side in sides]
        joined = TokenIds(
            np.concatenate([side.ids for side in batch]),
            np.concatenate([batch[0].starts, batch[0].starts[-1] + batch[1].starts[1:]]),
        )
        classes = torch.repeat_interleave(torch.tensor([1, 0]), torch.tensor([len(side) for side in batch]))
        loss = torch.nn.functional.cross_entropy(network(*joined.padded()), classes)
        (loss + lambda_words * network.embedding.weight.square().sum()).backward()
        adam.step()
        adam.zero_grad()
    return time.process_time() - began


if __name__ == "__main__":
    main(sys.argv[1:])
