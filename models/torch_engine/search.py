"""Batched beam search by fairseq's rules, each sentence as if it were alone.

A step takes the 2·beam best continuations of a sentence. Of the first `beam` of them, those that end
are finished hypotheses, in that order, until there are `beam`; the best `beam` that do not end go on. A
sentence is complete when it has `beam` finished hypotheses or is at its limit, where all must end.
Nothing that a sentence gets depends on what else is in its batch, but for rounding.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from .history import Finished, History, Hypothesis
from .network import Memory, Network
from .options import SearchOptions
from .prefixes import PrefixTree
from .rules import Rules
from .scoring import Continuations, averaged, best_continuations, scan
from .weights import Symbols

_LOOK_EVERY = {"cpu": 1, "cuda": 8}  # steps between two looks of the host at what is complete
_ROOM_STEPS = 8  # steps that a tree has room for before its dead nodes are left out
_WORTH_DROPPING = 0.2  # of a batch's sentences complete, on a CPU


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
        self._beam, self._length_penalty = beam, length_penalty
        self._max_length = max_length
        self._device = device

    @torch.inference_mode()
    def search(
        self, sources: Sequence[Sequence[int]], n_best: int, prefixes: Sequence[Sequence[int]] | None = None
    ) -> list[list[Hypothesis]]:
        """The `n_best` hypotheses of each source, best first.

        sources: token ids, the end symbol last. prefixes: target ids that each translation begins with.
        """
        longest = min(network.decoder.positions for network in self._networks) - 1
        ratio = self._options.length_ratio
        limits = [min(int(ratio * len(source)) + self._max_length, longest) for source in sources]
        rules = Rules(self._options, self._symbols, limits, prefixes, self._device)
        state = _State.begin(self, sources, rules)
        for step in range(rules.longest_limit + 1):
            found = self._continuations(state, step)
            self._advance(state, step, found)
            if step % _LOOK_EVERY[self._device.type] == 0 and self._drop_complete(state):
                break
        state.finish()
        return state.history.hypotheses(len(sources), n_best)

    def _continuations(self, state: "_State", step: int) -> Continuations:
        """The best ways on from every sentence's hypotheses, 2 · beam of them."""
        state.make_room(self._beam)
        state.tree.grow()
        logits = []
        for number, (network, memory) in enumerate(zip(self._networks, state.memories, strict=True)):

            def attend(layer: int, inward: Tensor, number: int = number) -> Tensor:
                return state.tree.attend(number, layer, inward)

            states = network.decode(state.last, slice(step, step + 1), memory, attend)
            logits.append(network.logits(states.flatten(0, 1)))
        together = averaged(logits)
        edit = state.rules.edit(step, state.words if state.rules.needs_words else None)
        found = scan(together, state.rules.banned(step), edit)
        sentences, beams = state.last.shape
        count = 2 * self._beam
        best = best_continuations(together.view(sentences, beams, -1), found, state.totals, count)
        short = count - best.scores.shape[1]
        if short > 0:  # fewer words than that in all
            best = Continuations(
                F.pad(best.scores, (0, short), value=-torch.inf),
                *(F.pad(one, (0, short)) for one in best[1:]),
            )
        # What is no way on may be a column that only fills the projection up: let it be a word.
        words = best.words.masked_fill(best.scores.isneginf(), self._symbols.pad)
        return best._replace(words=words)

    def _advance(self, state: "_State", step: int, found: Continuations) -> None:
        """Finish what ends among the best, and go on with the best of the rest."""
        ends = found.words.eq(self._symbols.end) & found.scores.gt(-torch.inf)
        state.end(step, ends, found, (step + 1) ** self._length_penalty)
        place = torch.arange(ends.shape[1], device=ends.device)
        chosen = (ends * ends.shape[1] + place).argsort(dim=1)[:, : self._beam]
        words, parents = found.words.gather(1, chosen), found.beams.gather(1, chosen)
        state.totals = found.scores.gather(1, chosen)
        state.history.add(words, parents, found.log_probs.gather(1, chosen))
        state.tree.reorder(parents)
        if state.rules.needs_words:
            before = state.words.gather(1, parents[:, :, None].expand(-1, -1, state.words.shape[2]))
            state.words = torch.cat([before, words[:, :, None]], dim=2)
        state.last = words
        state.complete |= state.finished.counts.ge(self._beam) | state.rules.at_limit(step)

    def _drop_complete(self, state: "_State") -> bool:
        """Leave complete sentences out, where that is worth a copy; whether none is left."""
        complete = state.complete.cpu().numpy()
        done = int(complete.sum())
        if done == len(complete):
            return True
        if done >= max(1, _WORTH_DROPPING * len(complete)):
            state.drop(complete, self._beam)
        return False


