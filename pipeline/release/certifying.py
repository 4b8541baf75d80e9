"""Writes the certificates of a finished run, and the lists of matches that they describe."""

import hashlib
from collections import defaultdict
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from ...base.errors import InputError
from ...filters.contamination import KINDS, MATCHES, Contamination
from ...transforms.model_kinds.evaluation_sets import count_sentences
from ...transforms.storage.dataset import Entry, is_intact, read_columns, write_parquet
from ...transforms.storage.file_hashes import as_planned
from ...transforms.storage.workspace import SHA256, checksum
from ..stages.planned import Plan
from ..stages.score import contamination_summary
from ..stages.stage import Stage
from .certificate import CERTIFICATE, FOLDER, MATCHES_SCHEMA, Certificate, CertifiedSet, MatchesFile

_EXAMPLES = 20


def certificates(plan: Plan, release: Stage) -> dict[str, Entry]:
    """The published name of each certificate and of its list of matches → the file in the workspace.

    What was written for the same results of the same release is not written again, unless it is damaged.
    """
    files = {}
    for column, measure in plan.recipe.scores.items():
        if isinstance(measure, Contamination):
            content = plan.manifest_with(column).content
            folder = f"{release.folder}/cards/{release.key}/{content}"
            names = [f"{FOLDER}/{column}.{ending}" for ending in ("json", "parquet")]
            certificate, matches = (f"{folder}/{name}" for name in names)
            written = plan.workspace.read(certificate)
            entry = None if written is None else _matches_entry(written, matches)
            if written is None or entry is None or not is_intact(plan.workspace, entry):
                written = _write(plan, column, measure, certificate, matches)
                entry = _matches_entry(written, matches)
            assert entry is not None, "it was just written"
            digest = hashlib.sha256(written).hexdigest()
            files[names[0]] = Entry(names[0], release.key, certificate, 0, len(written), digest)
            files[names[1]] = replace(entry, part=names[1], key=release.key)
    return files


def _matches_entry(certificate: bytes, file: str) -> Entry | None:
    """The list of matches that a certificate describes, written to `file`; None if it is damaged."""
    try:
        listed = CERTIFICATE.parse(certificate, file).matches
    except InputError:
        return None
    return Entry("", "", file, listed.rows, listed.bytes, listed.sha256)


def _write(plan: Plan, column: str, measure: Contamination, certificate: str, matches: str) -> bytes:
    """Write the list of matches, then the certificate, whose bytes are returned."""
    table = _matches(plan, column)
    with plan.workspace.temporary_file() as file:
        write_parquet(table, str(file))
        digest, size = checksum(file, like=SHA256), file.stat().st_size
        plan.workspace.put(file, matches)
    examples = _examples(table)
    summary = contamination_summary(plan, column, measure)
    sets = []
    for given, matched in zip(measure.sets, summary.sets, strict=True):
        with as_planned([given.path], matched.hash):
            sentences = count_sentences(given.path)
        sets.append(
            CertifiedSet(
                matched.name,
                matched.hash,
                matched.pairs,
                sentences=sum(count or 0 for count in sentences.values()),
                files={file: count for file, count in sentences.items() if count is not None},
                files_not_read=[file for file, count in sentences.items() if count is None],
                examples=examples[given.name],
            )
        )
    listed = MatchesFile(f"{FOLDER}/{column}.parquet", len(table), size, digest)
    counted = (summary.score, summary.n, summary.share, summary.compared, summary.pairs)
    written = CERTIFICATE.text(Certificate(*counted, sets, listed))
    plan.workspace.write_bytes(certificate, written)
    return written


def _matches(plan: Plan, column: str) -> pa.Table:
    """The closest match of each pair with each set: pair_id, set, kind, side and place, in order."""
    tables = [MATCHES_SCHEMA.empty_table()]
    for entry in plan.manifest_with(column).parts:
        if any(entry.counts.get(kind) for kind in KINDS):
            part = read_columns(plan.workspace, entry.file, [MATCHES]).combine_chunks()
            matches = part[MATCHES].combine_chunks()
            found = matches.flatten()
            ids = part["pair_id"].take(pc.list_parent_indices(matches))
            columns = [pc.struct_field(found, name) for name in MATCHES_SCHEMA.names[1:]]
            tables.append(pa.table([ids, *columns], schema=MATCHES_SCHEMA))
    return pa.concat_tables(tables)


def _examples(matches: pa.Table) -> dict[str, dict[str, list[str]]]:
    """The first pairs with a match of each kind with each set."""
    examples: dict[str, dict[str, list[str]]] = defaultdict(lambda: {kind: [] for kind in reversed(KINDS)})
    for batch in matches.select(["pair_id", "set", "kind"]).to_batches():
        for row in batch.to_pylist():
            ids = examples[row["set"]][row["kind"]]
            if len(ids) < _EXAMPLES:
                ids.append(row["pair_id"])
    return examples
