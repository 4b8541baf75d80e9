"""Transformers with random weights that end their translations like a trained model, for measuring speed.

The time of a search depends on the model's sizes and on when its hypotheses end, not on their words. Equal
lengths would make engines look too fast, because they avoid the cost of unequal ones. So each source word
carries the length of the translation that it asks for in one dimension of its embedding, and each target
position carries its number in another. Only one layer writes into these two dimensions: the last attention
to the source, which copies the requested length. The logit of the end symbol grows with the position minus
the requested length, and crosses those of the other words at the requested length, a little earlier for some
hypotheses and later for others. Because the schedule is in the weights, every engine that can read the
checkpoint follows it.
"""

import argparse
import gzip
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch


class Size(NamedTuple):
    """Layers per side, dimension, feed-forward dimension, heads."""

    layers: int
    dimension: int
    feed_forward: int
    heads: int


SIZES = {"tiny": Size(2, 64, 128, 4), "base": Size(6, 512, 2048, 8), "big": Size(6, 1024, 4096, 16)}
LONGEST = 260  # subwords of a translation: 200 words
_POSITION, _WANTED = 0, 1  # the two dimensions
_SLOPE = 1.2  # natural log per position: 12 hypotheses end within about 3 positions, like a trained model's
_SPREAD = 1.3  # standard deviation of the other words' logits
_EARLY = 5.0  # how many positions before the wanted one the end symbol's logit is 0
_QUIET = 0.1  # standard deviation of what a sublayer adds to a state, which itself has 1
# Shares of sentences, and the steps until such a share of searches is complete, over their source tokens.
# completion.py recorded them with a small trained Czech-English model and beam 12 on 2,000 sentences of news
# (newstest2014), which the model translates badly, and 2,014 image captions (Multi30k), which it does well.
SHARES = (0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 1)
_COMPLETION = (0.25, 0.38, 0.52, 0.61, 0.79, 0.95, 1.12, 1.30, 1.43, 1.79, 2.57, 4.67, 6.28)


