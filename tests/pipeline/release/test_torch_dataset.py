"""The pairs of a release as a torch dataset: order, shards, and resuming."""

import itertools
import json
import math
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from damaged_releases import change_manifest
from releases import PRIMARY, write_release
from torch.utils.data import DataLoader

from paranmt.base.dataset_columns import decile_name
from paranmt.base.errors import InputError
from paranmt.pipeline.release.open_release import Pairs, open_release
from paranmt.pipeline.release.torch_dataset import PairDataset
from paranmt.transforms.storage.release_files import write_release_file

ROWS = 2_000
TRANSLATED = "translation is not null"
USABLE = ROWS * 99 // 100


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    folder = write_release(tmp_path_factory.mktemp("torch") / "release", ROWS)
    return open_release(folder).pairs(TRANSLATED, ["pair_id", "translation"])


def ids(dataset: PairDataset) -> list[str]:
    return [pair["pair_id"] for pair in dataset]


def batches(loader: object) -> list[list[str]]:
    return [batch["pair_id"] for batch in loader]  # type: ignore[attr-defined]


def test_an_epoch_is_every_pair_once_in_an_order_of_its_own(pairs: Pairs) -> None:
    dataset = pairs.to_torch(seed=3)
    first, again = ids(dataset), ids(dataset)
    assert first == again
    assert sorted(first) == sorted(pairs.to_table()["pair_id"].to_pylist())
    dataset.set_epoch(1)
    assert ids(dataset) != first and sorted(ids(dataset)) == sorted(first)
    assert ids(pairs.to_torch(seed=4)) != first
    assert dataset.length() == len(first) == USABLE


