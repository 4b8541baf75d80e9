"""Decode steps recorded in CUDA graphs: one launch instead of a hundred.

A step of a bucket (`State.bucket`) reads and writes the same tensors every time, its shapes depend on nothing
else, and it never reads from the device. So it can be recorded and played again.
"""

import logging
from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from .buffers import Buffers

logger = logging.getLogger(__name__)

WARM = 2  # steps of a bucket before it is recorded: kernels compile, libraries take their workspaces
MOST = 384  # buckets that are recorded
_MEMORY = 0.2  # of the GPU, for what recorded steps compute in between, which all graphs share

Step = Callable[[], tuple[Tensor, ...]]


class Recording(NamedTuple):
    """A recorded step. replay: makes the step; outputs: the tensors that it fills each time."""

    replay: Callable[[], None]
    outputs: tuple[Tensor, ...]


class Device(Protocol):
    """What can record steps."""

    def warm(self, step: Step) -> tuple[Tensor, ...]:
        """Make a step, where it will be recorded."""
        ...

    def record(self, step: Step) -> Recording:
        """Record a step without making it; RuntimeError if it cannot be recorded."""
        ...

    def is_full(self) -> bool:
        """Whether the recorded steps take as much memory as they may."""
        ...

    def forget(self) -> None:
        """No recorded step is played any more."""
        ...


class Graphs:
    """Makes steps: as they are until their bucket was seen a few times, and from then on as recorded.

    If recording fails, the reason is logged, and no step is recorded any more.
    """

    def __init__(self, device: Device, buffers: Buffers) -> None:
        self._device, self._buffers = device, buffers
        self._recorded: dict[Hashable, Recording] = {}
        self._seen: Counter[Hashable] = Counter()
        self._moves = buffers.moves
        self._failed = False
        self.replays = 0

    def __len__(self) -> int:
        return len(self._recorded)

    def run(self, bucket: Hashable, step: Step) -> tuple[Tensor, ...]:
        """The results of the step, in tensors that later steps do not change.

        step: works on the tensors of the buffers and on constants; equal buckets mean equal steps.
        """
        if self._moves != self._buffers.moves:  # the tensors lie elsewhere now
            self.clear()
        recording = self._recorded.get(bucket)
        if recording is None:
            recording = self._record(bucket, step)
        if recording is None:
            return self._device.warm(step)
        recording.replay()
        self.replays += 1
        return tuple(output.clone() for output in recording.outputs)

    def clear(self) -> None:
        """Forget all recorded steps."""
        self._recorded.clear()
        self._seen.clear()
        self._device.forget()
        self._moves = self._buffers.moves

    def _record(self, bucket: Hashable, step: Step) -> Recording | None:
        """The recorded step, or None if it is to be made as it is."""
        self._seen[bucket] += 1
        full = len(self._recorded) >= MOST or self._device.is_full()
        if self._failed or full or self._seen[bucket] <= WARM:
            return None
        try:
            recording = self._device.record(step)
        except RuntimeError as error:
            self._failed = True
            reason = str(error).partition("\n")[0]
            logger.warning(
                "a step cannot be recorded as a CUDA graph, so steps go on without graphs (%s)", reason
            )
            return None
        self._recorded[bucket] = recording
        return recording


class Cuda:
    """Records on a GPU. All graphs compute in the same memory, because only one plays at a time."""

    def __init__(self, device: torch.device) -> None:
        self._gpu = device
        self._stream = torch.cuda.Stream(device)
        self.forget()
        self._most = int(_MEMORY * torch.cuda.get_device_properties(device).total_memory)

    def warm(self, step: Step) -> tuple[Tensor, ...]:
        """See `Device.warm`: on the stream that records, because libraries keep a workspace for each."""
        current = torch.cuda.current_stream(self._gpu)
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream):
            outputs = step()
        current.wait_stream(self._stream)
        for output in outputs:
            output.record_stream(current)
        return outputs

    def record(self, step: Step) -> Recording:
        """See `Device.record`."""
        torch.cuda.synchronize(self._gpu)
        before = torch.cuda.memory_reserved(self._gpu)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(self._stream):
            # The thread that works out hypotheses may go on; torch.cuda.graph would also empty the cache of
            # free memory, which the next step needs again.
            graph.capture_begin(pool=self._pool, capture_error_mode="thread_local")
            try:
                outputs = step()
            except BaseException:
                with suppress(RuntimeError):
                    graph.capture_end()
                raise
            graph.capture_end()
        self._taken += torch.cuda.memory_reserved(self._gpu) - before
        return Recording(graph.replay, outputs)

    def is_full(self) -> bool:
        """See `Device.is_full`."""
        return self._taken > self._most

    def forget(self) -> None:
        """See `Device.forget`. The memory that graphs share ends with the last of them."""
        self._pool = torch.cuda.graph_pool_handle()
        self._taken = 0
