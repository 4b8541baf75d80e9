"""The random numbers that training starts from; `test_processors.py` computes them as other processors do."""

import numpy as np
import pytest
import torch
from small_encoders import SMALL
from weight_digests import digests

from paranmt.models.encoders.encoder_kinds import TransformerOptions
from paranmt.models.encoders.gru import GruLayer
from paranmt.models.encoders.random_weights import Linear, draw_normal, draw_uniform, draw_weights
from paranmt.models.encoders.recurrence import PeepholeLstm, TorchLstm

LAST = "layers.layers.1"  # of a Transformer of two layers


def test_no_weight_is_left_to_torchs_random_numbers() -> None:
    drawn = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        drawn.append(digests())
    assert drawn[0] == drawn[1]


def test_numbers_are_rounded_once_from_float64() -> None:
    weights = torch.empty(300, 301)  # more than are drawn at once
    draw_uniform(weights, 0.3, np.random.default_rng(5))
    integers = np.random.default_rng(5).bit_generator.random_raw(weights.numel()) >> np.uint64(11)
    expected = (integers.astype(np.float64) / 2.0**52 - 1) * 0.3
    assert (weights.flatten().numpy() == expected.astype(np.float32)).all()
    draw_normal(weights, 0.1, np.random.default_rng(5))
    expected = np.random.default_rng(5).standard_normal(weights.numel()) * 0.1
    assert (weights.flatten().numpy() == expected.astype(np.float32)).all()


@pytest.mark.parametrize(
    ("layer", "deviations"),
    [
        # A uniform number within ± b has the standard deviation b / √3.
        (Linear(100, 300), {"weight": 0.1 / 3**0.5, "bias": 0.1 / 3**0.5}),
        (TorchLstm(60, 100), {"weight_ih_l0": 0.1 / 3**0.5, "bias_hh_l0": 0.1 / 3**0.5}),
        (GruLayer(60, 100), {"weight_hh_l0": 0.1 / 3**0.5, "bias_ih_l0": 0.1 / 3**0.5}),
        (PeepholeLstm(60, 100), {"of_state": 0.1, "peepholes": 0.1, "of_input.bias": 0}),
        (SMALL["avg"].build({"words": 5_000}, "words"), {"embedding.weight": 0.05}),
        # Xavier: a variance of 2 / (numbers in + numbers out).
        (
            TransformerOptions(dimension=40, heads=2, feed_forward=160).build({"words": 9}, "words"),
            {
                f"{LAST}.linear1.weight": 0.1,
                f"{LAST}.linear1.bias": 0,
                f"{LAST}.self_attn.in_proj_weight": (2 / 160) ** 0.5,
            },
        ),
        (SMALL["lstm"].build({"words": 5_000}, "words"), {"embedding.weight": 0.05, "lstm.of_state": 0.1}),
    ],
)
def test_weights_start_from_the_documented_distributions(
    layer: torch.nn.Module, deviations: dict[str, float]
) -> None:
    draw_weights(layer, 1)
    for name, deviation in deviations.items():
        weights = layer.get_parameter(name).detach().double()
        count = weights.numel()
        assert abs(weights.mean()) <= 4 * deviation / count**0.5  # four standard errors
        assert abs(weights.square().mean().sqrt() - deviation) <= 4 * deviation / (2 * count) ** 0.5
