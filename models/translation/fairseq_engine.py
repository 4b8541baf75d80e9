"""The reference engine: a fairseq checkpoint decoded by fairseq's own generator. Slow, and trusted."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from ...base.errors import ModelError
from .batching import Budget, forced_candidates, in_batches, within_memory
from .fairseq_checkpoint import (
    Architecture,
    FairseqCheckpoint,
    Stack,
    check_precision_holds,
    load_checkpoint,
)
from .fairseq_files import PAD
from .fairseq_patch import import_fairseq
from .model_folder import ModelFolder
from .subwords import Subwords
from .translator import Candidate

if TYPE_CHECKING:
    from .translate_options import TranslateOptions

_EOS, _UNK = 2, 3
_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class FairseqTranslator:
    """fairseq's `SequenceGenerator` behind the protocol of `Translator`.

    The models are built from checked `FairseqCheckpoint`s, never from the settings in the files, because
    fairseq evaluates some of those as Python. Several models are an ensemble, as in fairseq.
    """

    def __init__(
        self, checkpoints: Sequence[FairseqCheckpoint], subwords: Subwords, options: "TranslateOptions"
    ) -> None:
        first = checkpoints[0]
        self._device = options.device
        self._budget = Budget.of(options)
        self._subwords = subwords
        self._source_positions, self._target_positions = (
            min(getattr(checkpoint.architecture, side).positions for checkpoint in checkpoints)
            for side in ("encoder", "decoder")
        )
        self._source_ids = {symbol: number for number, symbol in enumerate(first.source_symbols)}
        self._target_ids = {symbol: number for number, symbol in enumerate(first.target_symbols)}
        self._target_symbols = first.target_symbols
        self._models: list[torch.nn.Module] = [
            build_model(checkpoint).to(device=options.device, dtype=_DTYPES[options.precision]).eval()
            for checkpoint in checkpoints
        ]
        for model in self._models:
            for weights in model.parameters():
                check_precision_holds(weights)
        self._generator = import_fairseq("fairseq.sequence_generator").SequenceGenerator(
            self._models,
            _dictionary(first.target_symbols),
            beam_size=options.beam,
            max_len_a=0,
            max_len_b=options.max_length,
            len_penalty=options.length_penalty,
        )
        self.halvings = 0

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        rows = _ids(self._subwords.encode(sentences), self._source_ids)
        ranked, halvings = within_memory(
            self._budget,
            lambda budget: in_batches(
                rows, lambda batch: self._decode(batch, n_best), budget, self._source_positions
            ),
        )
        self.halvings += halvings
        return [candidates or [] for candidates in ranked]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """See `Translator.score`."""
        sources = _ids(self._subwords.encode(sentences), self._source_ids)
        targets = _ids(self._subwords.encode_targets(translations), self._target_ids)
        longest = self._source_positions, self._target_positions
        scored, halvings = forced_candidates(
            translations, sources, targets, self._force, self._budget, longest
        )
        self.halvings += halvings
        return scored

    def _decode(self, rows: Sequence[Sequence[int]], n_best: int) -> list[list[Candidate]]:
        with torch.inference_mode():
            finished = self._generator.forward({"net_input": self._inputs(rows)})
        return [[self._candidate(hypothesis) for hypothesis in ranked[:n_best]] for ranked in finished]

    def _force(self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """Log-probabilities of the target ids and the end symbol after them."""
        longest = max(map(len, targets)) + 1
        after = torch.full((len(targets), longest), PAD)
        for number, row in enumerate(targets):
            after[number, : len(row) + 1] = torch.tensor([*row, _EOS])
        after = after.to(self._device)
        real = after.ne(PAD)
        before = torch.cat([torch.full_like(after[:, :1], _EOS), after[:, :-1]], dim=1)
        before.masked_fill_(~real, PAD)
        of_models = []
        with torch.inference_mode():
            for model in self._models:
                output = model(**self._inputs(sources), prev_output_tokens=before)
                log_probs = output[0].float().log_softmax(dim=2)
                of_models.append(log_probs.gather(2, after[:, :, None])[:, :, 0])
        mean = torch.stack(of_models).logsumexp(dim=0) - math.log(len(of_models))
        return [row[is_real].tolist() for row, is_real in zip(mean.cpu(), real.cpu(), strict=True)]

    def _inputs(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Source ids with their end symbols, padded on the left as fairseq does."""
        longest = max(map(len, rows)) + 1
        ids = torch.full((len(rows), longest), PAD)
        for number, row in enumerate(rows):
            ids[number, longest - len(row) - 1 :] = torch.tensor([*row, _EOS])
        lengths = ids.ne(PAD).sum(1)
        return {"src_tokens": ids.to(self._device), "src_lengths": lengths.to(self._device)}

    def _candidate(self, hypothesis: dict[str, torch.Tensor]) -> Candidate:
        log_probs = hypothesis["positional_scores"].tolist()
        tokens = hypothesis["tokens"].tolist()[:-1]
        text = self._subwords.decode(self._target_symbols[number] for number in tokens)
        return Candidate.of(text, log_probs)


