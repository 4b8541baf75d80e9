"""How fast a release can be read, on made-up pairs: one decile, a preview, batches for training, verifying.

    python benchmarks/release.py FOLDER                            # 10 million pairs, which stay in FOLDER
    python benchmarks/release.py FOLDER --pairs 1_000_000 --seconds 5
    python benchmarks/release.py FOLDER --preview 51_409_585       # select --preview, on as many pairs
    python benchmarks/release.py FOLDER --verify 10_000_000        # verify, and select --output

Each reading is a process of its own. Bytes are those that it asked the system for (`rchar`), so files may be
in the system's cache: seconds then measure decoding. Sentences are random words with frequencies like those
of English, 12 to a sentence. The files are copies of the first one, but for `--verify`, where each pair has
its own pair_id and scores, and all that `verify` compares is true.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.compute as pc

from paranmt.base.dataset_columns import decile_name, release_columns, schema, score_column
from paranmt.base.hashing import derive_seed
from paranmt.base.keys import digest
from paranmt.filters.ranks.decile_ranks import exact_deciles
from paranmt.pipeline.manifest.release_summary import (
    CorpusSummary,
    ModelSummary,
    ReleaseSummary,
    ScoreSummary,
    TranslationCounts,
    described,
)
from paranmt.pipeline.release.metadata import release_texts
from paranmt.transforms.storage.release_files import (
    ROWS_PER_FILE,
    release_file_name,
    release_table,
    write_release_file,
)

PRIMARY = "paraphrase_similarity"
SCORES = ("translation_cost", "perplexity", "unigram_overlap", "trigram_overlap", "sentence_bleu", PRIMARY)
COLUMNS = ["reference", "translation", PRIMARY]
WHERE = f"{decile_name(PRIMARY)} between 5 and 9 and trigram_overlap <= 0.7 and perplexity_decile < 10"
MADE_OF = {"made-up": "words"}
MODEL = "0" * 32
LENGTH = 12
WORDS = 50_000
BATCH = 256


def main() -> None:
    """Write the release if there is none, then measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each stream")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--preview", type=int, help="only measure a preview, on so many pairs")
    parser.add_argument("--verify", type=int, help="only measure verify and a cut, on so many pairs")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    data = options.folder / "data"
    if options.measure:
        print(json.dumps(MEASURES[options.measure](str(data), options.seconds)))
        return
    if not data.exists():
        if options.verify:
            write_whole(options.folder, options.verify)
        else:
            write(data, options.preview or options.pairs, with_text=options.preview is None)
    size = sum(file.stat().st_size for file in data.iterdir())
    print(f"{size / 1e9:.2f} GB in {len(list(data.iterdir()))} files")
    only = "preview" if options.preview else "whole" if options.verify else None
    for name in MEASURES:
        if (name.split(",")[0] if name.startswith(("preview", "whole")) else None) == only:
            rounds = [measured(options.folder, name, options.seconds) for _ in range(options.rounds)]
            print(name, *(f"{key} {statistics.median(r[key] for r in rounds):,.3f}" for key in rounds[0]))


