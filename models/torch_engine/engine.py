"""The `torch` engine: our own batched beam search behind the protocol of `Translator`."""

import logging
import math
from collections.abc import Sequence

import torch

from ..batching import length_batches, most_rows, translate_in_batches
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


class TorchTranslator:
    """A loaded model. `halvings` counts the batches that a full GPU had to take in two halves."""

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

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        return translate_in_batches(
            self._text.sources(sentences),
            lambda rows: self._decode(rows, n_best),
            longest=self._positions,
            batch_tokens=int(self._options.batch_tokens),
            max_rows=most_rows(self._options),
        )

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """What the model thinks of given translations (forced decoding), in the order of the input.

        None where either side is longer than the model's positions, or the sentence has no tokens.
        """
        sources, targets = self._text.sources(sentences), self._text.targets(translations)
        longest = min(network.decoder.positions for network in self._networks)
        found: list[Candidate | None] = [None] * len(sources)
        todo = [
            number
            for number, (source, target) in enumerate(zip(sources, targets, strict=True))
            if 0 < len(source) < self._positions and len(target) < longest
        ]
        lengths = [max(len(sources[number]), len(targets[number])) + 1 for number in todo]
        for batch in length_batches(lengths, int(self._options.batch_tokens), most_rows(self._options)):
            numbers = [todo[place] for place in batch]
            log_probs = self._force([sources[n] for n in numbers], [targets[n] for n in numbers])
            for number, row in zip(numbers, log_probs, strict=True):
                found[number] = Candidate(translations[number], math.fsum(row), len(row), tuple(row))
        return found

    def _decode(self, rows: Sequence[list[int]], n_best: int) -> list[list[Candidate]]:
        try:
            found = self._searcher.search([[*row, self._symbols.end] for row in rows], n_best)
        except torch.cuda.OutOfMemoryError:
            if len(rows) == 1:
                raise
            # What a sentence gets does not depend on its batch, so the halves make no difference to it.
            self.halvings += 1
            torch.cuda.empty_cache()
            logger.warning("the GPU is full at %d sentences; they are taken in two halves", len(rows))
            half = len(rows) // 2
            return self._decode(rows[:half], n_best) + self._decode(rows[half:], n_best)
        return [[self._candidate(one) for one in ranked] for ranked in found]

    def _candidate(self, found: Hypothesis) -> Candidate:
        text = self._text.decode(found.words)
        return Candidate(text, math.fsum(found.log_probs), len(found.log_probs), tuple(found.log_probs))

    @torch.inference_mode()
    def _force(self, sources: list[list[int]], targets: list[list[int]]) -> list[list[float]]:
        """Log-probabilities of the target ids and the end symbol."""
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
