"""Reference probability: how much a sentence looks like a reference and not like a machine's translation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from ..base.bounds import Count, NotNegative, Numbers, Pairs, Size
from ..base.paths import FilePath
from ..tokens.definition import Tokens
from .score import Score, Side, check_model_spec
from .text_columns import Texts, blocks, with_nulls


@runtime_checkable
class ReferenceClassifier(Protocol):
    """What reference probability needs of a classifier."""

    def reference_probability(self, sentences: Sequence[str]) -> np.ndarray:
        """The probability that each sentence is a reference; (n,) in [0, 1]."""
        ...


def reference_probability(texts: Texts, model: ReferenceClassifier) -> pa.FloatArray:
    """The probability that each sentence is a reference, in [0, 1]; float32, null where a text is null.

    The empty sentence has the probability of a sentence whose vector is zero.
    """
    probabilities = np.empty(len(texts))
    for rows in blocks(len(texts)):
        probabilities[rows] = model.reference_probability([text or "" for text in texts[rows].to_pylist()])
    return with_nulls(probabilities, pa.float32(), texts)


@dataclass(frozen=True)
class ClassifierSpec(Numbers):
    """Where the classifier comes from: a folder of yours, or training on held-out pairs of the corpus."""

    type: Literal["avg", "lstm"] = "avg"
    """`avg` averages word vectors; `lstm` takes the last state of an LSTM with peepholes, which is slower and
    sees the order of words."""
    train_on: Pairs = 40_000
    """How many held-out pairs to use at most; these pairs get no probability. A tenth of them is not trained
    on and measures the accuracy."""
    dimension: Size = 300
    """Numbers in a word's vector, and in the LSTM's state."""
    epochs: Count = 10
    """Passes over the pairs it is trained on."""
    negatives: Literal["random", "hardest"] = "random"
    """The candidate of the n-best list that stands for the translations in each epoch: `random`, or
    `hardest`, which is the one that the classifier itself finds most like a reference. Without stored
    candidates (translate.keep_candidates) it is always the best one."""
    lambda_words: NotNegative = 1e-6
    """Weight in a batch's loss of the sum of squares of the vectors of its words, each word counted once."""
    vectors: FilePath | None = None
    """A word-vector file to start from; its words are the vocabulary. Without one the vocabulary is the words
    that occur with two references, and their vectors start at random."""
    path: FilePath | None = None
    """The folder of a trained classifier; nothing is trained then, and the other keys must be left out."""

    def __post_init__(self) -> None:
        check_model_spec(self, "classifier")
        super().__post_init__()


@dataclass(frozen=True)
class ReferenceProbability(Score):
    """Probability, from 0 to 1, that the translation is a reference, according to a classifier that was
    trained to tell references from translations. A high value means that it reads like a sentence written by
    people. Null for the pairs that the classifier was trained on. An empty translation has the probability of
    a sentence without words. Wieting et al. 2017, section 5.6.1.
    """

    score: Literal["reference_probability"] = "reference_probability"
    classifier: ClassifierSpec = ClassifierSpec()
    """The folder of a trained classifier, or how to train one; by default one is trained."""
    tokens: Tokens = "words"
    """`words` (words and signs of raw text), or `whitespace` (text that is tokenised already); a trained
    classifier in a folder has its own setting."""
    side: Side = "translation"
    """The side that is scored, `translation` or `reference`."""

    version = 1
    dtype = pa.float32()
    unit = "probability, 0 to 1"
    higher_is_better = True
    model_kind: ClassVar[str | None] = "classifier"

    def __post_init__(self) -> None:
        if self.tokens != "words" and self.classifier.path is not None:
            raise ValueError("the classifier at path has its own setting of tokens: leave tokens out")

    @property
    def reads(self) -> tuple[str, ...]:
        """The side that is scored."""
        return (self.side,)

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `reference_probability`; `model` is a `ReferenceClassifier`."""
        if not isinstance(model, ReferenceClassifier):
            raise TypeError(f"reference_probability needs a classifier, got {model!r}")
        return reference_probability(pairs[self.side], model)

    def files(self) -> tuple[str, ...]:
        """The classifier's folder, or the word vectors that its training starts from, if one is given."""
        return tuple(path for path in (self.classifier.path, self.classifier.vectors) if path is not None)

    def trained_on(self) -> int | None:
        """Held-out pairs to train the classifier on, unless one is given."""
        return None if self.classifier.path is not None else self.classifier.train_on
