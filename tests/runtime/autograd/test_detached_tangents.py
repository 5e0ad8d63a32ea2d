"""Tangents of detached tensors and of draws."""

from __future__ import annotations

from typing import Any

import pytest

import torch
import torch.autograd.forward_ad as fwAD


def test_detached_tensors_have_no_tangent() -> None:
    x, one = torch.tensor(2.0), torch.tensor(1.0)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, one)
        for detached in (dual.detach(), dual.data, dual.clone().detach_()):
            assert fwAD.unpack_dual(detached).tangent is None
        assert fwAD.unpack_dual(dual * dual.detach()).tangent == 2
    assert torch.func.jvp(lambda t: t.detach() * t, (x,), (one,))[1] == 2
    assert torch.func.jacfwd(lambda t: t.data * t)(x) == 2
    straight = lambda t: t + (t.round() - t).detach()  # noqa: E731
    assert torch.func.jvp(straight, (x,), (one,))[1] == 1


def test_rules_that_need_no_graph_keep_outer_tangents() -> None:
    x, ones = torch.tensor([1.0, 3.0], dtype=torch.float64), torch.ones(2, dtype=torch.float64)

    def slope(a: Any) -> Any:
        return torch.func.jvp(lambda b: torch.linalg.norm(b * a), (a,), (ones,))[1]

    step = 1e-6
    expected = (slope(x + step * ones) - slope(x - step * ones)) / (2 * step)
    torch.testing.assert_close(torch.func.jvp(slope, (x,), (ones,))[1], expected)
    hessian = torch.func.hessian(lambda t: (t**3).sum())(x)
    torch.testing.assert_close(hessian, torch.diag(6 * x))


@pytest.mark.parametrize(
    "draw",
    [
        torch.poisson,
        torch.bernoulli,
        lambda x: x.clone().bernoulli_(x.detach()),
        lambda x: x.clone().bernoulli_(x),
    ],
)
def test_draws_have_zero_tangents(draw: Any) -> None:
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.tensor(1.0), torch.tensor(1.0))
        assert fwAD.unpack_dual(draw(dual)).tangent == 0
