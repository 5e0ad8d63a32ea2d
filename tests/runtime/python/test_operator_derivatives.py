"""torch.library: derivatives of operators defined in Python, and what opcheck finds in them."""

from __future__ import annotations

from typing import Any

import pytest

import torch


def sine(name: str) -> Any:
    """Define an operator whose kernel autograd cannot trace."""

    @torch.library.custom_op(f"test_derivatives::{name}", mutates_args=())
    def operator(x: torch.Tensor) -> torch.Tensor:
        return x.detach().sin()

    return operator


def test_derivative_of_an_operator() -> None:
    operator, seen = sine("sine"), []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        seen.append(ctx.needs_input_grad[0])
        (x,) = ctx.saved_tensors
        return gradient * x.cos()

    operator.register_autograd(backward, setup_context=setup_context)
    x = torch.randn(3, requires_grad=True, dtype=torch.float64)
    assert torch.autograd.gradcheck(operator, (x,))
    assert torch.autograd.gradgradcheck(torch.ops.test_derivatives.sine, (x,))
    assert seen and all(seen)
    assert (
        operator(x).grad_fn.name() == "GeneratedBackwardFor_test_derivatives_sine_defaultBackward"
    )
    assert not operator(x.detach()).requires_grad
    with torch.no_grad():
        assert not operator(x).requires_grad


def test_operator_without_derivative_raises_in_backward() -> None:
    result = sine("opaque")(torch.ones(2, requires_grad=True))
    assert result.requires_grad
    with pytest.raises(
        RuntimeError, match=r"backward through test_derivatives\.opaque\.default but"
    ):
        result.sum().backward()


def test_derivative_with_numbers_keywords_and_two_results() -> None:
    @torch.library.custom_op("test_derivatives::two", mutates_args=())
    def two(x: torch.Tensor, n: int, *, by: float = 2.0) -> tuple[torch.Tensor, torch.Tensor]:
        return x * n * by, x + n

    def setup_context(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
        assert len(output) == 2
        ctx.factor = inputs[1] * keyword_only_inputs["by"]

    def backward(ctx: Any, product: torch.Tensor, sum: torch.Tensor) -> Any:
        return product * ctx.factor + sum, None

    torch.library.register_autograd("test_derivatives::two", backward, setup_context=setup_context)
    x = torch.zeros(2, requires_grad=True)
    product, sum = two(x, 3, by=4.0)
    (product + sum).sum().backward()
    assert x.grad.tolist() == [13, 13]


@pytest.mark.parametrize("known", [True, False])
def test_derivative_by_a_list_of_tensors(known: bool) -> None:
    @torch.library.custom_op(f"test_derivatives::add_{known}", mutates_args=())
    def add(xs: list[torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        return xs[0] + xs[1] + y

    add.register_autograd(lambda ctx, g: ([g, g * 2] if known else None, g * 3))
    xs = [torch.zeros(2, requires_grad=True) for _ in range(2)]
    y = torch.zeros(2, requires_grad=True)
    add(xs, y).sum().backward()
    assert y.grad.tolist() == [3, 3]
    if known:
        assert [x.grad.tolist() for x in xs] == [[1, 1], [2, 2]]
    else:
        assert [x.grad for x in xs] == [None, None]


def test_wrong_number_of_gradients_is_an_error() -> None:
    operator = sine("wrong")
    operator.register_autograd(lambda ctx, g: (g, g))
    with pytest.raises(RuntimeError, match="different than None at position 2, but"):
        operator(torch.ones(2, requires_grad=True)).sum().backward()


def test_operator_that_writes_to_its_argument_has_no_derivative() -> None:
    @torch.library.custom_op("test_derivatives::write", mutates_args={"x"})
    def write(x: torch.Tensor) -> None:
        x.add_(1)

    with pytest.raises(RuntimeError, match="autograd formula for non-functional operator"):
        write.register_autograd(lambda ctx: None)
    x = torch.zeros(2)
    write(x)
    assert x.tolist() == [1, 1]


def test_opcheck_accepts_a_good_operator() -> None:
    @torch.library.custom_op("opcheck_good::scale", mutates_args=())
    def scale(x: torch.Tensor, by: float) -> torch.Tensor:
        return x * by

    scale.register_fake(lambda x, by: torch.empty_like(x))

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.by = inputs[1]

    scale.register_autograd(lambda ctx, grad: (grad * ctx.by, None), setup_context=setup)
    found = torch.library.opcheck(scale, (torch.ones(3, requires_grad=True), 2.0))
    assert len(found) == 4
    assert set(found.values()) == {"SUCCESS"}


def test_opcheck_finds_mistakes() -> None:
    @torch.library.custom_op("opcheck_bad::change", mutates_args=())
    def change(x: torch.Tensor) -> torch.Tensor:
        return x.add_(1).clone()

    with pytest.raises(Exception, match="was mutated"):
        torch.library.opcheck(change, (torch.ones(3),), test_utils="test_schema")

    @torch.library.custom_op("opcheck_bad::shape", mutates_args=(), device_types="cpu")
    def shape(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    found = torch.library.opcheck(
        shape, (torch.ones(3),), test_utils="test_faketensor", raise_exception=False
    )
    assert isinstance(found["test_faketensor"], Exception)
    shape.register_fake(lambda x: torch.empty(2, device="meta"))
    with pytest.raises(Exception, match="returns shape"):
        torch.library.opcheck(shape, (torch.ones(3),), test_utils="test_faketensor")
    with pytest.raises(ValueError, match="expected test_utils"):
        torch.library.opcheck(shape, (torch.ones(3),), test_utils="nonsense")
