"""The certificate of a release: which of its pairs match the evaluation sets that the recipe names.

It is `contamination/<score>.json` of the release, with the list of all matches beside it in
`contamination/<score>.parquet`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from ..manifest.release_summary import ContaminationSummary, Count, FileName, OtherFile, SetSummary
from ..manifest.typed_json import TypedJson

FOLDER = "contamination"
"""The folder of certificates in a release."""

MATCHES_SCHEMA = pa.schema([(name, pa.string()) for name in ("pair_id", "set", "kind", "side", "place")])
"""The columns of a list of matches."""


@dataclass(frozen=True)
class CertifiedSet(SetSummary):
    """An evaluation set. sentences: of all its files; files: of each that was read.

    examples: the ids of some pairs that match it, by kind.
    """

    sentences: Count
    files: Mapping[str, Count]
    files_not_read: Sequence[str]
    examples: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class MatchesFile:
    """The list of all matches: its path in the release, its rows and bytes, and its SHA-256."""

    path: FileName
    rows: Count
    bytes: Count
    sha256: str


@dataclass(frozen=True)
class Certificate(ContaminationSummary):
    """A comparison of all pairs with evaluation sets, with what was read and what was found."""

    sets: Sequence[CertifiedSet]
    matches: MatchesFile

    def with_examples(self, others: Sequence["Certificate"]) -> "Certificate":
        """The certificate with the examples of others of the same sets, too."""
        sets = []
        for of_set in zip(self.sets, *(other.sets for other in others), strict=True):
            examples = {
                kind: [pair for each in of_set for pair in each.examples.get(kind, ())]
                for kind in of_set[0].examples
            }
            sets.append(replace(of_set[0], examples=examples))
        return replace(self, sets=sets)

    def of_pairs(self, summary: ContaminationSummary, matches: pa.Table, written: OtherFile) -> "Certificate":
        """The certificate of other pairs. summary: theirs. matches: theirs, as they were `written`."""
        ids = set(matches["pair_id"].to_pylist())
        sets = [
            replace(
                each,
                pairs=dict(counted.pairs),
                examples={
                    kind: [pair for pair in pairs if pair in ids] for kind, pairs in each.examples.items()
                },
            )
            for each, counted in zip(self.sets, summary.sets, strict=True)
        ]
        listed = replace(self.matches, rows=len(matches), bytes=written.bytes, sha256=written.sha256)
        return replace(self, compared=summary.compared, pairs=dict(summary.pairs), sets=sets, matches=listed)


CERTIFICATE = TypedJson(Certificate, "paranmt contamination certificate", 1)
