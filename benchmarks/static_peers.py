"""A static encoder beside others' methods, all trained on exactly the same pairs.

    python benchmarks/static_peers.py RECIPE [--encoder static] [--seeds 3] [--peer-epochs 3]

RECIPE: a recipe that has been run, such as that of `make static`. The pairs are those of the release's
selection that the encoder is trained on, without those that it drops as too long. With each seed, these are
trained on them:

- `paranmt`: the recipe's encoder, or, if it was put together from others (`start: […]`), these, and joined;
- `StaticEmbedding`: sentence-transformers' encoder by its published recipe: WordPiece of 30,000, 1,024
  dimensions, MultipleNegativesRankingLoss inside MatryoshkaLoss (1,024 to 32), batches of 2,048 in which no
  text recurs, AdamW with a learning rate of 0.2, a tenth of the steps to warm up and then linear to 0;
- `model2vec`: what model2vec makes of a table of vectors, here of that of `StaticEmbedding`, because a
  teacher would have seen other data: 256 principal components, each row times a / (a + p) with a = 0.0001 and
  p from Zipf's law by the rank in the vocabulary, and vectors of length 1.

All are evaluated by the recipe's entries of `evaluate` for the encoder. For each row it prints the mean over
the seeds and their range, and by how much `paranmt` is ahead with a 95 % interval over items and seeds: of
the resamples of the items with all seeds, the same items for both. The seconds are of the processor.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from word_pieces import word_pieces

from paranmt.models.encoders.encodes import Encodes
from paranmt.models.encoders.joined import joined
from paranmt.models.encoders.row_index import count_words
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.bootstrap import interval
from paranmt.models.evaluation.evaluation import Measured
from paranmt.models.evaluation.sts import Sts
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions
from paranmt.models.training.trainer import train_encoder
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import open_release

WORDPIECES, DIMENSION = 30_000, 1_024
MATRYOSHKA = (1_024, 512, 256, 128, 64, 32)
BATCH, LEARNING_RATE, WARMUP = 2_048, 0.2, 0.1
COMPONENTS, SIF = 256, 1e-4


@dataclass(frozen=True)
class WordPieceAverage:
    """The mean of the rows of a text's word pieces; of length 1 if `normalises`."""

    tokenizer: object
    table: torch.Tensor
    normalises: bool = False

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """(n, dimension) float32."""
        cut = [each.ids for each in self.tokenizer.encode_batch(list(sentences), add_special_tokens=False)]  # type: ignore[attr-defined]
        starts = torch.tensor(np.cumsum([0, *map(len, cut)])[:-1])
        ids = torch.tensor([number for numbers in cut for number in numbers], dtype=torch.int64)
        vectors = torch.nn.functional.embedding_bag(ids, self.table, starts, mode="mean")
        return (torch.nn.functional.normalize(vectors, dim=1) if self.normalises else vectors).numpy()


