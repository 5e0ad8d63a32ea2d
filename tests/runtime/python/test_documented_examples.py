"""Calls that PyTorch's documentation shows, with what they return there."""

from __future__ import annotations

import numpy as np
import pytest

import torch


def test_asarray_of_a_numpy_scalar() -> None:
    x = torch.asarray(np.float64(0.5))
    assert x.dtype == torch.float64 and x.item() == 0.5
    assert torch.asarray(np.int32(3), dtype=torch.float32).dtype == torch.float32
    with pytest.raises(RuntimeError, match="can't alias NumPy scalars"):
        torch.asarray(np.float64(0.5), copy=False)


def test_covariance_of_integers() -> None:
    x = torch.tensor([[0, 1, 2], [2, 1, 0]])
    assert torch.cov(x).tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert torch.corrcoef(x).tolist() == [[1.0, -1.0], [-1.0, 1.0]]


def test_gradient_with_coordinates_of_short_dimensions() -> None:
    t = torch.tensor([[1, 2, 4, 8], [10, 20, 40, 80]])
    coordinates = (torch.tensor([-2.0, -1.0, 1.0, 4.0]), torch.tensor([-1.0, 2.0]))
    along, down = torch.gradient(t, spacing=coordinates[::-1])[::-1]
    assert down.tolist() == [[3.0, 6.0, 12.0, 24.0]] * 2
    expected = torch.tensor([[1.0, 1.0, 17 / 15, 4 / 3], [10.0, 10.0, 34 / 3, 40 / 3]])
    torch.testing.assert_close(along, expected)


def test_old_factorizations_return_named_tuples() -> None:
    a = torch.tensor([[2.0, 0.0], [0.0, 3.0]])
    assert type(torch.svd(a)) is torch.return_types.svd
    assert torch.svd(a).S.tolist() == [3.0, 2.0]
    assert repr(torch.qr(a)).startswith("torch.return_types.qr(\nQ=tensor(")
    solved = torch.triangular_solve(torch.ones(2, 1), a)
    assert solved.solution.tolist() == [[0.5], [pytest.approx(1 / 3)]]
    assert torch.equal(solved.cloned_coefficient, a)


def test_a_hook_after_accumulation_may_return_its_parameter() -> None:
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    v.register_post_accumulate_grad_hook(lambda p: p.add_(p.grad, alpha=-0.5))
    v.backward(torch.ones(2))
    assert v.tolist() == [0.5, 1.5]
    v.register_post_accumulate_grad_hook(lambda p: torch.ones(2))
    with pytest.raises(RuntimeError, match="should return None"):
        v.backward(torch.ones(2))


def test_an_order_of_dimensions_may_have_to_be_unique() -> None:
    assert torch.empty(2, 3).t().dim_order(ambiguity_check=True) == (1, 0)
    for ambiguous in (torch.empty(1, 2), torch.empty(2, 1).expand(2, 3)):
        assert ambiguous.dim_order() == (0, 1)
        with pytest.raises(RuntimeError, match="unique dim order"):
            ambiguous.dim_order(ambiguity_check=True)
    x = torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last)
    formats = [torch.contiguous_format, torch.channels_last]
    assert x.dim_order(ambiguity_check=formats) == (0, 2, 3, 1)
    with pytest.raises(TypeError, match="must be a bool or a list"):
        x.dim_order(ambiguity_check="yes")


def test_numbers_of_numpy_are_compared_by_value() -> None:
    torch.testing.assert_close(np.float32(1), 1.0)
    torch.testing.assert_close(np.int64(1), 1)
    with pytest.raises(AssertionError, match="types do not match"):
        torch.testing.assert_close(np.int64(1), 1.0, check_dtype=True)
    for pair in ((np.ones(2), torch.ones(2)), (torch.ones(2), np.ones(2))):
        with pytest.raises(TypeError, match="No comparison pair"):
            torch.testing.assert_close(*pair)
