"""What a table of a paper is: its systems with the paper's figures, and the claims that it makes.

A new table is a `PaperTable` in the module of its paper, and a line in `paper_tables.TABLES`.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from ..filters.bleu import SentenceBleu
from ..filters.cost import TranslationCost
from ..filters.lengths import ReferenceLength, TranslationLength
from ..filters.overlap import BigramOverlap, TrigramOverlap, UnigramOverlap
from ..filters.perplexity import Perplexity
from ..filters.reference_probability import ReferenceProbability
from ..filters.score import Score
from ..filters.similarity import ParaphraseSimilarity
from ..models.encoders.encoder_kinds import MixedOptions
from ..models.sts.set_lists import SETS_22, DevSets
from ..models.training.head_options import RelatednessOptions
from ..models.training.train_options import TextOptions, TrainOptions

ROLES = {
    "simplification": "sentences and their simplifications, the papers' SimpWiki",
    "translations": "references and translations by one or more systems, the papers' NMT",
    "captions": "several captions of each image",
    "ppdb": "phrase pairs of PPDB, in its own format",
    "ppdb_lexical": "word pairs of PPDB",
    "nli": "labelled pairs of natural language inference, the papers' SNLI",
}
"""The roles of training data."""

TESTS, TRANSFER = "sts", "transfer"
"""The roles of data for the evaluation: sets of semantic similarity, and transfer tasks."""

_MEASURES: tuple[Score, ...] = (
    TranslationCost(),
    TranslationLength(),
    ReferenceLength(),
    UnigramOverlap(),
    BigramOverlap(),
    TrigramOverlap(),
    SentenceBleu(),
    Perplexity(),
    ReferenceProbability(),
    ParaphraseSimilarity(),
)
MEASURES = {measure.score: measure for measure in _MEASURES}
"""The scores by which systems choose their data, by name."""

Key = tuple[str, str]
"""The group and the name of a system."""

EACH = "*"
"""The corpus of a system that is repeated for each corpus of the data."""

_LONGEST = 100  # the length that the code of the papers cuts sentences to


@dataclass(frozen=True, kw_only=True)
class RoleSample:
    """The training data of a system: a sample of the pairs of a role.

    where: which pairs, an expression over scores as in a recipe's selections; the first side is the
    reference, the second one the translation. corpus: the name that the data gives to some files of the
    role; `EACH` stands for every name. pairs: how many, if it is not the number that all systems have; fewer
    if there are no more. tokens_of: the role whose sample has as many tokens as this one, which then may have
    any number of pairs.
    """

    role: str
    where: str = "true"
    corpus: str = ""
    pairs: int | None = None
    tokens_of: str | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that it needs."""
        return (self.role,) if self.tokens_of is None else (self.role, self.tokens_of)


@dataclass(frozen=True, kw_only=True)
class Supervision:
    """Training on people's scores, and testing on others of the same sets.

    setting, lambda_words, lambda_encoder, epochs: as in `Supervised`. A `random` encoder has the vocabulary
    of the pairs, and is not trained on them. sets: SICK, or those of STS 2012 to 2015, split and trained on
    together. batch, lambda_head: as in `RelatednessOptions`. grid, heads: the paper's choices of both
    weights, and of batch and `lambda_head`, of which the best on the dev part are taken if they are to be
    tuned.
    """

    setting: Literal["random", "universal"]
    sets: Literal["SICK", "STS"]
    lambda_words: float = 0.0
    lambda_encoder: float = 0.0
    epochs: int = 10
    batch: int = 25
    lambda_head: float = RelatednessOptions.lambda_head
    grid: tuple[tuple[float, float], ...] = ()
    heads: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Classification:
    """Training classifiers that tell references from translations, of which a validation part chooses one.

    Its figure is the accuracy on a test part, its sets are the accuracies on `references` and on
    `translations`, and how the probability correlates with measures of the translations. The options say the
    encoder (`avg` or `lstm`), the epochs and the seed. validation, test: the parts. negatives, lambda_words:
    what is chosen from, as in `ClassifierOptions`; the defaults are those of the paper on back-translated
    bitext, section 5.6.1, with 40,000, 5,000 and 5,000 pairs.
    """

    validation: float = 0.1
    test: float = 0.1
    negatives: tuple[Literal["random", "hardest"], ...] = ("random", "hardest")
    lambda_words: tuple[float, ...] = (1e-5, 1e-6, 1e-7, 1e-8, 0.0)


