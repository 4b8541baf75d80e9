"""A classifier that tells references from translations: trained, stored as a folder, and used.

Wieting et al. 2017, section 5.6.1.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np
import pyarrow as pa
import safetensors
import safetensors.torch
import torch

from ..base.documents import read_json
from ..base.errors import ModelError, RecipeError
from ..base.hashing import derive_seed
from ..tokens.columns import lower_tokens
from ..tokens.definition import Tokens
from .encoders.random_weights import Linear, draw_normal, draw_weights
from .encoders.recurrence import PeepholeLstm, Steps
from .encoders.row_index import RowIndex
from .encoders.sentence_encoder import table_of
from .encoders.token_ids import TokenIds
from .encoders.vectors import WordVectors
from .encoders.vocabulary import Vocabulary, most_frequent
from .finite import check_finite
from .training.determinism import deterministic
from .training.row_adam import RowAdam

_FORMAT = "paranmt-classifier-2"
_WEIGHTS, _VOCABULARY, _CONFIG, _ACCURACY = (
    "model.safetensors",
    "vocabulary.txt",
    "config.json",
    "accuracy.json",
)
_BATCH, _LEARNING_RATE, _INITIAL_SCALE = 100, 1e-3, 0.05
_SCORED_TOKENS = 8_192  # of the sentences that are scored at once
_VOCABULARY_SIZE = 200_000
# References with which a word must occur: the row of unknown words is trained too, on words of one reference.
_MINIMUM_COUNT = 2
_TRANSLATION, _REFERENCE = 0, 1  # the classes
# What reading a damaged folder may raise; RuntimeError is torch's.
_DAMAGE = (AttributeError, KeyError, TypeError, ValueError, RuntimeError, safetensors.SafetensorError)


@dataclass(frozen=True)
class ClassifierOptions:
    """How a classifier is made. `type` and `dimension` are the network's; the rest is used in training.

    type: `avg` (the mean of word vectors) or `lstm` (its last state). negatives: which candidate stands for
    the translations in each epoch, a `random` one or the `hardest`, which has the highest probability of
    being a reference. lambda_words: weight of the sum of squares of the vectors of a batch's words, each word
    counted once.
    """

    type: Literal["avg", "lstm"]
    dimension: int
    epochs: int
    negatives: Literal["random", "hardest"]
    lambda_words: float
    tokens: Tokens
    seed: int


@dataclass(frozen=True)
class Examples:
    """References, and the candidates of each: those of pair i are `candidates[starts[i]:starts[i + 1]]`.

    starts: (pairs + 1,) int64, rising from 0; every pair has at least one candidate.
    """

    references: pa.StringArray
    candidates: pa.StringArray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.references)


@dataclass(frozen=True)
class Accuracy:
    """How many of `pairs` unseen references, and of as many translations, a classifier recognised."""

    pairs: int
    references_right: int
    translations_right: int


class Network(torch.nn.Module):
    """Sentences in, logits of the two classes out. An empty sentence has the zero vector."""

    def __init__(self, rows: int, type: str, dimension: int) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(rows, dimension)
        self.lstm = PeepholeLstm(dimension, dimension) if type == "lstm" else None
        self.output = Linear(dimension, 2)

    def draw(self, random: np.random.Generator) -> None:
        """Draws the table from N(0, 0.05²)."""
        draw_normal(self.embedding.weight, _INITIAL_SCALE, random)

    def forward(self, words: torch.Tensor, sentences: TokenIds) -> torch.Tensor:
        """(words, dimension) vectors, of which the sentences' ids are rows, to (sentences, 2)."""
        return cast(torch.Tensor, self.output(self._vectors(words, sentences)))

    def _vectors(self, words: torch.Tensor, sentences: TokenIds) -> torch.Tensor:
        if self.lstm is None:
            ids, starts = (
                torch.from_numpy(array.astype(np.int64)) for array in (sentences.ids, sentences.starts)
            )
            return torch.nn.functional.embedding_bag(ids, words, starts[:-1], mode="mean")
        vectors = words.new_zeros(len(sentences), words.shape[1])
        rows = np.flatnonzero(sentences.lengths())
        if not len(rows):
            return vectors
        steps = Steps(sentences.take(rows), words.device)
        states = self.lstm(words.index_select(0, steps.unit_ids()), steps)
        return vectors.index_copy(0, torch.from_numpy(rows), steps.last(states))


