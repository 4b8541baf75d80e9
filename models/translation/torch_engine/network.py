"""A transformer's forward pass on one device and in one precision, one step of the search at a time."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ..fairseq_checkpoint import Stack
from .weights import Weights

# The number of columns of the output projection is a multiple of this, so that scoring can use blocks.
TYPES_MULTIPLE = 64

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_accurate": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_fast": lambda x: F.gelu(x, approximate="tanh"),
    "swish": F.silu,
    "tanh": torch.tanh,
}


class Memory(NamedTuple):
    """The encoded source that the decoder reads; all beams of a sentence share it.

    keys_values: (layers, sentences, source tokens, 2 * dimension), keys before values; seen:
    (sentences, 1, 1, source tokens), false at padding.
    """

    keys_values: Tensor
    seen: Tensor

    def select(self, rows: Tensor) -> "Memory":
        """The memory of these sentences only."""
        return Memory(self.keys_values.index_select(1, rows), self.seen.index_select(0, rows))


# Self-attention: the layer's number and its queries, keys and values (sentences, queries, 3 * dimension)
# to the context (sentences, queries, dimension).
SelfAttention = Callable[[int, Tensor], Tensor]


class _Affine(NamedTuple):
    weight: Tensor
    bias: Tensor | None

    def __call__(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


class _Norm(NamedTuple):
    weight: Tensor
    bias: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias)


@dataclass(frozen=True)
class _SubLayer:
    """A residual connection with its normalisation before or after."""

    norm: _Norm
    pre_norm: bool

    def around(self, x: Tensor, inside: Callable[[Tensor], Tensor]) -> Tensor:
        return x + inside(self.norm(x)) if self.pre_norm else self.norm(x + inside(x))


@dataclass(frozen=True)
class _Layer:
    """One layer; only the decoder has `cross`, `query` and `cross_outward`."""

    attention: _SubLayer
    inward: _Affine  # to queries, keys and values at once
    outward: _Affine
    feed: _SubLayer
    wide: _Affine
    narrow: _Affine
    cross: _SubLayer | None = None
    query: _Affine | None = None
    cross_outward: _Affine | None = None


class Network:
    """Encoder, decoder and output projection. Logits are float32 in every precision."""

    def __init__(self, weights: Weights, device: torch.device, dtype: torch.dtype) -> None:
        self._tensors = weights.tensors
        self._device, self._dtype = device, dtype
        self._activation = _ACTIVATIONS[weights.architecture.activation]
        self.encoder, self.decoder = weights.architecture.encoder, weights.architecture.decoder
        self._scales = [
            math.sqrt(stack.dimension) if weights.architecture.scale_embeddings else 1.0
            for stack in (self.encoder, self.decoder)
        ]
        self._words = [self._tensor(f"{side}.embed_tokens.weight") for side in ("encoder", "decoder")]
        self._positions = [
            self._placed(table) for table in (weights.source_positions, weights.target_positions)
        ]
        self._embedding_norms = [
            self._norm(f"{side}.layernorm_embedding") if stack.embedding_norm else None
            for side, stack in (("encoder", self.encoder), ("decoder", self.decoder))
        ]
        self._last_norms = [
            self._norm(f"{side}.layer_norm") if stack.final_norm else None
            for side, stack in (("encoder", self.encoder), ("decoder", self.decoder))
        ]
        self._layers = [
            [self._layer(f"{side}.layers.{number}", stack) for number in range(stack.layers)]
            for side, stack in (("encoder", self.encoder), ("decoder", self.decoder))
        ]
        self._memory = [
            self._affine(f"decoder.layers.{number}.encoder_attn", "k_proj", "v_proj")
            for number in range(self.decoder.layers)
        ]
        self.types = self._tensors["decoder.output_projection.weight"].shape[0]
        self._project = _Projection(
            self._tensors["decoder.output_projection.weight"], weights.output_bias, device, dtype
        )
        self._tensors = {}

    @property
    def dtype(self) -> torch.dtype:
        """The type of everything except the logits."""
        return self._dtype

    def encode(self, words: Tensor, seen: Tensor) -> Memory:
        """The memory of source words.

        words: (sentences, tokens) ids, padded on the right. seen: the same shape, false at padding.
        """
        mask = seen[:, None, None, :]
        x = self._embed(0, words, self._positions[0][: words.shape[1]])
        for layer in self._layers[0]:

            def attend(y: Tensor, layer: _Layer = layer) -> Tensor:
                context = attention(layer.inward(y), self.encoder.heads, mask)
                return layer.outward(context)

            x = self._feed(layer, layer.attention.around(x, attend))
        x = self._normed(0, x)
        return Memory(torch.stack([affine(x) for affine in self._memory]), mask)

    def decode(self, words: Tensor, positions: slice, memory: Memory, attend_self: SelfAttention) -> Tensor:
        """The decoder's last states, (sentences, queries, dimension), for target words (sentences, queries).

        positions: those of the words, from 0. The queries of a sentence are its beams, all at one
        position; or, if `attend_self` is causal, consecutive words.
        """
        x = self._embed(1, words, self._positions[1][positions])
        for number, layer in enumerate(self._layers[1]):
            assert layer.cross and layer.query and layer.cross_outward

            def attend(y: Tensor, number: int = number, layer: _Layer = layer) -> Tensor:
                return layer.outward(attend_self(number, layer.inward(y)))

            def read(y: Tensor, number: int = number, layer: _Layer = layer) -> Tensor:
                assert layer.query and layer.cross_outward
                return layer.cross_outward(
                    attend_to(layer.query(y), memory.keys_values[number], self.decoder.heads, memory.seen)
                )

            x = layer.attention.around(x, attend)
            x = self._feed(layer, layer.cross.around(x, read))
        return self._normed(1, x)

    def logits(self, states: Tensor) -> Tensor:
        """(rows, dimension) to new float32 (rows, types up to a multiple of 64); −inf beyond `types`."""
        return self._project(states)

    def _embed(self, side: int, words: Tensor, positions: Tensor) -> Tensor:
        x = F.embedding(words, self._words[side]) * self._scales[side] + positions
        norm = self._embedding_norms[side]
        return x if norm is None else norm(x)

    def _feed(self, layer: _Layer, x: Tensor) -> Tensor:
        return layer.feed.around(x, lambda y: layer.narrow(self._activation(layer.wide(y))))

    def _normed(self, side: int, x: Tensor) -> Tensor:
        norm = self._last_norms[side]
        return x if norm is None else norm(x)

    def _placed(self, tensor: Tensor) -> Tensor:
        return tensor.to(device=self._device, dtype=self._dtype)

    def _tensor(self, name: str) -> Tensor:
        return self._placed(self._tensors[name])

    def _norm(self, name: str) -> _Norm:
        return _Norm(self._tensor(f"{name}.weight"), self._tensor(f"{name}.bias"))

    def _affine(self, name: str, *parts: str) -> _Affine:
        """Several projections of the same input, joined into one."""
        weight = torch.cat([self._tensors[f"{name}.{part}.weight"] for part in parts])
        bias = torch.cat([self._tensors[f"{name}.{part}.bias"] for part in parts])
        return _Affine(self._placed(weight), self._placed(bias))

    def _layer(self, name: str, stack: Stack) -> _Layer:
        def sub_layer(norm: str) -> _SubLayer:
            return _SubLayer(self._norm(f"{name}.{norm}"), stack.pre_norm)

        crossing = {}
        if f"{name}.encoder_attn.q_proj.weight" in self._tensors:
            crossing = {
                "cross": sub_layer("encoder_attn_layer_norm"),
                "query": self._affine(f"{name}.encoder_attn", "q_proj"),
                "cross_outward": self._affine(f"{name}.encoder_attn", "out_proj"),
            }
        return _Layer(
            attention=sub_layer("self_attn_layer_norm"),
            inward=self._affine(f"{name}.self_attn", "q_proj", "k_proj", "v_proj"),
            outward=self._affine(f"{name}.self_attn", "out_proj"),
            feed=sub_layer("final_layer_norm"),
            wide=self._affine(name, "fc1"),
            narrow=self._affine(name, "fc2"),
            **crossing,  # type: ignore[arg-type]
        )


def attention(inward: Tensor, heads: int, seen: Tensor | None, causal: bool = False) -> Tensor:
    """Self-attention within (sentences, tokens, 3 * dimension) queries, keys and values."""
    dimension = inward.shape[-1] // 3
    queries, keys, values = (_by_head(part, heads) for part in inward.split(dimension, dim=-1))
    context = F.scaled_dot_product_attention(queries, keys, values, attn_mask=seen, is_causal=causal)
    return context.transpose(1, 2).flatten(2)


def attend_to(queries: Tensor, keys_values: Tensor, heads: int, seen: Tensor) -> Tensor:
    """The context, (sentences, queries, dimension), of queries in keys and values that are concatenated.

    keys_values: (sentences, tokens, 2 * dimension); seen: (sentences, 1, queries or 1, tokens).
    """
    keys, values = (_by_head(part, heads) for part in keys_values.chunk(2, dim=-1))
    context = F.scaled_dot_product_attention(_by_head(queries, heads), keys, values, attn_mask=seen)
    return context.transpose(1, 2).flatten(2)


def _by_head(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class _Projection:
    """The output projection to float32 logits, padded with words of probability 0.

    On a GPU, tensor cores multiply half precision into float32 directly; on a CPU the projection is kept in
    float32. Rounding the logits to half precision would change costs by more than all layers together.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, device: torch.device, dtype: torch.dtype) -> None:
        types = weight.shape[0]
        padding = -types % TYPES_MULTIPLE
        self._half = device.type == "cuda" and dtype != torch.float32
        self._weight = F.pad(weight, (0, 0, 0, padding)).to(device, dtype if self._half else torch.float32)
        self._bias: Tensor | None = None
        if padding or bias is not None:
            full = torch.zeros(types) if bias is None else bias.float()
            self._bias = F.pad(full, (0, padding), value=-math.inf).to(device)

    def __call__(self, states: Tensor) -> Tensor:
        if not self._half:
            return F.linear(states.float(), self._weight, self._bias)
        logits = torch.mm(states, self._weight.t(), out_dtype=torch.float32)
        return logits if self._bias is None else logits.add_(self._bias)
