"""The cost of verifying parts, whose columns are hashed when they are written and again when they are read.

    python benchmarks/verifying.py [--rows 10000] [--rounds 15]

Each of the cheapest stages does one part. The table shows the share of the time spent on hashing and on the
checksums of Parquet's pages. The share is smaller for stages that do more work on a part.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paranmt.filters.bleu import SentenceBleu
from paranmt.filters.deciles import DecileRanks, score_keys
from paranmt.filters.lengths import ReferenceLength
from paranmt.filters.overlap import TrigramOverlap
from paranmt.filters.ranks import find_cuts
from paranmt.hashing import seeded_hash
from paranmt.transforms import dataset
from paranmt.transforms.dataset import part_file, read_columns, write_part
from paranmt.transforms.deciles import AssignDeciles
from paranmt.transforms.score import ScorePart
from paranmt.transforms.work import PartWork, Unit
from paranmt.transforms.workspace import Workspace

PART = "corpus/file-00000"


def sentences(rows: int, seed: int) -> list[str]:
    """Sentences of ParaNMT's mean length, with word frequencies that follow Zipf's law."""
    choose = np.random.default_rng(seed)
    lengths = np.maximum(1, choose.poisson(13.3, rows))
    words = choose.zipf(1.3, int(lengths.sum())) % 50_000
    ends = np.cumsum(lengths)
    texts = [f"w{word}" for word in words]
    return [" ".join(texts[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def main() -> None:
    """Print one row per stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print("| stage | a part | hashing | page checksums | share |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(folder)
        files = write_inputs(workspace, options.rows)
        checksums = {stage: page_checksum_seconds(workspace, file, options.rounds) for stage, file in files}
        works: dict[str, PartWork] = {
            "score/reference_length": ScorePart(
                "score/reference_length", "reference_length", ReferenceLength()
            ),
            "score/trigram_overlap": ScorePart("score/trigram_overlap", "trigram_overlap", TrigramOverlap()),
            "score/sentence_bleu": ScorePart("score/sentence_bleu", "sentence_bleu", SentenceBleu()),
        }
        scored = part_file("score/reference_length", PART, "first")
        works["score/reference_length"](workspace, Unit(PART, "first", files))
        table = read_columns(workspace, scored)
        keys = score_keys(table["reference_length"], seeded_hash(table["pair_id"].to_pylist(), 1))
        cuts = find_cuts(keys, DecileRanks())
        name = "deciles/reference_length"
        works[name] = AssignDeciles(name, "reference_length", cuts, 1)
        checksums["score/reference_length"] = page_checksum_seconds(workspace, scored, options.rounds)
        inputs = (*files, ("score/reference_length", scored))
        for stage, work in works.items():
            reads = ["score/reference_length"] if stage == name else ["ingest", "translate"]
            paged = sum(checksums[read] for read in reads)
            print(row(stage, options.rounds, paged, partial(make, workspace, work, inputs)))


def page_checksum_seconds(workspace: Workspace, file: str, rounds: int) -> float:
    """The seconds to compare the pages of a part with their checksums: the smallest of many differences."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(10 * rounds):
        for compared in (True, False):
            began = time.perf_counter()
            with workspace.open(file) as opened:
                pq.ParquetFile(opened, page_checksum_verification=compared).read()
            seconds[compared].append(time.perf_counter() - began)
    return max(0.0, min(seconds[True]) - min(seconds[False]))


def write_inputs(workspace: Workspace, rows: int) -> tuple[tuple[str, str], ...]:
    """Write one part of `ingest` and one of `translate`; return the files by stage."""
    ids = pa.array([f"corpus/file:{record}" for record in range(1, rows + 1)])
    sides = {"source": sentences(rows, 1), "reference": sentences(rows, 2)}
    write_part(workspace, "ingest", PART, "k", pa.table({"pair_id": ids, **sides}))
    write_part(
        workspace, "translate", PART, "k", pa.table({"pair_id": ids, "translation": sentences(rows, 3)})
    )
    return tuple((stage, part_file(stage, PART, "k")) for stage in ("ingest", "translate"))


def make(workspace: Workspace, work: PartWork, inputs: tuple[tuple[str, str], ...], key: str) -> None:
    """Make one part with a new key."""
    work(workspace, Unit(PART, key, inputs))


def row(stage: str, rounds: int, paged: float, work: Callable[[str], None]) -> str:
    """The row of a stage in the table: medians."""
    hashing = 0.0
    column_hashes = dataset.column_hashes

    def timed(table: pa.Table) -> dict[str, str]:
        nonlocal hashing
        began = time.perf_counter()
        hashes = column_hashes(table)
        hashing += time.perf_counter() - began
        return hashes

    wholes, hashes = [], []
    with mock.patch.object(dataset, "column_hashes", timed):
        for number in range(rounds + 1):
            hashing, began = 0.0, time.perf_counter()
            work(str(number))
            if number:  # the first warms up
                wholes.append(time.perf_counter() - began)
                hashes.append(hashing)
    whole, hashed = statistics.median(wholes), statistics.median(hashes)
    times = " | ".join(f"{seconds * 1e3:.2f} ms" for seconds in (whole, hashed, paged))
    return f"| {stage} | {times} | {(hashed + paged) / whole:.2%} |"


if __name__ == "__main__":
    main()
