"""Calls in which random comparisons with PyTorch found other outcomes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import torch
from torch import Tensor, nn
from torch.nn import functional as F

X = torch.arange(12.0).reshape(3, 4)
ONE, ROW = torch.tensor(1), torch.tensor([1])


@pytest.mark.parametrize("one", [ONE, ROW, torch.tensor([[1]], dtype=torch.int32)])
def test_integers_may_be_tensors_of_one_element(one: Tensor) -> None:
    assert torch.eye(one).shape == (1, 1)
    assert torch.ones(one).shape == (1,)
    assert torch.ones((one, 2)).shape == (1, 2)
    assert torch.ones(one, 2).shape == (1, 2)
    assert torch.equal(torch.triu(X, one), torch.triu(X, 1))
    assert torch.equal(X.sum(one), X.sum(1))
    assert torch.equal(X.amax(dim=one), X.amax(1))
    assert torch.equal(torch.roll(X, one, 0), torch.roll(X, 1, 0))
    assert torch.equal(X.roll((one,), (0,)), X.roll(1, 0))
    assert X.reshape(one, -1).shape == (1, 12)
    assert [each.shape[0] for each in torch.split(X, [1, one, 1])] == [1, 1, 1]
    with pytest.raises(TypeError):
        X.sum(torch.tensor([0, 1]))
    with pytest.raises(TypeError):
        torch.ones(torch.tensor(1.5))


def test_no_dimension_means_all() -> None:
    assert X.amax(None) == 11 and torch.amin(X, dim=None) == 0
    assert torch.amax(X, None, keepdim=True).shape == (1, 1)
    assert torch.equal(torch.roll(X, 1, None), torch.roll(X, 1))
    assert torch.max_pool2d(X[None], 2, None).shape == (1, 1, 2)
    with pytest.raises(TypeError):
        torch.max_pool2d(X[None], 2, 2, None)


def test_xlogy_takes_numbers() -> None:
    assert torch.equal(torch.xlogy(X, 2), torch.xlogy(X, torch.tensor(2.0)))
    assert torch.equal(torch.xlogy(2.5, X), torch.xlogy(torch.tensor(2.5), X))
    assert torch.equal(X.clone().xlogy_(2), X.xlogy(2))
    assert torch.xlogy(X.int(), 2).dtype == torch.float32


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.embedding(torch.tensor([5]), torch.ones(3, 0)),
        lambda: F.embedding(torch.tensor([[0, -1]]), torch.ones(3, 0)),
        lambda: torch.index_select(torch.ones(3, 0), 0, torch.tensor([5])),
        lambda: torch.index_select(torch.ones(0, 3), 1, torch.tensor([7])),
        lambda: F.kl_div(ROW, ROW, reduction="sum"),
        lambda: F.soft_margin_loss(ROW, ROW),
    ],
)
def test_refused(call: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError):
        call()


def test_copies_between_overlapping_parts_are_refused() -> None:
    values = torch.arange(6.0)
    with pytest.raises(RuntimeError, match="memory location"):
        values[1:].copy_(values[:-1])
    assert torch.equal(values[:3].copy_(values[3:]), torch.tensor([3.0, 4.0, 5.0]))


def test_nonzero_takes_out_and_as_tuple() -> None:
    out = torch.empty(0, dtype=torch.int64)
    assert torch.nonzero(X, out=out, as_tuple=False) is out and out.shape == (11, 2)
    assert len(torch.nonzero(X, out=None, as_tuple=True)) == 2
    with pytest.raises(RuntimeError, match="as_tuple"):
        torch.nonzero(X, out=out, as_tuple=True)


@pytest.mark.filterwarnings("ignore:dropout3d")
def test_dropout3d_adds_a_batch_to_all_but_five_dimensions() -> None:
    torch.manual_seed(0)
    kept = F.dropout3d(torch.ones(8, 16), 0.5, True)
    assert torch.equal(kept, kept[:, :1].expand(8, 16))
    assert F.dropout3d(torch.ones(4), 0.5, True).shape == (4,)


def test_local_response_norm_of_integers() -> None:
    whole = torch.arange(24).reshape(1, 4, 6)
    assert F.local_response_norm(whole, 2).shape == (1, 4, 6)
    with pytest.raises(NotImplementedError):
        F.local_response_norm(whole.byte(), 2)


def test_adaptive_max_pool1d_returns_indices_on_request() -> None:
    assert F.adaptive_max_pool1d(X, 2).shape == (3, 2)
    maxima, places = F.adaptive_max_pool1d(X, 2, return_indices=True)
    assert torch.equal(maxima, X.gather(1, places))
    assert nn.AdaptiveMaxPool1d(2)(X).shape == (3, 2)


def test_optimizers_without_the_constructor_can_step() -> None:
    class Bare(torch.optim.Optimizer):
        def __init__(self) -> None:
            self.param_groups: list = []

        def step(self, closure: object = None) -> int:
            return 7

    assert Bare().step() == 7


def test_numbers_beyond_the_dtype_are_refused() -> None:
    with pytest.raises(RuntimeError, match="overflow"):
        torch.full_like(torch.zeros(2, dtype=torch.uint8), 300)


def test_complex_reads_a_tensor() -> None:
    assert complex(torch.tensor(1 + 2j)) == 1 + 2j
    assert complex(torch.tensor([3.0])) == 3


def test_cells_check_the_rows_of_weights() -> None:
    row = torch.ones(2, 3)
    for cell in (torch.gru_cell, torch.rnn_relu_cell, torch.rnn_tanh_cell):
        with pytest.raises(RuntimeError):
            cell(row, row, row, row)
    with pytest.raises(RuntimeError):
        torch.lstm_cell(row, (row, row), row, row)


def test_isin_compares_with_the_number_itself() -> None:
    whole = torch.tensor([1, 2])
    assert torch.isin(whole, 1.5).tolist() == [False, False]
    assert torch.isin(whole, 2.0).tolist() == [False, True]


def test_a_sequence_of_one_tensor_gives_a_tuple() -> None:
    for function in (torch.atleast_1d, torch.atleast_2d, torch.atleast_3d):
        assert isinstance(function([X]), tuple) and isinstance(function(X), Tensor)


def test_integer_targets_are_refused() -> None:
    with pytest.raises(RuntimeError):
        F.binary_cross_entropy_with_logits(torch.tensor([0.5]), ROW)
    with pytest.raises(RuntimeError):
        F.kl_div(torch.tensor([0.5]), ROW, reduction="sum")


def test_differences_of_order_zero_are_the_input() -> None:
    assert torch.equal(torch.diff(X, 0, append=X), X)


def test_logit_in_place_has_a_gradient() -> None:
    x = torch.tensor([0.2, 0.5], requires_grad=True)
    (x * 1).logit_().sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([6.25, 4.0]))


def test_outputs_of_products_take_no_gradient() -> None:
    w = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"matmul\(\): functions with out=... arguments"):
        torch.matmul(w, w, out=torch.zeros(2, 2))
    with torch.no_grad():
        assert torch.matmul(w, w, out=torch.zeros(2, 2)).tolist() == [[2, 2], [2, 2]]


def test_a_wrong_size_of_repetitions_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Invalid output_size, expected 6 but got 5"):
        torch.repeat_interleave(torch.arange(3), 2, output_size=5)
    assert torch.repeat_interleave(torch.arange(3), 2, output_size=6).tolist() == [0, 0, 1, 1, 2, 2]
