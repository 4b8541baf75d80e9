"""The reference engine: a fairseq checkpoint decoded by fairseq's own generator. Slow, and trusted."""

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch

from .batching import most_rows, translate_in_batches
from .fairseq_checkpoint import Architecture, FairseqCheckpoint, Stack, load_checkpoint
from .fairseq_files import PAD
from .fairseq_mend import import_fairseq
from .model_folder import ModelFolder
from .subwords import Subwords
from .translator import Candidate, TranslateOptions

_EOS, _UNK = 2, 3
_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class FairseqTranslator:
    """fairseq's `SequenceGenerator` behind the protocol of `Translator`.

    The model is built from a checked `FairseqCheckpoint`, never from the settings in the file: fairseq
    evaluates some of those as Python.
    """

    def __init__(self, checkpoint: FairseqCheckpoint, subwords: Subwords, options: TranslateOptions) -> None:
        self._options = options
        self._subwords = subwords
        self._positions = checkpoint.architecture.encoder.positions
        self._source_ids = {symbol: number for number, symbol in enumerate(checkpoint.source_symbols)}
        self._target_symbols = checkpoint.target_symbols
        model = build_model(checkpoint).to(device=options.device, dtype=_DTYPES[options.precision]).eval()
        self._generator = import_fairseq("fairseq.sequence_generator").SequenceGenerator(
            [model],
            _dictionary(checkpoint.target_symbols),
            beam_size=options.beam,
            max_len_a=0,
            max_len_b=options.max_length,
            len_penalty=options.length_penalty,
        )

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        return translate_in_batches(
            self._subwords.encode(sentences),
            lambda rows: self._decode(rows, n_best),
            longest=self._positions,
            batch_tokens=int(self._options.batch_tokens),
            max_rows=most_rows(self._options),
        )

    def _decode(self, rows: list[list[str]], n_best: int) -> list[list[Candidate]]:
        longest = max(map(len, rows)) + 1
        ids = torch.full((len(rows), longest), PAD)
        for number, row in enumerate(rows):
            found = [self._source_ids.get(token, _UNK) for token in row] + [_EOS]
            ids[number, longest - len(found) :] = torch.tensor(found)
        lengths = ids.ne(PAD).sum(1)
        sample = {
            "net_input": {
                "src_tokens": ids.to(self._options.device),
                "src_lengths": lengths.to(self._options.device),
            }
        }
        with torch.inference_mode():
            finished = self._generator.forward(sample)
        return [[self._candidate(one) for one in ranked[:n_best]] for ranked in finished]

    def _candidate(self, found: dict[str, torch.Tensor]) -> Candidate:
        log_probs = tuple(found["positional_scores"].tolist())
        text = self._subwords.decode(self._target_symbols[number] for number in found["tokens"].tolist()[:-1])
        return Candidate(text, math.fsum(log_probs), len(log_probs), log_probs)


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
        # Version 3 is fairseq's mark for a normalisation after the last layer of pre-norm models.
        version = 3.0 if stack.final_norm or not stack.pre_norm else 1.0
        tensors[f"{side}.version"] = torch.tensor([version])
        if not stack.learned_positions:
            tensors[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
    model.load_state_dict(tensors, strict=True)
    return model


def _dictionary(symbols: Sequence[str]) -> Any:
    dictionary = import_fairseq("fairseq.data").Dictionary()
    for symbol in symbols[dictionary.nspecial :]:
        dictionary.add_symbol(symbol)
    return dictionary


def _fairseq_settings(architecture: Architecture) -> object:
    settings = import_fairseq("fairseq.models.transformer.transformer_config")

    def stack(kind: type, of: Stack) -> object:
        return kind(
            embed_dim=of.dimension,
            ffn_embed_dim=of.feed_forward,
            layers=of.layers,
            attention_heads=of.heads,
            normalize_before=of.pre_norm,
            learned_pos=of.learned_positions,
        )

    return settings.TransformerConfig(
        activation_fn=architecture.activation,
        encoder=stack(settings.EncDecBaseConfig, architecture.encoder),
        decoder=stack(settings.DecoderConfig, architecture.decoder),
        max_source_positions=architecture.encoder.positions,
        max_target_positions=architecture.decoder.positions,
        layernorm_embedding=architecture.encoder.embedding_norm,
        no_scale_embedding=not architecture.scale_embeddings,
        no_decoder_final_norm=not architecture.decoder.final_norm,
    )


def load(folder: ModelFolder, options: TranslateOptions, threads: int | None = None) -> FairseqTranslator:
    """A translator over a local fairseq folder; `options` are resolved.

    threads: of torch, for the whole process; by default torch's own choice, which follows OMP_NUM_THREADS.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    return FairseqTranslator(load_checkpoint(folder), Subwords(folder.subwords_path()), options)
