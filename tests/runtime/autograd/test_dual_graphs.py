"""Dual tensors whose values have a graph: forward over reverse."""

from __future__ import annotations

from typing import Any

import pytest

import torch
import torch.autograd.forward_ad as fwAD


def cubes(x: torch.Tensor) -> torch.Tensor:
    return (x**3).sum()


def test_a_dual_tensor_has_the_graph_of_its_value() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    direction = torch.tensor([1.0, 3.0])
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, direction)
        assert dual.requires_grad
        assert not dual.is_leaf
        assert dual.grad_fn is not None
        assert not fwAD.make_dual(x.detach(), direction).requires_grad
        (gradient,) = torch.autograd.grad(cubes(dual), x, create_graph=True)
        value, tangent = fwAD.unpack_dual(gradient)
        assert value.tolist() == [3, 12]
        assert tangent.tolist() == [6, 36]  # the Hessian times the direction
        (third,) = torch.autograd.grad(tangent.sum(), x)
        assert third.tolist() == [6, 18]


def test_backward_of_a_dual_tensor_adds_dual_gradients() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    unused = torch.ones(2, requires_grad=True)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.tensor([1.0, 3.0]))
        cubes(dual).backward(retain_graph=True)
        cubes(dual).backward()
        assert unused.grad is None
        value, tangent = fwAD.unpack_dual(x.grad)
        assert value.tolist() == [6, 24]
        assert tangent.tolist() == [12, 72]


def test_gradients_of_dual_outputs_with_dual_weights() -> None:
    x = torch.tensor([2.0], requires_grad=True)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.tensor([1.0]))
        weight = fwAD.make_dual(torch.tensor([5.0]), torch.tensor([7.0]))
        outputs = (dual**2, dual * 3)
        (gradient,) = torch.autograd.grad(outputs, x, (weight, None), allow_unused=True)
        value, tangent = fwAD.unpack_dual(gradient)
        assert value.tolist() == [5 * 4 + 3]
        assert tangent.tolist() == [5 * 2 + 7 * 4]


def test_gradients_by_tangents() -> None:
    x = torch.tensor([2.0], requires_grad=True)
    direction = torch.tensor([3.0], requires_grad=True)
    with fwAD.dual_level():
        tangent = fwAD.unpack_dual(fwAD.make_dual(x, direction) ** 3).tangent
        by_value, by_direction = torch.autograd.grad(tangent, (x, direction))
        assert by_value.tolist() == [6 * 2 * 3]
        assert by_direction.tolist() == [12]


class _Product(torch.autograd.Function):
    """The product of two tensors."""

    jvp_calls = 0

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    @staticmethod
    def jvp(ctx: Any, x_tangent: Any, y_tangent: Any) -> Any:
        _Product.jvp_calls += 1
        x, y = ctx.saved_tensors
        return x_tangent * y + x * y_tangent


@pytest.mark.parametrize("product", [torch.mul, _Product.apply])
def test_a_dual_value_and_an_ordinary_leaf_both_get_gradients(product: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = torch.tensor(5.0, requires_grad=True)
    with fwAD.dual_level():
        result = product(fwAD.make_dual(x, torch.tensor(3.0)), y)
        assert fwAD.unpack_dual(result).tangent == 15
        by_x, by_y = torch.autograd.grad(result, (x, y), retain_graph=True)
        assert (fwAD.unpack_dual(by_x).primal, fwAD.unpack_dual(by_y).primal) == (5, 2)
        assert fwAD.unpack_dual(by_y).tangent == 3
        result.backward()
    assert (x.grad, y.grad) == (5, 2)


def test_a_function_uses_its_jvp_if_a_value_has_a_graph() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    before = _Product.jvp_calls
    with fwAD.dual_level():
        _Product.apply(fwAD.make_dual(x, torch.tensor(3.0)), torch.tensor(5.0))
    assert _Product.jvp_calls == before + 1


def test_leaves_that_are_dual_get_gradients_too() -> None:
    weight = torch.tensor(5.0, requires_grad=True)
    with fwAD.dual_level():
        leaf = fwAD.make_dual(torch.tensor(2.0), torch.tensor(3.0)).requires_grad_()
        (leaf * weight).backward()
        assert leaf.grad == 5
    assert weight.grad == 2


def test_a_tensor_has_one_tangent_at_a_level() -> None:
    x = torch.ones(2)
    assert fwAD._current_level == -1
    with fwAD.dual_level():
        assert fwAD._current_level == 0
        dual = fwAD.make_dual(x, x)
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level"):
            fwAD.make_dual(dual, x)
        with pytest.raises(RuntimeError, match="itself has a forward gradient at the same level"):
            fwAD.make_dual(x, dual)
        with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
            fwAD.make_dual(x.int(), x)
        with pytest.raises(NotImplementedError, match="forward AD with igamma"):
            torch.igamma(dual, x)
    assert fwAD._current_level == -1
