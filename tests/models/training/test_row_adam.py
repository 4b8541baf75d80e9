import math

import pytest
import torch

from paranmt.models.training.row_adam import RowAdam


def test_two_steps_by_hand() -> None:
    # Gradient 2, then -1. m: 0.2, 0.08; v: 0.004, 0.004996. Rates √0.001/0.1 and √0.001999/0.19.
    table = torch.tensor([[7.0], [1.0]])
    adam = RowAdam(table, rate=1)
    expected = 1.0
    for gradient, first, second, step in ((2.0, 0.2, 0.004, 1), (-1.0, 0.08, 0.004996, 2)):
        adam.update(torch.tensor([1]), torch.tensor([[gradient]]), step)
        rate = math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        expected -= rate * first / (math.sqrt(second) + 1e-8)
        assert table[1].item() == pytest.approx(expected, abs=1e-6)
    assert table[0].item() == 7.0


def test_rows_are_moved_as_by_torchs_sparse_adam() -> None:
    torch.manual_seed(0)
    ours, theirs = torch.randn(6, 3), torch.nn.Parameter(torch.empty(6, 3))
    theirs.data.copy_(ours)
    adam, peer = RowAdam(ours, rate=0.01), torch.optim.SparseAdam([theirs], lr=0.01)
    for step, rows in enumerate(([0, 2], [2, 5, 1], [0]), 1):
        gradient = torch.randn(len(rows), 3)
        adam.update(torch.tensor(rows), gradient, step)
        theirs.grad = torch.sparse_coo_tensor(torch.tensor([rows]), gradient, (6, 3), check_invariants=False)
        peer.step()
    torch.testing.assert_close(ours, theirs.detach(), atol=1e-7, rtol=1e-6)


def test_the_compiled_loop_computes_what_torchs_operations_do(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    compiled, plain = (RowAdam(table) for table in torch.randn(1, 50, 37).repeat(2, 1, 1))
    monkeypatch.setattr(plain, "_compiled", False)
    for step in range(1, 8):
        rows = torch.randperm(50)[:20]
        gradient = torch.randn(20, 37) * torch.rand(20, 1) ** 4
        compiled.update(rows, gradient, step)
        plain.update(rows, gradient, step)
    for name in ("_table", "first", "second"):
        torch.testing.assert_close(getattr(compiled, name), getattr(plain, name), rtol=1e-6, atol=1e-7)
