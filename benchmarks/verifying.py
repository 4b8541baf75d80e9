"""The cost of verifying parts, which are hashed and sealed when they are written, and compared when read.

    python benchmarks/verifying.py [--rows 10000] [--rounds 15]

Each of the cheapest stages does one part. The table shows the share of the time spent on hashing and sealing
the part, and on comparing all of its inputs. The share is smaller for stages that do more work on a part.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa

from paranmt.base.hashing import seeded_hash
from paranmt.filters.bleu import SentenceBleu
from paranmt.filters.lengths import ReferenceLength
from paranmt.filters.overlap import TrigramOverlap
from paranmt.filters.ranks.decile_ranks import decile_starts, score_keys
from paranmt.filters.ranks.radix import find_cuts
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.storage import dataset
from paranmt.transforms.storage.dataset import part_file, read_columns, write_part
from paranmt.transforms.storage.sealed_parquet import check_blocks, read_footer
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.decile_ranking import AssignDeciles
from paranmt.transforms.works.scoring import ScorePart

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
    print("| stage | a part | writing: hashes, seal | reading: comparing | share |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(folder)
        files = write_inputs(workspace, options.rows)
        compared = {stage: comparing_seconds(workspace, file, options.rounds) for stage, file in files}
        works: dict[str, PartWork] = {
            "score/reference_length": ScorePart(
                "score/reference_length", "reference_length", ReferenceLength()
            ),
            "score/trigram_overlap": ScorePart("score/trigram_overlap", "trigram_overlap", TrigramOverlap()),
            "score/sentence_bleu": ScorePart("score/sentence_bleu", "sentence_bleu", SentenceBleu()),
        }
        scored = part_file("score/reference_length", PART, "first")
        works["score/reference_length"](workspace, Task(PART, "first", files))
        table = read_columns(workspace, scored)
        keys = score_keys(table["reference_length"], seeded_hash(table["pair_id"].to_pylist(), 1))
        cuts = find_cuts(keys, decile_starts)
        name = "deciles/reference_length"
        works[name] = AssignDeciles(name, "reference_length", cuts, 1)
        compared["score/reference_length"] = comparing_seconds(workspace, scored, options.rounds)
        inputs = (*files, ("score/reference_length", scored))
        for stage, work in works.items():
            reads = ["score/reference_length"] if stage == name else ["ingest", "translate"]
            reading = sum(compared[read] for read in reads)
            print(row(stage, options.rounds, reading, partial(make, workspace, work, inputs)))


def comparing_seconds(workspace: Workspace, file: str, rounds: int) -> float:
    """The seconds to compare a whole part with its seal: the median."""
    seconds = []
    for _ in range(10 * rounds):
        with workspace.open(file) as opened:
            began = time.perf_counter()
            check_blocks(opened, read_footer(opened))
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


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
    work(workspace, Task(PART, key, inputs))


def row(stage: str, rounds: int, reading: float, work: Callable[[str], None]) -> str:
    """The row of a stage in the table: medians."""
    hashing = 0.0

    def timed(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(given: Any) -> Any:
            nonlocal hashing
            began = time.perf_counter()
            result = function(given)
            hashing += time.perf_counter() - began
            return result

        return run

    wholes, hashes = [], []
    functions = {name: timed(getattr(dataset, name)) for name in ("column_hashes", "seal_parquet")}
    with mock.patch.multiple(dataset, **functions):
        for number in range(rounds + 1):
            hashing, began = 0.0, time.perf_counter()
            work(str(number))
            if number:  # the first warms up
                wholes.append(time.perf_counter() - began)
                hashes.append(hashing)
    whole, hashed = statistics.median(wholes), statistics.median(hashes)
    times = " | ".join(f"{seconds * 1e3:.2f} ms" for seconds in (whole, hashed, reading))
    return f"| {stage} | {times} | {(hashed + reading) / whole:.2%} |"


if __name__ == "__main__":
    main()
