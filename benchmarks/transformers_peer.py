"""transformers' `generate` with the weights of a post-norm checkpoint, as another engine to measure."""

import math
from collections.abc import Sequence

import torch
import transformers

from paranmt.models.translation.batching import length_batches
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.torch_engine.weights import Model, Weights
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


class TransformersTranslator:
    """A Marian model with the same tensors, as a `Translator`.

    It ends its searches by other rules, so its lists cannot be compared, and it returns no costs.
    """

    def __init__(self, options: TranslateOptions) -> None:
        self._options = options
        self._model = load_model(read_model_folder(str(options.model)))
        module = _marian(self._model, self._model.members[0])
        self._marian = module.to(device=options.device, dtype=_DTYPES[options.precision]).eval()

    @torch.inference_mode()
    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        """Translate; all costs are NaN."""
        rows = self._model.text.sources(sentences)
        symbols, device = self._model.symbols, self._options.device
        lists: list[list[Candidate]] = [[] for _ in rows]
        lengths = [len(row) + 1 for row in rows]
        for batch in length_batches(lengths, int(self._options.batch_tokens)):
            longest = max(lengths[number] for number in batch)
            ids = torch.tensor(
                [
                    [*rows[number], symbols.end, *[symbols.pad] * (longest - lengths[number])]
                    for number in batch
                ],
                device=device,
            )
            generated = self._marian.generate(
                ids,
                attention_mask=ids.ne(symbols.pad),
                num_beams=self._options.beam,
                num_return_sequences=min(n_best, self._options.beam),
                do_sample=False,
                length_penalty=self._options.length_penalty,
                max_length=self._options.max_length + 2,
                bad_words_ids=[[symbols.pad]],
            )
            for place, tokens in enumerate(generated[:, 1:].tolist()):
                end = tokens.index(symbols.end) if symbols.end in tokens else len(tokens)
                number = batch[place // min(n_best, self._options.beam)]
                text = self._model.text.decode(tokens[:end])
                lists[number].append(Candidate(text, math.nan, end + 1, ()))
        return lists


def _marian(model: Model, weights: Weights) -> transformers.MarianMTModel:
    encoder, decoder = weights.architecture.encoder, weights.architecture.decoder
    if encoder.pre_norm or decoder.pre_norm or encoder.embedding_norm:
        raise SystemExit(
            "transformers' Marian is post-norm without normalised embeddings; choose other engines"
        )
    tensors = weights.tensors
    config = transformers.MarianConfig(
        vocab_size=len(tensors["encoder.embed_tokens.weight"]),
        decoder_vocab_size=len(tensors["decoder.embed_tokens.weight"]),
        d_model=encoder.dimension,
        encoder_layers=encoder.layers,
        decoder_layers=decoder.layers,
        encoder_attention_heads=encoder.heads,
        decoder_attention_heads=decoder.heads,
        encoder_ffn_dim=encoder.feed_forward,
        decoder_ffn_dim=decoder.feed_forward,
        max_position_embeddings=encoder.positions,
        activation_function={"gelu_accurate": "gelu_new", "gelu_fast": "gelu_new"}.get(
            weights.architecture.activation, weights.architecture.activation
        ),
        scale_embedding=weights.architecture.scale_embeddings,
        share_encoder_decoder_embeddings=False,
        tie_word_embeddings=False,
        pad_token_id=model.symbols.pad,
        eos_token_id=model.symbols.end,
        decoder_start_token_id=model.symbols.start,
        forced_eos_token_id=model.symbols.end,
    )
    marian = transformers.MarianMTModel(config)
    named = {
        "lm_head.weight" if name == "decoder.output_projection.weight" else f"model.{name}": tensor
        for name, tensor in tensors.items()
    }
    for side, table in (("encoder", weights.source_positions), ("decoder", weights.target_positions)):
        named[f"model.{side}.embed_positions.weight"] = table[: encoder.positions]
    missing, unknown = marian.load_state_dict(named, strict=False)
    if unknown or set(missing) - {"final_logits_bias", "model.shared.weight"}:
        raise SystemExit(f"transformers' Marian does not fit: {[*missing, *unknown][:5]}")
    return marian
