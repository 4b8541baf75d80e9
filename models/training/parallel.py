"""Training by several processes that torchrun started, on one machine or on several.

Every process holds the whole encoder and the tokens of all pairs, and draws the same random numbers. It
embeds its share of the sentences of a batch. The vectors of all processes are gathered, so negatives are
chosen among all of them, and each process computes the loss of all. It passes the gradients of its own
vectors on to the parameters, whose gradients are then added up: but for rounding, those of one process.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from ...base.errors import RunnerError
from ...base.gpu import has_gpu
from .clock import Clock

_PIECE = 2**26  # bytes of a file that are sent at once
_PATIENCE = timedelta(days=7)  # for a process that still reads and tokenises the pairs


class Processes:
    """The processes of one training, or the only one, for which all methods give back what they get.

    Each method that sends something must be called by all of them. rank: from 0; the first reads and writes
    all files. leader: the rank of the first process on this machine. clock: counts the time spent waiting.
    """

    def __init__(self, rank: int = 0, count: int = 1, leader: int = 0) -> None:
        self.rank, self.count, self._leader = rank, count, leader
        self.clock = Clock()

    @property
    def is_first(self) -> bool:
        """Whether this process is the one that reads and writes files."""
        return self.rank == 0

    def share(self, n: int) -> np.ndarray:
        """Which of n sentences this process embeds: every `count`-th, (share,) int64."""
        return np.arange(self.rank, n, self.count)

    def gathered(self, own: torch.Tensor, n: int) -> torch.Tensor:
        """(n, …): the rows of all processes, of which `own` are those of this one's `share`; no gradients."""
        if self.count == 1:
            return own
        size = -(-n // self.count)  # the rows of every process, some of which are filled up by one row
        filled = own.new_zeros(size, *own.shape[1:])
        filled[: len(own)] = own
        everyone = own.new_empty(self.count * size, *own.shape[1:])
        with self.clock.spent("waiting"):
            dist.all_gather(list(everyone.chunk(self.count)), filled)
        return everyone.unflatten(0, (self.count, size)).transpose(0, 1).flatten(0, 1)[:n]

    def add(self, tensors: Sequence[torch.Tensor]) -> None:
        """Replaces each tensor by its sum over the processes."""
        if self.count == 1 or not tensors:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        with self.clock.spent("waiting"):
            dist.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def from_first(self, tensor: torch.Tensor) -> torch.Tensor:
        """The first process's tensor, which takes the place of the others', of the same shape."""
        if self.count > 1:
            with self.clock.spent("waiting"):
                dist.broadcast(tensor, 0)
        return tensor

    def json_from_first(self, value: Any) -> Any:
        """The first process's value, which JSON can hold."""
        if self.count == 1:
            return value
        return json.loads(self._bytes_from(0, json.dumps(value).encode()))

    def tensors_from_first(self, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The first process's tensors by name, on the host of the others; theirs count for nothing."""
        if self.count == 1:
            return dict(tensors)
        shapes = {name: (str(t.dtype).removeprefix("torch."), list(t.shape)) for name, t in tensors.items()}
        received = {}
        for name, (dtype, shape) in self.json_from_first(shapes).items():
            here = (
                tensors[name].detach().cpu().contiguous()
                if self.is_first
                else torch.empty(shape, dtype=getattr(torch, dtype))
            )
            received[name] = self.from_first(here)
        return received

    def folder_from_first(self, folder: Path, copy: Path) -> Path:
        """A folder on this machine with the files of the first process's `folder`.

        That is the folder itself on the first process's machine. On others it is the `copy` that belongs to
        the machine's leader.
        """
        if self.count == 1:
            return folder
        size = torch.tensor([[self._leader]])
        leaders = sorted(set(self.gathered(size, self.count).flatten().tolist()))
        group = dist.new_group(leaders)
        here = folder if self.is_first else copy
        if self.rank in leaders and len(leaders) > 1:
            self._send_files(here, group)
        places = {leader: self._bytes_from(leader, os.fsencode(here.absolute())) for leader in leaders}
        return Path(os.fsdecode(places[self._leader]))

    def wait(self) -> None:
        """Until every process is here."""
        if self.count > 1:
            self.add([torch.zeros(1)])  # on the host, whatever the device

    def _send_files(self, folder: Path, group: Any) -> None:
        """From the first process's folder to those of the group, which are made."""
        names = sorted(path.name for path in folder.iterdir()) if self.is_first else []
        sizes = [(name, (folder / name).stat().st_size) for name in names]
        folder.mkdir(parents=True, exist_ok=True)
        for name, size in json.loads(self._bytes_from(0, json.dumps(sizes).encode(), group)):
            with (folder / name).open("rb" if self.is_first else "wb") as file:
                for start in range(0, size, _PIECE):
                    piece = torch.empty(min(_PIECE, size - start), dtype=torch.uint8)
                    if self.is_first:
                        file.readinto(piece.numpy().data)
                    dist.broadcast(piece, 0, group)
                    if not self.is_first:
                        file.write(piece.numpy().data)

    def _bytes_from(self, rank: int, content: bytes, group: Any = None) -> bytes:
        with self.clock.spent("waiting"):
            size = torch.tensor([len(content)])
            dist.broadcast(size, rank, group)
            array = np.zeros(int(size), np.uint8)
            if self.rank == rank:
                array[:] = np.frombuffer(content, np.uint8)
            sent = torch.from_numpy(array)
            dist.broadcast(sent, rank, group)
        return array.tobytes()


@contextmanager
def processes_of_torchrun() -> Iterator[Processes]:
    """The processes that torchrun started, this one among them; without torchrun this one alone.

    Each works on the GPU of its number on the machine. RunnerError if there are GPUs, but too few.
    """
    if not (dist.is_available() and dist.is_torchelastic_launched()):
        yield Processes()
        return
    local, backend = int(os.environ["LOCAL_RANK"]), "gloo"
    if has_gpu():
        gpus, wanted = torch.cuda.device_count(), int(os.environ["LOCAL_WORLD_SIZE"])
        if wanted > gpus:
            raise RunnerError(f"torchrun started {wanted} processes here, but there are {gpus} GPUs")
        torch.cuda.set_device(local)
        backend = "cpu:gloo,cuda:nccl"
    dist.init_process_group(backend, timeout=_PATIENCE)
    try:
        rank = dist.get_rank()
        yield Processes(rank, dist.get_world_size(), rank - local)
    finally:
        dist.destroy_process_group()
