"""The samples of the user's data that systems are trained on."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..base.errors import InputError
from ..base.hashing import derive_seed
from ..models.encoders.vocabulary import words
from ..models.evaluation.sentences import is_sentence
from ..models.evaluation.transfer_data import read_transfer
from ..models.sts.sts_data import read_sts
from ..models.training.pairs import PairList
from .inference import LabelledPairs
from .pair_scores import PairScores
from .paper_data import DataFiles, Pair, read_groups
from .paper_table import RoleSample


@dataclass(frozen=True)
class Role:
    """The pairs of a role. left_out: groups that share a sentence with the evaluation.

    group: (pairs,), the number of each pair's group. scores: of the pairs.
    """

    pairs: list[Pair]
    group: np.ndarray
    scores: PairScores
    left_out: int

    @property
    def groups(self) -> int:
        """How many groups there are, with those left out."""
        return int(self.group.max(initial=-1)) + 1 + self.left_out


class Samples:
    """Seeded samples of the pairs of each role, which share no sentence with the evaluation.

    A sentence is compared in lower case and without punctuation. If one sentence of a group occurs in the
    evaluation, the whole group is left out: a sentence with all its simplifications or translations, all
    captions of an image. All files of the roles `sts` and `transfer` count, also those of which no result is
    shown.
    """

    def __init__(self, data: DataFiles) -> None:
        self.data = data
        self._read = cache(self._role)
        self.sample = cache(self._sample)
        self.everything = cache(self._everything)
        self.fits = cache(self._fits)
        self._evaluated = cache(self._evaluated_sentences)

    def role(self, role: str, corpus: str = "") -> Role:
        """The pairs of a role, or of one of its corpora."""
        return self._read(role, corpus)

    def available(self, source: RoleSample) -> int:
        """How many pairs a source has."""
        return int(self.fits(source).sum())

    def _sample(self, source: RoleSample, pairs: int, seed: int) -> PairList:
        """A sample of a source; InputError if it has fewer pairs."""
        if source.pairs is not None:
            pairs = min(source.pairs, self.available(source))
        if source.tokens_of is not None:
            other = self.sample(RoleSample(role=source.tokens_of, pairs=source.pairs), pairs, seed)
            wanted = sum(len(words(text)) for side in other for texts in side for text in texts)
            return self._of_tokens(source, wanted, seed)
        if self.available(source) < pairs:
            raise InputError(
                f"{source.role} has {self.available(source):,} pairs for {source}, fewer than {pairs:,}"
            )
        return self._list(source, self.draw(source, seed)[:pairs])

    def _of_tokens(self, source: RoleSample, wanted: int, seed: int) -> PairList:
        """The first pairs of a source whose tokens add up to what is wanted, or all of them."""
        role, order = self.role(source.role, source.corpus), self.draw(source, seed)
        total = 0
        for number, row in enumerate(order, start=1):
            total += sum(len(words(side)) for side in role.pairs[row])
            if total >= wanted:
                return self._list(source, order[:number])
        return self._list(source, order)

    def _list(self, source: RoleSample, rows: np.ndarray) -> PairList:
        pairs = self.role(source.role, source.corpus).pairs
        columns = zip(*(pairs[row] for row in rows), strict=True)
        return LabelledPairs(*columns) if source.role == "nli" else PairList(*columns)

    def _everything(self, source: RoleSample) -> PairList:
        """All pairs of a source, group by group in the order of the files."""
        return self._list(source, np.flatnonzero(self.fits(source)))

    def _fits(self, source: RoleSample) -> np.ndarray:
        return self.role(source.role, source.corpus).scores.fits(source.where)

    def draw(self, source: RoleSample, seed: int) -> np.ndarray:
        """The pairs in a random order in which each group has a pair before any group has its second."""
        random = np.random.default_rng(derive_seed(seed, "pairs"))
        rows = np.flatnonzero(self.fits(source))
        rows = rows[np.lexsort((random.random(len(rows)), self.role(source.role, source.corpus).group[rows]))]
        group = self.role(source.role, source.corpus).group[rows]
        starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]]) if len(rows) else rows
        turn = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
        drawn: np.ndarray = rows[np.lexsort((random.random(len(rows)), turn))]
        return drawn

    def _role(self, role: str, corpus: str) -> Role:
        groups: dict[str, dict[Pair, None]] = {}
        paths = self.data.corpora[role][corpus] if corpus else self.data.roles[role]
        for key, read in read_groups(role, paths):
            groups.setdefault(" ".join(words(key)), {}).update(dict.fromkeys(read))
        texts = [text for pairs in groups.values() for pair in pairs for text in pair[:2]]
        evaluated = iter(np.isin(_normalised(texts), self._evaluated()).tolist() if texts else ())
        kept = [
            list(pairs)
            for pairs in groups.values()
            if not any([next(evaluated) for _ in range(2 * len(pairs))])
        ]
        pairs, group = (
            [pair for group in kept for pair in group],
            np.repeat(np.arange(len(kept)), [len(group) for group in kept]),
        )
        scores = PairScores(pairs, group, self.data.vectors)
        return Role(pairs, group, scores, len(groups) - len(kept))

    def _evaluated_sentences(self) -> np.ndarray:
        sets = [dataset for folder in self.data.tests for dataset in read_sts(folder)]
        sentences = {text for dataset in sets for text in (*dataset.left, *dataset.right)}
        for task in (task for folder in self.data.transfer for task in read_transfer(folder)):
            sentences |= {
                text for part in (task.train, task.dev, task.test) for texts, _ in part for text in texts
            }
        return _normalised([text for text in sorted(sentences) if is_sentence(text)])


def _normalised(texts: list[str]) -> np.ndarray:
    """A hash of each text in lower case and without punctuation."""
    import pyarrow as pa

    from ..tokens.columns import hash_texts, normalised  # import numba, which lists of tables do not need

    return hash_texts(normalised(pa.array(texts, pa.large_string())))