@dataclass(frozen=True, kw_only=True)
class Inference:
    """Training on natural language inference, with InferSent's head and schedule.

    The corpus `dev` of the role chooses the epoch, `test` is only tested on. is_frozen: whether the head
    alone is trained; otherwise the word vectors alone are fixed, if there are any to start from.
    """

    is_frozen: bool = False


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """No training: entropy and repetition of references, less those of translations."""


Task = Supervision | Classification | Inference | Statistics
"""What is trained and measured instead of an encoder of pairs on the sets of semantic similarity."""


EvaluationKind = Literal["nli", "transfer", "sts", "supervised"]
"""A kind of evaluation of `paranmt evaluate`. The last two are of the STS Benchmark."""

INFERENCE_PARTS = tuple(RoleSample(role="nli", corpus=name) for name in ("dev", "test"))
"""What encoders that are trained on natural language inference are chosen and tested on."""


@dataclass(frozen=True, kw_only=True)
class System:
    """A row of a table. paper: the paper's figure, if it has this row.

    sets: the paper's figures of single sets (`MSRpar 2012`) and of the means of years (`2012`). choices: data
    to train on instead of `source`; the one whose encoder is best on the development sets is taken, seed by
    seed. grid: the paper's choices of options, taken in the same way if they are to be tuned. is_oracle:
    whether they are taken by the figure itself. stops: whether the encoder that is best on the development
    sets after a quarter of an epoch is taken instead of the last. before: data that the encoder is trained on
    first, with the same options. task: another training, whose test gives the figure, except `Inference`.
    evaluations: those whose results are the outcome, instead of the mean over the sets of semantic
    similarity; figure: the result that is this row's, if not the mean.
    """

    name: str
    group: str = ""
    paper: float | None = None
    sets: Mapping[str, float | None] = field(default_factory=dict)
    source: RoleSample
    choices: tuple[RoleSample, ...] = ()
    options: TrainOptions
    grid: tuple[TrainOptions, ...] = ()
    is_oracle: bool = False
    stops: bool = False
    before: RoleSample | None = None
    task: Task | None = None
    evaluations: tuple[EvaluationKind, ...] = ()
    figure: str = ""

    @property
    def key(self) -> Key:
        """Its group and name."""
        return self.group, self.name

    @property
    def label(self) -> str:
        """Its group and name as one text."""
        return f"{self.group}, {self.name}" if self.group else self.name

    @property
    def sources(self) -> tuple[RoleSample, ...]:
        """All its data."""
        before = () if self.before is None else (self.before,)
        return *before, *(self.choices or (self.source,)), *self.held_out

    @property
    def held_out(self) -> tuple[RoleSample, ...]:
        """The data that its own training chooses and tests on."""
        return INFERENCE_PARTS if isinstance(self.task, Inference) else ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of all its data."""
        return tuple(dict.fromkeys(role for source in self.sources for role in source.roles))

    def trained_on(self, source: RoleSample) -> tuple[RoleSample, ...]:
        """What is trained on, in this order, if `source` is chosen."""
        return (source,) if self.before is None else (self.before, source)


@dataclass(frozen=True, kw_only=True)
class Greater:
    """The claim that one system is better than another by more than `by` points.

    paper: the paper's difference, if the paper does not have the figures of both.
    """

    claim: str
    left: Key
    right: Key
    by: float = 0.0
    paper: float | None = None

    def verdict(self, low: float, high: float) -> str:
        """What an interval of the difference says."""
        return "holds" if low > self.by else "does not hold" if high < self.by else "within noise"


@dataclass(frozen=True, kw_only=True)
class Close:
    """The claim that two systems are within `within` points of each other. paper: as for `Greater`."""

    claim: str
    left: Key
    right: Key
    within: float = 1.0
    paper: float | None = None

    def verdict(self, low: float, high: float) -> str:
        """What an interval of the difference says."""
        if low > self.within or high < -self.within:
            return "does not hold"
        return "holds" if -self.within < low and high < self.within else "within noise"


@dataclass(frozen=True, kw_only=True)
class Distance:
    """How far two systems are apart over the sets. paper: the paper's mean absolute difference."""

    left: Key
    right: Key
    paper: float | None = None


