"""A transformer's forward pass on one device and in one precision, one step of the search at a time."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ..fairseq_checkpoint import Stack, check_precision_holds
from .buffers import Buffers, rounded
from .weights import Weights

# The number of columns of the output projection is a multiple of this, so that scoring can use blocks.
TYPES_MULTIPLE = 64
# The rows of a mask start at multiples of so many elements: attention on a GPU would copy any other mask.
MASK_MULTIPLE = 8

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

    keys_values: for each layer, (sentences, source tokens, 2 * dimension), keys before values; mask:
    (sentences, 1, 1, source tokens), which attention adds to its logits: 0, or −inf at padding.
    """

    keys_values: Sequence[Tensor]
    mask: Tensor

    @classmethod
    def joined(
        cls, parts: "Sequence[tuple[Memory, Tensor]]", width: int, name: Hashable, buffers: Buffers
    ) -> "Memory":
        """The memory of the sentences at these rows of each part, one part after the other.

        width: the number of tokens to keep, at least that of each of these sentences. name: of the memory in
        the buffers. Only the first part may be in these buffers.
        """
        first, _ = parts[0]
        masks = [memory.mask[..., :width].index_select(0, rows) for memory, rows in parts]
        count = sum(map(len, masks))
        mask = buffers.take((name, "mask"), (count, 1, 1, rounded(width, MASK_MULTIPLE)), first.mask.dtype)
        mask = mask.fill_(-math.inf)[..., :width]
        keys_values = [
            buffers.take((name, layer), (count, width, old.shape[2]), old.dtype)
            for layer, old in enumerate(first.keys_values)
        ]
        start = 0
        for (memory, rows), seen in zip(parts, masks, strict=True):
            here, tokens = slice(start, start + len(rows)), seen.shape[3]
            mask[here, ..., :tokens] = seen
            for fresh, old in zip(keys_values, memory.keys_values, strict=True):
                fresh[here, :tokens] = old[:, :tokens].index_select(0, rows)
                if tokens < width:
                    fresh[here, tokens:].zero_()  # it may be NaN, which no mask hides
            start = here.stop
        return cls(keys_values, mask)


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
    """A residual connection, with its normalisation before or after, and the projection that ends it."""

    norm: _Norm
    pre_norm: bool
    outward: _Affine  # without a bias if the states that come in contain it (`_fold_biases`)

    def around(self, x: Tensor, inside: Callable[[Tensor], Tensor]) -> Tensor:
        """x: (sentences, tokens, dimension); contiguous, changed in place."""
        inner = inside(self.norm(x) if self.pre_norm else x)
        # The projection is added to the states where they are: no kernel of its own, and no copy.
        x.flatten(0, 1).addmm_(inner.flatten(0, 1), self.outward.weight.t())
        if self.outward.bias is not None:
            x.add_(self.outward.bias)
        return x if self.pre_norm else self.norm(x)


@dataclass(frozen=True)
class _Layer:
    """One layer; only the decoder has `cross` and `query`."""

    attention: _SubLayer
    inward: _Affine  # to queries, keys and values at once
    feed: _SubLayer
    wide: _Affine
    cross: _SubLayer | None = None
    query: _Affine | None = None


