"""Duplicates: which pairs have the same text, and which of them is kept."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranmt.filters.duplicates.exact import DuplicatesOf, Records, find_groups, preference, text_hashes
from paranmt.filters.duplicates.minhash import BANDS, band_rows, signatures
from paranmt.tokens.definition import normalise
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.storage.dataset import read_range, write_part
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.duplicate_groups import (
    FindGroups,
    FindLinks,
    JoinLinks,
    MakeFingerprints,
    MarkDuplicates,
    bucket_range,
)

TEXTS = ["Two dogs.", "two  DOGS", "A cat", "?", "!", "", "a cat!", "Dva", None]

Pairs = list[tuple[str, str | None, str | None, float | None]]
"""pair_id, reference, translation, score."""


def defined(pairs: Pairs, of: DuplicatesOf, higher_is_better: bool) -> tuple[list[str | None], list[int]]:
    """What the columns hold, by a plain dictionary."""

    def rank(pair: tuple[str, str | None, str | None, float | None]) -> tuple[bool, float, str, int]:
        start, _, record = pair[0].rpartition(":")
        score = pair[3]
        none = score is None or score != score
        return none, 0.0 if none else -score if higher_is_better else score, start, int(record)

    groups: dict[object, Pairs] = {}
    for pair in pairs:
        texts = {"reference": pair[1:2], "translation": pair[2:3], "pair": pair[1:3]}[of]
        key = pair[0] if None in texts else tuple(normalise(text) for text in texts if text is not None)
        groups.setdefault(key, []).append(pair)
    kept = {pair[0]: (min(group, key=rank)[0], len(group)) for group in groups.values() for pair in group}
    return (
        [None if kept[pair[0]][0] == pair[0] else kept[pair[0]][0] for pair in pairs],
        [kept[pair[0]][1] for pair in pairs],
    )


def marked(
    folder: Path,
    parts: dict[str, Pairs],
    of: DuplicatesOf,
    higher_is_better: bool,
    buckets: int,
    similarity: float | None = None,
) -> tuple[list[str | None], list[int]]:
    """What the stages make of these parts."""
    workspace = Workspace(str(folder))
    inputs = sorted({pairs[0][0].rpartition(":")[0] for pairs in parts.values()})
    fingerprints, tasks = [], []
    for part, pairs in parts.items():
        ids, references, translations, scores = zip(*pairs, strict=True)
        text = pa.string()
        ingest = pa.table({"pair_id": ids, "reference": pa.array(references, text)})
        translate = pa.table({"pair_id": ids, "translation": pa.array(translations, text)})
        score = pa.table({"pair_id": ids, "s": pa.array(scores, pa.float32())})
        files = tuple(
            (stage, write_part(workspace, stage, part, "k", table).file)
            for stage, table in {"ingest": ingest, "translate": translate, "score/s": score}.items()
        )
        make = MakeFingerprints("fingerprints", of, "s", higher_is_better, similarity)
        (entry,) = make(workspace, Task(part, "k", files))
        fingerprints.append((inputs.index(ids[0].rpartition(":")[0]), entry.file))
        tasks.append(Task(part, "k", files))
    ranges = [Task(f"{bucket:05d}", "k", ()) for bucket in range(buckets)]
    if similarity is None:
        find = FindGroups("groups", tuple(fingerprints), buckets)
        groups = [find(workspace, task)[0].file for task in ranges]
    else:
        link = FindLinks("links", tuple(fingerprints), buckets, similarity)
        links = tuple(link(workspace, task)[0].file for task in ranges)
        groups = [JoinLinks("groups", links)(workspace, Task("00000", "k", ()))[0].file]
    mark = MarkDuplicates("duplicates", tuple(inputs), tuple(groups))
    tables = [duckdb.read_parquet(str(folder / mark(workspace, task)[0].file)).fetchall() for task in tasks]
    assert [row[0] for table in tables for row in table] == [p[0] for pairs in parts.values() for p in pairs]
    return [row[1] for table in tables for row in table], [row[2] for table in tables for row in table]


def test_the_best_pair_is_kept_and_ties_go_to_the_smallest_pair_id(tmp_path: Path) -> None:
    parts: dict[str, Pairs] = {
        "b/x-00000": [
            ("b/x:2", "Two dogs.", "t", 0.5),
            ("b/x:10", "two dogs", "u", 0.9),
            ("b/x:11", "A cat", "v", None),
        ],
        "a/y-00000": [
            ("a/y:9", "TWO DOGS!", "w", 0.9),
            ("a/y:10", "two dogs", "x", 0.9),
            ("a/y:11", "a cat", "y", -3.0),
            ("a/y:12", "?", "z", 1.0),
        ],
    }
    expected = ["a/y:9", "a/y:9", "a/y:11", None, "a/y:9", None, None]
    assert marked(tmp_path, parts, "reference", True, 3) == (expected, [4, 4, 2, 4, 4, 2, 1])
    lowest = [None, "b/x:2", "a/y:11", "b/x:2", "b/x:2", None, None]
    assert marked(tmp_path / "low", parts, "reference", False, 1) == (lowest, [4, 4, 2, 4, 4, 2, 1])


PAIR = st.tuples(
    st.integers(1, 300),
    st.sampled_from(TEXTS),
    st.sampled_from(TEXTS),
    st.sampled_from([0.0, -0.0, 0.25, -1.0, None, float("nan"), float("inf")]),
)


@settings(max_examples=25, deadline=None)
@given(
    files=st.lists(
        st.lists(PAIR, min_size=1, max_size=30, unique_by=lambda pair: pair[0]), min_size=1, max_size=3
    ),
    of=st.sampled_from(["reference", "translation", "pair"]),
    higher_is_better=st.booleans(),
    buckets=st.integers(1, 4),
)
def test_the_columns_are_those_of_a_plain_dictionary(
    tmp_path_factory: pytest.TempPathFactory,
    files: list,
    of: DuplicatesOf,
    higher_is_better: bool,
    buckets: int,
) -> None:
    parts = {
        f"c/f{9 - number}-00000": [
            (f"c/f{9 - number}:{record}", *rest) for record, *rest in sorted(file, key=lambda p: p[0])
        ]
        for number, file in enumerate(files)
    }
    pairs = [pair for part in parts.values() for pair in part]
    folder = tmp_path_factory.mktemp("stages")
    assert marked(folder, parts, of, higher_is_better, buckets) == defined(pairs, of, higher_is_better)


def test_groups_of_no_pairs_and_of_one() -> None:
    for n in (0, 1):
        ones = np.ones(n, np.uint64)
        assert len(find_groups(Records(ones, ones.astype(np.uint32), ones)).ids) == 0


def test_a_pair_without_text_or_score() -> None:
    ids = pa.chunked_array([["a:1", "a:2", "a:3"]])
    hashes = text_hashes(ids, [pa.array([None, None, ""])])
    assert len(set(hashes.tolist())) == 3
    orders = preference(pa.chunked_array([pa.array([3, None, -2], pa.int32())]), False)
    assert orders.argsort().tolist() == [2, 0, 1]


def test_a_range_of_a_part_is_found_by_its_row_groups(tmp_path: Path) -> None:
    values = np.sort(np.random.default_rng(1).integers(0, 2**64, 1_000, np.uint64))
    values[500:] |= np.uint64(2**63)
    values = np.sort(np.r_[values, values[:5], np.uint64(0), np.uint64(2**64 - 1)])
    workspace = Workspace(str(tmp_path))
    file = write_part(workspace, "s", "p", "k", pa.table({"hash": values}), row_group_rows=70).file
    read = [read_range(workspace, file, "hash", *bucket_range(b, 7))["hash"].to_numpy() for b in range(7)]
    assert np.array_equal(np.concatenate(read), values)
    assert all(len(bucket) for bucket in read)
    nothing = write_part(workspace, "s", "none", "k", pa.table({"hash": values[:0]})).file
    assert len(read_range(workspace, nothing, "hash", 0, 2**64 - 1)) == 0


SEA = "The old sailor told us that he had crossed the ocean nine times before the war began"
LONG: Pairs = [
    ("c/f:1", SEA, "t", 0.1),
    ("c/f:2", SEA + ", too.", "t", 0.3),
    ("c/f:3", SEA.replace("nine", "ten"), "t", 0.2),
    ("c/f:4", "Before the war began the children went to another school behind the river", "t", 0.9),
    ("c/f:5", "before the war began, the children went to another school behind the rivers!", "t", None),
    ("c/f:6", "A cat", "t", 0.9),
    ("c/f:7", "A hat", "t", 0.9),
    ("c/f:8", "?", "t", 0.9),
]


def trigrams(text: str) -> set[str]:
    padded = f" {normalise(text)} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}


def jaccard(one: str, other: str) -> float:
    return len(trigrams(one) & trigrams(other)) / len(trigrams(one) | trigrams(other))


@pytest.mark.parametrize("buckets", [1, 5])
def test_similar_texts_are_near_duplicates(tmp_path: Path, buckets: int) -> None:
    parts = {"c/f-00000": LONG[:3], "c/f-00001": LONG[3:]}
    expected = ["c/f:2", None, "c/f:2", None, "c/f:4", None, None, None]
    assert marked(tmp_path, parts, "reference", True, buckets, 0.7) == (expected, [3, 3, 3, 2, 2, 1, 1, 1])


def test_a_missing_text_is_no_near_duplicate(tmp_path: Path) -> None:
    parts: dict[str, Pairs] = {"c/f-00000": [(f"c/f:{row}", "a", None, 0.5) for row in range(4)]}
    assert marked(tmp_path, parts, "pair", True, 2, 0.7) == ([None] * 4, [1] * 4)


def test_sketches_estimate_the_similarity_and_bands_find_it() -> None:
    choose = np.random.default_rng(3)
    words = np.array([f"{word:x}" for word in choose.integers(0, 16**6, 500)])
    texts, others = [], []
    for changed in range(400):
        chosen = choose.choice(words, 15)
        texts.append(" ".join(chosen))
        chosen[: changed % 8] = choose.choice(words, changed % 8)
        others.append(" ".join(chosen))
    ids = pa.chunked_array([[f"c/f:{row}" for row in range(400)]])
    (bands, sketches), (other_bands, other_sketches) = (
        signatures(ids, [pa.array(side)], 0.8) for side in (texts, others)
    )
    similar = np.array([jaccard(*pair) for pair in zip(texts, others, strict=True)])
    equal = np.bitwise_count(~(sketches ^ other_sketches)).sum(axis=1) / 256
    errors = (2 * equal - 1 - similar) / np.sqrt((1 - similar**2 + 1e-9) / 256)
    assert abs(errors.mean()) < 0.25 and 0.8 < errors[similar < 1].std() < 1.2
    found = (bands == other_bands).any(axis=1)
    expected = 1 - (1 - similar ** band_rows(0.8)) ** BANDS
    assert abs(found.mean() - expected.mean()) < 0.05
    assert found[similar == 1].all()
