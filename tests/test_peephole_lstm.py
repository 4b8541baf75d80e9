"""The LSTM with peepholes: by hand, without peepholes as torch's, and its gradients."""

import math

import numpy as np
import torch

from paranmt.models.encoders.token_ids import TokenIds
from paranmt.models.peephole_lstm import PeepholeLSTM

SENTENCES = TokenIds.of([[1, 2], [], [0, 3, 3, 1], [2], [4, 4, 0]])


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def lstm(dimension: int) -> PeepholeLSTM:
    torch.manual_seed(1)
    layer = PeepholeLSTM(dimension).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return layer


def test_two_steps_of_one_number_by_hand() -> None:
    layer = PeepholeLSTM(1).double()
    values = {
        "weight": [[1.0], [2.0], [0.5], [-1.0]],
        "recurrent": [[0.5], [1.0], [2.0], [3.0]],
        "bias": [0.1, 0.2, 0.3, 0.4],
        "peepholes": [[0.7], [-0.6], [0.9]],
    }
    layer.load_state_dict({name: torch.tensor(rows, dtype=torch.float64) for name, rows in values.items()})
    words = torch.tensor([[1.0], [-2.0]], dtype=torch.float64)
    # The cell is empty before the first step, so neither i nor f sees anything of it.
    c = sigmoid(1.1) * math.tanh(0.8)
    h = sigmoid(-0.6 + 0.9 * c) * math.tanh(c)
    i, f = sigmoid(-1.9 + 0.5 * h + 0.7 * c), sigmoid(-3.8 + h - 0.6 * c)
    c = f * c + i * math.tanh(-0.7 + 2 * h)
    h = sigmoid(2.4 + 3 * h + 0.9 * c) * math.tanh(c)
    vector = layer(words, TokenIds.of([[0, 1]])).item()
    assert math.isclose(vector, h, rel_tol=1e-12)


def test_without_peepholes_it_is_torchs() -> None:
    layer, words = lstm(3), torch.randn(5, 3, dtype=torch.float64)
    theirs = torch.nn.LSTM(3, 3, batch_first=True).double()
    with torch.no_grad():
        layer.peepholes.zero_()
        theirs.weight_ih_l0.copy_(layer.weight)
        theirs.weight_hh_l0.copy_(layer.recurrent)
        theirs.bias_ih_l0.copy_(layer.bias)
        theirs.bias_hh_l0.zero_()
    vectors = layer(words, SENTENCES)
    for row in range(len(SENTENCES)):
        ids = SENTENCES.take(np.array([row])).ids
        expected = theirs(words[ids][None])[1][0][0, 0] if len(ids) else torch.zeros(3, dtype=torch.float64)
        torch.testing.assert_close(vectors[row], expected)


def test_gradients_are_those_of_differences() -> None:
    layer = lstm(2)
    words = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    names, values = zip(*layer.named_parameters(), strict=True)

    def run(words: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        named = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(layer, named, (words, SENTENCES))

    assert torch.autograd.gradcheck(run, (words, *values))


def test_no_sentence_has_a_word() -> None:
    layer = PeepholeLSTM(3)
    vectors = layer(torch.empty(0, 3), TokenIds.of([[], []]))
    assert vectors.tolist() == [[0.0] * 3] * 2
    vectors.sum().backward()
    assert layer.recurrent.grad is not None and not layer.recurrent.grad.any()