class TranslationNetwork:
    """Encoder, decoder and output projection. Logits are float32 in every precision."""

    def __init__(self, weights: Weights, device: torch.device, dtype: torch.dtype) -> None:
        self._tensors = dict(weights.tensors)
        self._device, self._dtype = device, dtype
        self._activation = _ACTIVATIONS[weights.architecture.activation]
        self.encoder, self.decoder = weights.architecture.encoder, weights.architecture.decoder
        sides = (("encoder", self.encoder), ("decoder", self.decoder))
        positions = [weights.source_positions, weights.target_positions]
        for side, (name, stack) in enumerate(sides):
            if not stack.pre_norm:
                positions[side] = _fold_biases(self._tensors, name, stack, positions[side])
        self._positions = [self._placed(table) for table in positions]
        self._words = [
            self._placed(
                self._tensors[f"{name}.embed_tokens.weight"]
                * (math.sqrt(stack.dimension) if weights.architecture.scale_embeddings else 1.0)
            )
            for name, stack in sides
        ]
        self._embedding_norms = [
            self._norm(f"{side}.layernorm_embedding") if stack.embedding_norm else None
            for side, stack in sides
        ]
        self._last_norms = [
            self._norm(f"{side}.layer_norm") if stack.final_norm else None for side, stack in sides
        ]
        self._layers = [
            [self._layer(f"{side}.layers.{number}", stack) for number in range(stack.layers)]
            for side, stack in sides
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
        sentences, tokens = seen.shape
        mask = self._words[0].new_full((sentences, 1, 1, rounded(tokens, MASK_MULTIPLE)), -math.inf)[
            ..., :tokens
        ]
        mask.masked_fill_(seen[:, None, None], 0)
        x = self._embed(0, words, self._positions[0][: words.shape[1]])
        for layer in self._layers[0]:

            def attend(y: Tensor, layer: _Layer = layer) -> Tensor:
                return attention(layer.inward(y), self.encoder.heads, mask)

            x = self._feed(layer, layer.attention.around(x, attend))
        x = self._normed(0, x)
        return Memory([affine(x) for affine in self._memory], mask)

    def places(self, positions: Tensor) -> Tensor:
        """The vectors of target positions, counted from 0, for `decode`; (…) to (…, dimension)."""
        return F.embedding(positions, self._positions[1])

    def decode(self, words: Tensor, places: Tensor, memory: Memory, attend_self: SelfAttention) -> Tensor:
        """The decoder's last states, (sentences, queries, dimension), for target words (sentences, queries).

        places: the vectors of the words' positions, (sentences or 1, queries or 1, dimension). The queries of
        a sentence are its beams, all at one position; or, if `attend_self` is causal, consecutive words.
        """
        x = self._embed(1, words, places)
        for number, layer in enumerate(self._layers[1]):

            def attend(y: Tensor, number: int = number, layer: _Layer = layer) -> Tensor:
                return attend_self(number, layer.inward(y))

            def read(y: Tensor, number: int = number, layer: _Layer = layer) -> Tensor:
                assert layer.query
                return attend_to(layer.query(y), memory.keys_values[number], self.decoder.heads, memory.mask)

            assert layer.cross
            x = layer.cross.around(layer.attention.around(x, attend), read)
            x = self._feed(layer, x)
        return self._normed(1, x)

    def logits(self, states: Tensor) -> Tensor:
        """(rows, dimension) to new float32 (rows, types up to a multiple of 64); −inf beyond `types`."""
        return self._project(states)

    def _embed(self, side: int, words: Tensor, places: Tensor) -> Tensor:
        x = F.embedding(words, self._words[side]).add_(places)
        norm = self._embedding_norms[side]
        return x if norm is None else norm(x)

    def _feed(self, layer: _Layer, x: Tensor) -> Tensor:
        def widened(y: Tensor) -> Tensor:
            weight, bias = layer.wide
            if self._activation is F.relu and bias is not None:
                wide = torch._addmm_activation(bias, y.flatten(0, 1), weight.t())
                return wide.unflatten(0, y.shape[:2])
            return self._activation(layer.wide(y))

        return layer.feed.around(x, widened)

    def _normed(self, side: int, x: Tensor) -> Tensor:
        norm = self._last_norms[side]
        return x if norm is None else norm(x)

    def _placed(self, tensor: Tensor) -> Tensor:
        return check_precision_holds(tensor.to(device=self._device, dtype=self._dtype))

    def _tensor(self, name: str) -> Tensor:
        return self._placed(self._tensors[name])

    def _norm(self, name: str) -> _Norm:
        return _Norm(self._tensor(f"{name}.weight"), self._tensor(f"{name}.bias"))

    def _affine(self, name: str, *parts: str) -> _Affine:
        """Several projections of the same input, joined into one."""
        weight = torch.cat([self._tensors[f"{name}.{part}.weight"] for part in parts])
        biases = [self._tensors.get(f"{name}.{part}.bias") for part in parts]
        bias = None if biases[0] is None else self._placed(torch.cat(biases))  # type: ignore[arg-type]
        return _Affine(self._placed(weight), bias)

    def _layer(self, name: str, stack: Stack) -> _Layer:
        def sub_layer(norm: str, owner: str, outward: str) -> _SubLayer:
            return _SubLayer(self._norm(f"{name}.{norm}"), stack.pre_norm, self._affine(owner, outward))

        crossing = {}
        if f"{name}.encoder_attn.q_proj.weight" in self._tensors:
            crossing = {
                "cross": sub_layer("encoder_attn_layer_norm", f"{name}.encoder_attn", "out_proj"),
                "query": self._affine(f"{name}.encoder_attn", "q_proj"),
            }
        return _Layer(
            attention=sub_layer("self_attn_layer_norm", f"{name}.self_attn", "out_proj"),
            inward=self._affine(f"{name}.self_attn", "q_proj", "k_proj", "v_proj"),
            feed=sub_layer("final_layer_norm", name, "fc2"),
            wide=self._affine(name, "fc1"),
            **crossing,  # type: ignore[arg-type]
        )


def _fold_biases(tensors: dict[str, Tensor], side: str, stack: Stack, positions: Tensor) -> Tensor:
    """Move the last bias of every sublayer into the states that come into it; return new position vectors.

    A sublayer that normalises last computes norm(x + W f(x) + b). It computes the same from y = x + b as
    norm(y + W f(y − b)), where −b goes into the biases of f's projections, and b into whatever computes x:
    the normalisation before it, or the position vectors. This saves an addition for every sublayer of every
    step. `tensors` is changed; the folded biases are removed.
    """
    before = f"{side}.layernorm_embedding.bias" if stack.embedding_norm else None
    for number in range(stack.layers):
        layer = f"{side}.layers.{number}"
        for inward, outward, norm in (
            (("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), "self_attn.out_proj", "self_attn"),
            (("encoder_attn.q_proj",), "encoder_attn.out_proj", "encoder_attn"),
            (("fc1",), "fc2", "final"),
        ):
            bias = tensors.pop(f"{layer}.{outward}.bias", None)
            if bias is None:
                continue  # the encoder has no attention to an encoder
            for part in inward:
                weight = tensors[f"{layer}.{part}.weight"]
                tensors[f"{layer}.{part}.bias"] = tensors[f"{layer}.{part}.bias"] - weight @ bias
            if before is None:
                positions = positions + bias
            else:
                tensors[before] = tensors[before] + bias
            before = f"{layer}.{norm}_layer_norm.bias"
    return positions


def attention(inward: Tensor, heads: int, mask: Tensor | None, causal: bool = False) -> Tensor:
    """Self-attention within (sentences, tokens, 3 * dimension) queries, keys and values."""
    dimension = inward.shape[-1] // 3
    queries, keys, values = (_by_head(part, heads) for part in inward.split(dimension, dim=-1))
    context = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, is_causal=causal)
    return context.transpose(1, 2).flatten(2)


def attend_to(queries: Tensor, keys_values: Tensor, heads: int, mask: Tensor) -> Tensor:
    """The context, (sentences, queries, dimension), of queries in keys and values that are concatenated.

    keys_values: (sentences, tokens, 2 * dimension); mask: (sentences, 1, queries or 1, tokens), added.
    """
    keys, values = (_by_head(part, heads) for part in keys_values.chunk(2, dim=-1))
    context = F.scaled_dot_product_attention(_by_head(queries, heads), keys, values, attn_mask=mask)
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
