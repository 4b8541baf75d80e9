"""Batched beam search by fairseq's rules, in which each sentence is searched as if it were alone.

A step takes the 2·beam best continuations of a sentence. Those of the first `beam` that end become finished
hypotheses, in that order, until there are `beam` of them; the best `beam` that do not end continue. A
sentence is complete when it has `beam` finished hypotheses, or at its limit, where all must end. Apart from
rounding, the results of a sentence do not depend on the other sentences of its batch.

No batch waits for its last sentence: each sentence is at a step of its own, and when enough of a batch are
complete, waiting sentences take their places.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ....hashing import seeded_hash
from ..batching import Budget
from ..search_options import SearchOptions
from .choosing import Step, choice, going_on
from .history import Harvest, History, Recorder, Turn
from .network import Memory, Network
from .prefixes import PrefixTree
from .rules import Rules
from .scoring import Continuations, averaged, scan
from .weights import Symbols

_ROOM_STEPS = 8  # how many steps fit in a tree before its dead nodes are removed


class Policy(NamedTuple):
    """When complete sentences are replaced.

    lag: how many steps old the numbers of finished hypotheses are when the host reads them. With a lag the
    host prepares the next step while the device still computes; waiting would leave a GPU without work in
    every step. share: of the sentences in a batch that must be complete to be worth a copy of the others.
    """

    lag: int
    share: float


POLICIES = {"cpu": Policy(0, 0.2), "cuda": Policy(1, 0.15)}


@dataclass
class Counts:
    """What a search did, to judge how well it uses a GPU.

    steps: decode steps, including `begins`, the first steps of new sentences, which run apart. rows, nodes:
    the sentences in these steps, and the places of the tree that they read, added up over the steps.
    computed, useful: the hypotheses in these steps, and those of sentences that were not complete. looks: how
    often the host read from the device. refills: how often the sentences of the batch changed, or the dead
    nodes of their trees were removed.
    """

    steps: int = 0
    begins: int = 0
    refills: int = 0
    rows: int = 0
    nodes: int = 0
    computed: int = 0
    useful: int = 0
    looks: int = 0


class Searcher:
    """Searches with one model, or several whose distributions are averaged."""

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
        self.policy = POLICIES[device.type]
        self.counts = Counts()
        options.check(beam, min(max_length, self.longest))

    @property
    def longest(self) -> int:
        """The most words of a translation that the models have positions for, not counting the end symbol."""
        return min(network.decoder.positions for network in self._networks) - 1

    @torch.inference_mode()
    def search(
        self,
        sources: Sequence[Sequence[int]],
        budget: Budget,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[Callable[[], Harvest]]:
        """Search every source once, longer ones first; yield functions that return complete sentences.

        sources: token ids, the end symbol last. prefixes: target ids that each translation must begin with.
        Call each function once, in their order, on any one thread: it works while the device goes on.
        """
        ratio = self._options.length_ratio
        limits = [min(int(ratio * len(source) + self._max_length), self.longest) for source in sources]
        rules = Rules(self._options, self._symbols, limits, prefixes)
        groups = self._choose.groups
        history = History(groups, self._beam // groups, self._symbols.end, rules.limits, self._length_penalty)
        recorder = Recorder()
        waiting = _Waiting(self, sources, budget, rules)
        state = _State.joined(waiting.next([], recorder), self._beam)
        while state is not None:
            self._stretch(state, rules, recorder)
            turn, live = self._turn(state, rules, recorder)
            yield partial(self._replayed, history, turn)
            left = np.flatnonzero(~turn.complete)
            staying = [_Part(state, left, int(live[left].max()))] if len(left) else []
            state = _State.joined([*staying, *waiting.next(staying, recorder)], self._beam)

    def _stretch(self, state: "_State", rules: Rules, recorder: Recorder) -> None:
        """Make steps until it is worth replacing sentences, or until the tree is full."""
        looks = _Looks(self.policy.lag)
        group = self._beam // self._choose.groups
        for _ in range(_ROOM_STEPS):
            recorder.add(*self._step(state, rules))
            finished = looks.next(state.counts)
            self.counts.looks += finished is not None
            done = 0 if finished is None else int((finished >= group).all(axis=1).sum())
            if self._at_limit(state, rules).any() or done >= max(1, self.policy.share * len(state.numbers)):
                break

    def _step(self, state: "_State", rules: Rules) -> tuple[Continuations, Tensor]:
        """One step of every sentence: its best continuations, and the places of those that go on."""
        self.counts.steps += 1
        self.counts.computed += state.last.numel()
        state.tree.grow()
        self.counts.rows += len(state.numbers)
        self.counts.nodes += state.tree.size * len(state.numbers)
        best = self._continuations(state, rules)
        return best, self._advance(state, best)

    def _continuations(self, state: "_State", rules: Rules) -> Continuations:
        """The continuations of every sentence's hypotheses, by group."""
        logits = []
        for number, (network, memory) in enumerate(zip(self._networks, state.memories, strict=True)):

            def attend(layer: int, inward: Tensor, number: int = number) -> Tensor:
                return state.tree.attend(number, layer, inward)

            states = network.decode(state.last, state.places[number][state.made], memory, attend)
            logits.append(network.logits(states.flatten(0, 1)))
            if self._options.temperature != 1:
                logits[-1] /= self._options.temperature
        together = averaged(logits)
        banned = rules.banned(state.steps)
        edit = rules.edit(state.numbers, state.steps, state.words if rules.needs_words else None)
        scanned = scan(together, banned, edit)
        by_sentence = together.view(*state.last.shape, -1)
        full = edit is None and self._networks[0].types - len(banned) >= 2 * self._beam
        return self._choose(Step(by_sentence, scanned, state.totals, state.keys, state.steps, full))

    def _advance(self, state: "_State", best: Continuations) -> Tensor:
        """Count what ends among each group's best, and continue the best of the others."""
        group = self._beam // self._choose.groups
        ends = best.words.eq(self._symbols.end)
        state.counts += ends[:, :, :group].sum(dim=2)
        chosen = going_on(ends, group)
        words, parents, totals = (
            field.gather(2, chosen).flatten(1) for field in (best.words, best.beams, best.scores)
        )
        state.tree.reorder(parents)
        if state.words is not None:
            before = state.words.gather(1, parents[:, :, None].expand(-1, -1, state.words.shape[2]))
            state.words = torch.cat([before, words[:, :, None]], dim=2)
        state.last, state.totals = words, totals
        state.steps = state.steps + 1
        state.made += 1
        return chosen

    def _turn(self, state: "_State", rules: Rules, recorder: Recorder) -> tuple[Turn, np.ndarray]:
        """What was recorded since the last turn, and how many live nodes each sentence has."""
        *arrays, counts, live = _on_host([*recorder.tensors(), state.counts, state.tree.live()])
        self.counts.looks += 1
        self.counts.refills += 1
        full = (counts >= self._beam // self._choose.groups).all(axis=1)
        return recorder.turn(arrays, full | self._at_limit(state, rules)), live

    def _replayed(self, history: History, turn: Turn) -> Harvest:
        harvest = history.replay(turn)
        self.counts.useful += (harvest.steps - len(harvest)) * self._beam + len(harvest)
        return harvest

    def _at_limit(self, state: "_State", rules: Rules) -> np.ndarray:
        """(sentences,) which of them have made the step in which all hypotheses end."""
        return rules.limits[state.numbers] < state.steps

    def _begin(
        self, numbers: np.ndarray, sources: Sequence[Sequence[int]], rules: Rules
    ) -> tuple["_State", Continuations, Tensor]:
        """Encode sentences and make their first step, in which each has one hypothesis instead of `beam`.

        Also returns what `_step` does.
        """
        chosen = [sources[number] for number in numbers]
        lengths = np.array([len(source) for source in chosen])
        longest = int(lengths.max())
        padded = [[*source, *[self._symbols.pad] * (longest - len(source))] for source in chosen]
        words = torch.tensor(padded, device=self._device)
        seen = torch.from_numpy(np.arange(longest) < lengths[:, None]).to(self._device)
        shape = len(chosen), 1
        empty = torch.empty(*shape, 0, dtype=torch.int64, device=self._device)
        state = _State(
            self._networks,
            numbers,
            lengths,
            np.zeros(len(chosen), np.int64),
            seeded_hash((" ".join(map(str, source)) for source in chosen), 0),
            [network.encode(words, seen) for network in self._networks],
            PrefixTree(self._networks, len(chosen), self._device),
            last=torch.full(shape, self._symbols.start, device=self._device),
            totals=torch.zeros(shape, device=self._device),
            counts=torch.zeros(len(chosen), self._choose.groups, dtype=torch.int64, device=self._device),
            words=empty if rules.needs_words else None,
        )
        self.counts.begins += 1
        return state, *self._step(state, rules)


class _Part(NamedTuple):
    """Some sentences of a state. rows: their places; live: the most live nodes that one of them has."""

    state: "_State"
    rows: np.ndarray
    live: int


class _State:
    """The device's side of the sentences in a batch, which are the first dimension of tensors.

    numbers, lengths, steps, keys: (sentences,) their numbers, their source tokens, how many steps each has
    made, and a hash of each. last, totals: (sentences, beams) the hypotheses' last words and
    log-probabilities. counts: (sentences, groups) the hypotheses that ended, or more. words: (sentences,
    beams, words) the ids so far, on the right, after −1 where a sentence has made fewer steps; or None.
    places: for each network, the vectors of the positions at the next steps, (steps, sentences, 1,
    dimension). made: how many steps the sentences have made together.
    """

    def __init__(
        self,
        networks: list[Network],
        numbers: np.ndarray,
        lengths: np.ndarray,
        steps: np.ndarray,
        keys: np.ndarray,
        memories: list[Memory],
        tree: PrefixTree,
        *,
        last: Tensor,
        totals: Tensor,
        counts: Tensor,
        words: Tensor | None,
    ) -> None:
        self.networks = networks
        self.numbers, self.lengths, self.steps, self.keys = numbers, lengths, steps, keys
        self.memories, self.tree = memories, tree
        self.last, self.totals, self.counts, self.words = last, totals, counts, words
        following = torch.from_numpy(steps + np.arange(_ROOM_STEPS)[:, None]).to(last.device)
        self.places = [
            network.places(following.clamp(max=network.decoder.positions - 1))[:, :, None]
            for network in networks
        ]
        self.made = 0

    @classmethod
    def joined(cls, parts: Sequence[_Part], beam: int) -> "_State | None":
        """The sentences of all parts in one batch; None if there are no parts."""
        if not parts:
            return None
        first = parts[0].state
        places = [torch.from_numpy(part.rows).to(first.last.device) for part in parts]

        def arrays(name: str) -> np.ndarray:
            return np.concatenate([getattr(part.state, name)[part.rows] for part in parts])

        def tensors(name: str) -> Tensor:
            rows = zip(parts, places, strict=True)
            return torch.cat([getattr(part.state, name).index_select(0, place) for part, place in rows])

        lengths = arrays("lengths")
        memories = [
            Memory.joined(
                [(part.state.memories[number], place) for part, place in zip(parts, places, strict=True)],
                int(lengths.max()),
            )
            for number in range(len(first.networks))
        ]
        trees = [(part.state.tree, place) for part, place in zip(parts, places, strict=True)]
        keep = max(part.live for part in parts)
        steps = arrays("steps")
        words = [
            _aligned(part.state.words, int(steps.max())).index_select(0, place)
            for part, place in zip(parts, places, strict=True)
            if part.state.words is not None
        ]
        return cls(
            first.networks,
            arrays("numbers"),
            lengths,
            steps,
            arrays("keys"),
            memories,
            PrefixTree.joined(trees, keep, _ROOM_STEPS * beam),
            last=tensors("last"),
            totals=tensors("totals"),
            counts=tensors("counts"),
            words=torch.cat(words) if words else None,
        )


def _aligned(words: Tensor, width: int) -> Tensor:
    """The last `width` words of every hypothesis, after −1 where there are fewer."""
    return F.pad(words, (width - words.shape[2], 0), value=-1)


class _Waiting:
    """The sentences that are not in the batch yet, longer ones first.

    They are encoded, and make their first steps, in batches as large as the budget allows, because small ones
    would not fill a GPU; the batch of the search takes as many of them as it has places for.
    """

    def __init__(
        self, searcher: Searcher, sources: Sequence[Sequence[int]], budget: Budget, rules: Rules
    ) -> None:
        self._searcher, self._sources, self._budget, self._rules = searcher, sources, budget, rules
        self._lengths = np.array([len(source) for source in sources], dtype=np.int64)
        self._order = np.argsort(-self._lengths, kind="stable")
        self._ready: tuple[_State, Continuations, Tensor] | None = None
        self._place = 0  # in `_ready`, of the next sentence

    def next(self, staying: Sequence[_Part], recorder: Recorder) -> list[_Part]:
        """The sentences that fit into the batch beside those that stay; their first step is recorded."""
        none = np.zeros(0, np.int64)
        lengths = np.concatenate([none, *(part.state.lengths[part.rows] for part in staying)])
        nodes = max((part.live for part in staying), default=1)
        count = self._budget.admitted(self._lengths[self._order], lengths, nodes)
        parts = []
        while count:
            if self._ready is None:
                size = self._budget.admitted(self._lengths[self._order], none)
                self._ready = self._searcher._begin(self._order[:size], self._sources, self._rules)
                self._place = 0
            state, best, chosen = self._ready
            here = slice(self._place, min(self._place + count, len(state.numbers)))
            rows = np.arange(here.start, here.stop)
            recorder.begin(state.numbers[here], Continuations(*(field[here] for field in best)), chosen[here])
            parts.append(_Part(state, rows, 1))
            self._order, self._place = self._order[len(rows) :], here.stop
            count -= len(rows)
            if self._place == len(state.numbers):
                self._ready = None
        return parts


class _Looks:
    """Reads what the device counts some steps late, so that the host does not wait for the last step."""

    def __init__(self, lag: int) -> None:
        self._lag = lag
        self._copies: deque[tuple[Tensor, torch.cuda.Event | None]] = deque()

    def next(self, counts: Tensor) -> np.ndarray | None:
        """Start to copy these counts; return those of `lag` steps before, if there were so many."""
        done: torch.cuda.Event | None = None
        if counts.is_cuda:
            copy = torch.empty(counts.shape, dtype=counts.dtype, pin_memory=True)
            copy.copy_(counts, non_blocking=True)
            done = torch.cuda.Event()
            done.record()
        else:
            copy = counts.clone()
        self._copies.append((copy, done))
        if len(self._copies) <= self._lag:
            return None
        copy, done = self._copies.popleft()
        if done is not None:
            done.synchronize()
        return copy.numpy()


def _on_host(tensors: Sequence[Tensor]) -> list[np.ndarray]:
    """The tensors on the host, after waiting for the device once."""
    if not tensors[0].is_cuda:
        return [tensor.numpy() for tensor in tensors]
    copies = [torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True) for tensor in tensors]
    for copy, tensor in zip(copies, tensors, strict=True):
        copy.copy_(tensor, non_blocking=True)
    torch.cuda.current_stream().synchronize()
    return [copy.numpy() for copy in copies]
