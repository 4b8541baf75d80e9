"""The sentences of an evaluation that match a pair which an encoder was trained on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...filters.contamination import EvaluationSets, SetSentences
from ...models.evaluation.sentences import is_sentence
from ..model_kinds.model_kind import PartFiles
from ..storage.dataset import read_joined
from ..storage.workspace import Workspace


@dataclass(frozen=True)
class ContaminatedPairs:
    """The pairs of a selection that match an evaluation set.

    parts: for each part, its files of `ingest`, `translate` (the translation of each pair), `select` and
    `score`. score, n, share: the column of the score `contamination`, and its options.
    """

    parts: tuple[PartFiles, ...]
    selection: str
    score: str
    n: int
    share: float

    def matching(self, workspace: Workspace, sentences: Sequence[str]) -> frozenset[str]:
        """The sentences that match one of the pairs as the score defines a match.

        Only pairs with a value above 0 are compared, so the score must be of the evaluation's own data.
        """
        texts = [text for text in dict.fromkeys(sentences) if is_sentence(text)]
        numbered = SetSentences("evaluation", "sentences", texts, np.arange(len(texts), dtype=np.int32))
        sets = EvaluationSets([numbered], self.n, self.share)
        matching: set[str] = set()
        for files in self.parts:
            pairs = self._read(workspace, dict(files))
            if len(pairs):
                for side in ("reference", "translation"):
                    places = (sets.place(occurrence)[1] for occurrence in sets.matching(pairs[side]))
                    matching.update(texts[int(place.rpartition(":")[2])] for place in places)
        return frozenset(matching)

    def _read(self, workspace: Workspace, files: dict[str, str]) -> pa.Table:
        """The texts of a part's contaminated pairs."""
        import pyarrow.compute as pc

        marks = read_joined(workspace, {files["select"]: [self.selection], files["score"]: [self.score]})
        is_contaminated = pc.and_(marks[self.selection], pc.greater(marks[self.score], 0))
        if not pc.any(is_contaminated).as_py():
            return marks.slice(0, 0)
        texts = {files["ingest"]: ["reference"], files["translate"]: ["translation"]}
        return read_joined(workspace, texts).filter(is_contaminated)