@dataclass(frozen=True, kw_only=True)
class Average:
    """A row whose figure is the mean of those of other rows, as in a column Avg. of a paper.

    of: the other rows. paper: the paper's figure.
    """

    name: str
    group: str
    of: tuple[Key, ...]
    paper: float | None = None


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table of a paper.

    averages: rows that need no training of their own. set_list: the list of sets over which its figures are
    means. dev_sets: the paper's development sets. differs: what is different here whatever the data. digits:
    of its figures.
    """

    name: str
    paper: str
    number: int
    title: str
    systems: tuple[System, ...]
    claims: tuple[Greater | Close, ...]
    distances: tuple[Distance, ...] = ()
    averages: tuple[Average, ...] = ()
    set_list: str = SETS_22
    dev_sets: DevSets = "sts2016"
    differs: tuple[str, ...] = ()
    digits: int = 1

    def __post_init__(self) -> None:
        keys = [system.key for system in self.systems]
        assert len(set(keys)) == len(keys), f"{self.name} has a row twice"
        compared = (*self.claims, *self.distances)
        assert all({pair.left, pair.right} <= set(keys) for pair in compared), self.name
        assert all(set(average.of) <= set(keys) for average in self.averages), self.name

    def for_corpora(self, corpora: Mapping[str, Mapping[str, object]]) -> "PaperTable":
        """The table with a row or a group for each corpus of the data. corpora: for each role, by name."""
        keys = {system.key for system in self.systems}
        systems: list[System] = []
        names: dict[str, None] = {}
        for system in self.systems:
            if system.source.corpus != EACH:
                systems.append(system)
                continue
            for name in corpora.get(system.source.role, {}):
                group, row = _named(system.key, name)
                if (group, row) not in keys:
                    source = replace(system.source, corpus=name)
                    systems.append(replace(system, group=group, name=row, source=source))
                    names[name] = None
        groups = list(dict.fromkeys(system.group for system in systems))
        claims = (
            replace(
                claim,
                claim=claim.claim.replace(EACH, name),
                left=_named(claim.left, name),
                right=_named(claim.right, name),
            )
            for claim in self.claims
            for name in (names if EACH in claim.left + claim.right else ("",))
        )
        systems.sort(key=lambda system: groups.index(system.group))
        return replace(self, systems=tuple(systems), claims=tuple(claims))

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of all its data, and `transfer` if it is evaluated on it."""
        roles = [role for system in self.systems for role in system.roles]
        is_transferred = any(TRANSFER in system.evaluations for system in self.systems)
        return tuple(dict.fromkeys([*roles, TRANSFER] if is_transferred else roles))


def _named(key: Key, corpus: str) -> Key:
    group, name = (corpus if part == EACH else part for part in key)
    return group, name


@dataclass(frozen=True)
class OtherTable:
    """A table of a paper that is not trained here. how: the command that computes it."""

    name: str
    title: str
    how: str


def options(encoder: Any, *, epochs: int, **changes: Any) -> TrainOptions:
    """The options of the papers' trainings: negatives from mini-batches of 100, and long sentences cut."""
    text = TextOptions(max_tokens=_LONGEST, long_pairs="cut")
    return TrainOptions(**{"encoder": encoder, "epochs": epochs, "mega_batch": 1, "text": text, **changes})


def grid(training: TrainOptions, **values: Sequence[Any]) -> tuple[TrainOptions, ...]:
    """The options with each combination of values of some of them, of the encoder's, or of `tags`.

    >>> from paranmt.models.encoders.encoder_kinds import AveragingOptions
    >>> both = grid(options(AveragingOptions(), epochs=1), margin=(0.4, 0.6), dropout=(0.2, 0.4))
    >>> [(each.margin, each.encoder.dropout) for each in both]
    [(0.4, 0.2), (0.4, 0.4), (0.6, 0.2), (0.6, 0.4)]
    """
    of_encoder = {field.name for field in fields(training.encoder)}
    varied = []
    for combination in itertools.product(*values.values()):
        changes = dict(zip(values, combination, strict=True))
        inner = {name: value for name, value in changes.items() if name in of_encoder}
        outer: dict[str, Any] = {name: value for name, value in changes.items() if name not in of_encoder}
        if "tags" in outer:
            outer["text"] = replace(training.text, tags=outer.pop("tags"))
        if outer.get("lambda_words"):
            outer["embedding_updates"] = "dense"
        varied.append(replace(training, encoder=replace(training.encoder, **inner), **outer))
    return tuple(varied)


def with_dimension(training: TrainOptions, dimension: int) -> TrainOptions:
    """The options with an encoder of another dimension; filters and states change in proportion."""
    return replace(training, encoder=_with_dimension(training.encoder, dimension))


def _with_dimension(encoder: Any, dimension: int) -> Any:
    if isinstance(encoder, MixedOptions):
        parts = (replace(part, encoder=_with_dimension(part.encoder, dimension)) for part in encoder.parts)
        return replace(encoder, parts=tuple(parts))
    sizes = {name: getattr(encoder, name, None) for name in ("filters", "size")}
    scaled = {name: max(1, size * dimension // encoder.dimension) for name, size in sizes.items() if size}
    return replace(encoder, dimension=dimension, **scaled)
