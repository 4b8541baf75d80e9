"""A classifier that tells references from translations: trained, stored as a folder, and used.

Wieting et al. 2017, section 5.6.1.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import torch

from ...base.errors import ModelError, RecipeError
from ...base.hashing import derive_seed
from ...tokens.columns import lower_tokens
from ...tokens.definition import Tokens
from ..encoders.encoder_kinds import AveragingOptions, LstmOptions
from ..encoders.random_weights import draw_weights
from ..encoders.sentence_encoder import SentenceEncoder, table_of
from ..encoders.vectors import WordVectors
from ..encoders.vocabulary import Vocabulary, most_frequent
from .determinism import deterministic
from .fine_tuning import FineTuning
from .head_options import ClassificationOptions
from .heads import Head, HeadShape
from .sentence_vectors import Coded, TrainedVectors

_ACCURACY = "accuracy.json"
_LEARNING_RATE = 1e-3
_VOCABULARY_SIZE = 200_000
# References with which a word must occur: the row of unknown words is trained too, on words of one reference.
_MINIMUM_COUNT = 2
_CLASSES = ("translation", "reference")
_TRANSLATION, _REFERENCE = 0, 1
_ENCODERS = {"avg": AveragingOptions, "lstm": LstmOptions}


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
class CandidateLists:
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

    @property
    def right(self) -> int:
        """How many of both it recognised."""
        return self.references_right + self.translations_right


@dataclass(frozen=True)
class ClassifierTrial:
    """How many sentences of the validation set were recognised by the classifier with these options."""

    negatives: str
    lambda_words: float
    right: int


@dataclass(frozen=True)
class ChosenAccuracy:
    """The accuracy of the chosen classifier on the test set, and the trials that it was chosen from.

    validation_pairs: how many pairs the validation set has. chosen: the number of the trial.
    """

    test: Accuracy
    validation_pairs: int
    trials: Sequence[ClassifierTrial]
    chosen: int


class SentenceClassifier:
    """An encoder with a head of two outputs, ready to use; deterministic."""

    def __init__(self, encoder: SentenceEncoder, head: Head) -> None:
        self.encoder, self.head = encoder, head

    def reference_probability(self, sentences: Sequence[str]) -> np.ndarray:
        """The probability that each sentence is a reference; float32, (n,)."""
        vectors = torch.from_numpy(self.encoder.encode(sentences))
        with torch.no_grad():
            probabilities: np.ndarray = self.head(vectors).softmax(dim=1)[:, _REFERENCE].numpy()
        return probabilities

    def save(self, folder: Path, accuracy: ChosenAccuracy | None = None) -> None:
        """Write the folder: that of the encoder, with its head. accuracy.json describes it to people."""
        self.encoder.save(folder)
        self.head.save(folder)
        if accuracy is not None:
            (folder / _ACCURACY).write_text(json.dumps(asdict(accuracy), indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> "SentenceClassifier":
        """Read what `save` wrote; nothing in it is executed. ModelError if it is not such a folder."""
        try:
            encoder, head = SentenceEncoder.load(folder), Head.load(folder)
        except ModelError as error:
            raise ModelError(f"{folder} is not the folder of a classifier, or damaged: {error}") from None
        if (head.shape.outputs, head.shape.dimension) != (_CLASSES, encoder.dimension):
            raise ModelError(
                f"{folder} is not the folder of a classifier: its head was trained for other things"
            )
        return cls(encoder, head)


def train_classifier(
    train: CandidateLists,
    test: CandidateLists,
    options: ClassifierOptions,
    vectors: WordVectors | None = None,
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
    with deterministic():
        encoder, head = _start(vocabulary, options, vectors)
        learner = _Classifying(encoder, head, train, options)
        learner.training.run()
        learner.vectors.whole_tables()
    classifier = SentenceClassifier(encoder, head.eval())
    return classifier, _accuracy(classifier, test, options.seed)


def choose_classifier(
    train: CandidateLists,
    validation: CandidateLists,
    test: CandidateLists,
    trials: Sequence[ClassifierOptions],
    vectors: WordVectors | None = None,
) -> tuple[SentenceClassifier, ChosenAccuracy]:
    """Train a classifier with each of these options; keep the one with the highest accuracy on `validation`.

    Of equal ones the first is kept, and so it is if `validation` is empty. Its accuracy is that on `test`.
    """
    results = []
    best: tuple[SentenceClassifier, int] | None = None
    for number, options in enumerate(trials):
        classifier, accuracy = train_classifier(train, validation, options, vectors)
        results.append(ClassifierTrial(options.negatives, options.lambda_words, accuracy.right))
        if best is None or accuracy.right > results[best[1]].right:
            best = classifier, number
    assert best is not None, "there is a trial"
    classifier, chosen = best
    tested = _accuracy(classifier, test, trials[chosen].seed)
    return classifier, ChosenAccuracy(tested, len(validation), results, chosen)


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


def _vocabulary(examples: CandidateLists, tokens: Tokens) -> Vocabulary:
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


def _start(
    vocabulary: Vocabulary, options: ClassifierOptions, vectors: WordVectors | None
) -> tuple[SentenceEncoder, Head]:
    if vectors is not None and vectors.dimension != options.dimension:
        raise RecipeError(
            f"the classifier's dimension is {options.dimension}, but that of its vectors is "
            f"{vectors.dimension}: set dimension to {vectors.dimension}"
        )
    network = _ENCODERS[options.type](dimension=options.dimension).under("classification")
    encoder = network.build({"words": len(vocabulary)}, "words")
    shape = HeadShape(
        objective="classification",
        dimension=options.dimension,
        hidden=(),
        activation="none",
        outputs=_CLASSES,
    )
    head = Head(shape)
    draw_weights(torch.nn.ModuleList([encoder, head]), derive_seed(options.seed, "start"))
    if vectors is not None:
        with torch.no_grad():
            encoder.get_parameter("embedding.weight").copy_(table_of(vectors))
    return SentenceEncoder(encoder, vocabulary), head


class _Classifying(FineTuning):
    """References and one candidate of each, others in every epoch; the last epoch is kept (section 5.6.1).

    A step moves the vectors of the words of its batch and no others, so `lambda_words` draws a vector toward
    zero as often as its word occurs. In the loss of all words, Adam would move the vectors of words without
    examples by the full learning rate, however small the weight is.
    """

    def __init__(
        self, encoder: SentenceEncoder, head: Head, examples: CandidateLists, options: ClassifierOptions
    ) -> None:
        texts = pa.chunked_array([examples.references, examples.candidates]).to_pylist()
        vectors = TrainedVectors(encoder.encoder, encoder.token_ids(texts), "none", True, False)
        settings = ClassificationOptions(
            examples=(),
            dev=(),
            seed=options.seed,
            epochs=options.epochs,
            learning_rate=_LEARNING_RATE,
            lambda_words=options.lambda_words,
        )
        self._starts, self._hardest = examples.starts, options.negatives == "hardest"
        self._references, self._candidates = len(examples), len(examples.candidates)
        super().__init__(vectors, head, [self._coded(examples.starts[:-1])], settings)

    def _coded(self, chosen: np.ndarray) -> Coded:
        """The references and some of the candidates."""
        rows = np.concatenate([np.arange(self._references), self._references + chosen])
        classes = np.repeat([_REFERENCE, _TRANSLATION], [self._references, len(chosen)])
        return Coded((rows,), np.eye(2, dtype=np.float32)[classes])

    def renew(self, random: np.random.Generator) -> None:
        """Chooses the candidates of an epoch."""
        if not self._hardest:
            self.train = self._coded(_drawn(self._starts, random))
            return
        candidates = self._coded(np.arange(self._candidates))
        probabilities = self.probabilities(candidates)[self._references :, _REFERENCE]
        self.train = self._coded(highest(probabilities, self._starts))


def _accuracy(classifier: SentenceClassifier, test: CandidateLists, seed: int) -> Accuracy:
    drawn = _drawn(test.starts, np.random.default_rng(derive_seed(seed, "test")))
    translations = test.candidates.take(pa.array(drawn))
    of_references, of_translations = (
        classifier.reference_probability(texts.to_pylist()) for texts in (test.references, translations)
    )
    return Accuracy(len(test), int((of_references > 0.5).sum()), int((of_translations <= 0.5).sum()))
