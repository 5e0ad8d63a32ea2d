"""torch.func: gradients, Jacobians and maps of functions."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import torch
from torch import Tensor
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


def test_functions_without_a_result_are_refused() -> None:
    a = torch.ones(3)
    for call in (
        lambda: torch.func.vjp(lambda x: None, a),
        lambda: torch.func.jvp(lambda x: None, (a,), (a,)),
        lambda: torch.func.jacrev(lambda x: None)(a),
    ):
        with pytest.raises(RuntimeError, match="function that has non-empty output"):
            call()


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


@pytest.mark.parametrize("transform", [grad, grad_and_value, jacrev, torch.func.jacfwd, hessian])
@pytest.mark.parametrize(
    ("argnums", "message"),
    [
        ((), "argnums must be non-empty"),
        ((0, 0), r"argnums elements must be unique, got \(0, 0\)"),
        ([0], r"argnums must be int or Tuple\[int, ...\], got: <class 'list'>"),
        ((0, "b"), "argnum must be int, got: <class 'str'>"),
        (2, "Got argnum=2, but only 2 positional inputs"),
        (-3, "Got argnum=-3, but only 2 positional inputs"),
    ],
)
def test_wrong_argnums(transform: Any, argnums: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        transform(lambda a, b: (a * b).sum(), argnums)(torch.ones(2), torch.ones(2))


def test_auxiliary_results_are_tensors_in_a_pair() -> None:
    x = torch.ones(2)
    calls: list[Any] = [
        lambda f: grad(lambda v: f(v.sum()), has_aux=True)(x),
        lambda f: jacrev(f, has_aux=True)(x),
        lambda f: torch.func.jacfwd(f, has_aux=True)(x),
        lambda f: vjp(f, x, has_aux=True),
        lambda f: torch.func.jvp(f, (x,), (x,), has_aux=True),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=r"should be a tuple: \(output, aux\)"):
            call(lambda v: v)
        with pytest.raises(
            RuntimeError, match="Expected tensors, got unsupported type <class 'int'>"
        ):
            call(lambda v: (v, 3))
        assert torch.equal(call(lambda v: (v, {"x": x}))[-1]["x"], x)


def test_errors_name_what_is_not_differentiable() -> None:
    x = torch.ones(2)
    for call, message in (
        (lambda: jacrev(torch.sin)(x + 0j), "Expected all inputs to be real"),
        (lambda: torch.func.jacfwd(lambda v: v + 0j)(x), "Expected all outputs to be real"),
        (lambda: vjp(lambda v: v.long(), x), "All outputs of f must be floating-point or complex"),
        (lambda: vjp(lambda v: 3, x), r"expected f\(\*primals\) to return only tensors"),
        (lambda: vjp(lambda v: v, x)[1]((x,)), r"cotangents: \(\*,\), primal output: \*"),
        (lambda: torch.func.linearize(torch.sin, x)[1](x.double()), "with dtype torch.float64"),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor"):
        grad(lambda v: v)(3)


def test_functional_call_of_wrong_names() -> None:
    linear, x = torch.nn.Linear(2, 2), torch.ones(2)
    message = r"for Linear:\n\tUnexpected key\(s\): 'b'\.\n\tMissing key\(s\): 'bias', 'weight'\."
    with pytest.raises(RuntimeError, match=message):
        torch.func.functional_call(linear, {"b": x}, (x,), strict=True)
    with pytest.raises(ValueError, match="to be a dict, or a list/tuple of dicts, but got"):
        torch.func.functional_call(linear, 3, (x,))  # type: ignore[arg-type]


def test_functions_that_transforms_cannot_use() -> None:
    class Square(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            assert info == (2, "error")
            return x**2

    with pytest.raises(RuntimeError, match="both generate_vmap_rule=True and an overridden vmap"):
        vmap(Square.apply)(torch.ones(2))
    Square.generate_vmap_rule = False
    with pytest.raises(RuntimeError, match="Expected the vmap staticmethod to have two returns"):
        vmap(Square.apply)(torch.ones(2))


def test_jacobians_of_elements_changed_in_place() -> None:
    def changed(v: Any) -> Any:
        y = torch.zeros(3)
        y[0] = v[0] ** 2
        y[1:] += v
        y[2] *= v[1]
        return y

    v = torch.tensor([2.0, 3.0])
    expected = torch.tensor([[4.0, 0.0], [1.0, 0.0], [0.0, 6.0]])
    torch.testing.assert_close(jacrev(changed)(v), expected)


BOUND_EARLY = """
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 7  # unlike the derivative, to see who is asked

    @staticmethod
    def vmap(info, in_dims, x):
        return x * 100, in_dims[0]


