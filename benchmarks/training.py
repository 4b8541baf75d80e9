"""How fast encoders are trained, beside sentence-transformers with its MegaBatchMarginLoss.

    OMP_NUM_THREADS=1 python benchmarks/training.py REFERENCES TRANSLATIONS [--cases words,bilstm]

REFERENCES, TRANSLATIONS: text files whose lines are the pairs, plain or gz; several are joined with commas.
Without TRANSLATIONS a reference's translation is itself with some words left out and some exchanged. Needs
the package sentence-transformers. `python tests/processors.py avx2 python benchmarks/training.py …` takes the
code for processors that have AVX2 and no AVX-512, in all libraries.

Both sides get the same pairs, the same tokens (lower-cased words, cut before), the same start for a table
with the words of all pairs, vectors of 300 numbers, Adam and one thread. They take turns. The figures are
medians over the rounds with their range, in pairs per second of processor time, on a GPU of wall time. A
training is timed from its second mega-batch on, without the reading of pairs and the building of the model.
sentence-transformers cuts texts into ids again in each step, and this is part of its time. Its models and its
loss are called in a plain loop, because its trainer needs another package.

What differs. This project makes a step of Adam for each mini-batch of 100 pairs, which embeds anew its
sentences and their negatives; the negatives of both sides come from all sentences of the mega-batch.
MegaBatchMarginLoss makes one step for a whole mega-batch, chooses for each reference a translation, and gets
the gradient of mini-batches from a cache, as its documentation advises (not with StaticEmbedding, which does
not allow it). So this project makes 40 times as many steps with the same pairs. In the cases `equal steps` a
mega-batch is one mini-batch, and both make the same number of steps.
"""

import argparse
import gzip
import logging
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import torch

from paranmt.models.encoders.encoder_kinds import AnyEncoder, AveragingOptions, BiLstmOptions
from paranmt.models.encoders.sentence_encoder import table_of
from paranmt.models.encoders.vectors import WordVectors
from paranmt.models.encoders.vocabulary import words
from paranmt.models.training.negatives import hardest_negatives
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList
from paranmt.models.training.same_texts import Exclusions
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.trainer import train_encoder

DIMENSION = 300
BATCH, MEGA_BATCH = 100, 40
LONGEST = 50
EQUAL_LENGTH = 20

Pairs = tuple[list[str], list[str]]  # references, translations; units separated by spaces
Training = Callable[[Pairs, WordVectors, int, int, str], float]
"""Pairs, the start, the mega-batch, mega-batches that are timed, and the device; returns seconds."""


@dataclass(frozen=True)
class Case:
    """Training runs on the same pairs. The first is compared with all others."""

    name: str
    trainings: dict[str, Training]
    mega_batch: int
    timed: int  # mega-batches
    equal_lengths: bool = False


