"""A fairseq translation model as tensors and a checked architecture, read without fairseq."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from ...base.errors import ModelError
from .fairseq_files import NO_PARAMETER, PAD, read_checkpoint, read_dictionary
from .model_folder import ModelFolder

# Each of these options changes what a model computes in a way that no engine here supports.
_UNSUPPORTED = (
    "adaptive_input",
    "adaptive_softmax_cutoff",
    "base_layers",
    "char_inputs",
    "cross_self_attention",
    "decoder_layers_to_keep",
    "encoder_layers_to_keep",
    "no_cross_attention",
    "no_token_positional_embeddings",
    "scale_attn",
    "scale_fc",
    "scale_heads",
    "scale_resids",
)
_ACTIVATIONS = ("relu", "gelu", "gelu_accurate", "gelu_fast", "tanh")
MOST_POSITIONS = 1 << 20
"""The most tokens of a sentence. A table of more would take gigabytes; a file that asks for it is damaged."""

_LARGEST_WEIGHT = 1e6  # with larger weights sums overflow: no training produces them

_LANGUAGE = re.compile(r"[\w-][\w.-]*$")


@dataclass(frozen=True)
class Stack:
    """The encoder or the decoder: sizes, and the variants of the transformer."""

    layers: int
    dimension: int
    feed_forward: int
    heads: int
    pre_norm: bool
    final_norm: bool
    learned_positions: bool
    embedding_norm: bool
    positions: int  # the most tokens, including the end symbol


@dataclass(frozen=True)
class Architecture:
    """Everything apart from the tensors that is needed to compute with a transformer."""

    encoder: Stack
    decoder: Stack
    activation: str
    scale_embeddings: bool


@dataclass(frozen=True)
class FairseqCheckpoint:
    """A translation model in memory; tensors are float32 on the CPU, under fairseq 0.12's names.

    `decoder.output_projection.weight` always exists, and equals the embedding if the two are shared.
    fairseq's buffers are left out. Symbols are in the order of their ids.
    """

    architecture: Architecture
    tensors: dict[str, torch.Tensor]
    source_symbols: list[str]
    target_symbols: list[str]


def load_checkpoint(folder: ModelFolder) -> FairseqCheckpoint:
    """The checkpoint of a local fairseq folder, checked: no tensor is missing, unknown or of another shape.

    ModelError for a file that is damaged, that asks to run code, or whose architecture is not a plain
    transformer with encoder and decoder.
    """
    path = Path(folder.url) / folder.weights
    content = read_checkpoint(path)
    _refuse_unsupported(path, content.model)
    tensors = _canonical(path, content.tensors)
    source, target = (
        read_dictionary(_dictionary(folder, content.task, side)) for side in ("source_lang", "target_lang")
    )
    architecture = _architecture(path, content.model, tensors)
    check_shapes(path, tensors, expected_shapes(architecture, len(source), len(target)))
    return FairseqCheckpoint(architecture, tensors, source, target)


def _refuse_unsupported(path: Path, settings: Mapping[str, object]) -> None:
    name = str(settings.get("arch") or settings.get("_name") or "transformer")
    if not name.startswith("transformer") or name.startswith("transformer_lm"):
        raise ModelError(
            f"{path}: the architecture {name!r} is not supported; "
            "supported are fairseq's transformer* translation models"
        )
    for option in _UNSUPPORTED:
        if settings.get(option):
            raise ModelError(
                f"{path}: models trained with --{option.replace('_', '-')} are not supported "
                f"(it is {settings[option]!r})"
            )
    activation = settings.get("activation_fn") or "relu"
    if activation not in _ACTIVATIONS:
        raise ModelError(
            f"{path}: the activation {activation!r} is not supported; supported are {', '.join(_ACTIVATIONS)}"
        )


def _canonical(path: Path, given: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """float32 tensors under the names of fairseq 0.12, whichever 0.x version wrote them."""
    canonical: dict[str, torch.Tensor] = {}
    parameters = {name: tensor for name, tensor in given.items() if not NO_PARAMETER.match(name)}
    for name, tensor in check_dense(path, parameters).items():
        tensor = tensor.detach().float().contiguous()
        if name.endswith((".in_proj_weight", ".in_proj_bias")):
            stem, _, kind = name.rpartition(".in_proj_")
            for part, piece in zip("qkv", tensor.chunk(3), strict=True):
                canonical[f"{stem}.{part}_proj.{kind}"] = piece.contiguous()
        else:
            canonical["decoder.output_projection.weight" if name == "decoder.embed_out" else name] = tensor
    shared = canonical.get("decoder.embed_tokens.weight")
    if shared is not None:
        canonical.setdefault("decoder.output_projection.weight", shared)
    return canonical


def _dictionary(folder: ModelFolder, task: Mapping[str, object], side: str) -> Path:
    language = task.get(side)
    name = f"dict.{language}.txt"
    if not isinstance(language, str) or not _LANGUAGE.match(language) or name not in folder.vocabularies:
        names = ", ".join(folder.vocabularies)
        raise ModelError(
            f"{folder.url}: the checkpoint's {side} is {language!r}, but the dictionaries are {names}"
        )
    return Path(folder.url) / name


def _architecture(
    path: Path, settings: Mapping[str, object], tensors: Mapping[str, torch.Tensor]
) -> Architecture:
    encoder = _stack(path, "encoder", "max_source_positions", settings, tensors)
    decoder = _stack(path, "decoder", "max_target_positions", settings, tensors)
    if encoder.embedding_norm != decoder.embedding_norm:
        raise ModelError(
            f"{path} normalises the embeddings of one side only, which fairseq's transformer never does"
        )
    activation = str(settings.get("activation_fn") or "relu")
    return Architecture(encoder, decoder, activation, scale_embeddings=not settings.get("no_scale_embedding"))


def _stack(
    path: Path, side: str, positions: str, settings: Mapping[str, object], tensors: Mapping[str, torch.Tensor]
) -> Stack:
    """Sizes come from the tensors, which cannot be wrong about them; the rest from the settings."""
    numbers = [int(match[1]) for name in tensors if (match := re.match(rf"{side}\.layers\.(\d+)\.", name))]
    layers = max(numbers, default=-1) + 1
    expected_layers = settings.get(f"{side}_layers", layers)
    if layers == 0 or layers != expected_layers:
        raise ModelError(
            f"{path}: its settings have {expected_layers} {side} layers, but its tensors have {layers}"
        )
    embeddings, inner = f"{side}.embed_tokens.weight", f"{side}.layers.0.fc1.weight"
    for name in (embeddings, inner):
        if name not in tensors or tensors[name].dim() != 2:
            raise ModelError(f"{path}: the tensor {name} is missing or not a matrix")
    dimension = tensors[embeddings].shape[1]
    heads = settings.get(f"{side}_attention_heads", 8)
    if not isinstance(heads, int) or heads < 1 or dimension % heads:
        raise ModelError(
            f"{path}: {side}_attention_heads must divide the dimension {dimension}, it is {heads!r}"
        )
    pre_norm = bool(settings.get(f"{side}_normalize_before"))
    learned = tensors.get(f"{side}.embed_positions.weight")
    limit = settings.get(positions) or 1024
    if learned is not None:
        limit = learned.shape[0] - PAD - 1
    if not isinstance(limit, int) or not 2 <= limit <= MOST_POSITIONS:
        raise ModelError(
            f"{path}: {positions} must be a number from 2 to {MOST_POSITIONS:,}, it is {limit!r}"
        )
    return Stack(
        layers=layers,
        dimension=dimension,
        feed_forward=tensors[inner].shape[0],
        heads=heads,
        pre_norm=pre_norm,
        final_norm=pre_norm and f"{side}.layer_norm.weight" in tensors,
        learned_positions=learned is not None,
        embedding_norm=f"{side}.layernorm_embedding.weight" in tensors,
        positions=limit,
    )


def expected_shapes(
    architecture: Architecture, source_types: int, target_types: int
) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor of a network, under fairseq 0.12's names."""
    shapes: dict[str, tuple[int, ...]] = {}
    encoder_dimension = architecture.encoder.dimension
    for side, stack, types in (
        ("encoder", architecture.encoder, source_types),
        ("decoder", architecture.decoder, target_types),
    ):
        wide, inner = stack.dimension, stack.feed_forward
        shapes[f"{side}.embed_tokens.weight"] = (types, wide)
        if stack.learned_positions:
            shapes[f"{side}.embed_positions.weight"] = (stack.positions + PAD + 1, wide)
        norms = [f"{side}.layernorm_embedding"] * stack.embedding_norm + [
            f"{side}.layer_norm"
        ] * stack.final_norm
        for number in range(stack.layers):
            layer = f"{side}.layers.{number}"
            attentions = {"self_attn": wide} | (
                {"encoder_attn": encoder_dimension} if side == "decoder" else {}
            )
            for attention, key_width in attentions.items():
                for part, width in (
                    ("q_proj", wide),
                    ("k_proj", key_width),
                    ("v_proj", key_width),
                    ("out_proj", wide),
                ):
                    stem = f"{layer}.{attention}.{part}"
                    shapes |= {f"{stem}.weight": (wide, width), f"{stem}.bias": (wide,)}
                norms.append(f"{layer}.{attention}_layer_norm")
            norms.append(f"{layer}.final_layer_norm")
            shapes |= {f"{layer}.fc1.weight": (inner, wide), f"{layer}.fc1.bias": (inner,)}
            shapes |= {f"{layer}.fc2.weight": (wide, inner), f"{layer}.fc2.bias": (wide,)}
        for norm in norms:
            shapes |= {f"{norm}.weight": (wide,), f"{norm}.bias": (wide,)}
    shapes["decoder.output_projection.weight"] = (target_types, architecture.decoder.dimension)
    return shapes


