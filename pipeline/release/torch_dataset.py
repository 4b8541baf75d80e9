"""The pairs of a release as a torch dataset: shuffled, shared out, and resumed where it stopped.

An epoch's order comes from seed and epoch alone, in two levels. The row groups are put in a random order, and
the pairs of each `window` of them in a random order, too. So two pairs of one row group are always less than
one window apart; pairs of different row groups can be anywhere. With all row groups in one window every order
is possible.

Batches follow each other in this order. They go to the ranks in turn, and those of a rank to its workers in
turn, so a place in the epoch is a number of pairs, whatever the numbers of ranks and workers. Each worker
reads every row group and keeps the pairs of its own batches.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as types
import torch
import xxhash
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from ...base.arrow_types import is_text
from ...base.bounds import NONE_OR_MORE, Bounds
from ...base.errors import InputError
from ...base.hashing import derive_seed, mixed
from ..manifest.release_parquet import file_name

if TYPE_CHECKING:
    from .open_release import Pairs

Pair = dict[str, Any]
Batch = dict[str, list[str | None] | torch.Tensor]
Columns = dict[str, Any]

_BLOCK = 1_000  # pairs that become Python objects together


class PairDataset(IterableDataset[Pair | Batch]):
    """Pairs for training: dicts of values, or of columns with `batch` pairs if `batch` is given.

    Texts are `str`, whole numbers `int`, and fractions `float`, NaN where there is none. In a batch, texts
    are a list and numbers a tensor. A column of whole numbers or booleans must not have nulls: leave those
    pairs out with `where`. A column that is neither text nor a number is an InputError.

    Every rank gets the same number of batches, or of pairs; what is left over at the end of an epoch, other
    pairs in each, is left out. The rank is that of torch.distributed, if it is initialised before, or that of
    `set_rank`. Call `set_epoch` before each epoch, for another order, or use `loader`, which does it.
    """

    def __init__(self, pairs: "Pairs", *, seed: int = 1, batch: int | None = None, window: int = 16) -> None:
        if window < 1 or (batch is not None and batch < 1):
            raise InputError(f"expected a window and a batch of at least 1, got {window} and {batch}")
        for field in pairs.schema:
            if not (is_text(field.type) or _is_number(field.type)):
                raise InputError(f"column {field.name} holds {field.type}, which has no tensor; leave it out")
        self.pairs = pairs
        self.seed = seed
        self.batch = batch
        self.window = window
        self.epoch = 0
        self._counts = pairs.counts  # before workers start, so that each of them has the numbers
        self._rank = _distributed_rank()
        self._position = 0  # the pairs of this epoch that all ranks have given together
        self._start = 0  # the position at which to begin
        self._as_arrays = False  # whether a loader makes the tensors

    def set_epoch(self, epoch: int) -> None:
        """Start another epoch from its beginning, with an order of its own."""
        self.epoch, self._position, self._start = epoch, 0, 0

    def set_rank(self, rank: int, world: int) -> None:
        """This process is number `rank`, from 0, of `world` processes that train together."""
        if not 0 <= rank < world:
            raise InputError(f"expected a rank from 0 to {world - 1}, got {rank}")
        self._rank = rank, world

    def length(self) -> int:
        """How many pairs, or batches, this rank gets in an epoch."""
        return int(self._counts.sum()) // self._step

    def __iter__(self) -> Iterator[Pair | Batch]:
        """The pairs of this process from the epoch's beginning, or once from where `load_state_dict` says."""
        worker = get_worker_info()
        number, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        rank, world = self._rank
        self._position, self._start = self._start, 0
        tables = self._tables(self._position, number * world + rank, workers * world)
        step = workers * self._step
        for table in _cut(tables, self.batch or _BLOCK):
            columns = {name: _values(table[name], self.batch is not None) for name in table.column_names}
            if self.batch is not None:
                self._position += step
                yield columns if self._as_arrays else _with_tensors(columns)
                continue
            for values in zip(*columns.values(), strict=True):
                self._position += step
                yield dict(zip(columns, values, strict=True))

    def state_dict(self) -> dict[str, object]:
        """The place in this epoch, as JSON values: `position` pairs, if all ranks have given as many as this.

        A DataLoader with workers reads ahead in other processes, so use the state of `loader` there.
        """
        return {"epoch": self.epoch, "position": self._position, "identity": self.identity}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a place; InputError if its pairs, seed or window were others, or if it is no place.

        The batch, the workers and the ranks may be others.
        """
        if not isinstance(state, Mapping) or not {"epoch", "position", "identity"} <= set(state):
            raise InputError(
                "expected a state with epoch, position and identity, as state_dict gives it, "
                f"got {str(state)[:80]}"
            )
        if state["identity"] != self.identity:
            raise InputError("the state is of other pairs, or of another seed or window")
        in_epoch = Bounds(0, int(self._counts.sum()), is_whole=True)
        for name, bounds in (("epoch", NONE_OR_MORE), ("position", in_epoch)):
            if problem := bounds.problem(state[name]):
                raise InputError(f"{name} of the state: expected {problem}, got {str(state[name])[:60]!r}")
        self.set_epoch(state["epoch"])
        self._position = self._start = state["position"]

    def loader(self, workers: int = 0, **options: Any) -> "PairLoader":
        """Batches from `workers` processes, in the same order every time; `batch` must be given.

        options: those of torch's DataLoader, such as `prefetch_factor`.
        """
        if self.batch is None:
            raise InputError("a loader gives batches; call to_torch with batch=… first")
        return PairLoader(self, workers, options)

    @property
    def identity(self) -> str:
        """A hash of all that the order depends on, except for the epoch."""
        release = self.pairs.release
        files = [
            (file_name(file), footer.digest)
            for file, footer in zip(release.files, release.footers, strict=True)
        ]
        where = self.pairs.where.canonical if self.pairs.where is not None else None
        made_of = [files, where, self._counts.tolist(), self.seed, self.window]
        return xxhash.xxh3_64_hexdigest(repr(made_of).encode())

    @property
    def _step(self) -> int:
        """The pairs in a batch of every rank."""
        return (self.batch or 1) * self._rank[1]

    def _tables(self, start: int, turn: int, turns: int) -> Iterator[pa.Table]:
        """The shuffled pairs of every batch whose turn it is, from a position in the epoch, window by window.

        Windows without such pairs, such as those before the position, are not read.
        """
        order = np.argsort(mixed(np.arange(len(self._counts)), self._seed_of("row groups")), kind="stable")
        stop = start + (int(self._counts.sum()) - start) // self._step * self._step
        begin = 0
        for number in range(0, len(order), self.window):
            groups = order[number : number + self.window]
            rows = int(self._counts[groups].sum())
            places = np.arange(max(start, begin), min(stop, begin + rows))
            own = places[(places - start) // (self.batch or 1) % turns == turn]
            if len(own):
                shuffled = np.argsort(mixed(np.arange(rows), self._seed_of(f"window {number}")))
                yield self._take(groups, shuffled[own - begin])
            begin += rows

    def _take(self, groups: np.ndarray, rows: np.ndarray) -> pa.Table:
        """The pairs with these numbers among those of some row groups, read one after the other."""
        places = np.argsort(rows)
        ascending = rows[places]
        firsts = np.cumsum(self._counts[groups]) - self._counts[groups]
        lows = np.searchsorted(ascending, firsts)
        parts = []
        for group, first, low, high in zip(groups, firsts, lows, [*lows[1:], len(rows)], strict=True):
            if low < high:
                pairs = _plain(self.pairs.read(self.pairs.row_groups[group]))
                is_whole = high - low == len(pairs)
                parts.append(pairs if is_whole else pairs.take(pa.array(ascending[low:high] - first)))
        back = np.empty(len(rows), np.int64)
        back[places] = np.arange(len(rows))
        return pa.concat_tables(parts).combine_chunks().take(pa.array(back))

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

    def __len__(self) -> int:
        """The batches of an epoch."""
        return self.dataset.length()

    def __iter__(self) -> Iterator[Batch]:
        """An epoch from its beginning, or once from where `load_state_dict` says; the next one follows it."""
        dataset = self.dataset
        # Sending a tensor from a worker takes longer than all the rest; an array is sent by value.
        in_workers = copy.copy(dataset)
        in_workers._as_arrays = True
        dataset._position, dataset._start = dataset._start, 0
        options = {"collate_fn": _unchanged, **self._options}
        for batch in DataLoader(in_workers, batch_size=None, num_workers=self.workers, **options):
            dataset._position += dataset._step
            yield _with_tensors(batch)
        dataset.set_epoch(dataset.epoch + 1)

    def state_dict(self) -> dict[str, object]:
        """The place in this epoch, as JSON values: after the last batch that was given.

        It is that of all ranks, if they have been given as many batches.
        """
        return self.dataset.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue at a place; see `PairDataset.load_state_dict`."""
        self.dataset.load_state_dict(state)


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


def _plain(pairs: pa.Table) -> pa.Table:
    """The pairs with all texts as plain strings: Arrow cannot take rows of its other layouts."""
    kinds = [pa.string() if is_text(field.type) else field.type for field in pairs.schema]
    return pairs.cast(pa.schema(list(zip(pairs.column_names, kinds, strict=True))))


def _values(column: pa.ChunkedArray, as_array: bool) -> list[Any] | np.ndarray:
    """A column as a list of Python's values; one of numbers as an array, if asked for."""
    if is_text(column.type):
        texts: list[Any] = column.to_numpy().tolist()
        return texts
    if not types.is_floating(column.type) and column.null_count:
        raise InputError("a column without fractions has nulls; leave those pairs out with `where`")
    values = column.to_numpy()
    return values.copy() if as_array else values.tolist()


def _is_number(dtype: pa.DataType) -> bool:
    return bool(types.is_integer(dtype) or types.is_floating(dtype) or types.is_boolean(dtype))
