"""Derivatives where a function has a kink or an end: the conventions are PyTorch's."""

from __future__ import annotations

from math import inf, nan

import pytest

import torch


def gradient(result: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad(result.sum(), x)[0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("eps", "expected"),
    [
        (None, [nan, inf, 6.25, 6.25, inf, nan, nan]),
        (-1.0, [nan, inf, 6.25, 6.25, inf, nan, nan]),
        (0.0, [0, inf, 6.25, 6.25, inf, 0, nan]),
        (0.2, [0, 0, 6.25, 6.25, 0, 0, nan]),
        (0.6, [0, 0, 0, 0, 0, 0, nan]),
    ],
)
def test_logit_at_its_ends(eps: float | None, expected: list[float], dtype: torch.dtype) -> None:
    x = torch.tensor([-1, 0, 0.2, 0.8, 1, 1.5, nan], dtype=dtype, requires_grad=True)
    wanted = torch.tensor(expected, dtype=dtype)
    for result in (torch.logit(x, eps), torch.special.logit(x, eps), x.clone().logit_(eps)):
        assert type(result.grad_fn).__name__ == "LogitBackward0"
        torch.testing.assert_close(gradient(result, x), wanted, equal_nan=True)


def test_nextafter_does_not_move_where_both_are_equal() -> None:
    x = torch.tensor([1, 2, inf, nan, 0.0], requires_grad=True)
    y = torch.tensor([1, 3, inf, 1, -0.0], requires_grad=True)
    assert gradient(torch.nextafter(x, y) * 3, x).tolist() == [0, 3, 0, 3, 0]
    assert gradient(torch.nextafter(x, y), y).tolist() == [0] * 5
