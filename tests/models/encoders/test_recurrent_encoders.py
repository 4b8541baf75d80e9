"""Encoders with a network against their definitions, one sentence and one unit at a time."""

import copy
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from small_encoders import ROWS, build, streams_of

import paranmt.models.encoders.products as products
import paranmt.models.encoders.recurrence as recurrence
from paranmt.base.errors import RecipeError
from paranmt.models.encoders.encoder import Encoder
from paranmt.models.encoders.encoder_kinds import (
    BiGranOptions,
    BiGruOptions,
    BiLstmOptions,
    ConvNetOptions,
    CseOptions,
    GranOptions,
    GruOptions,
    InnerAttentionOptions,
    LstmAveragingOptions,
    LstmOptions,
    PositionalOptions,
    TransformerOptions,
)
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.recurrence import PeepholeLstm, Steps, TorchLstm, run_packed
from paranmt.models.encoders.recurrence_kernels import forward_step
from paranmt.models.encoders.token_ids import TokenIds

Weights = dict[str, np.ndarray]
SENTENCES = [[3, 1, 4], [1], [5, 8, 2, 6, 5], [3, 5]]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def of(weights: Weights, prefix: str) -> Weights:
    """The weights of one layer."""
    start = prefix + "."
    return {name.removeprefix(start): value for name, value in weights.items() if name.startswith(start)}


def dense(weights: Weights, *inputs: np.ndarray) -> np.ndarray:
    return np.concatenate(inputs, axis=-1) @ weights["weight"].T + weights["bias"]


def lstm(x: np.ndarray, weights: Weights, output_gate: bool = True) -> np.ndarray:
    """The states of an LSTM with peepholes if it has them, (units, size)."""
    if "weight_ih_l0" in weights:  # torch's, whose gates are i, f, content, o
        i, f, content, o = range(4)
        of_input, of_state = weights["weight_ih_l0"], weights["weight_hh_l0"]
        bias = weights["bias_ih_l0"] + weights["bias_hh_l0"]
        peepholes = np.zeros((3, of_state.shape[1]))
    else:
        i, f, o, content = range(4)
        of_input, bias = weights["of_input.weight"], weights["of_input.bias"]
        of_state, peepholes = weights["of_state"], weights["peepholes"]
    size = of_state.shape[1]
    h, c, states = np.zeros(size), np.zeros(size), []
    for unit in x:
        z = (of_input @ unit + of_state @ h + bias).reshape(4, size)
        kept = sigmoid(z[f] + peepholes[1] * c) * c
        c = kept + sigmoid(z[i] + peepholes[0] * c) * np.tanh(z[content])
        h = np.tanh(c) * (sigmoid(z[o] + peepholes[2] * c) if output_gate else 1)
        states.append(h)
    return np.array(states)