def _arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("references")
    parser.add_argument("translations", nargs="?")
    parser.add_argument("--cases", default="words,bilstm")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mega-batch", type=int, default=MEGA_BATCH)
    parser.add_argument("--timed", type=int, default=2, help="mega-batches of a training that are timed")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--memory", action="store_true", help="print only the memory of choosing negatives")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    """Print the speeds of all cases and the memory of choosing negatives."""
    options = _arguments(arguments)
    if options.memory:
        print(memory_of_negatives(BATCH * MEGA_BATCH))
        return
    logging.disable(logging.WARNING)
    pairs = read_pairs(options.references, options.translations)
    vectors = random_vectors(pairs)
    print(f"torch computes with the code for {torch.backends.cpu.get_cpu_capability()}")
    print_memory()
    print(f"{len(pairs[0]):,} pairs, repeated where a case needs more; {len(vectors.words):,} words\n")
    print("| case | training | pairs/s | range | ratio | range |\n|---|---|--:|---|--:|---|")
    for case in cases(options):
        if case.name.split()[0].rstrip(",") in options.cases.split(","):
            print_case(case, equal_lengths(pairs) if case.equal_lengths else pairs, vectors, options)


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """All that can be measured."""
    mega_batch, timed = options.mega_batch, options.timed
    average = AveragingOptions(dimension=DIMENSION)
    of_words = {"paranmt": ours(average), "WordEmbeddings": theirs(word_embeddings)}
    both = of_words | {"StaticEmbedding": theirs(static_embedding)}
    yield Case(f"words, mega-batch of {mega_batch}", both, mega_batch, timed)
    yield Case("words, equal steps", both, 1, timed * mega_batch)
    peepholes = BiLstmOptions(dimension=DIMENSION, combine="concatenate")
    bilstms = {
        "paranmt without peepholes": ours(replace(peepholes, peepholes=False)),
        "paranmt": ours(peepholes),
        "LSTM": theirs(bilstm),
    }
    few = mega_batch if options.device == "cuda" else max(2, mega_batch // 8)  # it takes long on a CPU
    yield Case(f"bilstm, equal lengths, mega-batch of {few}", bilstms, few, 1, True)
    yield Case("bilstm, equal lengths, equal steps", bilstms, 1, few, True)
    yield Case(f"bilstm, own lengths, mega-batch of {few}", bilstms, few, 1)
    yield Case("bilstm, own lengths, equal steps", bilstms, 1, few)


def print_case(case: Case, pairs: Pairs, vectors: WordVectors, options: argparse.Namespace) -> None:
    """One row for each training."""
    needed = BATCH * case.mega_batch * (case.timed + 1)
    some = tuple(list(islice(cycle(side), needed)) for side in pairs)
    seconds = np.array(
        [
            [
                train(some, vectors, case.mega_batch, case.timed, options.device)
                for train in case.trainings.values()
            ]
            for _ in range(options.rounds)
        ]
    )
    speeds = BATCH * case.mega_batch * case.timed / seconds
    for name, speed in zip(case.trainings, speeds.T, strict=True):
        ratio = speeds[:, 0] / speed
        print(
            f"| {case.name} | {name} | {np.median(speed):,.0f} | {speed.min():,.0f} to {speed.max():,.0f} "
            f"| {np.median(ratio):.2f} | {ratio.min():.2f} to {ratio.max():.2f} |",
            flush=True,
        )


def read_pairs(references: str, translations: str | None) -> Pairs:
    """The pairs of 1 to LONGEST tokens a side."""
    sides = [tokenised(references)]
    sides.append(tokenised(translations) if translations else changed(sides[0]))
    kept = [pair for pair in zip(*sides, strict=True) if all(0 < len(side) <= LONGEST for side in pair)]
    random.Random(1).shuffle(kept)
    return tuple([" ".join(side) for side in texts] for texts in zip(*kept, strict=True))


def tokenised(paths: str) -> list[list[str]]:
    """The words of each line."""
    lines: list[list[str]] = []
    for path in paths.split(","):
        with (gzip.open if path.endswith(".gz") else open)(
            path, "rt", encoding="utf-8", newline="\n"
        ) as file:
            lines += (words(line.rstrip("\n"), "words") for line in file)
    return lines


def changed(sentences: list[list[str]]) -> list[list[str]]:
    """Each sentence with a tenth of its words left out, and two tenths replaced by words of all sentences."""
    draw = random.Random(2)
    every = [word for sentence in sentences for word in sentence]
    return [
        [draw.choice(every) if draw.random() < 0.2 else word for word in sentence if draw.random() > 0.1]
        for sentence in sentences
    ]


def equal_lengths(pairs: Pairs) -> Pairs:
    """The pairs whose sides are long enough, both cut to EQUAL_LENGTH tokens."""
    split = (tuple(side.split() for side in pair) for pair in zip(*pairs, strict=True))
    cut = [
        [" ".join(side[:EQUAL_LENGTH]) for side in pair]
        for pair in split
        if all(len(side) >= EQUAL_LENGTH for side in pair)
    ]
    return tuple(list(side) for side in zip(*cut, strict=True))


def clock(device: str) -> float:
    """Seconds of the processor; of the wall on a GPU, once it has done its work."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def ours(encoder: AnyEncoder) -> Training:
    """A training of this project, all options but the encoder's being the defaults."""

    def train(pairs: Pairs, vectors: WordVectors, mega_batch: int, timed: int, device: str) -> float:
        ends: list[float] = []

        def progress(state: TrainProgress) -> None:
            if state.epoch:
                ends.append(clock(device))

        options = TrainOptions(
            encoder=encoder,
            text=TextOptions(tokens="whitespace"),
            epochs=1,
            batch=BATCH,
            mega_batch=mega_batch,
            device=device,
        )
        with tempfile.TemporaryDirectory() as folder:
            out, scratch = Path(folder) / "out", Path(folder) / "scratch"
            train_encoder(PairList(*pairs), options, out, scratch, progress, vectors=vectors)
        return ends[timed] - ends[0]

    return train


