"""Joining tensors whose runs are short: the elements of all tensors in turn."""

from __future__ import annotations

import pytest

import torch

NUMBERS = torch.arange(4096)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 8])
@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.bfloat16, torch.float32, torch.float64], ids=str
)
def test_short_runs_are_joined_in_order(dtype: torch.dtype, width: int, count: int) -> None:
    # Storage that starts one element late is not aligned to a whole run.
    parts = [
        (NUMBERS[: 1 + 100 * width] + 7 * k).remainder(251).to(dtype)[1:].view(100, width)
        for k in range(count)
    ]
    joined = torch.cat(parts, 1)
    for k, part in enumerate(parts):
        assert torch.equal(joined[:, k * width : (k + 1) * width], part)


def test_empty_parts_and_unequal_runs_are_joined_in_order() -> None:
    one, two, none = torch.ones(5, 1), torch.full((5, 2), 2.0), torch.empty(5, 0)
    assert torch.cat([one, none, one], 1).tolist() == [[1, 1]] * 5
    assert torch.cat([one, none, two], 1).tolist() == [[1, 2, 2]] * 5


def test_large_joins_are_shared_by_threads() -> None:
    x = torch.randn(300_000)
    assert torch.equal(torch.stack([x, -x, 2 * x], 1), torch.stack([x, -x, 2 * x]).t())