class _Ended(NamedTuple):
    """`Finished` while it grows; its last column takes what has no place."""

    counts: Tensor
    ranks: Tensor
    steps: Tensor
    beams: Tensor
    log_probs: Tensor


class _State:
    """What the search knows of the sentences that are still in the batch; first dimension: sentences."""

    def __init__(
        self, sentences: int, beam: int, memories: list[Memory], tree: PrefixTree, rules: Rules, start: int
    ) -> None:
        device = memories[0].seen.device
        self.rows = np.arange(sentences)
        self.memories, self.tree, self.rules = memories, tree, rules
        self.history = History()
        self.last = torch.full((sentences, 1), start, device=device)
        self.words = torch.empty(sentences, 1, 0, dtype=torch.int64, device=device)
        self.totals = torch.zeros(sentences, 1, device=device)
        self.complete = torch.zeros(sentences, dtype=torch.bool, device=device)
        width = beam + 1
        self.finished = _Ended(
            torch.zeros(sentences, dtype=torch.int64, device=device),
            torch.full((sentences, width), -torch.inf, device=device),
            torch.zeros(sentences, width, dtype=torch.int64, device=device),
            torch.zeros(sentences, width, dtype=torch.int64, device=device),
            torch.zeros(sentences, width, device=device),
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
        return cls(len(sources), searcher._beam, memories, tree, rules, symbols.start)

    def make_room(self, beam: int) -> None:
        """Leave dead nodes out of the tree where the next step would not fit."""
        if self.tree.size + self.last.shape[1] <= self.tree.room:
            return
        self._keep(torch.arange(len(self.rows), device=self.last.device), beam)

    def end(self, step: int, ends: Tensor, found: Continuations, divisor: float) -> None:
        """Take down what ends among the first `beam` continuations, as long as there is place."""
        counts, ranks, steps, beams, log_probs = self.finished
        beam = ranks.shape[1] - 1
        some = ends[:, :beam] & ~self.complete[:, None]
        place = counts[:, None] + some.cumsum(dim=1) - 1
        some &= place < beam
        place = torch.where(some, place, beam)
        ranks.scatter_(1, place, found.scores[:, :beam] / divisor)
        steps.scatter_(1, place, torch.full_like(place, step))
        beams.scatter_(1, place, found.beams[:, :beam])
        log_probs.scatter_(1, place, found.log_probs[:, :beam])
        counts += some.sum(dim=1)

    def drop(self, complete: np.ndarray, beam: int) -> None:
        """Go on without the complete sentences."""
        self._tell(np.flatnonzero(complete))
        self.history.close_stretch(self.rows)
        left = np.flatnonzero(~complete)
        rows = torch.from_numpy(left).to(self.last.device)
        self.rows = self.rows[left]
        self.memories = [memory.select(rows) for memory in self.memories]
        self.last, self.words, self.totals, self.complete = (
            field.index_select(0, rows) for field in (self.last, self.words, self.totals, self.complete)
        )
        self.finished = _Ended(*(field.index_select(0, rows) for field in self.finished))
        self.rules.select(rows)
        self._keep(rows, beam)

    def finish(self) -> None:
        """All that is left is complete."""
        self.history.close_stretch(self.rows)
        self._tell(np.arange(len(self.rows)))

    def _keep(self, rows: Tensor, beam: int) -> None:
        keep = int(self.tree.live().index_select(0, rows).max())
        self.tree.select(rows, keep, keep + _ROOM_STEPS * beam)

    def _tell(self, numbers: np.ndarray) -> None:
        rows = torch.from_numpy(numbers).to(self.last.device)
        counts, *fields = (field.index_select(0, rows) for field in self.finished)
        self.history.end(self.rows[numbers], Finished(counts, *(field[:, :-1] for field in fields)))
