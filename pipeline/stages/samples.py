"""The measurements of a pilot. A workspace keeps them, and a forecast is computed from them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """One measurement: processing `pairs` took `seconds` and wrote a file of `bytes`.

    corpus: the corpus of a part. all_pairs, read: for a stage that is a single job, how many pairs it
    read to train on `pairs` of them, and how many seconds the reading took, which `seconds` leaves out. The
    pairs of a trial count once for each epoch.
    """

    pairs: int
    seconds: float
    bytes: int = 0
    corpus: str = ""
    all_pairs: int = 0
    read: float = 0.0


@dataclass(frozen=True)
class TrainsOn:
    """How many of n pairs a single job trains on: `kept` times the minimum of `cap` and `share` * n."""

    share: float = 1.0
    cap: int | None = None
    kept: float = 1.0

    def pairs(self, n: float) -> float:
        candidates = self.share * n
        return self.kept * (candidates if self.cap is None else min(candidates, self.cap))


@dataclass(frozen=True)
class StageSamples:
    """All measurements of a stage.

    parts: one sample for each part; for a stage that is a single job, one for each size of the corpus.
    load: seconds to load a model. start: other seconds that do not depend on the size of the corpus.
    ranking: for a stage that first ranks all pairs, one pass over each part. trains_on: for a single job;
    None if its cost does not grow with the corpus; for trials, how many pairs their pool has. on_gpu: whether
    it used a GPU. trials, trial_pairs: how many trials the whole run has, and on how many pairs each trains.
    loads: for trials, instead of `load`, how long a process took to read pools of several sizes.
    """

    name: str
    parts: tuple[Measurement, ...]
    start: float
    load: float = 0.0
    ranking: tuple[Measurement, ...] = ()
    is_single_job: bool = False
    trains_on: TrainsOn | None = None
    on_gpu: bool = False
    trials: int = 0
    trial_pairs: int = 0
    loads: tuple[Measurement, ...] = ()


@dataclass(frozen=True)
class Corpus:
    """A corpus of the bitext: how many files, rows and parts it has.

    sampled, pairs: how many of its rows are in the sample, and how many of these became pairs.
    """

    name: str
    files: int
    rows: int
    parts: int
    sampled: int
    pairs: int


@dataclass(frozen=True)
class Pilot:
    """The measurements of a pilot.

    rows_per_file: the rows of a file of the whole release. seconds: how long the pilot took.
    """

    corpora: tuple[Corpus, ...]
    stages: tuple[StageSamples, ...]
    rows_per_file: int
    seconds: float

    @property
    def pairs(self) -> int:
        return sum(corpus.pairs for corpus in self.corpora)
