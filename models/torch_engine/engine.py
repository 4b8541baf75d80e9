"""The `torch` engine: our own batched beam search behind the protocol of `Translator`."""

import logging
import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import torch

from ..batching import length_batches, most_rows
from ..model_folder import ModelFolder
from ..translator import Candidate, TranslateOptions
from .history import Hypothesis
from .network import Network, attention
from .options import SearchOptions
from .scoring import log_normalisers
from .search import Searcher
from .weights import Model, load_model

logger = logging.getLogger(__name__)

_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class _Row(NamedTuple):
    """Token ids of a sentence, and those that its translation begins with."""

    source: tuple[int, ...]
    begin: tuple[int, ...]


class TorchTranslator:
    """A loaded model behind the protocol of `Translator`, with forced decoding beside it.

    Duplicates are translated once. `halvings` counts the batches that a full GPU had to take in two halves.
    """

    def __init__(self, model: Model, options: TranslateOptions, search: SearchOptions | None = None) -> None:
        self._options = options
        self._text, self._symbols = model.text, model.symbols
        device = torch.device(options.device)
        dtype = _DTYPES[options.precision]
        self._networks = [Network(weights, device, dtype) for weights in model.members]
        self._positions = min(network.encoder.positions for network in self._networks)
        self._device = device
        self._searcher = Searcher(
            self._networks,
            model.symbols,
            search or SearchOptions(),
            beam=options.beam,
            length_penalty=options.length_penalty,
            max_length=options.max_length,
            device=device,
        )
        self.halvings = 0

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, prefixes: Sequence[str] | None = None
    ) -> list[list[Candidate]]:
        """As `Translator.translate`. prefixes: what each translation begins with; "" leaves it free."""
        begins = [()] * len(sentences) if prefixes is None else map(tuple, self._text.targets(prefixes))
        rows = [
            _Row(tuple(source), begin)
            for source, begin in zip(self._text.sources(sentences), begins, strict=True)
        ]
        # Equal sentences have equal translations, and corpora are full of them.
        unique = [row for row in dict.fromkeys(rows) if self._fits(row.source, row.begin)]
        found: dict[_Row, Future[list[Candidate]]] = {}
        lengths = [len(row.source) + 1 for row in unique]
        with ThreadPoolExecutor(1) as background:
            for batch in length_batches(lengths, int(self._options.batch_tokens), most_rows(self._options)):
                some = [unique[number] for number in batch]
                # Text is put together while the next batch is searched.
                for row, ranked in zip(some, self._search(some, n_best), strict=True):
                    found[row] = background.submit(self._candidates, ranked)
        return [found[row].result() if row in found else [] for row in rows]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """What the model thinks of given translations (forced decoding), in the order of the input.

        None where either side has more tokens than the model has positions, or the sentence has none.
        """
        sources, targets = self._text.sources(sentences), self._text.targets(translations)
        found: list[Candidate | None] = [None] * len(sources)
        pairs = list(zip(sources, targets, strict=True))
        todo = [number for number, pair in enumerate(pairs) if self._fits(*pair)]
        lengths = [max(map(len, pairs[number])) + 1 for number in todo]
        # A word here has what a hypothesis has in the search: a row of logits.
        budget = max(1, int(self._options.batch_tokens) // 4)
        for batch in length_batches(lengths, budget, most_rows(self._options)):
            numbers = [todo[place] for place in batch]
            forced = self.force([sources[n] for n in numbers], [targets[n] for n in numbers])
            for number, row in zip(numbers, forced, strict=True):
                found[number] = Candidate(translations[number], math.fsum(row), len(row), tuple(row))
        return found

    def _fits(self, source: Sequence[int], target: Sequence[int]) -> bool:
        return 0 < len(source) < self._positions and len(target) <= self._searcher.longest

    def _search(self, rows: Sequence[_Row], n_best: int) -> list[list[Hypothesis]]:
        sources = [[*row.source, self._symbols.end] for row in rows]
        try:
            return self._searcher.search(sources, n_best, [row.begin for row in rows])
        except torch.cuda.OutOfMemoryError:
            if len(rows) == 1:
                raise
        # Outside of the handler: while it runs, the error's traceback holds the tensors of the search.
        self.halvings += 1
        torch.cuda.empty_cache()
        logger.warning("the GPU is full at %d sentences; they are taken in two halves", len(rows))
        half = len(rows) // 2
        return self._search(rows[:half], n_best) + self._search(rows[half:], n_best)

    def _candidates(self, ranked: Sequence[Hypothesis]) -> list[Candidate]:
        return [
            Candidate(
                self._text.decode(one.words),
                math.fsum(one.log_probs),
                len(one.log_probs),
                tuple(one.log_probs),
            )
            for one in ranked
        ]

    @torch.inference_mode()
    def force(self, sources: list[list[int]], targets: list[list[int]]) -> list[list[float]]:
        """Log-probabilities of the target ids and the end symbol after them; ids without end symbols."""
        words, seen = self._padded([[*source, self._symbols.end] for source in sources])
        before, _ = self._padded([[self._symbols.start, *target] for target in targets])
        after, real = self._padded([[*target, self._symbols.end] for target in targets])
        found = []
        for network in self._networks:

            def attend(layer: int, inward: torch.Tensor, heads: int = network.decoder.heads) -> torch.Tensor:
                return attention(inward, heads, None, causal=True)

            memory = network.encode(words, seen)
            states = network.decode(before, slice(0, before.shape[1]), memory, attend)[real]
            logits = network.logits(states)
            chosen = logits.gather(1, after[real][:, None])[:, 0]
            found.append(chosen - log_normalisers(logits))
        mean = torch.stack(found).logsumexp(dim=0) - math.log(len(found))
        lengths = real.sum(dim=1).tolist()
        return [row.tolist() for row in mean.cpu().split(lengths)]

    def _padded(self, rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids padded on the right, and which of them are real."""
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[self._symbols.pad] * (longest - len(row))] for row in rows])
        lengths = torch.tensor([len(row) for row in rows])
        return ids.to(self._device), (torch.arange(longest) < lengths[:, None]).to(self._device)


def load(folder: ModelFolder, options: TranslateOptions, threads: int | None = None) -> TorchTranslator:
    """A translator over a local folder; `options` are resolved.

    threads: of torch, for the whole process; by default torch's own choice, which follows OMP_NUM_THREADS.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    return TorchTranslator(load_model(folder), options)
