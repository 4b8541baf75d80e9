"""The memory and the speed of finding duplicates, on made-up pairs.

    python benchmarks/duplicates.py                      # 10 million pairs, in parts of 10,000
    python benchmarks/duplicates.py --pairs 2_000_000 --similarity 0.8     # near duplicates
    python benchmarks/duplicates.py --pairs 1_000_000 --against 10_000_000 # compared with existing texts

Each of the stages works on all parts in this process, one part after the other, and prints its pairs a second
and the process's peak memory since its start. `fingerprints` reads text, so it is measured on some parts with
made-up text (`--text-parts`). The others are written with random hashes, of which a fifth are shared.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from paranmt.filters.duplicates.minhash import BANDS, SKETCH_WORDS
from paranmt.transforms.beam.task_work import PartWork, Task
from paranmt.transforms.storage.dataset import part_file, write_part
from paranmt.transforms.storage.file_hashes import HashCache, hash_paths
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.duplicate_groups import (
    FindGroups,
    FindLinks,
    JoinLinks,
    MakeFingerprints,
    MarkDuplicates,
    count_buckets,
)
from paranmt.transforms.works.existing_texts import Chunk, HashExisting, count_chunks

KEY = "0" * 16
START = "made-up/pairs"
WORDS = 20_000
LENGTH = 12
DUPLICATES = 0.2


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--part-rows", type=int, default=10_000)
    parser.add_argument("--text-parts", type=int, default=20)
    parser.add_argument("--similarity", type=float)
    parser.add_argument("--against", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(
            Path(folder),
            options.pairs,
            options.part_rows,
            options.text_parts,
            options.similarity,
            options.against,
        )


def measure(
    folder: Path,
    pairs: int,
    part_rows: int,
    text_parts: int,
    similarity: float | None = None,
    against: int = 0,
) -> None:
    """Run the stages in `folder`."""
    workspace = Workspace(str(folder))
    starts = range(0, pairs, part_rows)
    parts = [f"{START}-{number:05d}" for number in range(len(starts))]
    random = np.random.default_rng(1)
    for part, start in zip(parts, starts, strict=True):
        rows = min(part_rows, pairs - start)
        ids = pa.array([f"{START}:{row}" for row in range(start, start + rows)])
        write_part(workspace, "ingest", part, KEY, pa.table({"pair_id": ids}))
        table = fingerprints(np.arange(start, start + rows, dtype=np.uint64), pairs, similarity, random)
        row_group_rows = MakeFingerprints.row_group_rows
        write_part(workspace, "fingerprints", part, KEY, table, row_group_rows=row_group_rows)
    count = count_buckets(pairs, similarity)
    print(f"{pairs:,} pairs in {len(parts):,} parts, {count} buckets; MB at start: {peak():,.0f}")
    print(f"{'stage':14}{'pairs/s':>12}{'peak MB':>10}")

    texts = write_texts(workspace, min(text_parts, len(parts)), part_rows, random)
    make = MakeFingerprints("fingerprints/text", "reference", "score", True, similarity)
    make(workspace, texts[0])  # compiles
    report("fingerprints", (len(texts) - 1) * part_rows, lambda: run(make, workspace, texts[1:]))

    files = tuple((0, part_file("fingerprints", part, KEY)) for part in parts)
    existing = hash_existing(folder, workspace, against, similarity, random) if against else ()
    buckets = [Task(f"{bucket:05d}", KEY, ()) for bucket in range(count)]
    if similarity is None:
        report(
            "groups",
            pairs,
            lambda: run(FindGroups("groups", files, count, existing=existing), workspace, buckets),
        )
        groups = tuple(part_file("groups", bucket.part, KEY) for bucket in buckets)
    else:
        find = FindLinks("links", files, count, similarity, existing=existing)
        report("links", pairs, lambda: run(find, workspace, buckets))
        join = JoinLinks("groups", tuple(part_file("links", bucket.part, KEY) for bucket in buckets), (1,))
        report("groups", pairs, lambda: run(join, workspace, [Task("00000", KEY, ())]))
        groups = (part_file("groups", "00000", KEY),)
    tasks = [Task(part, KEY, (("ingest", part_file("ingest", part, KEY)),)) for part in parts]
    mark = MarkDuplicates("duplicates", (START, "existing.txt"), groups)
    report("duplicates", pairs, lambda: run(mark, workspace, tasks))


def hash_existing(
    folder: Path, workspace: Workspace, texts: int, similarity: float | None, random: np.random.Generator
) -> tuple[tuple[int, str], ...]:
    """Run the stage `against` on a file of made-up texts; its files, as `groups` takes them."""
    path = folder / "existing.txt"
    words = np.array([f"word{number}" for number in range(WORDS)])
    with path.open("w") as file:
        for first in range(0, texts, 100_000):
            lines = words[random.integers(0, WORDS, (min(100_000, texts - first), LENGTH))]
            file.writelines(f"{' '.join(line)}\n" for line in lines)
    chunks = count_chunks(str(path), similarity)
    digest = hash_paths([str(path)], HashCache(str(folder / "hashes.json")))
    made = tuple(Chunk(str(path), digest, number, chunks) for number in range(chunks))
    tasks = [Task(f"{number:05d}", KEY, ()) for number in range(chunks)]
    work = HashExisting("against", "reference", similarity, made)
    report("against", texts, lambda: run(work, workspace, tasks))
    return tuple((1, part_file("against", task.part, KEY)) for task in tasks)


def fingerprints(
    records: np.ndarray, pairs: int, similarity: float | None, random: np.random.Generator
) -> pa.Table:
    """Records of made-up hashes, sorted. A fifth of the pairs share theirs with others."""
    bands = 1 if similarity is None else BANDS
    texts = random.integers(0, 2**64, len(records), np.uint64)
    copies = random.random(len(records)) < DUPLICATES
    texts[copies] %= np.uint64(pairs // 10)
    columns = {
        "hash": mixed((texts * np.uint64(bands))[:, None] + np.arange(bands, dtype=np.uint64)).ravel(),
        "preference": np.repeat(random.integers(0, 1_000, len(records), np.uint32), bands),
        "record": np.repeat(records, bands),
    }
    for word in range(SKETCH_WORDS if similarity else 0):
        columns[f"sketch_{word}"] = np.repeat(mixed(texts + np.uint64(word)), bands)
    return pa.table(columns).take(np.argsort(columns["hash"]))


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Numbers that look random, the same for the same numbers."""
    for multiplier in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(multiplier)
    return numbers ^ (numbers >> np.uint64(31))


