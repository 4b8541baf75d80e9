"""What a pilot measured: records alone, which a workspace keeps and a forecast is computed from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """One measurement: `pairs` worked on in `seconds`, to a file of `bytes`.

    corpus: of a part. read: seconds that a single job took besides, to read all `all_pairs` of which
    it trained on `pairs`.
    """

    pairs: int
    seconds: float
    bytes: int = 0
    corpus: str = ""
    all_pairs: int = 0
    read: float = 0.0


@dataclass(frozen=True)
class TrainsOn:
    """How many of n pairs a single job trains on: `kept` times the lesser of `cap` and `share` * n."""

    share: float = 1.0
    cap: int | None = None
    kept: float = 1.0

    def pairs(self, n: float) -> float:
        wanted = self.share * n
        return self.kept * (wanted if self.cap is None else min(wanted, self.cap))


@dataclass(frozen=True)
class StageSamples:
    """All that was measured of a stage.

    parts: of a stage that works part by part one each, else one a size. start: seconds it takes whatever
    the corpus's size, a model's loading apart, which is `load`. ranking: what one pass over each part
    takes, of a stage that ranks before it works. trains_on: of a single job; None where its cost does
    not grow with the corpus. on_gpu: whether it worked on one.
    """

    name: str
    parts: tuple[Sample, ...]
    start: float
    load: float = 0.0
    ranking: tuple[Sample, ...] = ()
    is_single_job: bool = False
    trains_on: TrainsOn | None = None
    on_gpu: bool = False


@dataclass(frozen=True)
class Corpus:
    """A corpus of the bitext: its files, their rows, the parts they make; of the sample's rows the pairs."""

    name: str
    files: int
    rows: int
    parts: int
    sampled: int
    pairs: int


@dataclass(frozen=True)
class Pilot:
    """What a pilot measured. seconds: what it took itself. rows_per_file: of the whole release."""

    corpora: tuple[Corpus, ...]
    stages: tuple[StageSamples, ...]
    rows_per_file: int
    seconds: float

    @property
    def pairs(self) -> int:
        return sum(corpus.pairs for corpus in self.corpora)
