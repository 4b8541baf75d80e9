"""A Marian (OPUS-MT), M2M-100 or NLLB-200 model in Hugging Face's files, under the names of our network."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from ....base.documents import read_json
from ....base.errors import ModelError
from ....base.finite import check_finite
from ..fairseq_checkpoint import (
    MOST_POSITIONS,
    Architecture,
    Stack,
    check_dense,
    check_shapes,
    expected_shapes,
)
from ..model_folder import weight_files
from ..torch_files import read_torch_file
from .weights import Symbols, Weights, fairseq_positions, sinusoids

_ACTIVATIONS = {
    "swish": "swish",
    "silu": "swish",
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_accurate",
}
_UNSUPPORTED = {
    "marian": ("normalize_before", "normalize_embedding", "add_bias_logits", "add_final_layer_norm"),
    "m2m_100": (),
}
_SHARED = "model.shared.weight"
_TIED = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "decoder.output_projection.weight")


def load_hugging_face(path: Path) -> tuple[Weights, Symbols]:
    """The network and the symbols of a file with weights and of the `config.json` in its folder.

    path: `model.safetensors`, or `pytorch_model.bin`, which may hold tensors only: nothing in it is run; or
    the index of weights in several such files.
    """
    folder = path.parent
    settings = _settings(folder / "config.json")
    is_m2m = settings["model_type"] == "m2m_100"
    tensors = _canonical(_tensors(path), settings)
    bias = tensors.pop("final_logits_bias", None)
    positions = _setting(settings, "max_position_embeddings")
    if not 2 <= positions <= MOST_POSITIONS:
        raise ModelError(
            f"{folder}: max_position_embeddings must be from 2 to {MOST_POSITIONS:,}, it is {positions:,}"
        )
    encoder, decoder = (_stack(settings, tensors, side, positions, is_m2m) for side in ("encoder", "decoder"))
    activation = str(settings.get("activation_function", "relu" if is_m2m else "swish"))
    if activation not in _ACTIVATIONS:
        raise ModelError(
            f"{folder}: the activation {activation!r} is not supported; "
            f"supported are {', '.join(sorted(_ACTIVATIONS))}"
        )
    architecture = Architecture(
        encoder, decoder, _ACTIVATIONS[activation], scale_embeddings=bool(settings.get("scale_embedding"))
    )
    source_types = _setting(settings, "vocab_size")
    target_types = settings.get("decoder_vocab_size") or source_types
    if not isinstance(target_types, int):
        raise ModelError(f"{folder}: decoder_vocab_size is {target_types!r}, it must be a number")
    check_shapes(path, tensors, expected_shapes(architecture, source_types, target_types))
    if bias is not None and bias.numel() != target_types:
        raise ModelError(f"{path}: final_logits_bias has {bias.numel()} numbers for {target_types} words")
    check_finite(path, {} if bias is None else {"final_logits_bias": bias})
    table = fairseq_positions if is_m2m else _positions
    tables = [table(positions, stack.dimension) for stack in (encoder, decoder)]
    weights = Weights(architecture, tensors, tables[0], tables[1], None if bias is None else bias.reshape(-1))
    symbols = Symbols(
        start=_setting(settings, "decoder_start_token_id"),
        pad=_setting(settings, "pad_token_id"),
        end=_setting(settings, "eos_token_id"),
    )
    for name in ("start", "pad", "end"):
        number = getattr(symbols, name)
        # Translations alone begin with the start symbol; padding and the end are part of sources too.
        types = target_types if name == "start" else min(source_types, target_types)
        if number >= types:
            raise ModelError(f"{folder}: the {name} symbol is {number}, but there are {types} words")
    return weights, symbols


def _tensors(path: Path) -> Mapping[str, torch.Tensor]:
    if path.name.endswith(".index.json"):
        pieces = [_tensors(path.parent / name) for name in weight_files(str(path))]
        return {name: tensor for piece in pieces for name, tensor in piece.items()}
    if path.suffix == ".safetensors":
        try:
            return check_dense(path, load_file(path))
        except (OSError, SafetensorError, ValueError) as error:
            raise ModelError(f"{path} cannot be read: {error}") from error
    content = read_torch_file(path)
    if not isinstance(content, Mapping):
        raise ModelError(f"{path}: expected tensors by name, found {type(content).__name__}")
    return check_dense(path, content)


def _settings(path: Path) -> Mapping[str, object]:
    try:
        settings = read_json(path)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    if kind not in _UNSUPPORTED:
        kinds = " or ".join(map(repr, _UNSUPPORTED))
        raise ModelError(f"{path}: the model type {kind!r} is not supported; expected {kinds}")
    for option in _UNSUPPORTED[kind]:
        # transformers' own Marian supports none of these either: a model with one of them is of another kind.
        if settings.get(option):
            raise ModelError(f"{path}: Marian models with {option} are not supported")
    if settings.get("static_position_embeddings") is False:
        raise ModelError(f"{path}: Marian models with learned positions are not supported")
    return settings


def _positions(count: int, dimension: int) -> torch.Tensor:
    """The paper's frequencies, 10000 ** (-2 i / dimension); the first token is at position 0."""
    frequencies = 10000.0 ** (-2.0 * torch.arange(dimension // 2).double() / dimension)
    return sinusoids(count, dimension, 0, frequencies)


def _setting(settings: Mapping[str, object], name: str) -> int:
    value = settings.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ModelError(f"config.json: {name} must be a number, it is {value!r}")
    return value


def _canonical(given: Mapping[str, torch.Tensor], settings: Mapping[str, object]) -> dict[str, torch.Tensor]:
    """float32 tensors under fairseq's names; without position vectors, which we compute."""
    tensors: dict[str, torch.Tensor] = {}
    for name, tensor in given.items():
        if name == _SHARED or name.endswith(("embed_positions.weight", "embed_positions.weights")):
            continue
        name = "decoder.output_projection.weight" if name == "lm_head.weight" else name.removeprefix("model.")
        tensors[name] = tensor.detach().float().contiguous()
    if settings.get("share_encoder_decoder_embeddings", True):
        # There is one matrix for all three, under any one of its names.
        shared = given.get(_SHARED)
        for name in _TIED:
            shared = tensors.get(name) if shared is None else shared
        if shared is not None:
            for name in _TIED:
                tensors.setdefault(name, shared.detach().float().contiguous())
    elif "decoder.embed_tokens.weight" in tensors:
        tensors.setdefault("decoder.output_projection.weight", tensors["decoder.embed_tokens.weight"])
    return tensors


def _stack(
    settings: Mapping[str, object],
    tensors: Mapping[str, torch.Tensor],
    side: str,
    positions: int,
    pre_norm: bool,
) -> Stack:
    dimension, heads = _setting(settings, "d_model"), _setting(settings, f"{side}_attention_heads")
    layers = _setting(settings, f"{side}_layers")
    if layers > len(tensors):
        raise ModelError(f"config.json: {side}_layers is {layers:,}, more than there are weights")
    if heads < 1 or dimension % heads:
        raise ModelError(f"config.json: {side}_attention_heads must divide {dimension}, but it is {heads}")
    return Stack(
        layers=layers,
        dimension=dimension,
        feed_forward=_setting(settings, f"{side}_ffn_dim"),
        heads=heads,
        pre_norm=pre_norm,
        final_norm=pre_norm,
        learned_positions=False,
        embedding_norm=f"{side}.layernorm_embedding.weight" in tensors,
        positions=positions,
    )
