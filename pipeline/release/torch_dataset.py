"""The pairs of a release as a torch dataset: shuffled, sharded, and resumed where it stopped.

An epoch's order comes from seed and epoch alone, in two levels. The row groups are put in a random order and
cut into as many equal shards as there are workers of all ranks, between any two pairs. A shard reads `window`
of its row groups at a time and puts the pairs of such a window in a random order. So two pairs of one row
group are always less than one window apart; pairs of different row groups can be anywhere. With as many row
groups in a window as in a shard, every order within the shard is possible.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as types
import torch
import xxhash
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from ...base.errors import InputError
from ...base.hashing import derive_seed, mixed
from .release_parquet import file_name

if TYPE_CHECKING:
    from .open_release import Pairs

Pair = dict[str, Any]
Batch = dict[str, list[str | None] | torch.Tensor]
Columns = dict[str, Any]

_BLOCK = 1_000  # pairs that become Python objects together


@dataclass(frozen=True)
class GroupPiece:
    """Some consecutive pairs of a row group: those from `start` to `stop` that `where` selects there."""

    group: int
    start: int
    stop: int


class PairDataset(IterableDataset[Pair | Batch]):
    """Pairs for training: dicts of values, or of columns with `batch` pairs if `batch` is given.

    Texts are `str`, whole numbers `int`, and fractions `float`, NaN where there is none. In a batch, texts
    are a list and numbers a tensor. A column of whole numbers or booleans must not have nulls: leave those
    pairs out with `where`. A column that is neither text nor a number is an InputError.

    Every rank and every worker gets the same number of pairs; fewer pairs than there are workers of all ranks
    are left out of an epoch, others in each. Incomplete batches are left out too. The rank is that of
    torch.distributed, if it is initialised before, or that of `set_rank`. Call `set_epoch` before each epoch,
    for another order, or use `loader`, which does it.
    """

    def __init__(self, pairs: "Pairs", *, seed: int = 1, batch: int | None = None, window: int = 16) -> None:
        if window < 1 or (batch is not None and batch < 1):
            raise InputError(f"expected a window and a batch of at least 1, got {window} and {batch}")
        for field in pairs.schema:
            if not (_is_text(field.type) or _is_number(field.type)):
                raise InputError(f"column {field.name} holds {field.type}, which has no tensor; leave it out")
        self.pairs = pairs
        self.seed = seed
        self.batch = batch
        self.window = window
        self.epoch = 0
        self._counts = pairs.counts  # before workers start, so that each of them has the numbers
        self._rank = _distributed_rank()
        self._position = 0  # the pairs that this process has given in this epoch
        self._shards = 0  # among how many shards; 0 if it has given none
        self._starts: tuple[int, ...] = (0,)  # the position at which to begin: of all workers, or of each
        self._turn = 0  # the worker that gives the next batch
        self._as_arrays = False  # whether a loader makes the tensors

    def set_epoch(self, epoch: int) -> None:
        """Start another epoch from its beginning, with an order of its own."""
        self.epoch, self._position, self._shards, self._starts, self._turn = epoch, 0, 0, (0,), 0

    def set_rank(self, rank: int, world: int) -> None:
        """This process is number `rank`, from 0, of `world` processes that train together."""
        if not 0 <= rank < world:
            raise InputError(f"expected a rank from 0 to {world - 1}, got {rank}")
        self._rank = rank, world

    def length(self, workers: int = 1) -> int:
        """How many pairs, or batches, this rank gets in an epoch from so many workers."""
        workers = max(workers, 1)
        return workers * self._shard_length(workers * self._rank[1]) // (self.batch or 1)

    def __iter__(self) -> Iterator[Pair | Batch]:
        """The pairs of this process from the epoch's beginning, or once from where `load_state_dict` says."""
        worker = get_worker_info()
        number, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        number = (number + self._turn) % workers
        rank, world = self._rank
        shard, shards = rank * workers + number, world * workers
        self._position, self._starts = self._starts[number % len(self._starts)], (0,)
        if self._position and self._shards != shards:
            raise InputError(
                f"the state was saved with {self._shards} workers of all ranks, but there are {shards}; "
                "continue with as many"
            )
        self._shards = shards
        pieces = self._pieces(shard, shards)
        tables = self._tables(pieces, f"shard {shard} of {shards}", self._shard_length(shards))
        for table in _cut(tables, self.batch or _BLOCK):
            columns = {name: _values(table[name], self.batch is not None) for name in table.column_names}
            if self.batch is not None:
                self._position += self.batch
                yield columns if self._as_arrays else _with_tensors(columns)
                continue
            for values in zip(*columns.values(), strict=True):
                self._position += 1
                yield dict(zip(columns, values, strict=True))

    def state_dict(self) -> dict[str, object]:
        """The place in this epoch, as JSON values, of the process that iterates.

        A DataLoader with workers reads ahead in other processes, so use the state of `loader` there.
        """
        return {
            "epoch": self.epoch,
            "position": self._position,
            "shards": self._shards,
            "identity": self.identity,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a place; InputError if its pairs, seed, batch or window were others."""
        if state.get("identity") != self.identity:
            raise InputError("the state is of other pairs, or of another seed, batch or window")
        self.set_epoch(state["epoch"])
        self._starts, self._shards = (state["position"],), state["shards"]

    def loader(self, workers: int = 0, **options: Any) -> "PairLoader":
        """Batches from `workers` processes, in the same order every time; `batch` must be given.

        options: those of torch's DataLoader, such as `prefetch_factor`.
        """
        if self.batch is None:
            raise InputError("a loader gives batches; call to_torch with batch=… first")
        return PairLoader(self, workers, options)

    @property
    def identity(self) -> str:
        """A hash of all that the order depends on, except for the epoch and the number of shards."""
        release = self.pairs.release
        files = [
            (file_name(file), footer.digest)
            for file, footer in zip(release.files, release.footers, strict=True)
        ]
        where = self.pairs.where.canonical if self.pairs.where is not None else None
        made_of = [files, where, self._counts.tolist(), self.seed, self.batch, self.window]
        return xxhash.xxh3_64_hexdigest(repr(made_of).encode())

    def _shard_length(self, shards: int) -> int:
        """How many pairs each shard gives."""
        length = int(self._counts.sum()) // shards
        return length - length % (self.batch or 1)

    def _pieces(self, shard: int, shards: int) -> list[GroupPiece]:
        """The row groups of a shard in this epoch's order; the first and the last one may be parts."""
        order = np.argsort(mixed(np.arange(len(self._counts)), self._seed_of("row groups")), kind="stable")
        ends = np.cumsum(self._counts[order])
        share = int(self._counts.sum()) // shards
        start, stop = shard * share, (shard + 1) * share
        pieces = []
        for group, end in zip(order.tolist(), ends.tolist(), strict=True):
            first = end - int(self._counts[group])
            low, high = max(start, first), min(stop, end)
            if low < high:
                pieces.append(GroupPiece(group, low - first, high - first))
        return pieces

    def _tables(self, pieces: Sequence[GroupPiece], shard: str, length: int) -> Iterator[pa.Table]:
        """The shuffled pairs of a shard, from the current position to `length`, window by window.

        Windows that end before the position are not read.
        """
        position, begin = self._position, 0
        for number in range(0, len(pieces), self.window):
            some = pieces[number : number + self.window]
            rows = sum(piece.stop - piece.start for piece in some)
            if position < begin + rows and begin < length:
                read = [self.pairs.read(self.pairs.row_groups[p.group])[p.start : p.stop] for p in some]
                order = np.argsort(mixed(np.arange(rows), self._seed_of(f"{shard}, window {number}")))
                kept = order[max(position - begin, 0) : length - begin]
                yield pa.concat_tables(read).combine_chunks().take(pa.array(kept))
            begin += rows

    def _seed_of(self, name: str) -> int:
        return derive_seed(self.seed, f"epoch {self.epoch}, {name}")


class PairLoader:
    """Batches of a `PairDataset` from several processes; iterate it once for each epoch.

    Its state counts the batches that were given, not those that workers have read ahead.
    """

    def __init__(self, dataset: PairDataset, workers: int, options: Mapping[str, Any]) -> None:
        self.dataset = dataset
        self.workers = workers
        self._options = dict(options)
        self._given = self._start = 0  # batches

    def __len__(self) -> int:
        """The batches of an epoch."""
        return self.dataset.length(self.workers)

    def __iter__(self) -> Iterator[Batch]:
        """An epoch from its beginning, or once from where `load_state_dict` says; the next one follows it."""
        dataset, workers = self.dataset, max(self.workers, 1)
        self._given, self._start = self._start, 0
        dataset.set_epoch(dataset.epoch)
        # torch takes a batch from each worker in turn, the first one first, and all of them give as many.
        whole, more = divmod(self._given, workers)
        batches = (whole + (number < more) for number in range(workers))
        dataset._starts = tuple(count * (dataset.batch or 1) for count in batches)
        dataset._turn, dataset._shards = more, workers * dataset._rank[1]
        # Sending a tensor from a worker takes longer than all the rest; an array is sent by value.
        worker_dataset = copy.copy(dataset)
        worker_dataset._as_arrays = True
        options = {"collate_fn": _unchanged, **self._options}
        for batch in DataLoader(worker_dataset, batch_size=None, num_workers=self.workers, **options):
            self._given += 1
            yield _with_tensors(batch)
        dataset.set_epoch(dataset.epoch + 1)
        self._given = 0

    def state_dict(self) -> dict[str, object]:
        """The place in this epoch, as JSON values: after the last batch that was given."""
        return {
            "epoch": self.dataset.epoch,
            "batches": self._given,
            "workers": self.workers,
            "world": self.dataset._rank[1],
            "identity": self.dataset.identity,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a place. InputError if the pairs, options, workers or ranks were others."""
        here = self.state_dict()
        for key in ("identity", "workers", "world"):
            if state.get(key) != here[key]:
                raise InputError(
                    f"the state has {key} {state.get(key)}, this loader {here[key]}: use the same"
                )
        self.dataset.set_epoch(state["epoch"])
        self._given = self._start = state["batches"]


def _distributed_rank() -> tuple[int, int]:
    """This process's rank, and how many there are."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def _cut(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of `rows` rows; the last one may be shorter."""
    rest = None
    for table in tables:
        joined = table if rest is None else pa.concat_tables([rest, table])
        whole = len(joined) - len(joined) % rows
        for start in range(0, whole, rows):
            yield joined[start : start + rows]
        rest = joined[whole:]
    if rest is not None and len(rest):
        yield rest


def _unchanged(batch: Columns) -> Columns:
    return batch


def _with_tensors(columns: Columns) -> Batch:
    """The batch with a tensor for each array."""
    return {
        name: torch.from_numpy(values) if isinstance(values, np.ndarray) else values
        for name, values in columns.items()
    }


def _values(column: pa.ChunkedArray, as_array: bool) -> list[Any] | np.ndarray:
    """A column as a list of Python's values; one of numbers as an array, if asked for."""
    if _is_text(column.type):
        texts: list[Any] = column.to_numpy().tolist()
        return texts
    if not types.is_floating(column.type) and column.null_count:
        raise InputError("a column without fractions has nulls; leave those pairs out with `where`")
    values = column.to_numpy()
    return values.copy() if as_array else values.tolist()


def _is_text(dtype: pa.DataType) -> bool:
    return bool(types.is_string(dtype) or types.is_large_string(dtype))


def _is_number(dtype: pa.DataType) -> bool:
    return bool(types.is_integer(dtype) or types.is_floating(dtype) or types.is_boolean(dtype))
