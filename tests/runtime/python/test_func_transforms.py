"""torch.func: gradients, Jacobians and maps of functions."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch.func import grad, grad_and_value, hessian, jacrev, vjp, vmap


def test_grad_of_grad() -> None:
    x = torch.tensor(2.0)
    assert grad(lambda v: v**3)(x).item() == 12
    assert grad(grad(lambda v: v**3))(x).item() == 12
    assert grad(grad(grad(lambda v: v**3)))(x).item() == 6
    assert not grad(lambda v: v**3)(x).requires_grad


def test_outer_gradients_pass_through() -> None:
    w = torch.tensor(3.0, requires_grad=True)
    found = grad(lambda v: w * v**2)(torch.tensor(2.0))
    (outer,) = torch.autograd.grad(found, w)
    assert outer.item() == 4
    x = torch.tensor(2.0, requires_grad=True)
    (second,) = torch.autograd.grad(grad(lambda v: v**3)(x), x)
    assert second.item() == 12


def test_structures_and_aux() -> None:
    parameters = {"w": torch.tensor([1.0, 2.0]), "b": torch.tensor(1.0)}

    def loss(p: Any, x: Any) -> Any:
        y = (p["w"] * x).sum() + p["b"]
        return y**2, y

    gradient, (value, y) = grad_and_value(loss, has_aux=True)(parameters, torch.ones(2))
    assert value.item() == 16
    assert y.item() == 4
    assert gradient["w"].tolist() == [8.0, 8.0]
    assert gradient["b"].item() == 8
    both = grad(lambda a, b: a * b, argnums=(0, 1))(torch.tensor(2.0), torch.tensor(3.0))
    assert [g.item() for g in both] == [3.0, 2.0]


def test_a_scalar_is_needed() -> None:
    with pytest.raises(RuntimeError, match="scalar Tensor"):
        grad(lambda v: v)(torch.ones(2))


def test_vjp() -> None:
    output, product = vjp(torch.sin, torch.tensor([0.0, 1.0]))
    assert torch.equal(output, torch.tensor([0.0, 1.0]).sin())
    (found,) = product(torch.ones(2))
    assert torch.allclose(found, torch.tensor([0.0, 1.0]).cos())


def test_jacobian_and_hessian() -> None:
    x = torch.randn(3)
    assert torch.allclose(jacrev(torch.sin)(x), x.cos().unsqueeze(-1) * torch.eye(3))
    assert torch.allclose(hessian(lambda v: (v**3).sum())(x), 6 * x.unsqueeze(-1) * torch.eye(3))


@pytest.mark.filterwarnings("ignore:torch.vmap")
def test_vmap() -> None:
    a, b = torch.randn(4, 3), torch.randn(3, 4)
    assert torch.allclose(vmap(torch.dot, in_dims=(0, 1))(a, b), (a * b.T).sum(1))
    assert torch.allclose(vmap(lambda x, y: x + y, in_dims=(0, None))(a, a[0]), a + a[0])
    assert vmap(lambda x: x, out_dims=1)(a).shape == (3, 4)
    per_sample = vmap(grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))(a[0], a)
    assert torch.allclose(per_sample, 2 * (a @ a[0]).unsqueeze(-1) * a, atol=1e-5)
    with pytest.raises(ValueError, match="same size"):
        vmap(torch.add)(torch.ones(2), torch.ones(3))


def test_gradients_of_integers_are_refused() -> None:
    numbers = torch.ones(2, dtype=torch.int64)
    for transform in (torch.func.grad, torch.func.jacrev):
        with pytest.raises(RuntimeError, match="only Tensors of floating point dtype"):
            transform(lambda x: x.sum())(numbers)
    with pytest.raises(RuntimeError, match="scalar Tensor, got tensor with 1 dims"):
        torch.func.grad(lambda x: x)(torch.ones(2))


@pytest.mark.parametrize("function", [torch.tanh, torch.exp, torch.sigmoid, torch.sqrt])
def test_mapped_gradients_keep_the_graph_of_saved_results(function: Any) -> None:
    torch.manual_seed(0)
    w = torch.rand(3, 3, dtype=torch.float64, requires_grad=True)
    x = torch.rand(4, 3, dtype=torch.float64, requires_grad=True)

    def loss(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return function(x @ w).sum()

    mapped = torch.func.vmap(torch.func.grad(loss), (None, 0))(w, x)
    looped = torch.stack([torch.func.grad(loss)(w, row) for row in x])
    for found in (mapped, looped):
        assert found.requires_grad
    expected = torch.autograd.grad(looped.square().sum(), (w, x))
    torch.testing.assert_close(torch.autograd.grad(mapped.square().sum(), (w, x)), expected)