def check_shapes(
    path: Path, tensors: Mapping[str, torch.Tensor], expected: Mapping[str, tuple[int, ...]]
) -> None:
    """ModelError that names a tensor that is missing, unknown, of another shape, or has impossible values."""
    missing = sorted(expected.keys() - tensors.keys())
    if missing:
        raise ModelError(
            f"{path} lacks {len(missing)} tensors, the first: {', '.join(missing[:3])}; "
            "copy the checkpoint again"
        )
    unknown = sorted(tensors.keys() - expected.keys())
    if unknown:
        raise ModelError(
            f"{path} has {len(unknown)} tensors of an unsupported architecture, "
            f"the first: {', '.join(unknown[:3])}"
        )
    for name, shape in expected.items():
        actual = tuple(tensors[name].shape)
        if actual != shape:
            hint = "; are these the dictionaries it was trained with?" if "embed_tokens" in name else ""
            raise ModelError(
                f"{path}: the tensor {name} should have shape {shape}, but it has {actual}{hint}"
            )
        least, most = (float(extreme) for extreme in tensors[name].aminmax())
        if not -_LARGEST_WEIGHT <= least <= most <= _LARGEST_WEIGHT:  # NaN too
            raise ModelError(f"{path}: the tensor {name} has values from {least} to {most}; it is damaged")