def measured(folder: Path, name: str, seconds: float) -> dict[str, float]:
    """One measurement in a process of its own."""
    program = [sys.executable, __file__, str(folder), "--measure", name, "--seconds", str(seconds)]
    done = subprocess.run(program, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def write(data: Path, pairs: int, with_text: bool) -> None:
    """Write whole files, which are copies of the first one; without text only the columns of conditions."""
    data.mkdir(parents=True)
    count = -(-pairs // ROWS_PER_FILE)
    names = [data / release_file_name(number, count) for number in range(count)]
    made = rows(np.random.default_rng(1), min(ROWS_PER_FILE, pairs), with_text)
    table = release_table([made], decile_name(PRIMARY), True)
    write_release_file(table, names[0], decile_name(PRIMARY), {})
    for name in names[1:]:
        shutil.copyfile(names[0], name)


def write_whole(folder: Path, pairs: int) -> None:
    """Write a release of which everything is true, with card and manifest."""
    random, names = np.random.default_rng(1), np.arange(1, pairs + 1)
    ids = [f"made-up/words.txt:{name}" for name in names]
    values = {name: pa.array(random.random(pairs, np.float32)) for name in SCORES}
    seed = derive_seed(1, "deciles")
    columns: dict[str, pa.Array] = {"pair_id": pa.array(ids), **values}
    columns |= {decile_name(name): exact_deciles(column, ids, seed) for name, column in values.items()}
    texts = rows(random, min(ROWS_PER_FILE, pairs), True)
    count = -(-pairs // ROWS_PER_FILE)
    (folder / "data").mkdir(parents=True)
    files = {}
    for number in range(count):
        first, last = number * ROWS_PER_FILE, min(pairs, (number + 1) * ROWS_PER_FILE)
        table = texts.slice(0, last - first)
        for name, column in columns.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(place), column.slice(first, last - first))
        name = f"data/{release_file_name(number, count)}"
        part = release_table([table], decile_name(PRIMARY), True)
        files[name] = write_release_file(part, folder / name, decile_name(PRIMARY), {})
    scores = []
    for name, column in values.items():
        tenths, numbers = columns[decile_name(name)].to_numpy(), column.to_numpy()
        cuts = [float(numbers[tenths == tenth].min()) for tenth in range(2, 11)]
        scores.append(ScoreSummary(name, "A random number.", "", True, pairs, 0, cuts))
    summary = ReleaseSummary(
        "made-up",
        [CorpusSummary("made-up", "xx", pairs, pairs)],
        TranslationCounts(translated=pairs),
        described(release_columns([score_column(name, pa.float32(), "", "") for name in SCORES])),
        files,
        scores,
        PRIMARY,
        [],
        {"seed": 1},
        MADE_OF,
        [ModelSummary("translate", "none", MODEL)],
    )
    for name, text in release_texts(summary, {}).items():
        (folder / name).write_bytes(text)


def rows(random: np.random.Generator, count: int, with_text: bool) -> pa.Table:
    """Some pairs with all columns of a release; a score is a random number, and its decile the tenth."""
    columns = {}
    for name in SCORES:
        values = random.random(count, np.float32)
        columns[name] = pa.array(values)
        columns[decile_name(name)] = pa.array((values * 10).astype(np.int8) + np.int8(1))
    if not with_text:
        return pa.table(columns)
    words = pa.array([f"{word:x}" for word in range(WORDS)])
    for side in ("source", "reference", "translation"):
        chosen = np.minimum(random.zipf(1.1, count * LENGTH), WORDS) - 1
        offsets = pa.array(np.arange(count + 1, dtype=np.int32) * LENGTH)
        columns[side] = pc.binary_join(pa.ListArray.from_arrays(offsets, words.take(pa.array(chosen))), " ")
    columns["pair_id"] = pa.array([f"made-up/words.txt:{row + 1}" for row in range(count)])
    for name, value in {
        "corpus": "made-up",
        "source_language": "xx",
        "translation_status": "translated",
        "translation_model_hash": MODEL,
        "recipe_hash": digest(MADE_OF),
    }.items():
        columns[name] = pa.array([value] * count)
    columns["held_out"] = pa.array(np.zeros(count, bool))
    wanted = schema(release_columns([score_column(name, pa.float32(), "", "") for name in SCORES]))
    return pa.table([columns.get(f.name, pa.nulls(count, f.type)).cast(f.type) for f in wanted], wanted)


def reading(read: Callable[[str], int]) -> Callable[[str, float], dict[str, float]]:
    """A measurement: the pairs, bytes and seconds of a reading, the second one in its process."""

    def measure(data: str, seconds: float) -> dict[str, float]:
        read(data)  # imports packages
        before, start, cpu = bytes_read(), time.perf_counter(), time.process_time()
        pairs = read(data)
        took, worked = time.perf_counter() - start, time.process_time() - cpu
        read_mb = (bytes_read() - before) / 1e6
        return {"pairs": pairs, "MB": read_mb, "s": took, "CPU s": worked, "GB of memory": most_memory()}

    return measure


def bytes_read() -> int:
    """The bytes that this process has asked the system for."""
    return int(psutil.Process().io_counters().read_chars)


def most_memory() -> float:
    """The most memory that this process has had, in GB. (`ru_maxrss` begins with that of its parent.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1e6


def by_paranmt(where: str | None) -> Callable[[str], int]:
    """Reading with this package."""

    def read(data: str) -> int:
        import paranmt

        return sum(batch.num_rows for batch in paranmt.open_release(data).pairs(where, COLUMNS))

    return read


def by_pyarrow(decile: int | None) -> Callable[[str], int]:
    """Reading with pyarrow's datasets."""

    def read(data: str) -> int:
        import pyarrow.dataset as ds

        condition = None if decile is None else ds.field(decile_name(PRIMARY)) == decile
        batches = ds.dataset(data).scanner(columns=COLUMNS, filter=condition).to_batches()
        return sum(batch.num_rows for batch in batches)

    return read


def by_duckdb(where: str) -> Callable[[str], int]:
    """Reading with DuckDB."""

    def read(data: str) -> int:
        import duckdb

        query = f"select {', '.join(COLUMNS)} from '{data}/*.parquet' where {where}"
        return sum(batch.num_rows for batch in duckdb.sql(query).to_arrow_reader(100_000))

    return read


def preview(data: str) -> int:
    """Count what each clause drops, as `paranmt select --preview` does."""
    import paranmt

    return paranmt.open_release(data).pairs(WHERE).drops().selected


def verified(data: str) -> int:
    """Verify the whole release, as `paranmt verify` does."""
    import paranmt
    from paranmt.pipeline.release.verify import verify

    release = paranmt.open_release(str(Path(data).parent))
    assert verify(release) == []
    return len(release)


def cut(data: str) -> int:
    """Write the pairs of a condition as a new release, as `paranmt select --output` does."""
    import paranmt
    from paranmt.pipeline.release.cut import cut_release

    with tempfile.TemporaryDirectory(dir=Path(data).parent.parent) as folder:
        release = paranmt.open_release(str(Path(data).parent))
        return cut_release(release, WHERE, Path(folder, "cut")).pairs


def streaming(batches: Callable[[str], Iterable[dict]]) -> Callable[[str, float], dict[str, float]]:
    """A measurement: the pairs a second of an endless stream with two workers, after the first batch."""

    def measure(data: str, seconds: float) -> dict[str, float]:
        start = time.perf_counter()
        stream = iter(batches(data))
        next(stream)
        first = time.perf_counter()
        pairs = 0
        for batch in stream:
            pairs += len(batch["reference"])
            if time.perf_counter() - first > seconds:
                break
        took = time.perf_counter() - first
        for worker in multiprocessing.active_children():
            worker.kill()  # in the middle of a stream, stopping them takes seconds
        os.write(1, (json.dumps({"pairs/s": pairs / took, "first batch, s": first - start}) + "\n").encode())
        os._exit(0)

    return measure


def stream_of_paranmt(data: str) -> Iterable[dict]:
    """Batches that are made by the dataset."""
    import paranmt

    return paranmt.open_release(data).pairs(columns=COLUMNS).to_torch(batch=BATCH).loader(workers=2)


def pairs_of_paranmt(data: str) -> Iterable[dict]:
    """Batches that are made by torch, of dicts."""
    from torch.utils.data import DataLoader

    import paranmt

    dataset = paranmt.open_release(data).pairs(columns=COLUMNS).to_torch()
    return DataLoader(dataset, batch_size=BATCH, num_workers=2)


def stream_of_datasets(data: str) -> Iterable[dict]:
    """Batches that are made by torch, of the dicts of Hugging Face's `datasets`, with a buffer of 10,000."""
    from datasets import load_dataset
    from torch.utils.data import DataLoader

    files = sorted(str(file) for file in Path(data).iterdir())
    dataset = load_dataset("parquet", data_files=files, split="train", streaming=True, columns=COLUMNS)
    return DataLoader(dataset.shuffle(seed=1, buffer_size=10_000), batch_size=BATCH, num_workers=2)


def batches_of_datasets(data: str) -> Iterable[dict]:
    """The same with batches that `datasets` makes."""
    from datasets import load_dataset
    from torch.utils.data import DataLoader

    files = sorted(str(file) for file in Path(data).iterdir())
    dataset = load_dataset("parquet", data_files=files, split="train", streaming=True, columns=COLUMNS)
    batches = dataset.shuffle(seed=1, buffer_size=10_000).batch(BATCH)
    return DataLoader(batches, batch_size=None, num_workers=2)


TENTH = f"{decile_name(PRIMARY)} = 10"
MEASURES: dict[str, Callable[[str, float], dict[str, float]]] = {
    "decile 10, paranmt": reading(by_paranmt(TENTH)),
    "decile 10, DuckDB": reading(by_duckdb(TENTH)),
    "decile 10, pyarrow": reading(by_pyarrow(10)),
    "all, paranmt": reading(by_paranmt(None)),
    "all, DuckDB": reading(by_duckdb("true")),
    "all, pyarrow": reading(by_pyarrow(None)),
    "stream, paranmt": streaming(stream_of_paranmt),
    "stream, paranmt, pair by pair": streaming(pairs_of_paranmt),
    "stream, datasets": streaming(stream_of_datasets),
    "stream, datasets, whole batches": streaming(batches_of_datasets),
    "preview": reading(preview),
    "whole, verify": reading(verified),
    "whole, select --output": reading(cut),
}

if __name__ == "__main__":
    main()
