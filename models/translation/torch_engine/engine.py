"""The `torch` engine: our own batched beam search behind the protocol of `Translator`."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import torch

from ..batching import Budget, forced_candidates, within_memory
from ..languages import language_tokens
from ..model_folder import ModelFolder
from ..search_options import SearchOptions
from ..translator import Candidate
from .continuations import log_normalisers
from .history import Harvest, Hypothesis
from .network import TranslationNetwork, attention
from .network_loading import ensemble, load_model
from .search import Searcher
from .weights import Model

if TYPE_CHECKING:
    from ..translate_options import TranslateOptions

_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class _Row(NamedTuple):
    """The token ids of a sentence, and the ids that its translation must begin with."""

    source: tuple[int, ...]
    begin: tuple[int, ...]


class TorchTranslator:
    """A loaded model behind the protocol of `Translator`. Duplicates are translated once."""

    def __init__(self, model: Model, options: "TranslateOptions") -> None:
        self._budget = Budget.of(options)
        self._text, self._symbols = model.text, model.symbols
        device = torch.device(options.device)
        dtype = _DTYPES[options.precision]
        self._networks = [TranslationNetwork(weights, device, dtype) for weights in model.members]
        self._positions = min(network.encoder.positions for network in self._networks)
        self._device = device
        search = options.search or SearchOptions()
        # Hypotheses found by several groups are returned once. Samples keep their duplicates.
        self._n_best_of_groups = options.beam if search.groups > 1 else None
        self._searcher = Searcher(
            self._networks,
            model.symbols,
            search,
            beam=options.beam,
            length_penalty=options.length_penalty,
            max_length=options.max_length,
            device=device,
            cuda_graphs=options.cuda_graphs,
        )
        self.halvings = 0

    def translate(
        self,
        sentences: Sequence[str],
        n_best: int = 1,
        *,
        token_log_probs: bool = False,
        prefixes: Sequence[str] | None = None,
    ) -> list[list[Candidate]]:
        """See `Translator.translate`. prefixes: how each translation must begin; "" leaves it free."""
        begins = [()] * len(sentences) if prefixes is None else map(tuple, self._text.targets(prefixes))
        rows = [
            _Row(tuple(source), begin)
            for source, begin in zip(self._text.sources(sentences), begins, strict=True)
        ]
        # Equal sentences have equal translations, and corpora are full of them.
        unique = [row for row in dict.fromkeys(rows) if self._fits(row)]
        ranked, halvings = within_memory(self._budget, lambda budget: self._translate(unique, n_best, budget))
        self.halvings += halvings
        return [ranked.get(row, []) for row in rows]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """See `Translator.score`."""
        sources, targets = self._text.sources(sentences), self._text.targets(translations)
        longest = self._positions, self._searcher.longest + 1
        scored, halvings = forced_candidates(
            translations, sources, targets, self.force, self._budget, longest
        )
        self.halvings += halvings
        return scored

    def _fits(self, row: _Row) -> bool:
        return 0 < len(row.source) < self._positions and len(row.begin) <= self._searcher.longest

    def _translate(self, rows: Sequence[_Row], n_best: int, budget: Budget) -> dict[_Row, list[Candidate]]:
        sources = [[*row.source, self._symbols.end] for row in rows]
        begins = [row.begin for row in rows]
        with ThreadPoolExecutor(1) as background:
            # Hypotheses are worked out and their text is decoded while the search goes on.
            harvests = [
                background.submit(self._candidates, replay, n_best)
                for replay in self._searcher.search(sources, budget, begins)
            ]
        return {rows[number]: ranked for harvest in harvests for number, ranked in harvest.result()}

    def _candidates(self, replay: Callable[[], Harvest], n_best: int) -> list[tuple[int, list[Candidate]]]:
        return [
            (number, self._texts(ranked, n_best))
            for number, ranked in replay().hypotheses(self._n_best_of_groups or n_best)
        ]

    def _texts(self, ranked: Sequence[Hypothesis], n_best: int) -> list[Candidate]:
        if self._n_best_of_groups:
            distinct: dict[tuple[int, ...], Hypothesis] = {}
            for hypothesis in ranked:
                distinct.setdefault(tuple(hypothesis.words), hypothesis)
            ranked = list(distinct.values())[:n_best]
        return [
            Candidate.of(self._text.decode(hypothesis.words), hypothesis.log_probs) for hypothesis in ranked
        ]

    @torch.inference_mode()
    def force(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """Log-probabilities of the target ids and the end symbol after them. The ids have no end symbols."""
        words, seen = self._padded([[*source, self._symbols.end] for source in sources])
        begin = self._symbols.begin
        before, _ = self._padded([[self._symbols.start, *begin, *target] for target in targets])
        after, real = self._padded([[*begin, *target, self._symbols.end] for target in targets])
        of_networks = []
        for network in self._networks:

            def attend(layer: int, inward: torch.Tensor, heads: int = network.decoder.heads) -> torch.Tensor:
                return attention(inward, heads, None, causal=True)

            memory = network.encode(words, seen)
            places = network.places(torch.arange(before.shape[1], device=self._device))
            states = network.decode(before, places, memory, attend)[real]
            logits = network.logits(states)
            chosen = logits.gather(1, after[real][:, None])[:, 0]
            of_networks.append(chosen - log_normalisers(logits))
        mean = torch.stack(of_networks).logsumexp(dim=0) - math.log(len(of_networks))
        lengths = real.sum(dim=1).tolist()
        return [row[len(begin) :].tolist() for row in mean.cpu().split(lengths)]

    def _padded(self, rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """The ids, padded on the right, and which of them are not padding."""
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[self._symbols.pad] * (longest - len(row))] for row in rows])
        lengths = torch.tensor([len(row) for row in rows])
        return ids.to(self._device), (torch.arange(longest) < lengths[:, None]).to(self._device)


def load(
    folders: Sequence[ModelFolder], options: "TranslateOptions", threads: int | None = None
) -> TorchTranslator:
    """A translator over local folders; several are an ensemble. `options` must be resolved.

    threads: torch's threads, for the whole process; by default torch chooses, following OMP_NUM_THREADS.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    models = [load_model(folder, language_tokens(folder, options)) for folder in folders]
    return TorchTranslator(ensemble(models), options)
