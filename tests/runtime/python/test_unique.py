"""torch.unique and torch.unique_consecutive agree with NumPy, and their parts with each other."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import torch


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.uint8, torch.bool])
@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (4, 5), (2, 3, 4), ()])
def test_values_inverse_and_counts(dtype: torch.dtype, shape: Any) -> None:
    x = (torch.randn(shape) * 2).to(dtype)
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    expected, expected_counts = numpy.unique(x.numpy(), return_counts=True)
    assert values.dtype == dtype and values.tolist() == expected.tolist()
    assert counts.tolist() == expected_counts.tolist()
    assert torch.equal(values[inverse], x)
    assert torch.equal(x.unique(), values)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_slices(dim: int) -> None:
    x = torch.randint(0, 2, (6, 3, 2))
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=dim)
    expected = numpy.unique(x.numpy(), axis=dim)
    assert values.tolist() == expected.tolist()
    assert torch.equal(values.index_select(dim, inverse), x)
    assert counts.sum() == x.shape[dim]


def test_runs() -> None:
    x = torch.tensor([1, 1, 2, 2, 2, 1])
    values, inverse, counts = torch.unique_consecutive(x, True, True)
    assert values.tolist() == [1, 2, 1] and counts.tolist() == [2, 3, 1]
    assert inverse.tolist() == [0, 0, 1, 1, 1, 2]
    rows = torch.tensor([[1, 2], [1, 2], [0, 2]])
    assert rows.unique_consecutive(dim=0).tolist() == [[1, 2], [0, 2]]


def test_it_has_no_derivative() -> None:
    result = torch.unique(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="derivative for '_unique2' is not implemented"):
        result.sum().backward()