class SentenceClassifier:
    """A network with its vocabulary, ready to use; deterministic."""

    def __init__(self, network: Network, vocabulary: Vocabulary, options: ClassifierOptions) -> None:
        self.network = network
        self.vocabulary = vocabulary
        self.options = options
        self._index = RowIndex(vocabulary)

    def reference_probability(self, sentences: Sequence[str]) -> np.ndarray:
        """The probability that each sentence is a reference; float32, (n,)."""
        return _probabilities(self.network, self._index.token_ids(pa.array(sentences, pa.large_string())))

    def save(self, folder: Path, accuracy: Accuracy | None = None) -> None:
        """Write the folder; accuracy.json describes the classifier to people."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: tensor.contiguous() for name, tensor in self.network.state_dict().items()}
        (folder / _WEIGHTS).write_bytes(safetensors.torch.save(weights))
        self.vocabulary.save(folder / _VOCABULARY)
        if accuracy is not None:
            (folder / _ACCURACY).write_text(json.dumps(asdict(accuracy), indent=1) + "\n")
        config = {"format": _FORMAT, "rows": len(self.vocabulary), **asdict(self.options)}
        (folder / _CONFIG).write_text(json.dumps(config, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> "SentenceClassifier":
        """Read a folder that `save` wrote; nothing in it is executed. ModelError if it is not one."""
        try:
            config = read_json(folder / _CONFIG)
            if config.pop("format") != _FORMAT:
                raise ModelError(f"{folder / _CONFIG}: expected the format {_FORMAT!r}")
            rows = int(config.pop("rows"))
            options = ClassifierOptions(**config)
            vocabulary = Vocabulary.load(folder / _VOCABULARY, "words", options.tokens)
            with torch.device("meta"):  # no memory and no random numbers for weights that are overwritten
                network = Network(rows, options.type, options.dimension)
            network.load_state_dict(safetensors.torch.load_file(folder / _WEIGHTS), assign=True)
        except OSError as error:
            raise ModelError(f"{folder} is not the folder of a classifier: {error}") from None
        except _DAMAGE as error:
            raise ModelError(f"the classifier in {folder} is damaged: {error}") from None
        if len(vocabulary) != rows:
            raise ModelError(f"{folder}: the config has {rows} rows and the vocabulary {len(vocabulary)}")
        check_finite(folder / _WEIGHTS, network.state_dict())
        return cls(network, vocabulary, options)


def train_classifier(
    train: Examples, test: Examples, options: ClassifierOptions, vectors: WordVectors | None = None
) -> tuple[SentenceClassifier, Accuracy]:
    """Train on the examples of `train`, and measure the accuracy on those of `test`.

    The loss is the cross-entropy of references and as many translations, one of each pair's candidates, which
    is chosen again in every epoch; the translations of `test` are drawn once. The same examples, options and
    number of threads always give the same classifier. ModelError if there is nothing to train on.

    vectors: where word vectors start; their words are the vocabulary. By default the vocabulary is the words
    that occur with two references of `train`, and their vectors start at random.
    """
    if not len(train):
        raise ModelError(
            "there are no translations to train a classifier on; give more pairs, or a trained one's path"
        )
    if vectors is None:
        vocabulary = _vocabulary(train, options.tokens)
    else:
        vocabulary = Vocabulary(vectors.words, "words", options.tokens)
    index = RowIndex(vocabulary)
    references, candidates = index.token_ids(train.references), index.token_ids(train.candidates)
    with deterministic():
        network = _start(len(vocabulary), options, vectors)
        training = _Training(network, options.lambda_words)
        for epoch in range(options.epochs):
            generator = np.random.default_rng(derive_seed(options.seed, f"epoch {epoch}"))
            if options.negatives == "hardest":
                chosen = highest(_probabilities(network, candidates), train.starts)
            else:
                chosen = _drawn(train.starts, generator)
            training.epoch(references, candidates.take(chosen), generator)
        classifier = SentenceClassifier(network, vocabulary, options)
    return classifier, _accuracy(classifier, test, options.seed)


def highest(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The index of the highest value of each run `values[starts[i]:starts[i + 1]]`, the first if several are.

    >>> highest(np.array([0.1, 0.7, 0.7, 0.2]), np.array([0, 3, 4])).tolist()
    [1, 3]
    """
    runs = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((-values, runs))
    return order[starts[:-1]]