def test_the_shuffle_mixes_what_the_documentation_says(pairs: Pairs) -> None:
    """Neighbours in the files are far apart, and every tenth of an epoch has pairs of all deciles."""
    place = {pair: position for position, pair in enumerate(pairs.to_table()["pair_id"].to_pylist())}
    order = [place[pair] for pair in ids(pairs.to_torch(seed=1, window=100))]
    together = sum(abs(a - b) == 1 for a, b in itertools.pairwise(order))
    assert together < 12  # two in a random order, on average
    tenths = [
        Counter(position // 200 for position in order[start : start + 198]) for start in range(0, USABLE, 198)
    ]
    assert all(len(tenth) == 10 and max(tenth.values()) < 45 for tenth in tenths)
    # With one row group in a window, a group's pairs stay together, and only they are shuffled.
    alone = [place[pair] for pair in ids(pairs.to_torch(seed=1, window=1))]
    groups = np.searchsorted(np.cumsum(pairs.counts), alone, side="right").tolist()
    assert len(list(itertools.groupby(groups))) == len(pairs.row_groups)
    assert groups != sorted(groups)


@pytest.mark.parametrize(("world", "workers"), [(2, 2), (3, 1), (7, 0)])
def test_ranks_and_workers_get_equal_shares(pairs: Pairs, world: int, workers: int) -> None:
    shares = []
    for rank in range(world):
        dataset = pairs.to_torch(seed=5)
        dataset.set_rank(rank, world)
        seen = [batch["pair_id"][0] for batch in DataLoader(dataset, batch_size=1, num_workers=workers)]
        assert len(seen) == dataset.length() == USABLE // world
        shares.append(seen)
    assert len({len(share) for share in shares}) == 1
    everything = [pair for share in shares for pair in share]
    assert len(set(everything)) == len(everything)


def test_batches(tmp_path: Path) -> None:
    release = open_release(write_release(tmp_path / "release", 1_000))
    names = ["translation", PRIMARY, "reference_length", "short"]
    batch = next(iter(release.pairs(TRANSLATED, names).to_torch(batch=64)))
    assert [type(column) for column in batch.values()] == [list] + [torch.Tensor] * 3
    assert {len(column) for column in batch.values()} == {64}
    assert [column.dtype for column in batch.values() if isinstance(column, torch.Tensor)] == [
        torch.float32,
        torch.int32,
        torch.bool,
    ]
    pair = next(iter(release.pairs(f"{PRIMARY} is null", names).to_torch()))
    assert math.isnan(pair[PRIMARY]) and type(pair["reference_length"]) is int and type(pair["short"]) is bool
    with pytest.raises(InputError, match="has nulls; leave those pairs out"):
        list(release.pairs(columns=[f"{PRIMARY}_decile"]).to_torch())
    with pytest.raises(InputError, match="at least 1, got 0"):
        release.pairs().to_torch(window=0)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_resumes_exactly(pairs: Pairs, workers: int) -> None:
    whole = pairs.to_torch(seed=2, batch=48, window=3).loader(workers)
    epochs = [batches(whole), batches(whole)]
    assert len(epochs[0]) == len(whole) == USABLE // 48
    assert epochs[0] != epochs[1]
    assert {len(batch) for batch in epochs[0]} == {48}
    for given in (0, 1, 7, len(epochs[0])):
        loader = pairs.to_torch(seed=2, batch=48, window=3).loader(workers)
        rest = iter(loader)
        seen = [next(rest)["pair_id"] for _ in range(given)]
        state = json.loads(json.dumps(loader.state_dict()))
        resumed = pairs.to_torch(seed=2, batch=48, window=3).loader(workers)
        resumed.load_state_dict(state)
        assert seen + batches(resumed) == epochs[0], given
        if given == 7:
            assert batches(resumed) == epochs[1]


def in_turn(shares: list[list[list[str]]]) -> list[str]:
    """The pairs of all ranks' batches, step by step."""
    return [pair for step in zip(*shares, strict=True) for batch in step for pair in batch]


@pytest.mark.parametrize(
    ("before", "after"),
    [((1, 0, 16), (1, 2, 16)), ((1, 2, 16), (2, 0, 16)), ((3, 0, 16), (2, 0, 24)), ((2, 0, 24), (1, 3, 7))],
)
def test_a_loader_resumes_with_other_ranks_workers_and_batches(
    pairs: Pairs, before: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    """All of them give the order of a single process, and what is left over is less than a step."""
    order = ids(pairs.to_torch(seed=2, window=3))
    world, workers, batch = before
    steps, seen, states = 11, [], []
    for rank in range(world):
        dataset = pairs.to_torch(seed=2, batch=batch, window=3)
        dataset.set_rank(rank, world)
        loader = dataset.loader(workers)
        rest = iter(loader)
        seen.append([next(rest)["pair_id"] for _ in range(steps)])
        states.append(json.dumps(loader.state_dict()))
    assert len(set(states)) == 1
    given = in_turn(seen)
    assert given == order[: steps * world * batch]
    world, workers, batch = after
    resumed = []
    for rank in range(world):
        dataset = pairs.to_torch(seed=2, batch=batch, window=3)
        dataset.set_rank(rank, world)
        loader = dataset.loader(workers)
        loader.load_state_dict(json.loads(states[0]))
        resumed.append(batches(loader))
    given += in_turn(resumed)
    assert given == order[: len(given)] and len(order) - len(given) < world * batch


def test_a_dataset_resumes_exactly(pairs: Pairs) -> None:
    for options in ({}, {"batch": 10, "window": 2}):
        dataset = pairs.to_torch(seed=2, **options)
        dataset.set_epoch(4)
        whole = list(dataset)
        rest = iter(dataset)
        seen = [next(rest) for _ in range(60)]
        resumed = pairs.to_torch(seed=2, **options)
        resumed.load_state_dict(json.loads(json.dumps(dataset.state_dict())))
        assert seen + list(resumed) == whole
        assert list(resumed) == whole  # the next time from the beginning


def test_windows_before_the_place_are_not_read(pairs: Pairs, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = pairs.to_torch(batch=10, window=2)
    state = {**dataset.state_dict(), "position": 1_500}
    dataset.load_state_dict(state)
    read = []
    whole = Pairs.read
    monkeypatch.setattr(Pairs, "read", lambda self, group: read.append(group) or whole(self, group))
    assert len(list(dataset)) == (USABLE - 1_500) // 10
    assert 0 < len(read) < len(pairs.row_groups) / 2


def test_a_state_of_something_else_is_refused(pairs: Pairs) -> None:
    state = pairs.to_torch(batch=10).state_dict()
    for options in ({"seed": 9}, {"window": 3}):
        for other in (pairs.to_torch(batch=10, **options), pairs.to_torch(batch=10, **options).loader()):
            with pytest.raises(InputError, match="of other pairs, or of another seed or window"):
                other.load_state_dict(state)
    dataset = pairs.to_torch(batch=10)
    with pytest.raises(InputError, match="a rank from 0 to 1, got 2"):
        dataset.set_rank(2, 2)
    with pytest.raises(InputError, match="batch="):
        pairs.to_torch().loader()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": -5}, "position of the state: expected at least 0, got '-5'"),
        ({"position": USABLE + 1}, f"position of the state: expected at most {USABLE:,}, got '{USABLE + 1}'"),
        ({"position": 10**12}, f"position of the state: expected at most {USABLE:,}, got '1000000000000'"),
        ({"position": 2.5}, "position of the state: expected a whole number, got '2.5'"),
        ({"position": True}, "position of the state: expected a whole number, got 'True'"),
        ({"epoch": "x"}, "epoch of the state: expected a whole number, got 'x'"),
        ({"epoch": -1}, "epoch of the state: expected at least 0, got '-1'"),
        ({"epoch": None}, "epoch of the state: expected a whole number, got 'None'"),
        (
            {"epoch": "gone"},
            "expected a state with epoch, position and identity, as state_dict gives it, got",
        ),
    ],
)
def test_a_state_that_is_no_place_is_refused(pairs: Pairs, change: dict[str, object], message: str) -> None:
    dataset = pairs.to_torch(batch=10)
    state = {**dataset.state_dict(), **change}
    if change == {"epoch": "gone"}:
        del state["epoch"]
    for other in (dataset, dataset.loader()):
        with pytest.raises(InputError) as raised:
            other.load_state_dict(state)
        assert str(raised.value).startswith(message)
    assert dataset.state_dict()["position"] == 0
    dataset.load_state_dict({**dataset.state_dict(), "position": USABLE, "epoch": 3})
    assert list(dataset) == []


def test_a_state_refuses_a_release_whose_pairs_have_changed(tmp_path: Path) -> None:
    """Even if the files have as many rows, bytes and row groups as before."""
    folder = write_release(tmp_path / "release", 600, files=1)
    dataset = open_release(folder).pairs(TRANSLATED, ["pair_id", "translation"]).to_torch(batch=8)
    next(iter(dataset))
    state = json.loads(json.dumps(dataset.state_dict()))
    (file,) = (folder / "data").iterdir()
    table = pq.read_table(file)
    texts = [text and text.swapcase() for text in table["translation"].to_pylist()]
    table = table.set_column(table.schema.get_field_index("translation"), "translation", pa.array(texts))
    info = write_release_file(table.cast(pq.read_schema(file)), file, decile_name(PRIMARY), {})
    change_manifest(folder, lambda content: content["files"].update({f"data/{file.name}": asdict(info)}))
    again = open_release(folder).pairs(TRANSLATED, ["pair_id", "translation"]).to_torch(batch=8)
    with pytest.raises(InputError, match="of other pairs"):
        again.load_state_dict(state)
    with pytest.raises(InputError, match="damaged"):  # it was opened before
        list(dataset)


@pytest.mark.parametrize(
    "kind", [pa.dictionary(pa.int32(), pa.string()), pa.string_view(), pa.large_string()]
)
def test_texts_in_other_layouts_of_arrow(tmp_path: Path, kind: pa.DataType) -> None:
    """Other programs rewrite releases: pandas has categories, polars and DuckDB have views."""
    texts = ["one", None, "two", "three"]
    table = pa.table({"pair_id": pa.array(["c/f:1", "c/f:2", "c/f:3", "c/f:4"]), "translation": texts})
    table = table.set_column(1, "translation", table["translation"].cast(kind))
    pq.write_table(table, tmp_path / "pairs.parquet")
    pairs = open_release(str(tmp_path / "pairs.parquet")).pairs(None, ["pair_id", "translation"])
    found = {pair["pair_id"]: pair["translation"] for pair in PairDataset(pairs)}
    assert found == dict(zip(table["pair_id"].to_pylist(), texts, strict=True))
