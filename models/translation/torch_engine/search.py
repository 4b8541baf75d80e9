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
from torch import Tensor

from ....base.hashing import seeded_hash
from ..batching import Budget
from ..search_options import SearchOptions
from .buffers import CAPTURED, EXACT, Buffers
from .capture import Cuda, Graphs
from .choosing import Step, choice, going_on
from .continuations import Continuations, Edit, averaged, scan
from .history import Harvest, History, Recorder, Turn
from .network import TranslationNetwork
from .rules import Rules
from .state import ROOM_STEPS, State, StatePart
from .weights import Symbols


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
class SearchCounts:
    """What a search did, to judge how well it uses a GPU.

    steps: decode steps, including `begins`, the first steps of new sentences, which run apart. rows, nodes:
    the sentences in these steps, with padding, and the places of the tree that they read, added up over the
    steps.
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
        networks: Sequence[TranslationNetwork],
        symbols: Symbols,
        options: SearchOptions,
        *,
        beam: int,
        length_penalty: float,
        max_length: int,
        device: torch.device,
        cuda_graphs: bool = False,
    ) -> None:
        """cuda_graphs: whether steps on a GPU are recorded and played again (`capture`)."""
        self._networks = list(networks)
        self._symbols, self._options = symbols, options
        self._choose = choice(options, beam, symbols.end, symbols.pad)
        self._beam, self._length_penalty = beam, length_penalty
        self._max_length = max_length
        self._device = device
        self.policy = POLICIES[device.type]
        self.counts = SearchCounts()
        self.buckets = EXACT
        self.buffers = Buffers(device)
        self.graphs: Graphs | None = None
        if cuda_graphs and device.type == "cuda":
            self.buckets, self.graphs = CAPTURED, Graphs(Cuda(device), self.buffers)
        options.check(beam, min(max_length, self.longest))

    @property
    def longest(self) -> int:
        """The most words of a translation that the models have positions for, not counting the end symbol."""
        positions = min(network.decoder.positions for network in self._networks)
        return positions - 1 - len(self._symbols.begin)

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
        try:
            state = self._joined(waiting.next([], recorder))
            while state is not None:
                self._stretch(state, rules, recorder)
                turn, live = self._turn(state, rules, recorder)
                yield partial(self._replayed, history, turn)
                left = np.flatnonzero(~turn.complete)
                staying = [StatePart(state, left, int(live[left].max()))] if len(left) else []
                state = self._joined([*staying, *waiting.next(staying, recorder)])
        except RuntimeError:  # the GPU may be full
            self._release()
            raise
        if self.graphs is None:  # graphs need their memory at the same place in the next search
            self._release()

    def _joined(self, parts: Sequence[StatePart]) -> State | None:
        return State.joined(parts, self._beam, self.buffers, self.buckets)

    def _release(self) -> None:
        self.buffers.clear()
        if self.graphs is not None:
            self.graphs.clear()

    def _stretch(self, state: State, rules: Rules, recorder: Recorder) -> None:
        """Make steps until it is worth replacing sentences, or until the tree is full."""
        looks = _Looks(self.policy.lag)
        group = self._beam // self._choose.groups
        for _ in range(ROOM_STEPS):
            recorder.add(*self._step(state, rules))
            finished = looks.next(state.counts)
            self.counts.looks += finished is not None
            done = 0 if finished is None else int((finished[: state.count] >= group).all(axis=1).sum())
            if self._at_limit(state, rules).any() or done >= max(1, self.policy.share * state.count):
                break

    def _step(self, state: State, rules: Rules) -> tuple[Continuations, Tensor]:
        """One step of every sentence: its best continuations, and the places of those that go on."""
        self.counts.steps += 1
        self.counts.computed += state.last.numel()
        state.tree.grow()
        self.counts.rows += len(state.numbers)
        self.counts.nodes += state.tree.read * len(state.numbers)
        banned = tuple(rules.banned(state.steps))
        edit = rules.edit(state.numbers, state.steps, state.words if rules.needs_words else None)
        work = partial(self._on_device, state, banned, edit)
        # Steps that need a decision by the host are not recorded.
        free = edit is None and state.words is None and self._choose.on_device
        if self.graphs is None or not free or state.last.shape[1] < self._beam:
            *best, chosen = work()
        else:
            *best, chosen = self.graphs.run((*state.bucket, banned), work)
        state.steps = state.steps + 1
        return Continuations(*best), chosen

    def _on_device(self, state: State, banned: Sequence[int], edit: Edit | None) -> tuple[Tensor, ...]:
        """What the device does in a step: the fields of the best continuations, and the places of those that
        go on.

        It changes the tensors of the state where they are. Without an edit its shapes depend only on
        `state.bucket`, and it neither reads from the device nor takes anything else from the host.
        """
        state.tree.open()
        best = self._continuations(state, banned, edit)
        if state.last.shape[1] < self._beam:
            state.widen(self._beam)
        return *best, self._advance(state, best)

    def _continuations(self, state: State, banned: Sequence[int], edit: Edit | None) -> Continuations:
        """The continuations of every sentence's hypotheses, by group."""
        logits = []
        for network, states in zip(self._networks, self._decode(state), strict=True):
            logits.append(network.logits(states.flatten(0, 1)))
            if self._options.temperature != 1:
                logits[-1] /= self._options.temperature
        together = averaged(logits)
        scanned = scan(together, banned, edit)
        by_sentence = together.view(*state.last.shape, -1)
        full = edit is None and self._networks[0].types - len(banned) >= 2 * self._beam
        return self._choose(Step(by_sentence, scanned, state.totals, state.keys, state.steps, full))

    def _decode(self, state: State) -> Iterator[Tensor]:
        """Each network's states (sentences, beams, dimension) of the words that it reads now."""
        for number, (network, memory) in enumerate(zip(self._networks, state.memories, strict=True)):

            def attend(layer: int, inward: Tensor, number: int = number) -> Tensor:
                return state.tree.attend(number, layer, inward)

            places = network.places(state.positions)[:, None]
            yield network.decode(state.last, places, memory, attend)

    def _advance(self, state: State, best: Continuations) -> Tensor:
        """Count what ends among each group's best, and continue the best of the others."""
        group = self._beam // self._choose.groups
        ends = best.words.eq(self._symbols.end)
        state.counts.add_(ends[:, :, :group].sum(dim=2))
        chosen = going_on(ends, group)
        torch.gather(best.words, 2, chosen, out=state.last.view(chosen.shape))
        torch.gather(best.scores, 2, chosen, out=state.totals.view(chosen.shape))
        state.advance(state.last, best.beams.gather(2, chosen).flatten(1))
        return chosen

    def _turn(self, state: State, rules: Rules, recorder: Recorder) -> tuple[Turn, np.ndarray]:
        """What was recorded since the last turn, and how many live nodes each sentence has."""
        tensors = [*recorder.tensors(state.count), state.counts, state.tree.live()]
        *arrays, counts, live = _on_host(tensors)
        self.counts.looks += 1
        self.counts.refills += 1
        full = (counts >= self._beam // self._choose.groups).all(axis=1)
        complete = (full | self._at_limit(state, rules))[: state.count]
        return recorder.turn(arrays, complete), live[: state.count]

    def _replayed(self, history: History, turn: Turn) -> Harvest:
        harvest = history.replay(turn)
        self.counts.useful += (harvest.steps - len(harvest)) * self._beam + len(harvest)
        return harvest

    def _at_limit(self, state: State, rules: Rules) -> np.ndarray:
        """(rows,) which sentences have made the step in which all hypotheses end."""
        return rules.limits[state.numbers] < state.steps

    def _begin(
        self, numbers: np.ndarray, sources: Sequence[Sequence[int]], rules: Rules
    ) -> tuple[State, Continuations, Tensor]:
        """Encode sentences and make their first step, in which each has one hypothesis instead of `beam`.

        Also returns what `_step` does.
        """
        chosen = [sources[number] for number in numbers]
        lengths = np.array([len(source) for source in chosen])
        longest = int(lengths.max())
        padded = [[*source, *[self._symbols.pad] * (longest - len(source))] for source in chosen]
        words = torch.tensor(padded, device=self._device)
        seen = torch.from_numpy(np.arange(longest) < lengths[:, None]).to(self._device)
        state = State.first(
            self._networks,
            numbers,
            lengths,
            seeded_hash((" ".join(map(str, source)) for source in chosen), 0),
            [network.encode(words, seen) for network in self._networks],
            start=self._symbols.start,
            begin=len(self._symbols.begin),
            groups=self._choose.groups,
            needs_words=rules.needs_words,
        )
        for word in self._symbols.begin:
            state.tree.grow()
            state.tree.open()
            for _ in self._decode(state):
                pass  # the tree keeps what later words attend to
            state.read(word)
        self.counts.begins += 1
        return state, *self._step(state, rules)


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
        self._ready: tuple[State, Continuations, Tensor] | None = None
        self._place = 0  # in `_ready`, of the next sentence

    def next(self, staying: Sequence[StatePart], recorder: Recorder) -> list[StatePart]:
        """The sentences that fit into the batch beside those that stay; their first step is recorded."""
        none = np.zeros(0, np.int64)
        lengths = np.concatenate([none, *(part.state.lengths[part.rows] for part in staying)])
        nodes = max((part.live for part in staying), default=1 + len(self._searcher._symbols.begin))
        count = self._budget.admitted(self._lengths[self._order], lengths, nodes)
        if count < len(self._order):  # a full bucket is not padded
            count = max(0, self._searcher.buckets.full_rows(len(lengths) + count) - len(lengths))
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
            parts.append(StatePart(state, rows, 1 + state.begun))
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
