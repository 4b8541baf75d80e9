"""Reference probability: how much a sentence looks like a reference and not like a machine's translation."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from ..base.bounds import Count, NotNegative, Numbers, Pairs, Size
from ..base.paths import FilePath
from ..tokens.definition import Tokens
from .score import GroupBy, HeldOutShare, HoldOut, Score, Side, check_model_spec
from .text_columns import Texts, blocks, with_nulls

Negatives = Literal["random", "hardest"]


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
    """How many pairs to train on at most. An eighth as many are the validation set, and as many again the
    test set, which measures the accuracy. All these pairs are held out: they get no probability."""
    share: HeldOutShare = 0.1
    """The largest share of the pairs to hold out; the paper holds out a third."""
    group_by: GroupBy | None = None
    """`corpus`, `domain` or `source_language`: one classifier for the corpora with the same one, each trained
    on `train_on` pairs of theirs, as in the paper. By default one classifier for all corpora."""
    dimension: Size = 300
    """Numbers in a word's vector, and in the LSTM's state."""
    epochs: Count = 10
    """Passes over the pairs it is trained on."""
    negatives: Negatives | tuple[Negatives, ...] = "random"
    """The candidate of the n-best list that stands for the translations in each epoch: `random`, or
    `hardest`, which is the one that the classifier itself finds most like a reference. `hardest` needs stored
    candidates (translate.keep_candidates). Of a list, the one with the highest accuracy on the validation set
    is chosen."""
    lambda_words: NotNegative | tuple[NotNegative, ...] = 1e-6
    """Weight in a batch's loss of the sum of squares of the vectors of its words, each word counted once. Of
    a list, such as the paper's `[1.0e-5, 1.0e-6, 1.0e-7, 1.0e-8, 0]`, one is chosen as of `negatives`."""
    vectors: FilePath | None = None
    """A word-vector file to start from; its words are the vocabulary. Without one the vocabulary is the words
    that occur with two references, and their vectors start at random."""
    path: FilePath | None = None
    """The folder of a trained classifier; nothing is trained then, and the other keys must be left out."""

    def __post_init__(self) -> None:
        check_model_spec(self, "classifier")
        super().__post_init__()
        if not self.trials:
            raise ValueError(
                "expected at least one value of negatives and of lambda_words, got an empty list"
            )

    @property
    def trials(self) -> list[tuple[Negatives, float]]:
        """Each combination of `negatives` and `lambda_words`, in the order given."""
        negatives = (self.negatives,) if isinstance(self.negatives, str) else self.negatives
        lambdas = self.lambda_words if isinstance(self.lambda_words, tuple) else (self.lambda_words,)
        return list(dict.fromkeys(product(negatives, lambdas)))


@dataclass(frozen=True)
class ReferenceProbability(Score):
    """Probability, from 0 to 1, that the translation is a reference, according to a classifier that was
    trained to tell references from translations. A high value means that it reads like a sentence written by
    people. Null for the pairs that were held out to train the classifier. An empty translation has the
    probability of a sentence without words. Wieting et al. 2017, section 5.6.1.
    """

    score: Literal["reference_probability"] = "reference_probability"
    classifier: ClassifierSpec = ClassifierSpec()
    """The folder of a trained classifier, or how to train one; by default one is trained."""
    tokens: Tokens = "words"
    """`words` (words and punctuation of raw text), or `whitespace` (text that is tokenised already); a
    trained classifier in a folder has its own setting."""
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
        """Pairs to train the classifier on, unless one is given."""
        return None if self.classifier.path is not None else self.classifier.train_on

    def holds_out(self) -> HoldOut | None:
        """The pairs of the classifier's training, validation and test sets, which are 8 to 1 to 1."""
        spec = self.classifier
        if spec.path is not None:
            return None
        return HoldOut(spec.train_on * 10 // 8, spec.share, spec.group_by)
