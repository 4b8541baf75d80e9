"""A checkpoint's tensors written as a CTranslate2 model."""

import math
from pathlib import Path

import numpy as np
import torch
from ctranslate2.specs import attention_spec, common_spec, model_spec, transformer_spec

from .fairseq_checkpoint import Architecture, FairseqCheckpoint, Stack
from .fairseq_files import PAD

VERSION = 1  # raised when the same checkpoint would be written differently

# fairseq's gelu_fast is its gelu_accurate, and both are the tanh approximation.
_ACTIVATIONS = {
    "relu": common_spec.Activation.RELU,
    "gelu": common_spec.Activation.GELU,
    "gelu_accurate": common_spec.Activation.GELUTanh,
    "gelu_fast": common_spec.Activation.GELUTanh,
    "tanh": common_spec.Activation.Tanh,
}

Tensors = dict[str, torch.Tensor]


def export_ctranslate2(checkpoint: FairseqCheckpoint, out: Path) -> None:
    """Write `model.bin`, `config.json` and the vocabularies into the folder `out`, weights in float32."""
    architecture, tensors = checkpoint.architecture, checkpoint.tensors
    encoder = transformer_spec.TransformerEncoderSpec(
        architecture.encoder.layers,
        architecture.encoder.heads,
        pre_norm=architecture.encoder.pre_norm,
        no_final_norm=not architecture.encoder.final_norm,
        activation=_ACTIVATIONS[architecture.activation],
        layernorm_embedding=architecture.encoder.embedding_norm,
    )
    decoder = transformer_spec.TransformerDecoderSpec(
        architecture.decoder.layers,
        architecture.decoder.heads,
        pre_norm=architecture.decoder.pre_norm,
        no_final_norm=not architecture.decoder.final_norm,
        activation=_ACTIVATIONS[architecture.activation],
        layernorm_embedding=architecture.decoder.embedding_norm,
    )
    _fill_stack(encoder, encoder.embeddings[0], "encoder", architecture, architecture.encoder, tensors)
    _fill_stack(decoder, decoder.embeddings, "decoder", architecture, architecture.decoder, tensors)
    decoder.projection.weight = tensors["decoder.output_projection.weight"].numpy()
    spec = transformer_spec.TransformerSpec(encoder, decoder)
    spec.register_source_vocabulary(_vocabulary(checkpoint.source_symbols))
    spec.register_target_vocabulary(_vocabulary(checkpoint.target_symbols))
    spec.config.add_source_eos = True
    spec.config.decoder_start_token = spec.config.eos_token
    spec.validate()
    spec.optimize()
    spec.save(str(out))


def _fill_stack(
    spec: model_spec.LayerSpec,
    embeddings: common_spec.EmbeddingsSpec,
    side: str,
    architecture: Architecture,
    stack: Stack,
    tensors: Tensors,
) -> None:
    embeddings.weight = tensors[f"{side}.embed_tokens.weight"].numpy()
    spec.scale_embeddings = math.sqrt(stack.dimension) if architecture.scale_embeddings else 1.0
    if stack.learned_positions:
        spec.position_encodings.encodings = tensors[f"{side}.embed_positions.weight"][PAD + 1 :].numpy()
    else:
        spec.position_encodings.encodings = sinusoids(stack.positions, stack.dimension)
    if stack.embedding_norm:
        _fill_norm(spec.layernorm_embedding, f"{side}.layernorm_embedding", tensors)
    if stack.final_norm:
        _fill_norm(spec.layer_norm, f"{side}.layer_norm", tensors)
    for number, layer in enumerate(spec.layer):
        name = f"{side}.layers.{number}"
        _fill_norm(layer.ffn.layer_norm, f"{name}.final_layer_norm", tensors)
        _fill_linear(layer.ffn.linear_0, [f"{name}.fc1"], tensors)
        _fill_linear(layer.ffn.linear_1, [f"{name}.fc2"], tensors)
        _fill_attention(layer.self_attention, f"{name}.self_attn", ["qkv", "out"], tensors)
        if side == "decoder":
            _fill_attention(layer.attention, f"{name}.encoder_attn", ["q", "kv", "out"], tensors)


def sinusoids(positions: int, dimension: int) -> np.ndarray:
    """fairseq's sinusoidal position vectors of the first `positions` tokens; (positions, dimension) float32.

    The first token stands at PAD + 1; sines fill the first half of the vector, cosines the second.
    """
    half = dimension // 2
    frequencies = torch.exp(torch.arange(half, dtype=torch.float) * -(math.log(10000) / (half - 1)))
    angles = torch.arange(PAD + 1, PAD + 1 + positions, dtype=torch.float).unsqueeze(1) * frequencies
    vectors = torch.cat([angles.sin(), angles.cos(), torch.zeros(positions, dimension % 2)], dim=1)
    return vectors.numpy()


def _fill_attention(
    spec: attention_spec.MultiHeadAttentionSpec, name: str, parts: list[str], tensors: Tensors
) -> None:
    for linear, fused in zip(spec.linear, parts, strict=True):
        names = ["out"] if fused == "out" else list(fused)
        _fill_linear(linear, [f"{name}.{one}_proj" for one in names], tensors)
    _fill_norm(spec.layer_norm, f"{name}_layer_norm", tensors)


def _fill_linear(spec: common_spec.LinearSpec, names: list[str], tensors: Tensors) -> None:
    spec.weight = torch.cat([tensors[f"{name}.weight"] for name in names]).numpy()
    spec.bias = torch.cat([tensors[f"{name}.bias"] for name in names]).numpy()


def _fill_norm(spec: common_spec.LayerNormSpec, name: str, tensors: Tensors) -> None:
    spec.gamma = tensors[f"{name}.weight"].numpy()
    spec.beta = tensors[f"{name}.bias"].numpy()


def _vocabulary(symbols: list[str]) -> list[str]:
    # CTranslate2 knows the padding symbol by this name.
    return ["<blank>" if symbol == "<pad>" else symbol for symbol in symbols]