class WithContext(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


scaled, with_context = Scaled.apply, WithContext.apply
x = torch.ones(3)
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("torch.func.vmap(scaled)(x)", [100.0] * 3),
        ("torch.func.vmap(lambda t: scaled(x=t))(x)", [100.0] * 3),
        ("torch.func.jvp(scaled, (x,), (x,))[1]", [7.0] * 3),
        ("torch.func.grad(lambda t: scaled(t).sum())(x)", [2.0] * 3),
    ],
)
def test_functions_bound_before_the_first_transform(call: str, expected: list[float]) -> None:
    assert in_a_fresh_process(f"{BOUND_EARLY}\nprint({call}.tolist())") == str(expected)


@pytest.mark.parametrize("transform", ["vmap(with_context)(x)", "jvp(with_context, (x,), (x,))"])
def test_functions_with_context_are_refused_by_the_first_transform(transform: str) -> None:
    tried = f"try:\n    torch.func.{transform}\nexcept RuntimeError as error:\n    print(error)"
    assert "must override the setup_context" in in_a_fresh_process(f"{BOUND_EARLY}\n{tried}")


def in_a_fresh_process(code: str) -> str:
    """Return what a program prints that has used no transform before."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


class Sort(torch.autograd.Function):
    """A function of NumPy, which cannot read tensors inside vmap, and so has a `vmap` of its own."""

    @staticmethod
    def forward(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        order = x.detach().numpy().argsort(dim)
        sorted_ = torch.take_along_dim(x, torch.tensor(order), dim)
        return sorted_, torch.tensor(order), torch.tensor(order.argsort(dim))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(output[2])
        ctx.dim = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, *rest: Any) -> Any:
        return torch.take_along_dim(grad, ctx.saved_tensors[0], ctx.dim), None

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: torch.Tensor, dim: int) -> Any:
        return Sort.apply(x.movedim(in_dims[0], 0), dim if dim < 0 else dim + 1), (0, 0, 0)


def test_a_function_with_its_own_vmap_is_differentiated_inside_vmap() -> None:
    def weighted(x: torch.Tensor) -> torch.Tensor:
        return (Sort.apply(x, 0)[0] * torch.tensor([1.0, 10.0, 100.0])).sum()

    x = torch.tensor([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    gradient = torch.func.vmap(torch.func.grad(weighted))(x)
    assert gradient.tolist() == [[100.0, 1.0, 10.0], [1.0, 10.0, 100.0]]
    assert torch.equal(torch.func.vmap(torch.func.jacrev(weighted))(x), gradient)


def test_mapped_products_with_a_jacobian_keep_no_graph() -> None:
    x, weight = torch.rand(3), torch.rand(3, 3, requires_grad=True)
    _, product = torch.func.vjp(torch.tanh, x)
    (rows,) = torch.func.vmap(product)(torch.eye(3))
    assert not rows.requires_grad
    _, product = torch.func.vjp(lambda x: (weight @ x).tanh(), x)
    (rows,) = torch.func.vmap(product)(torch.eye(3))
    assert rows.requires_grad
    torch.testing.assert_close(rows, torch.func.jacrev(lambda x: (weight @ x).tanh())(x))


def test_names_of_functorch() -> None:
    import functorch
    from functorch.experimental import chunk_vmap, functionalize

    seen = []

    def doubled(x: Tensor) -> Tensor:
        seen.append(1)
        return x * 2

    assert chunk_vmap(doubled, chunks=3)(torch.arange(5)).tolist() == [0, 2, 4, 6, 8]
    assert len(seen) == 3 and functionalize is torch.func.functionalize
    for name, new in (("grad", "torch.func.grad"), ("vmap", "torch.vmap")):
        with pytest.warns(FutureWarning, match=f"Please use `{new}` instead"):
            assert callable(getattr(functorch, name)(doubled))
    assert "mul" in functorch.make_fx(doubled)(torch.ones(1)).code


def _cube(x: Tensor) -> Tensor:
    return x**3


@pytest.mark.parametrize(
    ("transformed", "value"),
    [
        (grad(_cube), 12),
        (lambda x: grad_and_value(_cube)(x)[1], 8),
        (lambda x: vjp(_cube, x)[0], 8),
        (lambda x: vjp(_cube, x)[1](torch.tensor(1.0))[0], 12),
        (jacrev(_cube), 12),
        (hessian(_cube), 12),
    ],
)
def test_results_without_gradients_are_constants(transformed: Any, value: float) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    with torch.no_grad():
        found = transformed(x)
    assert found == value and not found.requires_grad

    def constant(x: Tensor) -> Tensor:
        with torch.no_grad():
            shift = transformed(x)
        return x**2 - shift

    assert grad(constant)(x) == 4
    assert torch.autograd.grad(grad(constant)(x), x)[0] == 2


def test_single_rows_are_not_mapped() -> None:
    class Counted(torch.autograd.Function):
        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            return grad * 2 if grad.nonzero().numel() else grad

    x = torch.ones(2)
    assert jacrev(Counted.apply, chunk_size=1)(x).tolist() == [[2, 0], [0, 2]]
    with pytest.raises(RuntimeError, match="dynamic shape"):
        jacrev(Counted.apply)(x)