def gran(x: np.ndarray, weights: Weights, variant: int) -> np.ndarray:
    """The gated states, (units, size)."""
    states, gated = lstm(x, of(weights, "lstm")), []
    for unit, h in zip(x, states, strict=True):
        z = dense(of(weights, "gates"), unit, h)
        before = gated[-1] if gated else np.zeros(len(z) // 2)
        if variant == 4:
            z = z + weights["of_average"] @ before
        first, second = np.split(sigmoid(z), 2) if variant > 2 else (sigmoid(z), None)
        gated.append(
            {
                1: lambda: unit * first,  # noqa: B023
                2: lambda: h * first,  # noqa: B023
                3: lambda: before * first + unit * second,  # noqa: B023
                4: lambda: before * first + unit * second,  # noqa: B023
                5: lambda: unit * first + h * second,  # noqa: B023
            }[variant]()
        )
    return np.array(gated)


def gru(x: np.ndarray, weights: Weights) -> np.ndarray:
    h, states = np.zeros(weights["weight_hh_l0"].shape[1]), []
    for unit in x:
        xr, xz, xn = np.split(weights["weight_ih_l0"] @ unit + weights["bias_ih_l0"], 3)
        hr, hz, hn = np.split(weights["weight_hh_l0"] @ h + weights["bias_hh_l0"], 3)
        r, z = sigmoid(xr + hr), sigmoid(xz + hz)
        h = (1 - z) * np.tanh(xn + r * hn) + z * h
        states.append(h)
    return np.array(states)


def both(x: np.ndarray, weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    """The states of LSTMs that read forwards and backwards, each in the order of the sentence."""
    return lstm(x, of(weights, "forwards")), lstm(x[::-1], of(weights, "backwards"))[::-1]


def tanh_of_both(first: np.ndarray, second: np.ndarray, weights: Weights) -> np.ndarray:
    layer = of(weights, "both")
    return np.array([np.tanh(dense(layer, *states)) for states in zip(first, second, strict=True)])


def attention(x: np.ndarray, weights: Weights) -> np.ndarray:
    states = np.concatenate(both(x, weights), axis=1)
    means = []
    for query in weights["queries.weight"]:
        scores = np.array([query @ np.tanh(dense(of(weights, "keys"), h)) for h in states])
        means.append(np.exp(scores) @ states / np.exp(scores).sum())
    return np.concatenate(means)


def cse(x: np.ndarray, weights: Weights) -> np.ndarray:
    sums = []
    for number, width in enumerate((1, 2, 3)):
        padded = np.concatenate([x, np.zeros((max(0, width - len(x)), x.shape[1]))])
        windows = [padded[start : start + width].ravel() for start in range(len(padded) - width + 1)]
        sums.append(sum(dense(of(weights, f"filters.{number}"), window) for window in windows))
    return np.concatenate(sums)


def positional(x: np.ndarray, weights: Weights) -> np.ndarray:
    """Sukhbaatar et al. 2015, section 4.1, number by number; divided by the length."""
    length, dimension = x.shape
    sums = np.zeros(dimension)
    for j in range(1, length + 1):
        for k in range(1, dimension + 1):
            weight = (1 - j / length) - k / dimension * (1 - 2 * j / length)
            sums[k - 1] += weight * x[j - 1, k - 1]
    return sums / length


def convnet(x: np.ndarray, weights: Weights) -> np.ndarray:
    maxima = []
    for number in range(4):
        edge = np.zeros((1, x.shape[1]))
        padded = np.concatenate([edge, x, edge])
        windows = [padded[start : start + 3].ravel() for start in range(len(x))]
        x = np.array([np.maximum(dense(of(weights, f"layers.{number}"), window), 0) for window in windows])
        maxima.append(x.max(axis=0))
    return np.concatenate(maxima)


def transformer(x: np.ndarray, weights: Weights, heads: int = 2) -> np.ndarray:
    """Two layers; see `Transformer`."""
    length, size = x.shape
    for position in range(length):
        for column in range(size):
            angle = position / 10_000 ** ((column - column % 2) / size)
            x[position, column] = x[position, column] * size**0.5 + (np.cos if column % 2 else np.sin)(angle)
    for number in range(2):
        layer = of(weights, f"layers.layers.{number}")
        z = normalised(x, of(layer, "norm1"))
        q, k, v = np.split(
            z @ layer["self_attn.in_proj_weight"].T + layer["self_attn.in_proj_bias"], 3, axis=1
        )
        attended = []
        for head in np.split(np.arange(size), heads):
            scores = q[:, head] @ k[:, head].T / len(head) ** 0.5
            shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
            attended.append(shares @ v[:, head])
        x = x + dense(of(layer, "self_attn.out_proj"), np.concatenate(attended, axis=1))
        hidden = np.maximum(dense(of(layer, "linear1"), normalised(x, of(layer, "norm2"))), 0)
        x = x + dense(of(layer, "linear2"), hidden)
    return normalised(x, of(weights, "layers.norm")).mean(axis=0)


def normalised(x: np.ndarray, weights: Weights) -> np.ndarray:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * weights["weight"] + weights["bias"]


def bigran(x: np.ndarray, weights: Weights, variant: int) -> tuple[np.ndarray, np.ndarray]:
    forwards = gran(x, of(weights, "forwards"), variant)
    return forwards, gran(x[::-1], of(weights, "backwards"), 1)[::-1]


_SIZES = {"dimension": 4, "size": 3}
Definition = Callable[[np.ndarray, Weights], np.ndarray]
CASES: list[tuple[EncoderOptions, Definition]] = [
    (LstmOptions(**_SIZES), lambda x, w: lstm(x, of(w, "lstm"))[-1]),
    (LstmOptions(**_SIZES, output_gate=False), lambda x, w: lstm(x, of(w, "lstm"), False)[-1]),
    (LstmOptions(**_SIZES, peepholes=False), lambda x, w: lstm(x, of(w, "lstm"))[-1]),
    (LstmAveragingOptions(**_SIZES), lambda x, w: lstm(x, of(w, "lstm")).mean(axis=0)),
    (BiLstmOptions(**_SIZES), lambda x, w: sum(states.mean(axis=0) for states in both(x, w))),
    (BiLstmOptions(**_SIZES, pooling="max"), lambda x, w: np.maximum(*both(x, w)).max(axis=0)),
    (
        BiLstmOptions(**_SIZES, combine="concatenate", peepholes=False),
        lambda x, w: np.concatenate(both(x, w), axis=1).mean(axis=0),
    ),
    (
        BiLstmOptions(**_SIZES, combine="concatenate", pooling="max"),
        lambda x, w: np.concatenate(both(x, w), axis=1).max(axis=0),
    ),
    (BiLstmOptions(**_SIZES, combine="tanh"), lambda x, w: tanh_of_both(*both(x, w), w).mean(axis=0)),
    (
        BiLstmOptions(**_SIZES, combine="tanh", pooling="max"),
        lambda x, w: tanh_of_both(*both(x, w), w).max(axis=0),
    ),
    (GranOptions(**_SIZES), lambda x, w: gran(x, of(w, "gated"), 1).mean(axis=0)),
    *(
        (
            GranOptions(**_SIZES, without_gate=name),
            lambda x, w, f=f: f(
                np.array(
                    [
                        dense(of(w, "gated.gates"), unit, h)
                        for unit, h in zip(x, lstm(x, of(w, "gated.lstm")), strict=True)
                    ]
                )
            ).mean(axis=0),
        )
        for name, f in (("tanh", np.tanh), ("relu", lambda z: np.maximum(z, 0)))
    ),
    (GranOptions(**_SIZES, variant=2), lambda x, w: gran(x, of(w, "gated"), 2).mean(axis=0)),
    (GranOptions(**_SIZES, variant=3), lambda x, w: gran(x, of(w, "gated"), 3)[-1] / len(x)),
    (GranOptions(**_SIZES, variant=4), lambda x, w: gran(x, of(w, "gated"), 4)[-1] / len(x)),
    (GranOptions(dimension=4, variant=5), lambda x, w: gran(x, of(w, "gated"), 5).mean(axis=0)),
    (BiGranOptions(**_SIZES), lambda x, w: sum(bigran(x, w, 1)).mean(axis=0)),  # type: ignore[union-attr]
    (
        BiGranOptions(**_SIZES, variant=2, combine="tanh"),
        lambda x, w: tanh_of_both(*bigran(x, w, 2), w).mean(axis=0),
    ),
    (BiGranOptions(**_SIZES, variant=4), lambda x, w: sum(bigran(x, w, 4)).mean(axis=0)),  # type: ignore[union-attr]
    (GruOptions(**_SIZES), lambda x, w: gru(x, of(w, "forwards"))[-1]),
    (
        BiGruOptions(**_SIZES),
        lambda x, w: np.concatenate([gru(x, of(w, "forwards"))[-1], gru(x[::-1], of(w, "backwards"))[-1]]),
    ),
    (InnerAttentionOptions(**_SIZES, views=2), attention),
    (CseOptions(dimension=4, filters=2), cse),
    (PositionalOptions(dimension=4), positional),
    (ConvNetOptions(dimension=4, filters=3), convnet),
    (TransformerOptions(dimension=4, heads=2, feed_forward=3), transformer),
]


def weights_of(encoder: Encoder) -> Weights:
    return {name: value.detach().double().numpy() for name, value in encoder.named_parameters()}


@pytest.mark.parametrize(
    ("options", "definition"), CASES, ids=[f"{n}-{options.type}" for n, (options, _) in enumerate(CASES)]
)
def test_definitions(options: EncoderOptions, definition: Definition) -> None:
    encoder = build(options)
    weights = weights_of(encoder)
    vectors = encoder(streams_of(encoder, SENTENCES))
    for sentence, vector in zip(SENTENCES, vectors, strict=True):
        expected = definition(weights["embedding.weight"][sentence], weights)
        np.testing.assert_allclose(vector.detach().numpy(), expected, rtol=2e-4, atol=1e-5)


def test_cse_with_tanh() -> None:
    encoder = build(CseOptions(dimension=2, filters=1, widths=(2,), activation="tanh"))
    weights = weights_of(encoder)
    ((vector,),) = encoder(streams_of(encoder, [[1, 2, 3]])).tolist()
    x = weights["embedding.weight"]
    windows = [np.concatenate([x[1], x[2]]), np.concatenate([x[2], x[3]])]
    expected = sum(np.tanh(dense(of(weights, "filters.0"), window)) for window in windows)
    assert vector == pytest.approx(float(expected[0]), abs=1e-5)  # type: ignore[index]


def test_gran_halves_the_average_where_its_gates_know_nothing() -> None:
    # With weights and biases of 0 every gate is σ(0) = ½.
    for variant, weight in ((1, 0.5), (3, None)):
        encoder = build(GranOptions(dimension=2, variant=variant))  # type: ignore[arg-type]
        with torch.no_grad():
            for name, parameter in encoder.named_parameters():
                if name != "embedding.weight":
                    parameter.zero_()
            encoder.get_parameter("embedding.weight").copy_(
                torch.arange(ROWS)[:, None] * torch.tensor([1.0, 8.0])
            )
        (vector,) = encoder(streams_of(encoder, [[2, 4]]))
        # Variant 3: a1 = ½ · 2, a2 = ½ · a1 + ½ · 4 = 2.5, over 2 units.
        first = 3 * weight if weight else 1.25
        assert vector.tolist() == [first, 8 * first]


@pytest.mark.parametrize("output_gate", [True, False])
def test_the_written_gradient_of_the_lstm_is_right(output_gate: bool) -> None:
    torch.manual_seed(0)
    layer = PeepholeLstm(2, 3, output_gate).double()
    steps = Steps(TokenIds.of(SENTENCES), torch.device("cpu"))
    names, parameters = zip(*layer.named_parameters(), strict=True)
    for parameter in parameters:
        parameter.data.normal_()
    inputs = torch.randn(11, 2, dtype=torch.float64, requires_grad=True)

    def states(inputs: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(layer, dict(zip(names, values, strict=True)), (inputs, steps))

    assert torch.autograd.gradcheck(states, (inputs, *parameters))


@pytest.mark.parametrize("output_gate", [True, False])
def test_kernels_give_what_torchs_operations_give(output_gate: bool) -> None:
    torch.manual_seed(1)
    exact = draw_weights(PeepholeLstm(5, 33, output_gate), 1).double()
    for parameter in exact.parameters():
        parameter.data.mul_(5)  # so that some gates are nearly shut, and some nearly open
    steps = Steps(TokenIds.of([[0] * length for length in (7, 1, 3, 7, 12)]), torch.device("cpu"))
    inputs = 3 * torch.randn(30, 5, dtype=torch.float64)
    weights = torch.randn(30, 33, dtype=torch.float64)

    def computed(layer: PeepholeLstm, dtype: torch.dtype) -> list[torch.Tensor]:
        own = inputs.to(dtype, copy=True).requires_grad_()
        states = layer(own, steps)
        # A gradient that is no contiguous array.
        loss = (states.T.flip(0) * weights.to(dtype).T).sum()
        return [
            states.detach().double(),
            *(g.double() for g in torch.autograd.grad(loss, [own, *layer.parameters()])),
        ]

    expected = computed(exact, torch.float64)
    for ours, theirs in zip(computed(copy.deepcopy(exact).float(), torch.float32), expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-6 * theirs.abs().max().item())


def test_the_kernels_squashing_functions_are_accurate() -> None:
    size = 40_001
    x = np.concatenate([np.linspace(-30, 30, size - 8), [0, -0.0, 1e-30, -1e-5, 200, -200, np.inf, -np.inf]])
    gates = np.zeros((1, 4 * size), np.float32)
    gates[0] = np.tile(x, 4)
    cells, squashed, states = (np.empty((1, size), np.float32) for _ in range(3))
    forward_step(gates, cells, squashed, states, np.zeros((3, size), np.float32), (0, 0, 1), True)
    z = gates[0].astype(np.float64), x.astype(np.float32).astype(np.float64)
    for start, expected in ((0, sigmoid(z[1])), (2 * size, sigmoid(z[1])), (3 * size, np.tanh(z[1]))):
        np.testing.assert_allclose(z[0][start : start + size], expected, rtol=4e-7, atol=1e-37)
    np.testing.assert_array_equal(states, gates[:, 2 * size : 3 * size] * squashed)


@pytest.mark.parametrize("rows", [0, 1, 50])
def test_products_are_those_of_torch(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(3)
    values = torch.randn(rows, 7), torch.randn(11, 7), torch.randn(11)
    weights = torch.randn(11, rows).T  # a gradient that is no contiguous array

    def computed(function: Callable[..., torch.Tensor], bias: bool) -> tuple[torch.Tensor, ...]:
        own = [value.clone().requires_grad_() for value in values[: 2 + bias]]
        result = function(*own)
        return result.detach(), *torch.autograd.grad((result * weights).sum(), own)

    for bias in (True, False):
        expected = computed(torch.nn.functional.linear, bias)
        for has_one_dnn in (True, False):
            if not has_one_dnn:
                monkeypatch.setattr(products, "_one_dnn", None)
            for ours, theirs in zip(computed(products.linear, bias), expected, strict=True):
                torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-4)
            with torch.autocast("cpu", torch.bfloat16):
                assert products.product(*values).dtype == torch.float32
                assert products.linear(*values).dtype == torch.bfloat16
        monkeypatch.undo()


def test_sentences_of_a_single_unit_have_a_gradient() -> None:
    layer = draw_weights(PeepholeLstm(2, 3), 1)
    steps = Steps(TokenIds.of([[0], [0]]), torch.device("cpu"))
    layer(torch.ones(2, 2), steps).sum().backward()
    assert layer.of_state.grad is not None and not layer.of_state.grad.any()
    gradient = layer.of_input.weight.grad
    assert gradient is not None
    i, f, o, content = gradient.split(3)
    assert i.all() and o.all() and content.all() and not f.any(), "there is no cell to forget"


def test_what_is_not_finite_stays_so() -> None:
    layer = draw_weights(PeepholeLstm(2, 3), 1)
    layer.of_state.data[0, 1] = math.nan
    steps = Steps(TokenIds.of([[0, 0]]), torch.device("cpu"))
    states = layer(torch.ones(2, 2, requires_grad=True), steps)
    assert states.isnan().tolist() == [[False] * 3, [True, False, False]]
    (gradient,) = torch.autograd.grad(states.sum(), [layer.peepholes])
    assert gradient.isnan().any()


def test_without_peepholes_it_is_torchs_lstm() -> None:
    ours, theirs = draw_weights(PeepholeLstm(2, 3), 1), TorchLstm(2, 3)

    def in_torchs_order(values: torch.Tensor) -> torch.Tensor:
        i, f, o, content = values.detach().chunk(4)
        return torch.cat([i, f, content, o])

    with torch.no_grad():
        ours.peepholes.zero_()
        theirs.weight_ih_l0.copy_(in_torchs_order(ours.of_input.weight))
        theirs.weight_hh_l0.copy_(in_torchs_order(ours.of_state))
        theirs.bias_ih_l0.zero_()
        theirs.bias_hh_l0.zero_()
    steps = Steps(TokenIds.of(SENTENCES), torch.device("cpu"))
    inputs = torch.randn(11, 2)
    torch.testing.assert_close(ours(inputs, steps), theirs(inputs, steps))


@pytest.mark.parametrize("lengths", [[5, 1, 3, 5, 40, 4, 39, 2, 2], [3], [4, 4, 4]])
def test_sentences_of_similar_length_have_the_states_and_gradients_of_torchs_own_steps(
    lengths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrence, "_GROUP", 2)
    torch.manual_seed(2)
    layer = draw_weights(TorchLstm(3, 4), 2)
    steps = Steps(TokenIds.of([[0] * length for length in lengths]), torch.device("cpu"))
    inputs = torch.randn(sum(lengths), 3, requires_grad=True)
    states = layer(inputs, steps)
    packed = run_packed(torch.nn.LSTM.forward.__get__(layer), inputs, steps)
    torch.testing.assert_close(states, packed)
    weights = torch.randn_like(states)
    ours, theirs = (
        torch.autograd.grad((values * weights).sum(), [inputs, *layer.parameters()])
        for values in (states, packed)
    )
    torch.testing.assert_close(ours, theirs)


def test_groups_of_similar_lengths_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrence, "_GROUP", 1)
    # Of 5, 4, 3 and 1 units: places 0-3, 4-6, 7-9, 10-11 and 12. 4 is 0.8 of 5, but 3 is not.
    steps = Steps(TokenIds.of([[0] * length for length in (3, 5, 1, 4)]), torch.device("cpu"))
    groups = [group.tolist() for group in steps.similar_lengths()]
    assert groups == [[[0, 1], [4, 5], [7, 8], [10, 11], [12, -1]], [[2], [6], [9]], [[3]]]


def test_steps_by_hand() -> None:
    # Sentences of 3, 1 and 2 units, longest first: a0 c0 b0, a1 c1, a2.
    steps = Steps(TokenIds.of([[10, 11, 12], [20], [30, 31]]), torch.device("cpu"))
    assert steps.sizes == [3, 2, 1]
    assert steps.unit_ids().tolist() == [10, 30, 20, 11, 31, 12]
    values = steps.unit_ids()[:, None].float()
    assert steps.mirrored(values)[:, 0].tolist() == [12, 31, 20, 11, 30, 10]
    assert steps.last(values)[:, 0].tolist() == [12, 20, 31]
    assert steps.mean(values)[:, 0].tolist() == [11, 20, 30.5]
    assert steps.maximum(-values)[:, 0].tolist() == [-10, -20, -30]
    assert steps.spread(torch.tensor([[1.0], [2.0], [3.0]]))[:, 0].tolist() == [1, 3, 2, 1, 3, 1]
    assert steps.previous().tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LstmOptions(size=0), "size must be at least 1"),
        (lambda: LstmOptions(peepholes=False, output_gate=False), "only be false with peepholes"),
        (lambda: InnerAttentionOptions(views=0), "views must be at least 1"),
        (lambda: CseOptions(widths=()), "cse needs 1 to 256 widths"),
        (lambda: TransformerOptions(heads=7), "a multiple of heads, 7; it is 300"),
        (lambda: TransformerOptions(layers=0), "layers must be at least 1"),
        (lambda: build(GranOptions(**_SIZES, variant=5)), "size must be dimension, 4; it is 3"),
        (lambda: build(BiGranOptions(**_SIZES, variant=2)), "set combine to tanh"),
    ],
)
def test_wrong_options(make: Callable[[], object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        make()
