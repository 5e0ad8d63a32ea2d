"""tensor_split by tensors, which lie in host memory whatever the device of the input."""

from __future__ import annotations

from typing import Any

import pytest

import torch


def test_tensors_split_as_numbers_do() -> None:
    x = torch.arange(5)
    for given, numbers in ((torch.tensor([1, 3]), (1, 3)), (torch.tensor(2), 2)):
        found, expected = torch.tensor_split(x, given), torch.tensor_split(x, numbers)
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (torch.tensor([1.0]), "expected tensor_indices_or_sections to have dtype of long"),
        (torch.tensor([[1]]), "to be a zero-dimensional or one-dimensional tensor"),
        (torch.zeros(1, dtype=torch.int64, device="meta"), "to be on cpu"),
    ],
)
def test_other_tensors_are_refused(given: torch.Tensor, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.tensor_split(torch.arange(5), given)


@pytest.mark.parametrize(
    "split",
    [
        lambda x: torch.unsafe_split(x, 2),
        lambda x: x.unsafe_chunk(2),
        lambda x: torch.unsafe_split_with_sizes(x, [2, 2]),
    ],
)
def test_parts_of_unsafe_functions_may_be_changed(split: Any) -> None:
    x = torch.ones(4, requires_grad=True)
    first, second = split(x * 1)
    (first.mul_(3).sum() + second.sum()).backward()
    assert x.grad.tolist() == [3, 3, 1, 1]
    y = torch.zeros(4)
    part = split(y)[0]
    part.add_(1)
    assert y.tolist() == [1, 1, 0, 0] and not part._is_view()
    assert torch.vmap(lambda row: split(row)[1])(torch.ones(3, 4)).shape == (3, 2)
