import math

import pytest
import torch

from paranmt.models.encoders.token_ids import Streams, TokenIds
from paranmt.models.training.loss import (
    MarginLossOfRows,
    cosine,
    info_nce,
    margin_loss,
    regularised,
    unit_vectors,
)
from paranmt.models.training.same_texts import linked_pairs, text_numbers


def test_margin_loss_by_hand() -> None:
    # cos(s1, s2) = 0.8, cos(s1, t1) = 0.6, cos(s2, t2) = -1; margin 0.4:
    # [0.4 - 0.8 + 0.6] + [0.4 - 0.8 - 1]₊ = 0.2. The second pair: cos 0, 0, 1: 0.4 + 1.4.
    s1 = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    s2 = torch.tensor([[4.0, 3.0], [0.0, 2.0]])
    t1 = torch.tensor([[0.6, -0.8], [0.0, -1.0]])
    t2 = torch.tensor([[-4.0, -3.0], [0.0, 7.0]])
    assert margin_loss(s1, s2, t1, t2, margin=0.4).item() == pytest.approx((0.2 + 1.8) / 2, abs=1e-6)


def test_a_side_without_a_negative_adds_nothing_to_the_margin_loss() -> None:
    # As above: 0.2 and 0 of the first pair, 0.4 and 1.4 of the second; the second's 1.4 is left out.
    s1 = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    s2 = torch.tensor([[4.0, 3.0], [0.0, 2.0]])
    t1 = torch.tensor([[0.6, -0.8], [0.0, -1.0]])
    t2 = torch.tensor([[-4.0, -3.0], [0.0, 7.0]])
    compared = torch.tensor([[True, True], [True, False]])
    assert margin_loss(s1, s2, t1, t2, 0.4, compared).item() == pytest.approx((0.2 + 0.4) / 2, abs=1e-6)


def test_loss_is_zero_beyond_the_margin() -> None:
    s = torch.tensor([[1.0, 0.0]])
    away = torch.tensor([[0.0, 1.0]])
    assert margin_loss(s, s, away, away, margin=0.4).item() == 0.0


def test_gradient_flows_through_negatives() -> None:
    torch.manual_seed(0)
    sides = [torch.randn(3, 4, requires_grad=True) for _ in range(4)]
    margin_loss(*sides, margin=2.5).backward()
    assert all(side.grad is not None and side.grad.abs().sum() > 0 for side in sides)


def test_gradient_is_the_numerical_one() -> None:
    torch.manual_seed(0)
    sides = [torch.randn(3, 4, dtype=torch.float64, requires_grad=True) for _ in range(4)]
    assert torch.autograd.gradcheck(lambda *given: margin_loss(*given, margin=0.4), sides)


def test_zero_vectors_have_cosine_zero() -> None:
    zero, one = torch.zeros(1, 3), torch.tensor([[1.0, 1.0, 0.0]])
    assert cosine(zero, one).item() == 0.0
    assert unit_vectors(zero).tolist() == [[0.0, 0.0, 0.0]]
    assert cosine(one, 3 * one).item() == pytest.approx(1.0)
    assert cosine(one, torch.tensor([[1.0, 0.0, 0.0]])).item() == pytest.approx(1 / math.sqrt(2))


def test_info_nce_by_hand() -> None:
    # Cosines 1 and 0.6 of the first reference, 0 and 0.8 of the second; temperature 0.5 doubles them.
    references = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    translations = torch.tensor([[2.0, 0.0], [0.6, 0.8]])
    rows = (math.log(1 + math.exp(1.2 - 2)) + math.log(1 + math.exp(0 - 1.6))) / 2
    columns = (math.log(1 + math.exp(0 - 2)) + math.log(1 + math.exp(1.2 - 1.6))) / 2
    loss = info_nce(references, translations, 0.5)
    assert loss.item() == pytest.approx((rows + columns) / 2, abs=1e-6)
    # Without 0.6, which is above 0.5, only the cosine of 0 is left to compare with.
    rows, columns = math.log(1 + math.exp(0 - 1.6)) / 2, math.log(1 + math.exp(0 - 2)) / 2
    excluded = torch.tensor([[True, True], [False, False]])  # the partner at [0, 0] stays
    for loss in (
        info_nce(references, translations, 0.5, mask_above=0.5),
        info_nce(references, translations, 0.5, excluded),
    ):
        assert loss.item() == pytest.approx((rows + columns) / 2, abs=1e-6)


def test_equal_sentences_are_no_negatives() -> None:
    # Pairs (a, b), (c, a), (d, e), (f, b): 0 shares a with 1 and b with 3.
    sentences = Streams(words=TokenIds.of([[1], [3, 3], [4], [6, 1], [2, 2], [1], [5], [2, 2]]))
    numbers = text_numbers(sentences)
    assert numbers.tolist() == [0, 1, 2, 3, 4, 0, 5, 4]
    assert linked_pairs(numbers).tolist() == [
        [True, True, False, True],
        [True, True, False, False],
        [False, False, True, False],
        [True, False, False, True],
    ]


def test_the_compiled_margin_loss_computes_what_torchs_operations_do() -> None:
    torch.manual_seed(2)
    vectors = torch.randn(30, 7)
    vectors[4] = 0
    sides = torch.randint(0, 30, (4, 20))
    sides[:, 0] = torch.tensor([4, 1, 2, 4])
    compared = torch.rand(2, 20) > 0.2
    losses, gradients = [], []
    for is_compiled in (False, True):
        some = vectors.clone().requires_grad_()
        if is_compiled:
            loss = MarginLossOfRows.apply(some, sides.numpy(), compared.numpy(), 0.4)
        else:
            loss = margin_loss(*some[sides], 0.4, compared)
        (3 * loss).backward()
        losses.append(loss.detach())
        gradients.append(some.grad)
    torch.testing.assert_close(*losses)
    torch.testing.assert_close(*gradients)
    assert gradients[0].abs().max() > 0.1


def test_penalties_are_those_that_the_papers_print() -> None:
    """λw‖Winitial − W‖² + λc‖Wc‖², without a half (ParaNMT, section 4.2)."""
    parameters = {"table": torch.tensor([3.0, 4.0]), "gate": torch.tensor([2.0]), "free": torch.ones(1)}
    weights = {"table": 0.1, "gate": 0.01, "free": 0.0}
    start = {"table": torch.tensor([3.0, 1.0])}
    loss = regularised(torch.tensor(1.0), parameters.items(), weights.__getitem__, start)
    assert loss.item() == pytest.approx(1 + 0.1 * 3**2 + 0.01 * 2**2)