def write_scheduled(folder: Path, size: str, types: int = 32_000, seed: int = 1) -> Path:
    """Write a fairseq folder with such a model. Text is split at spaces, and a word is `w<number>`."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = torch.Generator().manual_seed(seed)
    shape = SIZES[size]
    tensors = _encoder(shape, types, generator) | _decoder(shape, types, generator)
    for language in ("xx", "yy"):
        text = "".join(f"w{number} 1\n" for number in range(4, types))
        (folder / f"dict.{language}.txt").write_text(text, encoding="utf-8")
    sides: dict[str, object] = {}
    for side in ("encoder", "decoder"):
        sides |= {
            f"{side}_layers": shape.layers,
            f"{side}_embed_dim": shape.dimension,
            f"{side}_ffn_embed_dim": shape.feed_forward,
            f"{side}_attention_heads": shape.heads,
            f"{side}_learned_pos": True,
        }
    args = argparse.Namespace(
        arch="transformer", task="translation", source_lang="xx", target_lang="yy", **sides
    )
    content = {"args": args, "model": tensors, "optimizer_history": [{}], "extra_state": {}}
    torch.save(content, folder / "model.pt")
    return folder


def sentences(count: int, types: int = 32_000, seed: int = 1) -> list[str]:
    """Sources with ParaNMT's lengths that need as many steps of the search as with a trained model."""
    random = np.random.default_rng(seed)
    sources, wanted = lengths(random, count)
    groups = _groups(types)
    texts = []
    for length, asked in zip(sources, wanted, strict=True):
        # The source's end symbol asks for nothing, and has its share of the attention's mean.
        group = min(int(round(asked * (length + 1) / length)), groups - 1)
        numbers = 4 + group + groups * random.integers(0, (types - 4) // groups, length)
        texts.append(" ".join(f"w{number}" for number in numbers))
    return texts


def lengths(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The subwords of each source, and the steps that its search takes.

    The words of a source are log-normal with mean 13.3 and standard deviation 19.3, cut at 200, with 1.3
    subwords per word. The steps over the tokens, including the end symbol, are drawn from what was recorded,
    and cut at `LONGEST`: most searches end with about the source's length, few take several times as long.
    """
    variance = math.log(1 + (19.3 / 13.3) ** 2)
    words = random.lognormal(math.log(13.3) - variance / 2, math.sqrt(variance), count)
    sources = np.clip(np.rint(1.3 * np.clip(words, 1, 200)), 1, LONGEST).astype(int)
    ratios = np.interp(random.random(count), SHARES, _COMPLETION)
    return sources, np.clip(np.rint(ratios * (sources + 1)), 1, LONGEST).astype(int)


def workload(model: str, sources: str | None, count: int, folder: Path) -> tuple[str, list[str]]:
    """The folder of a model to measure, and sentences for it.

    If `model` is the name of a size, such a model is written into `folder`, and sentences are made for it.
    Otherwise it is the folder of a model, and the sentences are lines of `sources`, plain or gz.
    """
    if model in SIZES:
        types = 2_000 if model == "tiny" else 32_000
        return str(write_scheduled(folder, model, types)), sentences(count, types)
    if sources is None:
        raise SystemExit("the folder of a model needs --sources, a text file")
    opened = gzip.open if sources.endswith(".gz") else open
    with opened(sources, "rt", encoding="utf-8") as file:
        return model, [line.rstrip("\n") for line in file if line.strip()][:count]


def _groups(types: int) -> int:
    return min(2 * LONGEST, (types - 4) // 2)


def _encoder(shape: Size, types: int, generator: torch.Generator) -> dict[str, torch.Tensor]:
    words = _states(types, shape.dimension, generator)
    asked = (torch.arange(types) - 4).remainder(_groups(types)).float()
    asked[:4] = 0
    words[:, _WANTED] = asked / LONGEST
    tensors = {
        "encoder.embed_tokens.weight": words / math.sqrt(shape.dimension),
        "encoder.embed_positions.weight": _states(1026, shape.dimension, generator) * _QUIET,
    }
    for number in range(shape.layers):
        tensors |= _layer(f"encoder.layers.{number}", shape, ("self_attn",), generator)
    return tensors


def _decoder(shape: Size, types: int, generator: torch.Generator) -> dict[str, torch.Tensor]:
    positions = _states(1026, shape.dimension, generator) * _QUIET
    positions[:, _POSITION] = (torch.arange(1026).float() - 2 + _EARLY) / LONGEST
    scale = math.sqrt(shape.dimension)
    projection = torch.randn(types, shape.dimension, generator=generator) * _SPREAD / scale
    projection[:, [_POSITION, _WANTED]] = 0
    tensors = {
        "decoder.embed_tokens.weight": _states(types, shape.dimension, generator) / scale,
        "decoder.embed_positions.weight": positions,
        "decoder.output_projection.weight": projection,
    }
    for number in range(shape.layers):
        tensors |= _layer(f"decoder.layers.{number}", shape, ("self_attn", "encoder_attn"), generator)
    # A sublayer's normalisation shrinks what is in the two dimensions a little, each time.
    shrink = 1 / math.sqrt(1 + _QUIET**2)
    last = f"decoder.layers.{shape.layers - 1}.encoder_attn"
    # The wanted length passed the encoder's 2 sublayers a layer and passes 2 more here, the position all.
    shrunk = shrink ** (3 * shape.layers - 2 * shape.layers - 2)
    tensors[f"{last}.v_proj.weight"][0] = 0
    tensors[f"{last}.v_proj.weight"][0, _WANTED] = 1
    tensors[f"{last}.out_proj.weight"][:, 0] = 0
    tensors[f"{last}.out_proj.weight"][_WANTED, 0] = shrunk
    steep = _SLOPE * LONGEST / shrink ** (3 * shape.layers)
    projection[2] = 0
    projection[2, _POSITION], projection[2, _WANTED] = steep, -steep
    return tensors


def _layer(
    name: str, shape: Size, attentions: tuple[str, ...], generator: torch.Generator
) -> dict[str, torch.Tensor]:
    """Sublayers that write small values with mean 0, and nothing into the two dimensions."""
    wide, inner = shape.dimension, shape.feed_forward

    def matrix(rows: int, columns: int, scale: float = 1.0) -> torch.Tensor:
        return torch.randn(rows, columns, generator=generator) * scale / math.sqrt(columns)

    def written(columns: int, scale: float) -> torch.Tensor:
        weight = matrix(wide, columns, scale)
        weight[[_POSITION, _WANTED]] = 0
        weight[2:] -= weight[2:].mean(dim=0)
        return weight

    tensors: dict[str, torch.Tensor] = {}
    for attention in attentions:
        stem = f"{name}.{attention}"
        for part, scale in (("q_proj", 0.5), ("k_proj", 0.5), ("v_proj", 1.0)):
            tensors[f"{stem}.{part}.weight"] = matrix(wide, wide, scale)
        # A mean over several words is smaller than one of them.
        tensors[f"{stem}.out_proj.weight"] = written(wide, 2 * _QUIET)
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            tensors[f"{stem}.{part}.bias"] = torch.zeros(wide)
    tensors[f"{name}.fc1.weight"], tensors[f"{name}.fc1.bias"] = matrix(inner, wide), torch.zeros(inner)
    tensors[f"{name}.fc2.weight"] = written(inner, math.sqrt(2) * _QUIET)
    tensors[f"{name}.fc2.bias"] = torch.zeros(wide)
    for norm in (*(f"{attention}_layer_norm" for attention in attentions), "final_layer_norm"):
        tensors[f"{name}.{norm}.weight"], tensors[f"{name}.{norm}.bias"] = torch.ones(wide), torch.zeros(wide)
    return tensors


def _states(rows: int, dimension: int, generator: torch.Generator) -> torch.Tensor:
    """Random vectors of mean 0 and standard deviation 1 that leave the two dimensions free."""
    vectors = torch.randn(rows, dimension, generator=generator)
    vectors -= vectors.mean(dim=1, keepdim=True)
    vectors[:, [_POSITION, _WANTED]] = 0
    return vectors
