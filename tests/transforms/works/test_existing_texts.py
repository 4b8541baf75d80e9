"""The texts of `duplicates.against`: how they are read, cut into chunks and compared with pairs."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paranmt.base.errors import InputError
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.storage.dataset import write_part
from paranmt.transforms.storage.file_hashes import HashCache, hash_paths
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works import existing_texts
from paranmt.transforms.works.duplicate_groups import (
    FindGroups,
    FindLinks,
    JoinLinks,
    MakeFingerprints,
    MarkDuplicates,
)
from paranmt.transforms.works.existing_texts import Chunk, HashExisting, count_chunks, read_texts

PAIRS = ["A dog runs over the field", "a cat sleeps", "Nobody has this text", "A CAT sleeps!", "?"]
EXISTING = ["Other text.", "", "a dog runs over the field.", "A dog runs over the fields", "A cat sleeps"]


def read(path: Path, *columns: str) -> list[tuple[int, ...]]:
    rows = []
    for records, texts in read_texts(str(path), columns):
        rows += list(zip(records.tolist(), *(side.to_pylist() for side in texts), strict=True))
    return rows


def test_text_files_have_a_text_or_a_pair_on_a_line(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("First.\n\nThird.\n")
    assert read(tmp_path / "one.txt", "translation") == [(1, "First."), (3, "Third.")]
    (tmp_path / "two.txt").write_text("a\tb\t0.5\n\nc\td\n")
    assert read(tmp_path / "two.txt", "reference") == [(1, "a"), (3, "c")]
    assert read(tmp_path / "two.txt", "reference", "translation") == [(1, "a", "b"), (3, "c", "d")]
    assert read(tmp_path, "translation") == [(1, "First."), (3, "Third."), (4, "b"), (6, "d")]
    with pytest.raises(InputError, match=r"one\.txt: line 1 has one column, expected a reference and a tr"):
        read(tmp_path / "one.txt", "reference", "translation")


def test_parquet_files_have_the_columns_or_one(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["x", None, "y"], "n": [1, 2, 3]}), tmp_path / "one.parquet")
    assert read(tmp_path / "one.parquet", "reference") == [(1, "x"), (3, "y")]
    with pytest.raises(InputError, match="no column of text 'reference'; there are: text"):
        read(tmp_path / "one.parquet", "reference", "translation")


def test_other_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl.gz").write_bytes(b"{}")
    with pytest.raises(InputError, match=r"expected a text file with a text per line.*got \.jsonl"):
        count_chunks(str(tmp_path), None)


@pytest.mark.parametrize("chunks", [1, 3])
@pytest.mark.parametrize("similarity", [None, 0.7])
def test_pairs_are_duplicates_of_existing_texts(
    tmp_path: Path, chunks: int, similarity: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(existing_texts, "_BLOCK", 1)
    path = tmp_path / "existing.txt"
    path.write_text("".join(f"{text}\n" for text in EXISTING))
    workspace = Workspace(str(tmp_path / "work"))
    ids = [f"c/f:{row}" for row in range(1, 6)]
    table = {
        "ingest": pa.table({"pair_id": ids, "reference": PAIRS}),
        "score/s": pa.table({"pair_id": ids, "s": pa.array([np.inf] * 5, pa.float32())}),
    }
    files = tuple((name, write_part(workspace, name, "c/f-00000", "k", t).file) for name, t in table.items())
    task = Task("c/f-00000", "k", files)
    (ours,) = MakeFingerprints("fingerprints", "reference", "s", True, similarity)(workspace, task)
    digest = hash_paths([str(path)], HashCache(str(tmp_path / "cache.json")))
    work = HashExisting(
        "against",
        "reference",
        similarity,
        tuple(Chunk(str(path), digest, number, chunks) for number in range(chunks)),
    )
    hashed = [work(workspace, Task(f"{number:05d}", "k", ()))[0] for number in range(chunks)]
    existing = tuple((1, entry.file) for entry in hashed)
    assert sum(entry.rows for entry in hashed) == 4 * (1 if similarity is None else 12)
    if similarity is None:
        find = FindGroups("groups", ((0, ours.file),), 2, existing=existing)
        groups = [find(workspace, Task(f"{n:05d}", "k", ()))[0].file for n in range(2)]
    else:
        link = FindLinks("links", ((0, ours.file),), 2, similarity, existing=existing)
        links = tuple(link(workspace, Task(f"{n:05d}", "k", ()))[0].file for n in range(2))
        groups = [JoinLinks("groups", links, (1,))(workspace, Task("00000", "k", ()))[0].file]
    mark = MarkDuplicates("duplicates", ("c/f", "existing.txt"), tuple(groups))
    (marked,) = mark(workspace, task)
    rows = duckdb.read_parquet(str(tmp_path / "work" / marked.file)).fetchall()
    assert rows == [
        ("c/f:1", "existing.txt:3", 1),
        ("c/f:2", "existing.txt:5", 2),
        ("c/f:3", None, 1),
        ("c/f:4", "existing.txt:5", 2),
        ("c/f:5", None, 1),
    ]