def check_dense(path: Path, tensors: Mapping[str, object]) -> dict[str, torch.Tensor]:
    """The same tensors; ModelError if one is not there, or not a dense one of floating-point numbers.

    Whole numbers stand for weights only with scales, which no format here has.
    """
    dense = {}
    for name, tensor in tensors.items():
        # A sparse tensor or one without numbers ("meta") cannot be computed with.
        if (
            not isinstance(tensor, torch.Tensor)
            or not tensor.is_floating_point()
            or (tensor.layout, tensor.device.type) != (torch.strided, "cpu")
        ):
            found = f"{name}: {type(tensor).__name__} {getattr(tensor, 'dtype', '')}".strip()
            raise ModelError(f"{path}: expected dense floating-point tensors by name, found {found}")
        dense[str(name)] = tensor
    return dense


def check_precision_holds(weights: torch.Tensor) -> torch.Tensor:
    """The weights, in a model's precision; ModelError if one was too large for it and became infinite."""
    if not weights.isfinite().all():
        name = str(weights.dtype).removeprefix("torch.")
        raise ModelError(
            f"a weight of the model is larger than {torch.finfo(weights.dtype).max:,.0f}, which is the most "
            f"that {name} holds; set translate.precision to {'float32' if name == 'bfloat16' else 'bfloat16'}"
        )
    return weights
