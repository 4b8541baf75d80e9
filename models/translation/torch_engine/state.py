"""The sentences of a batch on the device, and how they move from one batch to the next."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from .buffers import EXACT, Buckets, Buffers, rounded
from .network import Memory, TranslationNetwork
from .prefixes import PrefixTree

ROOM_STEPS = 8
"""How many steps fit in a tree before its dead nodes are removed."""


class StatePart(NamedTuple):
    """Some sentences of a state. rows: their places; live: the most live nodes that one of them has."""

    state: "State"
    rows: np.ndarray
    live: int


class State:
    """The sentences in a batch, which are the first dimension of tensors.

    count: how many there are. The rows after them, up to a size of the buckets, repeat the last one, so that
    nothing about them is special; their results are dropped. numbers, lengths, steps, keys: (rows,) the
    sentences' numbers, their source tokens, how many steps each has made, and a hash of each. begun: how many
    words precede the translation in the decoder, besides the start. last, totals: (rows, beams) the
    hypotheses' last words and log-probabilities. counts: (rows, groups) the hypotheses that ended, or more.
    positions: (rows,) on the device, of the words that the decoder reads: `begun` + `steps`. words: (rows,
    beams, words) the ids so far, on the right, after −1 where a sentence has made fewer steps; or None.
    """

    def __init__(
        self,
        networks: list[TranslationNetwork],
        numbers: np.ndarray,
        lengths: np.ndarray,
        steps: np.ndarray,
        keys: np.ndarray,
        *,
        beams: int,
        groups: int,
        begun: int,
        words: Tensor | None,
        buffers: Buffers,
    ) -> None:
        """A state whose tensors of hypotheses are not filled, without `memories` and `tree`."""
        self.networks, self.count = networks, len(numbers)
        self.numbers, self.lengths, self.steps, self.keys = numbers, lengths, steps, keys
        self.words, self.begun = words, begun
        rows = len(numbers)
        self.last = buffers.take("last", (rows, beams), torch.int64)
        self.totals = buffers.take("totals", (rows, beams), torch.float32)
        self.counts = buffers.take("counts", (rows, groups), torch.int64)
        # One addition moves all sentences and the tree to the next step.
        self._clock = buffers.take("clock", (rows + beams,), torch.int64)
        self._ticks = buffers.take("ticks", (rows + beams,), torch.int64)
        self.positions, self.places = self._clock[:rows], self._clock[rows:]
        self.positions.copy_(torch.from_numpy(steps + begun))
        self._ticks.fill_(beams)[:rows].fill_(1)
        self.memories: list[Memory]
        self.tree: PrefixTree

    @classmethod
    def first(
        cls,
        networks: list[TranslationNetwork],
        numbers: np.ndarray,
        lengths: np.ndarray,
        keys: np.ndarray,
        memories: list[Memory],
        *,
        start: int,
        begin: int,
        groups: int,
        needs_words: bool,
    ) -> "State":
        """Sentences before their first step, with one beam each, which has the word `start`.

        begin: how many words are to be read (`read`) before the first step.
        """
        buffers = Buffers(memories[0].mask.device)
        words = buffers.take("words", (len(numbers), 1, 0), torch.int64) if needs_words else None
        steps = np.zeros(len(numbers), np.int64)
        state = cls(
            networks,
            numbers,
            lengths,
            steps,
            keys,
            beams=1,
            groups=groups,
            begun=0,
            words=words,
            buffers=buffers,
        )
        state.last.fill_(start)
        for tensor in (state.totals, state.counts, state.places):
            tensor.zero_()
        state.memories = memories
        state.tree = PrefixTree(networks, len(numbers), 1, 1 + begin, places=state.places, buffers=buffers)
        return state

    @classmethod
    def joined(
        cls, parts: Sequence[StatePart], beam: int, buffers: Buffers, buckets: Buckets = EXACT
    ) -> "State | None":
        """The sentences of all parts in one batch; None if there are no parts.

        Only the first part may be in these buffers: its tensors are read before they are written.
        """
        if not parts:
            return None
        count = sum(len(part.rows) for part in parts)
        *before, end = parts
        padding = end.rows[-1:].repeat(buckets.rows(count) - count)
        parts = [*before, end._replace(rows=np.concatenate([end.rows, padding]))]
        first = parts[0].state
        places = [torch.from_numpy(part.rows).to(first.last.device) for part in parts]

        def arrays(name: str) -> np.ndarray:
            return np.concatenate([getattr(part.state, name)[part.rows] for part in parts])

        def tensors(name: str) -> Tensor:
            rows = zip(parts, places, strict=True)
            return torch.cat([getattr(part.state, name).index_select(0, place) for part, place in rows])

        lengths, steps = arrays("lengths"), arrays("steps")
        words = [
            _aligned(part.state.words, int(steps.max())).index_select(0, place)
            for part, place in zip(parts, places, strict=True)
            if part.state.words is not None
        ]
        filled = {name: tensors(name) for name in ("last", "totals", "counts")}
        new = cls(
            first.networks,
            arrays("numbers"),
            lengths,
            steps,
            arrays("keys"),
            beams=beam,
            groups=first.counts.shape[1],
            begun=first.begun,
            words=torch.cat(words) if words else None,
            buffers=buffers,
        )
        new.count = count
        for name, tensor in filled.items():
            getattr(new, name).copy_(tensor)
        new.memories = [
            Memory.joined(
                [(part.state.memories[number], place) for part, place in zip(parts, places, strict=True)],
                rounded(int(lengths.max()), buckets.tokens),
                ("memory", number),
                buffers,
            )
            for number in range(len(first.networks))
        ]
        keep = max(part.live for part in parts)
        torch.arange(keep, keep + beam, out=new.places)
        new.tree = PrefixTree.joined(
            [(part.state.tree, place) for part, place in zip(parts, places, strict=True)],
            keep,
            ROOM_STEPS * beam,
            places=new.places,
            buffers=buffers,
            buckets=buckets,
        )
        return new

    @property
    def bucket(self) -> tuple[int, ...]:
        """The sizes of a step: sentences, source tokens, nodes that are read, nodes that fit."""
        return len(self.numbers), self.memories[0].mask.shape[3], self.tree.read, self.tree.room

    def widen(self, beams: int) -> None:
        """After the first step there are `beams` beams; `last` and `totals` are to be filled."""
        self.tree.widen(beams)
        self.last = self.last.new_empty(len(self.last), beams)
        self.totals = self.totals.new_empty(len(self.totals), beams)

    def read(self, word: int) -> None:
        """Go on to a word that precedes every translation, once the tree has the word before it."""
        self.last.fill_(word)
        self.begun += 1
        self._clock.add_(self._ticks)

    def advance(self, words: Tensor, parents: Tensor) -> None:
        """The device's part of going on to the next step, once `last` and `totals` are filled.

        words, parents: (rows, beams) the newest words, and the beams that they continue.
        """
        self.tree.reorder(parents)
        if self.words is not None:
            before = self.words.gather(1, parents[:, :, None].expand(-1, -1, self.words.shape[2]))
            self.words = torch.cat([before, words[:, :, None]], dim=2)
        self._clock.add_(self._ticks)


def _aligned(words: Tensor, width: int) -> Tensor:
    """The last `width` words of every hypothesis, after −1 where there are fewer."""
    return F.pad(words, (width - words.shape[2], 0), value=-1)
