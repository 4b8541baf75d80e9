"""A model's tensors written as a CTranslate2 model."""

import math
from pathlib import Path

import torch
from ctranslate2.specs import attention_spec, common_spec, model_spec, transformer_spec

from .fairseq_checkpoint import Architecture, Stack
from .torch_engine.text import filled
from .torch_engine.weights import Model

VERSION = 1  # raised when the same model would be written differently

# fairseq's gelu_fast is its gelu_accurate, and both are the tanh approximation.
_ACTIVATIONS = {
    "relu": common_spec.Activation.RELU,
    "gelu": common_spec.Activation.GELU,
    "gelu_accurate": common_spec.Activation.GELUTanh,
    "gelu_fast": common_spec.Activation.GELUTanh,
    "swish": common_spec.Activation.SWISH,
    "tanh": common_spec.Activation.Tanh,
}

Tensors = dict[str, torch.Tensor]


def export_ctranslate2(model: Model, out: Path) -> None:
    """Write `model.bin`, `config.json` and the vocabularies into the folder `out`, weights in float32.

    The model must have one member: CTranslate2 does not support ensembles.
    """
    (weights,) = model.members
    architecture, tensors = weights.architecture, weights.tensors
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
    encoder.position_encodings.encodings = weights.source_positions.numpy()
    decoder.position_encodings.encodings = weights.target_positions.numpy()
    decoder.projection.weight = tensors["decoder.output_projection.weight"].numpy()
    if weights.output_bias is not None:
        decoder.projection.bias = weights.output_bias.numpy()
    spec = transformer_spec.TransformerSpec(encoder, decoder)
    source, target = (_vocabulary(symbols, model) for symbols in model.text.symbols())
    spec.register_source_vocabulary(filled(source, len(tensors["encoder.embed_tokens.weight"])))
    target = filled(target, len(tensors["decoder.embed_tokens.weight"]))
    spec.register_target_vocabulary(target)
    spec.config.add_source_eos = True
    spec.config.decoder_start_token = target[model.symbols.start]
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


def _fill_attention(
    spec: attention_spec.MultiHeadAttentionSpec, name: str, parts: list[str], tensors: Tensors
) -> None:
    for linear, fused in zip(spec.linear, parts, strict=True):
        names = ["out"] if fused == "out" else list(fused)
        _fill_linear(linear, [f"{name}.{part}_proj" for part in names], tensors)
    _fill_norm(spec.layer_norm, f"{name}_layer_norm", tensors)


def _fill_linear(spec: common_spec.LinearSpec, names: list[str], tensors: Tensors) -> None:
    spec.weight = torch.cat([tensors[f"{name}.weight"] for name in names]).numpy()
    spec.bias = torch.cat([tensors[f"{name}.bias"] for name in names]).numpy()


def _fill_norm(spec: common_spec.LayerNormSpec, name: str, tensors: Tensors) -> None:
    spec.gamma = tensors[f"{name}.weight"].numpy()
    spec.beta = tensors[f"{name}.bias"].numpy()


def _vocabulary(symbols: list[str], model: Model) -> list[str]:
    # In models that begin from the end symbol, this is CTranslate2's name of the padding symbol.
    if model.symbols.start == model.symbols.pad:
        return symbols
    return ["<blank>" if symbol == "<pad>" else symbol for symbol in symbols]
