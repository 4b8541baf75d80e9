"""How fast sentences become vectors, beside StaticEmbedding and model2vec, on one core.

    OMP_NUM_THREADS=1 python benchmarks/encoding.py TEXT [--sentences 50000] [--rounds 5]

TEXT: a file with a sentence a line, plain or gz. All tables are random, of 300 dimensions, and know the
text's units: ours its words, its trigrams, the pieces of a sentencepiece model that is trained on it, and the
mixture of the last two; the others the pieces of a WordPiece tokenizer of 30,000 that is trained on it. They
take turns. The figures are medians over the rounds with their range: sentences per second of processor time,
and how many times as fast words and the mixture are. `embed` is the command, from its start to the file; then
there are the seconds that it takes for one sentence. Needs the packages sentence-transformers and model2vec;
without one, its lines are left out.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
from processor_time import child_seconds, own_seconds
from word_pieces import word_pieces

from paranmt.base.streams import numbered_lines, utf8_lines
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.joined import joined
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.subword_units import SubwordVocabulary
from paranmt.models.encoders.vocabulary import UNITS, Vocabulary, most_frequent, words

DIMENSION = 300
OWN = "words", "trigrams and subwords"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each encoder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text")
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pieces", type=int, default=30_000)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    sentences = [line for _, line in utf8_lines(options.text, numbered_lines(options.text))]
    sentences = sentences[: options.sentences]
    with tempfile.TemporaryDirectory() as folder:
        works = works_of(sentences, options.pieces, Path(folder))
        for name, work in works.items():
            if not name.startswith("embed"):
                work()  # loads and compiles
        spent = np.array([[work() for work in works.values()] for _ in range(options.rounds)])
        starts = {name: started(Path(folder, name)) for name in OWN}
    print(
        f"{len(sentences):,} sentences, {len(' '.join(sentences).split()) / len(sentences):.1f} words each\n"
    )
    heads = [f"ratio of {name}" for name in OWN]
    print(f"| encoder | sentences/s | {' | '.join(heads)} |\n|---|--:|--:|--:|")
    names = list(works)
    for column, name in enumerate(names):
        ratios = [spread(spent[:, column] / spent[:, names.index(own)], "{:.2f}") for own in OWN]
        print(f"| {name} | {spread(len(sentences) / spent[:, column], '{:,.0f}')} | {' | '.join(ratios)} |")
    for name, seconds in starts.items():
        print(f"\n`paranmt embed` of one sentence, {name}: {seconds:.2f} s of processor time")


def spread(values: np.ndarray, form: str) -> str:
    """The median and the range."""
    middle, low, high = map(form.format, (np.median(values), values.min(), values.max()))
    return f"{middle} ({low} to {high})"


def works_of(sentences: list[str], pieces: int, folder: Path) -> dict[str, Callable[[], float]]:
    """What is measured, by name; each gives the seconds that it took."""
    works: dict[str, Callable[[], float]] = {}
    source = folder / "text.txt"
    source.write_text("".join(f"{sentence}\n" for sentence in sentences), "utf-8")
    for name, encoder in own_encoders(sentences, pieces).items():
        works[name] = partial(own_seconds, partial(encoder.encode, sentences))
        if name in OWN:
            encoder.save(folder / name)
            works[f"embed, {name}"] = lambda name=name: embedded(folder / name, source)  # type: ignore[misc]
    for name, encode in others(sentences, pieces).items():
        works[name] = partial(own_seconds, partial(encode, sentences))
    return works


def own_encoders(sentences: list[str], pieces: int) -> dict[str, SentenceEncoder]:
    """Ours, with random tables."""
    counts = Counter(word for sentence in sentences for word in words(sentence))
    trigrams = Counter(unit for sentence in sentences for unit in UNITS["trigrams"](sentence, "words"))
    vocabularies = [
        Vocabulary(most_frequent(counts, 200_000)),
        Vocabulary(most_frequent(trigrams, 200_000), "trigrams"),
        SubwordVocabulary.train(counts, pieces),
    ]
    found = {}
    for vocabulary in vocabularies:
        options = AveragingOptions(dimension=DIMENSION)
        encoder = options.build({vocabulary.units: len(vocabulary)}, vocabulary.units)
        found[str(vocabulary.units)] = SentenceEncoder(draw_weights(encoder, 1), vocabulary)
    return found | {OWN[1]: joined([found["trigrams"], found["subwords"]])}


def others(sentences: list[str], pieces: int) -> dict[str, Callable[[list[str]], object]]:
    """The packages that are installed, each by its own `encode`."""
    found: dict[str, Callable[[list[str]], object]] = {}
    if importlib.util.find_spec("sentence_transformers") is not None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import StaticEmbedding

        tokenizer = word_pieces(sentences, pieces)
        model = SentenceTransformer(
            modules=[StaticEmbedding(tokenizer, embedding_dim=DIMENSION)], device="cpu"
        )
        for batch in (32, 1024):
            found[f"StaticEmbedding, batches of {batch}"] = lambda texts, batch=batch: model.encode(  # type: ignore[misc]
                texts, batch_size=batch, show_progress_bar=False
            )
    if importlib.util.find_spec("model2vec") is not None:
        from model2vec import StaticModel

        tokenizer = word_pieces(sentences, pieces)
        table = np.random.default_rng(1).standard_normal((tokenizer.get_vocab_size(), DIMENSION))
        static = StaticModel(table.astype(np.float32), tokenizer)
        found["model2vec"] = lambda texts: static.encode(texts, use_multiprocessing=False)
    return found


def embedded(encoder: Path, source: Path) -> float:
    """Seconds of the processor of a command `paranmt embed`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "paranmt", "embed", encoder, source, Path(folder, "vectors.npy")]
        return child_seconds(command)


def started(encoder: Path) -> float:
    """Seconds of the processor of the command for one sentence."""
    source = encoder / "sentence.txt"
    source.write_text("It rained.\n")
    return embedded(encoder, source)


if __name__ == "__main__":
    main()