def build_model(checkpoint: FairseqCheckpoint) -> torch.nn.Module:
    """fairseq's transformer with the checkpoint's tensors, float32 on the CPU."""
    transformer = import_fairseq("fairseq.models.transformer.transformer_base").TransformerModelBase
    task = SimpleNamespace(
        source_dictionary=_dictionary(checkpoint.source_symbols),
        target_dictionary=_dictionary(checkpoint.target_symbols),
    )
    model = transformer.build_model(_fairseq_settings(checkpoint.architecture), task)
    tensors = dict(checkpoint.tensors)
    for side, stack in (
        ("encoder", checkpoint.architecture.encoder),
        ("decoder", checkpoint.architecture.decoder),
    ):
        # Version 3 tells fairseq that pre-norm models have a normalisation after the last layer.
        version = 3.0 if stack.final_norm or not stack.pre_norm else 1.0
        tensors[f"{side}.version"] = torch.tensor([version])
        if not stack.learned_positions:
            tensors[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
    model.load_state_dict(tensors, strict=True)
    return model


def _ids(rows: list[list[str]], ids: dict[str, int]) -> list[list[int]]:
    return [[ids.get(token, _UNK) for token in row] for row in rows]


def _dictionary(symbols: Sequence[str]) -> Any:
    dictionary = import_fairseq("fairseq.data").Dictionary()
    for symbol in symbols[dictionary.nspecial :]:
        dictionary.add_symbol(symbol)
    return dictionary


def _fairseq_settings(architecture: Architecture) -> object:
    settings = import_fairseq("fairseq.models.transformer.transformer_config")

    def settings_of(kind: type, stack: Stack) -> object:
        return kind(
            embed_dim=stack.dimension,
            ffn_embed_dim=stack.feed_forward,
            layers=stack.layers,
            attention_heads=stack.heads,
            normalize_before=stack.pre_norm,
            learned_pos=stack.learned_positions,
        )

    return settings.TransformerConfig(
        activation_fn=architecture.activation,
        encoder=settings_of(settings.EncDecBaseConfig, architecture.encoder),
        decoder=settings_of(settings.DecoderConfig, architecture.decoder),
        max_source_positions=architecture.encoder.positions,
        max_target_positions=architecture.decoder.positions,
        layernorm_embedding=architecture.encoder.embedding_norm,
        no_scale_embedding=not architecture.scale_embeddings,
        no_decoder_final_norm=not architecture.decoder.final_norm,
    )


def load(
    folders: Sequence[ModelFolder], options: "TranslateOptions", threads: int | None = None
) -> FairseqTranslator:
    """A translator over local fairseq folders; several are an ensemble. `options` must be resolved.

    threads: torch's threads, for the whole process; by default torch chooses, following OMP_NUM_THREADS.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    checkpoints = [load_checkpoint(folder) for folder in folders]
    subwords = [Subwords(folder.subwords_path()) for folder in folders]
    texts = [
        (checkpoint.source_symbols, checkpoint.target_symbols, own.model)
        for checkpoint, own in zip(checkpoints, subwords, strict=True)
    ]
    if any(text != texts[0] for text in texts):
        raise ModelError("the models of an ensemble must have the same dictionaries and subwords")
    return FairseqTranslator(checkpoints, subwords[0], options)