def theirs(build: Callable[[WordVectors], Sequence[torch.nn.Module]]) -> Training:
    """A training of sentence-transformers."""

    def train(pairs: Pairs, vectors: WordVectors, mega_batch: int, timed: int, device: str) -> float:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.losses import MegaBatchMarginLoss

        torch.manual_seed(1)
        modules = build(vectors)
        model = SentenceTransformer(modules=modules, device=device)
        loss = MegaBatchMarginLoss(model, use_mini_batched_version=len(modules) > 1, mini_batch_size=BATCH)
        # What its trainer takes: AdamW, here without a decay of weights.
        adam = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
        model.train()
        ends: list[float] = []
        for rows in torch.randperm(len(pairs[0])).split(BATCH * mega_batch):
            sides = [model.preprocess([side[row] for row in rows.tolist()]) for side in pairs]
            features = [{name: on(value, device) for name, value in side.items()} for side in sides]
            loss(features, None).backward()
            adam.step()
            adam.zero_grad()
            ends.append(clock(device))
        return ends[timed] - ends[0]

    return train


def on(value: object, device: str) -> object:
    """A tensor on a device; anything else as it is."""
    return value.to(device) if isinstance(value, torch.Tensor) else value


def random_vectors(pairs: Pairs) -> WordVectors:
    """The start of both sides: the words of all pairs, with vectors as this project draws them."""
    entries = sorted({word for side in pairs for text in side for word in text.split()})
    generator = np.random.default_rng(1)
    table = generator.standard_normal((len(entries) + 1, DIMENSION), dtype=np.float32)
    table *= AveragingOptions().initial_scale
    return WordVectors(entries, table[1:], table[0])


def word_embeddings(vectors: WordVectors) -> Sequence[torch.nn.Module]:
    """The mean of word vectors, over padded sentences."""
    from sentence_transformers.sentence_transformer.modules import Pooling

    return [padded_words(vectors), Pooling(DIMENSION, pooling_mode="mean")]


def bilstm(vectors: WordVectors) -> Sequence[torch.nn.Module]:
    """The mean of the states of torch's LSTM in both directions, concatenated."""
    from sentence_transformers.sentence_transformer.modules import LSTM, Pooling

    lstm = LSTM(DIMENSION, DIMENSION, bidirectional=True)
    return [padded_words(vectors), lstm, Pooling(2 * DIMENSION, pooling_mode="mean")]


def padded_words(vectors: WordVectors) -> torch.nn.Module:
    """The vectors of words, which change in training."""
    from sentence_transformers.sentence_transformer.modules import WordEmbeddings
    from sentence_transformers.sentence_transformer.modules.tokenizer import WordTokenizer

    rows = {word: row for row, word in enumerate(vectors.words, 1)}

    class Words(WordTokenizer):  # its own tokenizers leave out stop words and punctuation
        def set_vocab(self, vocab: object) -> None: ...

        def get_vocab(self, vocab: object = None) -> list[str]:
            return vectors.words

        def tokenize(self, text: str, **_: object) -> list[int]:
            return [rows[word] for word in text.split()]

        def save(self, output_path: str) -> None: ...

        @staticmethod
        def load(input_path: str) -> None: ...

    return WordEmbeddings(Words(), table_of(vectors), update_embeddings=True)


def static_embedding(vectors: WordVectors) -> Sequence[torch.nn.Module]:
    """The mean of word vectors, by torch's EmbeddingBag."""
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    rows = {word: row for row, word in enumerate(["<unknown>", *vectors.words])}
    tokenizer = Tokenizer(WordLevel(rows, unk_token="<unknown>"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return [StaticEmbedding(tokenizer, table_of(vectors))]


def print_memory() -> None:
    """What choosing the negatives of a mega-batch takes, in a process of its own."""
    command = [sys.executable, __file__, "-", "--memory"]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    pairs = BATCH * MEGA_BATCH
    matrix = 4 * (2 * pairs) ** 2
    print(
        f"choosing the negatives of {pairs:,} pairs takes {peak / 2**20:.0f} MiB; the matrix of all "
        f"similarities would have {matrix / 2**20:.0f} MiB\n"
    )


def memory_of_negatives(pairs: int) -> int:
    """By how many bytes the memory of this process is highest while negatives are chosen; needs Linux."""
    torch.manual_seed(0)
    vectors = torch.randn(2 * pairs, DIMENSION)
    different = Exclusions(np.arange(2 * pairs), "equal_texts")
    hardest_negatives(vectors[:200], "all", Exclusions(np.arange(200), "equal_texts"))  # loads libraries
    Path("/proc/self/clear_refs").write_text("5")  # the highest memory so far is forgotten
    before = resident("VmRSS")
    hardest_negatives(vectors, "all", different)
    return resident("VmHWM") - before


def resident(name: str) -> int:
    """The memory of this process, in bytes: VmRSS now, VmHWM at the highest."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1:])