def _drawn(starts: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The index of one candidate of each pair, each equally likely."""
    return generator.integers(starts[:-1], starts[1:])


def _vocabulary(examples: Examples, tokens: Tokens) -> Vocabulary:
    """The words of several references or their candidates.

    A word counts once for a reference with all its candidates. If each sentence counted, a rare word of a
    long n-best list, or of a reference that several systems translated, would get a row, and one of the other
    side would not: unknown words would tell the sides apart in training, and there only.
    """
    references, candidates = (
        lower_tokens(texts, tokens).to_pylist() for texts in (examples.references, examples.candidates)
    )
    words: defaultdict[str, set[str]] = defaultdict(set)
    for reference, start, end in zip(references, examples.starts, examples.starts[1:], strict=False):
        for sentence in (reference, *candidates[start:end]):
            words[reference].update((sentence or "").split(" "))
    counts = Counter(word for of_reference in words.values() for word in of_reference)
    del counts[""]
    return Vocabulary(most_frequent(counts, _VOCABULARY_SIZE, _MINIMUM_COUNT), "words", tokens)


def _start(rows: int, options: ClassifierOptions, vectors: WordVectors | None) -> Network:
    if vectors is not None and vectors.dimension != options.dimension:
        raise RecipeError(
            f"the classifier's dimension is {options.dimension}, but that of its vectors is "
            f"{vectors.dimension}: set dimension to {vectors.dimension}"
        )
    seed = derive_seed(options.seed, "start")
    network = draw_weights(Network(rows, options.type, options.dimension), seed)
    if vectors is not None:
        with torch.no_grad():
            network.embedding.weight.copy_(table_of(vectors))
    return network


class _Training:
    """A network and its optimisers. A step moves the vectors of the words of its batch and no others.

    So `lambda_words` draws a vector toward zero as often as its word occurs. In the loss of all words, Adam
    would move the vectors of words without examples by the full learning rate, however small the weight is.
    """

    def __init__(self, network: Network, lambda_words: float) -> None:
        self._network, self._lambda_words, self._steps = network, lambda_words, 0
        self._table = network.embedding.weight
        self._rows = RowAdam(self._table, _LEARNING_RATE)
        others = [parameter for parameter in network.parameters() if parameter is not self._table]
        self._adam = torch.optim.Adam(others, _LEARNING_RATE, fused=True)

    def epoch(self, references: TokenIds, translations: TokenIds, generator: np.random.Generator) -> None:
        """One pass over the sentences in a new order."""
        sides = ((references, _REFERENCE), (translations, _TRANSLATION))
        classes = torch.cat([torch.full((len(sentences),), name) for sentences, name in sides])
        starts = np.concatenate([references.starts, references.starts[-1] + translations.starts[1:]])
        sentences = TokenIds(np.concatenate([references.ids, translations.ids]), starts)
        order = generator.permutation(len(sentences))
        for rows in np.split(order, range(_BATCH, len(order), _BATCH)):
            self._step(sentences.take(rows), classes[rows])

    def _step(self, sentences: TokenIds, classes: torch.Tensor) -> None:
        rows, sentences = _own_rows(sentences)
        words = self._table.detach().index_select(0, rows).requires_grad_()
        loss = torch.nn.functional.cross_entropy(self._network(words, sentences), classes)
        if self._lambda_words:
            loss = loss + self._lambda_words * words.square().sum()
        loss.backward()
        self._steps += 1
        self._rows.update(rows, cast(torch.Tensor, words.grad), self._steps)
        self._adam.step()
        self._adam.zero_grad()


def _own_rows(sentences: TokenIds) -> tuple[torch.Tensor, TokenIds]:
    """The rows of the different words of some sentences, and the sentences with those rows renumbered."""
    rows, ids = np.unique(sentences.ids, return_inverse=True)
    return torch.from_numpy(rows.astype(np.int64)), TokenIds(ids, sentences.starts)


def _probabilities(network: Network, sentences: TokenIds) -> np.ndarray:
    """The probability that each sentence is a reference; float32, (n,).

    Sentences of similar length are computed together.
    """
    probabilities = np.empty(len(sentences), np.float32)
    lengths = sentences.lengths()
    order = np.argsort(lengths, kind="stable")
    batches = np.cumsum(lengths[order]) // _SCORED_TOKENS
    with torch.inference_mode():
        for batch in np.split(order, np.flatnonzero(np.diff(batches)) + 1):
            rows, taken = _own_rows(sentences.take(batch))
            logits = network(network.embedding.weight.index_select(0, rows), taken)
            probabilities[batch] = torch.softmax(logits, dim=1)[:, _REFERENCE].numpy()
    return probabilities


def _accuracy(classifier: SentenceClassifier, test: Examples, seed: int) -> Accuracy:
    drawn = _drawn(test.starts, np.random.default_rng(derive_seed(seed, "test")))
    translations = test.candidates.take(pa.array(drawn))
    of_references, of_translations = (
        classifier.reference_probability(texts.to_pylist()) for texts in (test.references, translations)
    )
    return Accuracy(len(test), int((of_references > 0.5).sum()), int((of_translations <= 0.5).sum()))