def write_texts(workspace: Workspace, parts: int, rows: int, random: np.random.Generator) -> list[Task]:
    """Parts of made-up references and scores."""
    words = np.array([f"word{number}" for number in range(WORDS)])
    tasks = []
    for number in range(parts + 1):
        part = f"text-{number:05d}"
        ids = pa.array([f"{START}:{row}" for row in range(rows)])
        sentences = words[random.integers(0, WORDS, (rows, LENGTH))]
        references = pa.array([f"{' '.join(sentence).capitalize()}." for sentence in sentences])
        scores = pa.array(random.random(rows), pa.float32())
        tables = {"ingest": {"reference": references}, "score/score": {"score": scores}}
        for stage, columns in tables.items():
            write_part(workspace, stage, part, KEY, pa.table({"pair_id": ids, **columns}))
        tasks.append(Task(part, KEY, tuple((stage, part_file(stage, part, KEY)) for stage in tables)))
    return tasks


def run(work: PartWork, workspace: Workspace, tasks: Sequence[Task]) -> None:
    """Process all tasks, one after the other."""
    for task in tasks:
        work(workspace, task)


def report(stage: str, pairs: int, measured: Callable[[], None]) -> None:
    """Print one line about a stage."""
    began = time.perf_counter()
    measured()
    print(f"{stage:14}{pairs / (time.perf_counter() - began):>12,.0f}{peak():>10,.0f}", flush=True)


def peak() -> float:
    """The most memory that this process has used so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
