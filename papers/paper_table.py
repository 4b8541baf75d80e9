"""What a table of a paper is: its systems with the paper's figures, and the claims that it makes.

A new table is one module that defines a `PaperTable`, and a word in `tables.TABLES`.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from ..models.encoders.encoder_kinds import CseOptions
from ..models.training.train_options import TextOptions, TrainOptions

ROLES = {
    "simplification": "sentences and their simplifications, the papers' SimpWiki",
    "translations": "references and translations by one or more systems, the papers' NMT",
    "captions": "several captions of each image",
    "ppdb": "phrase pairs of PPDB, in its own format",
    "ppdb_lexical": "word pairs of PPDB",
}
"""The roles of training data."""

Key = tuple[str, str]
"""The group and the name of a system."""

_LONGEST = 100  # the length that the code of the papers cuts sentences to


@dataclass(frozen=True, kw_only=True)
class RoleSample:
    """The training data of a system: a sample of the pairs of a role.

    shortest, longest: how many tokens the second side has, both inclusive. tokens_of: the role whose sample
    has as many tokens as this one, which then may have any number of pairs.
    """

    role: str
    shortest: int = 0
    longest: int | None = None
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
    together.
    """

    setting: Literal["random", "universal"]
    sets: Literal["SICK", "STS"]
    lambda_words: float = 0.0
    lambda_encoder: float = 0.0
    epochs: int = 10


@dataclass(frozen=True, kw_only=True)
class System:
    """A row of a table. paper: the paper's figure, if it has this row.

    before: data that the encoder is trained on first, with the same options. supervision: training after
    that, whose test gives the figure.
    """

    name: str
    group: str = ""
    paper: float | None = None
    source: RoleSample
    options: TrainOptions
    before: RoleSample | None = None
    supervision: Supervision | None = None

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
        """All its data, in the order of training."""
        return (self.source,) if self.before is None else (self.before, self.source)


@dataclass(frozen=True, kw_only=True)
class Greater:
    """The claim that one system is better than another by more than `by` points."""

    claim: str
    left: Key
    right: Key
    by: float = 0.0

    def verdict(self, low: float, high: float) -> str:
        """What an interval of the difference says."""
        return "holds" if low > self.by else "does not hold" if high < self.by else "within noise"


@dataclass(frozen=True, kw_only=True)
class Close:
    """The claim that two systems are within `within` points of each other."""

    claim: str
    left: Key
    right: Key
    within: float = 1.0

    def verdict(self, low: float, high: float) -> str:
        """What an interval of the difference says."""
        if low > self.within or high < -self.within:
            return "does not hold"
        return "holds" if -self.within < low and high < self.within else "within noise"


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A table of a paper. differs: what is different here whatever the data."""

    name: str
    paper: str
    number: int
    title: str
    systems: tuple[System, ...]
    claims: tuple[Greater | Close, ...]
    differs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keys = [system.key for system in self.systems]
        assert len(set(keys)) == len(keys), f"{self.name} has a row twice"
        assert all({claim.left, claim.right} <= set(keys) for claim in self.claims), self.name

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of all its data."""
        return tuple(dict.fromkeys(r for s in self.systems for part in s.sources for r in part.roles))


def options(encoder: Any, *, epochs: int, **changes: Any) -> TrainOptions:
    """The options of the papers' trainings: negatives from mini-batches of 100, and long sentences cut."""
    text = TextOptions(max_tokens=_LONGEST, long_pairs="cut")
    return TrainOptions(**{"encoder": encoder, "epochs": epochs, "mega_batch": 1, "text": text, **changes})


def with_dimension(training: TrainOptions, dimension: int) -> TrainOptions:
    """The options with an encoder of another dimension; filters change in proportion."""
    encoder = training.encoder
    changes: dict[str, Any] = {"dimension": dimension}
    if isinstance(encoder, CseOptions):
        changes["filters"] = max(1, encoder.filters * dimension // encoder.dimension)
    return replace(training, encoder=replace(encoder, **changes))