def main(arguments: Sequence[str] | None = None) -> None:
    """Train all with each seed, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--encoder", default="static", help="the entry of `train`")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--peer-epochs", type=int, default=3)
    parser.add_argument("--epochs", type=int, help="of the recipe's encoder; by default as the recipe says")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    recipe = Recipe.load(options.recipe).located()
    pairs = read_pairs(recipe, options.encoder)
    sets = [entry.options for entry in recipe.evaluate.values() if entry.encoder == options.encoder]
    found: dict[str, list[list[Measured]]] = {}
    seconds: Counter[str] = Counter()
    for seed in range(1, options.seeds + 1):
        for name, encoder, spent in encoders(recipe, pairs, seed, options):
            seconds[name] += spent
            found.setdefault(name, []).append(
                [each.measure(encoder) for each in sets if isinstance(each, Sts)]
            )
    print(f"{len(pairs.references):,} pairs, seeds: {options.seeds}\n")
    print(f"| set | {' | '.join(found)} | {' | '.join(f'ahead of {name}' for name in list(found)[1:])} |")
    print("|---|" + "--:|" * (2 * len(found) - 1))
    for place in range(len(next(iter(found.values()))[0])):
        print_rows({name: [seed[place] for seed in seeds] for name, seeds in found.items()})
    times = " | ".join(f"{seconds[name] / options.seeds:,.0f}" for name in found)
    print(f"| seconds | {times} |" + " |" * (len(found) - 1))


def read_pairs(recipe: Recipe, name: str) -> PairList:
    """The pairs of the release that an encoder is trained on."""
    training = recipe.train[name]
    text, selection = training.options.text, training.selection
    table = open_release(recipe.workspace).pairs(selection, ["reference", "translation"]).to_table()
    lengths = [count_words(column, text.tokens) for column in table.columns]
    kept = [(length > 0) & (length <= text.max_tokens) for length in lengths]
    table = table.filter(pa.array(kept[0] & kept[1]))
    return PairList(*(column.to_pylist() for column in table.columns))


def encoders(
    recipe: Recipe, pairs: PairList, seed: int, options: argparse.Namespace
) -> Iterator[tuple[str, Encodes, float]]:
    """Name, encoder and the seconds of its training."""
    began = time.process_time()
    ours = train_ours(recipe, pairs, options.encoder, seed, options.epochs)
    yield "paranmt", ours, time.process_time() - began
    began = time.process_time()
    static = train_static_embedding(pairs, seed, options.peer_epochs)
    spent = time.process_time() - began
    yield "StaticEmbedding", static, spent
    began = time.process_time()
    yield "model2vec", as_model2vec(static), spent + time.process_time() - began


def train_ours(recipe: Recipe, pairs: PairList, name: str, seed: int, epochs: int | None) -> SentenceEncoder:
    """The encoder of an entry of `train`, or those that it joins."""
    options = recipe.train[name].options
    assert isinstance(options, TrainOptions)
    if isinstance(options.start, tuple) and not options.epochs:
        return joined([train_ours(recipe, pairs, part, seed, epochs) for part in options.start])
    options = replace(options, seed=seed, epochs=options.epochs if epochs is None else epochs)
    with tempfile.TemporaryDirectory() as folder:
        train_encoder(pairs, options, Path(folder, "encoder"), Path(folder, "scratch"))
        return SentenceEncoder.load(Path(folder, "encoder"))


def train_static_embedding(pairs: PairList, seed: int, epochs: int) -> WordPieceAverage:
    """By the published recipe; its trainer needs another package, so its loss is called in a plain loop."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.losses import (
        MatryoshkaLoss,
        MultipleNegativesRankingLoss,
    )
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer = word_pieces([*pairs.references, *pairs.translations], WORDPIECES)
    torch.manual_seed(seed)
    module = StaticEmbedding(tokenizer, embedding_dim=DIMENSION)
    model = SentenceTransformer(modules=[module], device="cpu")
    loss = MatryoshkaLoss(model, MultipleNegativesRankingLoss(model), matryoshka_dims=list(MATRYOSHKA))
    batches = [batch for epoch in range(epochs) for batch in without_duplicates(pairs, f"{seed} {epoch}")]
    adam = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.0, fused=True)
    warm = max(1, round(WARMUP * len(batches)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / warm, (len(batches) - step) / max(1, len(batches) - warm))
    )
    for rows in batches:
        sides = [[side[row] for row in rows] for side in (pairs.references, pairs.translations)]
        loss([model.preprocess(side) for side in sides], None).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        adam.zero_grad()
        schedule.step()
    return WordPieceAverage(tokenizer, module.embedding.weight.detach())


def without_duplicates(pairs: PairList, seed: str) -> Iterator[list[int]]:
    """All pairs in batches in which no text recurs; a pair with a text of one waits for the next."""
    waiting = list(range(len(pairs.references)))
    random.Random(seed).shuffle(waiting)
    while waiting:
        batch, texts, later = [], set[str](), []
        for place, row in enumerate(waiting):
            if len(batch) == BATCH:
                later += waiting[place:]
                break
            both = {pairs.references[row], pairs.translations[row]}
            if texts.isdisjoint(both):
                batch.append(row)
                texts |= both
            else:
                later.append(row)
        waiting = later
        yield batch


def as_model2vec(encoder: WordPieceAverage) -> WordPieceAverage:
    """The same word pieces with the vectors that model2vec's post-processing gives them."""
    table = encoder.table.double()
    table = table - table.mean(dim=0)
    _, vectors = torch.linalg.eigh(table.T @ table)
    components = table @ vectors.flip(1)[:, :COMPONENTS]
    shares = 1 / torch.arange(2, len(table) + 2, dtype=torch.float64)
    weights = SIF / (SIF + shares / shares.sum())
    return replace(encoder, table=(components * weights[:, None]).float(), normalises=True)


def print_rows(found: dict[str, list[Measured]]) -> None:
    """A line for each average of a set, or for each row without one. found: by encoder, of each seed."""
    table = next(iter(found.values()))[0].table
    for row in table.averages or table.rows:
        key = table.key(row)
        values = {name: [value_of(measured, key) for measured in seeds] for name, seeds in found.items()}
        if any(value is None for seeds in values.values() for value in seeds):
            continue
        numbers = {name: np.array(seeds, np.float64) for name, seeds in values.items()}
        cells = [f"{seeds.mean():.1f} ({seeds.min():.1f}–{seeds.max():.1f})" for seeds in numbers.values()]
        ours, *others = found
        for other in others:
            gaps = np.concatenate(
                [
                    left.resampled[key] - right.resampled[key]
                    for left, right in zip(found[ours], found[other], strict=True)
                ]
            )
            low, high = interval(gaps)
            cells.append(f"{numbers[ours].mean() - numbers[other].mean():.1f} ({low:.1f} to {high:.1f})")
        print(f"| {' '.join(name for name in key if name is not None)} | {' | '.join(cells)} |", flush=True)


def value_of(measured: Measured, key: tuple[str | None, str]) -> float | None:
    """Pearson's r times 100 of a row."""
    table = measured.table
    (row,) = (each for each in (*table.rows, *table.averages) if table.key(each) == key)
    value = row.values[table.main]
    return value if isinstance(value, float) and key in measured.resampled else None


if __name__ == "__main__":
    main()
