"""Batched beam search by fairseq's rules, in which each sentence is searched as if it were alone.

A step takes the 2·beam best continuations of a sentence. Those of the first `beam` that end become finished
hypotheses, in that order, until there are `beam` of them; the best `beam` that do not end continue. A
sentence is complete when it has `beam` finished hypotheses, or at its limit, where all must end. Apart from
rounding, the results of a sentence do not depend on the other sentences of its batch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ....hashing import seeded_hash
from ..search_options import SearchOptions
from .choosing import Step, choice, going_on
from .history import Finished, History, Hypothesis
from .network import Memory, Network
from .prefixes import PrefixTree
from .rules import Rules
from .scoring import Continuations, averaged, scan
from .weights import Symbols

_LOOK_EVERY = {"cpu": 1, "cuda": 8}  # after how many steps the host checks which sentences are complete
_ROOM_STEPS = 8  # how many steps fit in a tree before its dead nodes are removed
_WORTH_DROPPING = 0.2  # the share of complete sentences worth a copy without them, on a CPU


class Searcher:
    """Searches batches with one model, or several whose distributions are averaged."""

    def __init__(
        self,
        networks: Sequence[Network],
        symbols: Symbols,
        options: SearchOptions,
        *,
        beam: int,
        length_penalty: float,
        max_length: int,
        device: torch.device,
    ) -> None:
        self._networks = list(networks)
        self._symbols, self._options = symbols, options
        self._choose = choice(options, beam, symbols.end, symbols.pad)
        self._beam, self._length_penalty = beam, length_penalty
        self._max_length = max_length
        self._device = device
        options.check(beam, min(max_length, self.longest))

    @property
    def longest(self) -> int:
        """The most words of a translation that the models have positions for, not counting the end symbol."""
        return min(network.decoder.positions for network in self._networks) - 1

    @torch.inference_mode()
    def search(
        self, sources: Sequence[Sequence[int]], n_best: int, prefixes: Sequence[Sequence[int]] | None = None
    ) -> list[list[Hypothesis]]:
        """The `n_best` hypotheses of each source, best first.

        sources: token ids, the end symbol last. prefixes: target ids that each translation must begin with.
        """
        ratio = self._options.length_ratio
        limits = [min(int(ratio * len(source) + self._max_length), self.longest) for source in sources]
        rules = Rules(self._options, self._symbols, limits, prefixes, self._device)
        state = _State.begin(self, sources, rules)
        for step in range(rules.longest_limit + 1):
            continuations = self._continuations(state, step)
            self._advance(state, step, continuations)
            if step % _LOOK_EVERY[self._device.type] == 0 and self._drop_complete(state):
                break
        state.finish()
        return state.history.hypotheses(len(sources), n_best)

    def _continuations(self, state: "_State", step: int) -> Continuations:
        """The continuations of every sentence's hypotheses, by group."""
        state.make_room(self._beam)
        state.tree.grow()
        logits = []
        for number, (network, memory) in enumerate(zip(self._networks, state.memories, strict=True)):

            def attend(layer: int, inward: Tensor, number: int = number) -> Tensor:
                return state.tree.attend(number, layer, inward)

            states = network.decode(state.last, slice(step, step + 1), memory, attend)
            logits.append(network.logits(states.flatten(0, 1)))
            if self._options.temperature != 1:
                logits[-1] /= self._options.temperature
        together = averaged(logits)
        edit = state.rules.edit(step, state.words if state.rules.needs_words else None)
        scanned = scan(together, state.rules.banned(step), edit)
        by_sentence = together.view(*state.last.shape, -1)
        return self._choose(Step(step, by_sentence, scanned, state.totals, state.keys))

    def _advance(self, state: "_State", step: int, best: Continuations) -> None:
        """Finish the hypotheses that end among each group's best, and continue the best of the others."""
        ends = best.words.eq(self._symbols.end) & best.scores.gt(-torch.inf)
        state.end(step, ends, best, (step + 1) ** self._length_penalty)
        chosen = going_on(ends, self._beam // self._choose.groups)
        words, parents, totals, log_probs = (
            field.gather(2, chosen).flatten(1)
            for field in (best.words, best.beams, best.scores, best.log_probs)
        )
        state.history.add(words, parents, log_probs)
        state.tree.reorder(parents)
        if state.rules.needs_words:
            before = state.words.gather(1, parents[:, :, None].expand(-1, -1, state.words.shape[2]))
            state.words = torch.cat([before, words[:, :, None]], dim=2)
        state.last, state.totals = words, totals
        state.complete |= state.is_full() | state.rules.at_limit(step)

    def _drop_complete(self, state: "_State") -> bool:
        """Remove complete sentences, if that is worth a copy; return whether none is left."""
        complete = state.complete.cpu().numpy()
        done = int(complete.sum())
        if done == len(complete):
            return True
        if done >= max(1, _WORTH_DROPPING * len(complete)):
            state.drop(complete, self._beam)
        return False


class _Ended(NamedTuple):
    """`Finished` while it grows. Fields are (sentences, groups, beams of a group + 1); values without a place
    are written to the last place.

    counts: (sentences, groups).
    """

    counts: Tensor
    ranks: Tensor
    steps: Tensor
    beams: Tensor
    log_probs: Tensor


class _State:
    """The state of the sentences that are still in the batch; they are the first dimension of tensors."""

    def __init__(
        self,
        keys: np.ndarray,
        shape: tuple[int, int, int],
        memories: list[Memory],
        tree: PrefixTree,
        rules: Rules,
        start: int,
    ) -> None:
        """keys: a hash of each sentence; shape: sentences, groups, beams of a group."""
        sentences, device = shape[0], memories[0].seen.device
        self.rows, self.keys = np.arange(sentences), keys
        self.memories, self.tree, self.rules = memories, tree, rules
        self.history = History()
        self.last = torch.full((sentences, 1), start, device=device)
        self.words = torch.empty(sentences, 1, 0, dtype=torch.int64, device=device)
        self.totals = torch.zeros(sentences, 1, device=device)
        self.complete = torch.zeros(sentences, dtype=torch.bool, device=device)
        places = (*shape[:2], shape[2] + 1)
        self.finished = _Ended(
            torch.zeros(shape[:2], dtype=torch.int64, device=device),
            torch.full(places, -torch.inf, device=device),
            torch.zeros(places, dtype=torch.int64, device=device),
            torch.zeros(places, dtype=torch.int64, device=device),
            torch.zeros(places, device=device),
        )

    @classmethod
    def begin(cls, searcher: Searcher, sources: Sequence[Sequence[int]], rules: Rules) -> "_State":
        """Encode the sources."""
        device, symbols = searcher._device, searcher._symbols
        longest = max(map(len, sources))
        padded = [[*source, *[symbols.pad] * (longest - len(source))] for source in sources]
        words = torch.tensor(padded, device=device)
        lengths = torch.tensor([len(source) for source in sources], device=device)
        seen = torch.arange(longest, device=device) < lengths[:, None]
        memories = [network.encode(words, seen) for network in searcher._networks]
        room = 1 + _ROOM_STEPS * searcher._beam
        tree = PrefixTree(searcher._networks, len(sources), room, device)
        keys = seeded_hash((" ".join(map(str, source)) for source in sources), 0)
        groups = searcher._choose.groups
        shape = (len(sources), groups, searcher._beam // groups)
        return cls(keys, shape, memories, tree, rules, symbols.start)

    def make_room(self, beam: int) -> None:
        """Remove dead nodes from the tree if the next step would not fit."""
        if self.tree.size + self.last.shape[1] <= self.tree.room:
            return
        self._keep(torch.arange(len(self.rows), device=self.last.device), beam)

    def is_full(self) -> Tensor:
        """(sentences,) whether all groups of a sentence have as many finished hypotheses as beams."""
        return self.finished.counts.ge(self.finished.ranks.shape[2] - 1).all(dim=1)

    def end(self, step: int, ends: Tensor, best: Continuations, divisor: float) -> None:
        """Record the continuations that end among a group's first, one a beam, while there is place."""
        counts, ranks, steps, beams, log_probs = self.finished
        group = ranks.shape[2] - 1
        recorded = ends[:, :, :group] & ~self.complete[:, None, None]
        place = counts[:, :, None] + recorded.cumsum(dim=2) - 1
        recorded &= place < group
        place = torch.where(recorded, place, group)
        ranks.scatter_(2, place, best.scores[:, :, :group] / divisor)
        steps.scatter_(2, place, torch.full_like(place, step))
        beams.scatter_(2, place, best.beams[:, :, :group])
        log_probs.scatter_(2, place, best.log_probs[:, :, :group])
        counts += recorded.sum(dim=2)

    def drop(self, complete: np.ndarray, beam: int) -> None:
        """Continue without the complete sentences."""
        self._record_finished(np.flatnonzero(complete))
        self.history.close_stretch(self.rows)
        left = np.flatnonzero(~complete)
        rows = torch.from_numpy(left).to(self.last.device)
        self.rows, self.keys = self.rows[left], self.keys[left]
        self.memories = [memory.select(rows) for memory in self.memories]
        self.last, self.words, self.totals, self.complete = (
            field.index_select(0, rows) for field in (self.last, self.words, self.totals, self.complete)
        )
        self.finished = _Ended(*(field.index_select(0, rows) for field in self.finished))
        self.rules.select(rows)
        self._keep(rows, beam)

    def finish(self) -> None:
        """Record that all remaining sentences are complete."""
        self.history.close_stretch(self.rows)
        self._record_finished(np.arange(len(self.rows)))

    def _keep(self, rows: Tensor, beam: int) -> None:
        keep = int(self.tree.live().index_select(0, rows).max())
        self.tree.select(rows, keep, keep + _ROOM_STEPS * beam)

    def _record_finished(self, numbers: np.ndarray) -> None:
        rows = torch.from_numpy(numbers).to(self.last.device)
        counts, *fields = (field.index_select(0, rows) for field in self.finished)
        fields = [field[:, :, :-1] for field in fields]
        place = torch.arange(fields[0].shape[2], device=rows.device)
        exists = place < counts[:, :, None]
        self.history.end(self.rows[numbers], Finished(*(field.flatten(1) for field in (exists, *fields))))
