import hashlib
import io
import itertools
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st

from paranmt.transforms.storage import release_files
from paranmt.transforms.storage.release_files import (
    FileInfo,
    plan_release_files,
    release_file_name,
    release_table,
    write_release_file,
)
from paranmt.transforms.storage.sealed_parquet import read_footer

DECILE = "paraphrase_similarity_decile"


def table(deciles: list[int | None], first: int = 0) -> pa.Table:
    ids = [f"corpus/file.en:{first + i + 1}" for i in range(len(deciles))]
    return pa.table({"pair_id": pa.array(ids, pa.string()), DECILE: pa.array(deciles, pa.int8())})


def corpus(n: int, seed: int = 0) -> pa.Table:
    """Pairs with text of real lengths; a tenth has no decile."""
    random = np.random.default_rng(seed)
    words = np.array([f"word{i}" for i in range(5_000)])

    def sentences() -> list[str]:
        return [" ".join(random.choice(words, size)) for size in random.integers(5, 30, n)]

    held_out = random.random(n) < 0.1
    scores = random.random(n).astype(np.float32)
    return pa.table(
        {
            "pair_id": [f"corpus/file.en:{i + 1}" for i in range(n)],
            "source": sentences(),
            "reference": sentences(),
            "translation": sentences(),
            "held_out": held_out,
            "reference_length": pa.array(random.integers(5, 30, n), pa.int32()),
            "paraphrase_similarity": pa.array(scores, mask=held_out),
            DECILE: pa.array(np.floor(scores * 10).astype(np.int8) + 1, mask=held_out),
            "paraphrases": scores > 0.5,
        }
    )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `data` folder of a release in two files."""
    folder = tmp_path_factory.mktemp("release") / "data"
    folder.mkdir()
    for index in range(2):
        rows = release_table([corpus(20_000, seed=index)], DECILE, best_first_descending=True)
        write_release_file(rows, folder / release_file_name(index, 2), DECILE, {"release": "test"})
    return folder


@pytest.mark.parametrize(
    ("descending", "expected"),
    [(True, [10, 10, 10, 7, 7, 1, None, None]), (False, [1, 7, 7, 10, 10, 10, None, None])],
)
def test_best_decile_first_and_nulls_last(descending: bool, expected: list[int | None]) -> None:
    parts = [table([None, 10, 7, 10]), table([1, 10, None, 7], first=4)]
    assert release_table(parts, DECILE, descending)[DECILE].to_pylist() == expected


@given(
    st.lists(st.lists(st.none() | st.integers(1, 10), max_size=30), min_size=1, max_size=5),
    st.booleans(),
)
@settings(deadline=None)
def test_rows_of_a_decile_keep_the_order_of_the_input(
    parts: list[list[int | None]], descending: bool
) -> None:
    firsts = itertools.accumulate(map(len, parts), initial=0)
    tables = [table(part, first) for part, first in zip(parts, firsts, strict=False)]
    rows = [row for part in tables for row in part.to_pylist()]
    worst = 11

    def rank(row: dict[str, int | None]) -> int:
        decile = row[DECILE]
        return worst if decile is None else -decile if descending else decile

    assert release_table(tables, DECILE, descending).to_pylist() == sorted(rows, key=rank)


def test_parts_must_agree() -> None:
    other = table([1]).append_column("trigram_overlap", pa.array([0.5], pa.float32()))
    with pytest.raises(ValueError, match="parts of one release differ"):
        release_table([table([1]), other], DECILE, True)
    with pytest.raises(ValueError, match="at least one part"):
        release_table([], DECILE, True)
    with pytest.raises(ValueError, match="no column 'perplexity_decile'; there are: pair_id"):
        release_table([table([1])], "perplexity_decile", True)


def test_row_groups_end_at_each_decile(release: Path) -> None:
    for path in release.iterdir():
        groups = pq.ParquetFile(path).metadata
        place = groups.schema.to_arrow_schema().get_field_index(DECILE)
        seen = []
        for index in range(groups.num_row_groups):
            column = groups.row_group(index).column(place)
            assert column.has_column_index and column.has_offset_index
            assert column.compression == "ZSTD"
            decile = column.statistics.min
            assert decile == column.statistics.max
            nulls = column.statistics.null_count
            assert nulls == (0 if decile is not None else groups.row_group(index).num_rows)
            seen.append(decile)
        assert seen == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, None]


def test_a_big_decile_has_several_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_files, "ROWS_PER_GROUP", 100)
    rows = release_table([table([2] * 250 + [1] * 20 + [None] * 5)], DECILE, True)
    write_release_file(rows, tmp_path / "x.parquet", DECILE, {})
    groups = pq.read_metadata(tmp_path / "x.parquet")
    sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
    assert sizes == [100, 100, 50, 20, 5]


def test_the_description_matches_the_written_file(tmp_path: Path) -> None:
    rows = release_table([corpus(1_000)], DECILE, True)
    path = tmp_path / "x.parquet"
    info = write_release_file(rows, path, DECILE, {"paranmt": "1", "release": "captions"})
    data = path.read_bytes()
    assert info == FileInfo(
        1_000, len(data), hashlib.sha256(data).hexdigest(), read_footer(io.BytesIO(data)).digest
    )
    back = pq.read_table(path)
    assert back.equals(rows)
    assert back.schema.metadata == {b"paranmt": b"1", b"release": b"captions"}


def test_bytes_do_not_depend_on_chunks(tmp_path: Path) -> None:
    whole = corpus(5_000)
    cut = [whole.slice(start, 700) for start in range(0, 5_000, 700)]
    infos = [
        write_release_file(rows, tmp_path / f"{name}.parquet", DECILE, {"a": "b"})
        for name, rows in {
            "whole": release_table([whole], DECILE, True),
            "parts": release_table(cut, DECILE, True),
            "chunks": pa.concat_tables(
                [release_table([whole], DECILE, True).slice(i, 333) for i in range(0, 5_000, 333)]
            ),
        }.items()
    ]
    assert infos[0] == infos[1] == infos[2]


@pytest.mark.parametrize("deciles", [[], [None], [None, None, 3]])
def test_few_rows(tmp_path: Path, deciles: list[int | None]) -> None:
    rows = release_table([table(deciles)], DECILE, True)
    assert write_release_file(rows, tmp_path / "x.parquet", DECILE, {}).rows == len(deciles)
    assert pq.read_table(tmp_path / "x.parquet").equals(rows)


@pytest.mark.parametrize(
    "column",
    [pa.array([1.0]), pa.array([1]), pa.array(["x"], pa.large_string()), pa.array([[1.0]])],
)
def test_types_that_readers_disagree_on_are_refused(tmp_path: Path, column: pa.Array) -> None:
    with pytest.raises(TypeError, match="column odd is .* a release has string, float"):
        write_release_file(table([1]).append_column("odd", column), tmp_path / "x", DECILE, {})


def test_candidates_may_be_released(tmp_path: Path) -> None:
    type_ = pa.list_(pa.struct({"text": pa.string(), "log_prob": pa.float32(), "n_tokens": pa.int32()}))
    column = pa.array([[{"text": "a", "log_prob": -1.5, "n_tokens": 2}]], type_)
    rows = table([1]).append_column("candidates", column)
    write_release_file(rows, tmp_path / "x", DECILE, {})
    assert pq.read_table(tmp_path / "x").equals(rows)


def test_unordered_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not ordered by"):
        write_release_file(table([1, 2, 1]), tmp_path / "x", DECILE, {})


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([], []),
        ([("a", 10)], [["a"]]),
        ([("a", 5), ("b", 5), ("c", 1)], [["a", "b"], ["c"]]),
        ([("a", 25), ("b", 1)], [["a"], ["b"]]),
        ([("a", 1), ("b", 25), ("c", 9)], [["a"], ["b"], ["c"]]),
        ([("a", 0), ("b", 10), ("c", 0), ("d", 1)], [["a", "b", "c"], ["d"]]),
    ],
)
def test_files_join_consecutive_parts(parts: list[tuple[str, int]], expected: list[list[str]]) -> None:
    assert plan_release_files(parts, rows_per_file=10) == expected


@given(st.lists(st.integers(0, 40)), st.integers(1, 50))
def test_every_part_has_one_file(rows: list[int], rows_per_file: int) -> None:
    parts = [(str(i), n) for i, n in enumerate(rows)]
    files = plan_release_files(parts, rows_per_file)
    assert [name for file in files for name in file] == [name for name, _ in parts]
    assert all(files)
    assert all(len(f) == 1 or sum(rows[int(i)] for i in f) <= rows_per_file for f in files)


class _CountingFile:
    """A file of LocalFileSystem that counts what is read from it."""

    def __init__(self, file: object, count: list[int]) -> None:
        self._file, self._count = file, count

    def read(self, *args: int) -> bytes:
        data = self._file.read(*args)  # type: ignore[attr-defined]
        self._count[0] += len(data)
        return data

    def readinto(self, buffer: memoryview) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


class CountingFiles(LocalFileSystem):
    """The local disk as `counted://`, adding up the bytes that readers ask for."""

    protocol = "counted"
    cachable = False

    def __init__(self) -> None:
        super().__init__()
        self.count = [0]

    def _open(self, path: str, mode: str = "rb", **options: object) -> _CountingFile:
        return _CountingFile(super()._open(path, mode, block_size=None), self.count)


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_one_decile_is_a_tenth_of_the_bytes_for_pyarrow(release: Path) -> None:
    read = 0
    for path in sorted(release.iterdir()):
        count = [0]
        with path.open("rb") as file:
            source = pa.PythonFile(_CountingFile(file, count), mode="r")
            rows = pq.read_table(source, filters=[(DECILE, "==", 10)])
        assert set(rows[DECILE].to_pylist()) == {10}
        read += count[0]
    assert 0.05 * size(release) < read < 0.15 * size(release)


def test_one_decile_is_a_tenth_of_the_bytes_for_duckdb(release: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    files = CountingFiles()
    with duckdb.connect() as connection:
        connection.register_filesystem(files)
        connection.execute("set enable_external_file_cache = false")
        rows = connection.execute(
            f"select * from 'counted://{release}/*.parquet' where {DECILE} = 10"
        ).fetchall()
    assert len(rows) == sum(
        pq.read_table(path, filters=[(DECILE, "==", 10)]).num_rows for path in release.iterdir()
    )
    assert 0.05 * size(release) < files.count[0] < 0.2 * size(release)


def test_datasets_reads_one_decile(release: Path, datasets: ModuleType) -> None:
    files = sorted(map(str, release.iterdir()))
    best = datasets.load_dataset("parquet", data_files=files, filters=[(DECILE, "==", 10)], split="train")
    assert set(best[DECILE]) == {10}
    everything = datasets.load_dataset("parquet", data_files=files, split="train")
    assert everything.num_rows == 40_000
    assert everything.features["translation"].dtype == "string"
    assert everything.features["paraphrase_similarity"].dtype == "float32"


def test_polars_and_pandas_read_one_decile(release: Path) -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    expected = pq.read_table(release, filters=[(DECILE, "==", 10)])["pair_id"].to_pylist()
    lazy = polars.scan_parquet(release / "*.parquet").filter(polars.col(DECILE) == 10)
    assert sorted(lazy.collect()["pair_id"]) == sorted(expected)
    frame = pandas.read_parquet(release, filters=[(DECILE, "==", 10)])
    assert sorted(frame["pair_id"]) == sorted(expected)
