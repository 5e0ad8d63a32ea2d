"""torch.autograd.functional and gradcheck against closed forms."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from torch.autograd.gradcheck import GradcheckError

A = torch.tensor([[2.0, 1.0], [0.0, 3.0]], dtype=torch.float64)
X = torch.tensor([1.0, 2.0], dtype=torch.float64)
V = torch.tensor([3.0, -1.0], dtype=torch.float64)


def linear(x: torch.Tensor) -> torch.Tensor:
    return A @ x


def cubes(x: torch.Tensor) -> torch.Tensor:
    return (x * x * x).sum()


def test_products_with_the_jacobian() -> None:
    assert torch.equal(jacobian(linear, X), A)
    value, product = vjp(linear, X, V)
    assert torch.equal(value, A @ X)
    assert torch.equal(product, V @ A)
    assert torch.equal(jvp(linear, X, V)[1], A @ V)


def test_products_with_the_hessian() -> None:
    matrix = hessian(cubes, X)
    assert torch.equal(matrix, 6 * X * torch.eye(2))
    assert torch.equal(vhp(cubes, X, V)[1], 6 * X * V)
    assert torch.equal(hvp(cubes, X, V)[1], 6 * X * V)


def test_shapes_follow_the_arguments() -> None:
    def two(x: torch.Tensor, y: torch.Tensor) -> Any:
        return x * y.sum(), x.sum()

    matrices = jacobian(two, (X, torch.ones(3, dtype=torch.float64)))
    assert [[tuple(m.shape) for m in row] for row in matrices] == [[(2, 2), (2, 3)], [(2,), (3,)]]
    assert torch.equal(matrices[1][1], torch.zeros(3, dtype=torch.float64))


def test_create_graph() -> None:
    x = X.clone().requires_grad_()
    matrix = jacobian(lambda x: x * x, x, create_graph=True)
    matrix.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert not jacobian(lambda x: x * x, x).requires_grad


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vjp(linear, X), "v can only be None"),
        (lambda: vjp(linear, X, torch.ones(3)), "v has invalid size"),
        (lambda: hessian(linear, X), "should contain a single element"),
        (lambda: jacobian(lambda x: torch.ones(2), X, strict=True), "does not require gradients"),
        (lambda: jvp(linear, X, (V, V)), "should contain a single Tensor"),
        (lambda: jacobian(linear, X, strategy="sideways"), "Expected strategy"),
    ],
)
def test_mistakes_are_reported(call: Any, message: str) -> None:
    with pytest.raises((RuntimeError, AssertionError), match=message):
        call()


class WrongGradient(torch.autograd.Function):
    """x*x with a slightly wrong derivative."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g * 2.01 * ctx.saved_tensors[0]


class Unscaled(WrongGradient):
    """A function whose backward ignores the incoming gradient."""

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return 2 * ctx.saved_tensors[0] + 0 * g


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_gradcheck_finds_wrong_gradients(fast_mode: bool, dtype: torch.dtype) -> None:
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    assert gradcheck(lambda x: x * x, x, fast_mode=fast_mode)
    assert gradgradcheck(lambda x: x * x * x, x, fast_mode=fast_mode)
    for wrong in (WrongGradient, Unscaled):
        with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0"):
            gradcheck(wrong.apply, x, fast_mode=fast_mode)
        assert not gradcheck(wrong.apply, x, fast_mode=fast_mode, raise_exception=False)


def test_gradcheck_of_constants() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x: x.detach() * 0, x)
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, x)


def test_gradcheck_refuses_unsuitable_inputs() -> None:
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(torch.sin, torch.ones(2, dtype=torch.float64))
    expanded = torch.ones(1, dtype=torch.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="stride 0"):
        gradcheck(torch.sin, expanded)
    with (
        pytest.warns(UserWarning, match="not a double precision"),
        pytest.raises(GradcheckError),
    ):
        gradcheck(torch.sin, torch.ones(2, requires_grad=True))


def test_gradcheck_finds_a_nondeterministic_backward() -> None:
    calls: list[int] = []

    class Nondeterministic(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            calls.append(1)
            return g * 2 + len(calls) % 2 * 1e-9 * g

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(Nondeterministic.apply, x)
    assert gradcheck(Nondeterministic.apply, x, nondet_tol=1e-6)


class _Transparent(torch.autograd.Function):
    """An identity; `leave` says what a batched gradient or tangent becomes."""

    leave: Any = staticmethod(lambda vector: vector * 1)

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return _Transparent.leave(grad)  # type: ignore[no-any-return]

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor) -> torch.Tensor:
        return _Transparent.leave(tangent)  # type: ignore[no-any-return]


def _only_batched_is_doubled(vector: torch.Tensor) -> torch.Tensor:
    return vector * (2 if torch._C._functorch.is_batchedtensor(vector) else 1)


@pytest.mark.parametrize(
    "options",
    [
        {"check_batched_grad": True},
        {"check_backward_ad": False, "check_forward_ad": True, "check_batched_forward_grad": True},
    ],
    ids=["backward", "forward"],
)
def test_gradcheck_compares_batched_derivatives(
    options: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = X.clone().requires_grad_()
    assert gradcheck(lambda x: torch.stack((x.sin(), x)).unbind(), x, **options)
    assert gradcheck(_Transparent.apply, x, **options)
    monkeypatch.setattr(_Transparent, "leave", _only_batched_is_doubled)
    plain = {name: value for name, value in options.items() if "batched" not in name}
    assert gradcheck(_Transparent.apply, x, **plain)
    with pytest.raises(GradcheckError, match="batched derivatives"):
        gradcheck(_Transparent.apply, x, **options)
    monkeypatch.setattr(_Transparent, "leave", lambda vector: torch.tensor(vector.tolist()))
    with pytest.raises(GradcheckError, match="While computing batched gradients, got"):
        gradcheck(_Transparent.apply, x, **options)


def test_batched_checks_need_the_check_of_single_vectors() -> None:
    x = X.clone().requires_grad_()
    with pytest.raises(AssertionError, match="requires check_forward_ad to be True"):
        gradcheck(torch.sin, x, check_batched_forward_grad=True)
    with pytest.raises(AssertionError, match="requires check_backward_ad to be True"):
        gradcheck(
            torch.sin, x, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True
        )
    assert gradgradcheck(torch.sin, x, check_batched_grad=True)


def test_batches_of_gradients_run_one_pass() -> None:
    x = X.clone().requires_grad_()
    y, calls = x**2, []
    x.register_hook(lambda grad: calls.append(tuple(grad.shape)))
    unused = torch.ones(1, requires_grad=True)
    grads = torch.autograd.grad(
        y, (x, unused), torch.eye(2, dtype=X.dtype), is_grads_batched=True, allow_unused=True
    )
    assert torch.equal(grads[0], torch.diag(2 * X)) and grads[1] is None
    assert calls == [(2,)]


@pytest.mark.parametrize("product", [hessian, vhp, hvp])
def test_strict_second_derivatives_name_what_is_constant(product: Any) -> None:
    args = () if product is hessian else (V,)
    detached = "independent of the input" if product is hessian else "output of the user-provided"
    with pytest.raises(RuntimeError, match=detached):
        product(lambda x: x.long().double().requires_grad_().clone().sum(), X, *args, strict=True)
    with pytest.raises(RuntimeError, match=r"the jacobian of the .* is independent of the input"):
        product(lambda x: (3 * x).sum(), X, *args, strict=True)
