"""Forward-mode differentiation: dual tensors, their operators, gradcheck and torch.func.jvp."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn.functional as F
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, linearize

_W = torch.linspace(-1, 1, 8, dtype=torch.float64).reshape(2, 4)
_OPERATORS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: 2 * x * x - x / (1 + x * x) + (3 - x) + x.neg(),
    "broadcasting": lambda x: x[0] * x + x[:, :1] - x.sum(),
    "elementary": lambda x: x.exp() + x.sin() * x.tanh() + (x * x + 1).log().sqrt() + x.sigmoid(),
    "powers": lambda x: x**3 + x**0 + torch.pow(2.0, x) + (x * x + 1) ** x,
    "derived from backward": lambda x: F.gelu(x) + F.silu(x) + torch.atan(x) + F.softplus(x),
    "two arguments": lambda x: torch.atan2(x, x.flip(0)) + torch.maximum(x, x.roll(1)),
    "0-dim operands": lambda x: torch.atan2(x, x[0, 0]) + torch.clamp(x[0, 1], x - 1, x + 1),
    "in place": lambda x: (x * 1).mul_(2).add_(x).sin_(),
    "assignment": lambda x: _assigned(x),
    "views": lambda x: x.t()[1:].reshape(-1).unsqueeze(0) * x[0, 0],
    "indices": lambda x: x[torch.tensor([0, 2, 0])] + x.gather(1, torch.zeros(3, 4).long()),
    "joined": lambda x: torch.stack([torch.cat([x, x * 2]), torch.cat([x, torch.ones_like(x)])]),
    "reductions": lambda x: x.sum(0) * x.mean() + x.var(0) + x.logsumexp(0) + x.amax(0),
    "products": lambda x: x @ x.t() @ x + F.linear(x, _W, _W[:, 0]).sum() + x.prod(),
    "selected": lambda x: x.max(1).values + x.sort(1).values[:, 0] + x.topk(2).values[:, 1],
    "scan": lambda x: x.cumsum(0) + x.cumprod(1),
    "softmax": lambda x: torch.softmax(x, 1) + F.log_softmax(x, 0),
    "losses": lambda x: F.cross_entropy(x, torch.tensor([1, 0, 2])) + F.mse_loss(x, x * x),
    "convolution": lambda x: F.conv1d(x[None], _W.reshape(2, 4, 1)[:, :3], _W[:, 0]),
    "attention": lambda x: F.scaled_dot_product_attention(
        x[None, None], x[None, None], x[None, None]
    ),
    "linear_algebra": lambda x: torch.linalg.inv(x[:, :3]) * torch.linalg.det(x[:, 1:]),
    "norms": lambda x: x.norm() + torch.linalg.vector_norm(x, dim=1).sum(),
}


def _assigned(x: Any) -> Any:
    out = x.new_zeros(3, 4)
    out[0] = x[1]
    out[:, 1] = x[:, 0] * 2
    return out


_NORMALISATIONS: dict[str, Callable[[Any], Any]] = {
    "layer_norm": lambda x: F.layer_norm(x, (4,), _W[0], _W[1]),
    "rms_norm": lambda x: F.rms_norm(x, (4,), _W[0]),
    "group_norm": lambda x: F.group_norm(x.reshape(1, 4, 3), 2, _W[0], _W[1]),
    "batch_norm": lambda x: F.batch_norm(x, None, None, _W[0], _W[1], training=True),
    "batch_norm in evaluation": lambda x: F.batch_norm(x, _W[0], _W[1].abs() + 1),
}


def _input() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(3, 4, dtype=torch.float64)


@pytest.mark.parametrize("name", [*_OPERATORS, *_NORMALISATIONS])
def test_tangents_agree_with_differences(name: str) -> None:
    function = (_OPERATORS | _NORMALISATIONS)[name]
    x, v = _input(), torch.randn(3, 4, dtype=torch.float64)
    with fwAD.dual_level():
        primal, tangent = fwAD.unpack_dual(function(fwAD.make_dual(x, v)))
    assert type(primal) is torch.Tensor
    torch.testing.assert_close(primal, function(x))
    step = 1e-6
    slope = (function(x + step * v) - function(x - step * v)) / (2 * step)
    torch.testing.assert_close(tangent, slope, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("name", [n for n in _OPERATORS if n != "attention"] + [*_NORMALISATIONS])
def test_hessian_products_agree_with_backward_over_backward(name: str) -> None:
    function = (_OPERATORS | _NORMALISATIONS)[name]
    x, v = _input(), torch.randn(3, 4, dtype=torch.float64)

    def scalar(x: Any) -> Any:
        return (function(x) ** 2).sum() * x.sum()

    found = jvp(grad(scalar), (x,), (v,))[1]
    expected = grad(lambda x: (grad(scalar)(x) * v).sum())(x)
    torch.testing.assert_close(found, expected, atol=1e-8, rtol=1e-6)
    swapped = grad(lambda x: jvp(scalar, (x,), (v,))[1])(x)
    torch.testing.assert_close(swapped, expected, atol=1e-8, rtol=1e-6)


def test_the_issue_examples() -> None:
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
    value, product = jvp(lambda x: x**3, (x,), (v,))
    assert value.tolist() == [1.0, 8.0]
    assert product.tolist() == [3.0, 0.0]
    _, product, aux = jvp(lambda x: (x * 2, x + 1), (x,), (v,), has_aux=True)
    assert product.tolist() == [2.0, 0.0]
    assert type(aux) is torch.Tensor
    nested = jvp(lambda x: jvp(torch.sin, (x,), (v,))[1], (x,), (v,))[1]
    torch.testing.assert_close(nested, -x.sin() * v * v)
    output, linear = linearize(torch.sin, x)
    torch.testing.assert_close(output, x.sin())
    torch.testing.assert_close(linear(v), x.cos() * v)


def test_jacobians_and_hessians_agree() -> None:
    x, y = torch.randn(3), torch.randn(2)

    def f(x: Any, y: Any) -> Any:
        return {"a": x.sin() * y.sum(), "b": (y**2).prod()}

    forward, reverse = jacfwd(f, (0, 1))(x, y), jacrev(f, (0, 1))(x, y)
    for key in ("a", "b"):
        for i in (0, 1):
            torch.testing.assert_close(forward[key][i], reverse[key][i])
    assert jacfwd(f)(x, y)["a"].shape == (3, 3)

    def g(x: Any) -> Any:
        return (x.sin() * x.prod()).sum()

    expected = jacrev(jacrev(g))(x)
    for each in (hessian(g), jacfwd(jacfwd(g)), jacrev(jacfwd(g)), jacfwd(jacrev(g))):
        torch.testing.assert_close(each(x), expected, atol=1e-5, rtol=1e-4)
    jacobian = torch.autograd.functional.jacobian(
        lambda x: x**2, x, vectorize=True, strategy="forward-mode"
    )
    torch.testing.assert_close(jacobian, torch.diag(2 * x))
    found = torch.autograd.functional.hessian(
        g, x, vectorize=True, outer_jacobian_strategy="forward-mode"
    )
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_captured_parameters_keep_their_graph() -> None:
    w = torch.randn(3, requires_grad=True)
    x, v = torch.randn(3), torch.randn(3)
    with fwAD.dual_level():
        primal, tangent = fwAD.unpack_dual((w * fwAD.make_dual(x, v)).sum())
    (of_primal,) = torch.autograd.grad(primal, w)
    (of_tangent,) = torch.autograd.grad(tangent, w)
    torch.testing.assert_close(of_primal, x)
    torch.testing.assert_close(of_tangent, v)


def test_levels_and_errors() -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="no level exists"):
        fwAD.make_dual(x, x)
    with pytest.raises(RuntimeError, match="not the last one"):
        fwAD.exit_dual_level()
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, x * 3)
        assert fwAD.unpack_dual(x).tangent is None
        assert "tangent=tensor([3., 3.])" in repr(dual)
        assert dual.tolist() == [1.0, 1.0]
        assert bool((dual > 0).all())
        assert fwAD.unpack_dual(dual.detach()).tangent is None
        assert fwAD.unpack_dual(dual > 0).tangent is None
        assert fwAD.unpack_dual(dual.argmax()).tangent is None
        with pytest.raises(RuntimeError, match="different size"):
            fwAD.make_dual(x, torch.ones(3))
        with pytest.raises(ValueError, match="floating point"):
            fwAD.make_dual(torch.ones(2, dtype=torch.long), x)
        with pytest.raises(RuntimeError, match="Nested"), fwAD.dual_level():
            pass
    assert fwAD.unpack_dual(dual).tangent is None
    assert type(dual + 1) is torch.Tensor
    with pytest.raises(RuntimeError, match="tuple"):
        jvp(torch.sin, x, x)  # type: ignore[arg-type]


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        (x,) = ctx.saved_tensors
        return tangent * 3 * x**2


class _Identity(torch.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad


def test_functions_use_their_jvp() -> None:
    x = torch.randn(3)
    torch.testing.assert_close(jvp(_Cube.apply, (x,), (torch.ones(3),))[1], 3 * x**2)
    found = jvp(grad(lambda x: _Cube.apply(x).sum()), (x,), (torch.ones(3),))[1]
    torch.testing.assert_close(found, 6 * x)
    with pytest.raises(RuntimeError, match="jvp"):
        jvp(_Identity.apply, (x,), (x,))


class _OldCube(_Cube):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_forward(x)
        return x**3

    setup_context = torch.autograd.Function.setup_context


def test_functions_without_setup_context_have_a_jvp_outside_transforms() -> None:
    x, v = torch.randn(3), torch.ones(3)
    with fwAD.dual_level():
        found = fwAD.unpack_dual(_OldCube.apply(fwAD.make_dual(x, v))).tangent
    torch.testing.assert_close(found, 3 * x**2)
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        jvp(_OldCube.apply, (x,), (v,))


def test_gradcheck_checks_forward_mode() -> None:
    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    z = torch.rand(2, dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda x: (x.sin(), x.sum() * 2), x, check_forward_ad=True)
    assert gradcheck(lambda x, z: x[0] * z.exp() * z, (x, z), check_forward_ad=True)
    for function in (torch.abs, torch.sgn, torch.asin, lambda z: (z * z).real, torch.prod):
        assert gradcheck(function, z, check_forward_ad=True)
    assert gradcheck(
        lambda z: torch.linalg.inv(torch.outer(z, z) + torch.eye(2)), z, check_forward_ad=True
    )
    assert gradcheck(torch.cumprod, (x, 0), check_forward_ad=True, check_backward_ad=False)
    assert gradgradcheck(torch.sin, x, check_fwd_over_rev=True, check_rev_over_rev=False)

    class Wrong(_Cube):
        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return tangent

    assert not gradcheck(Wrong.apply, x, check_forward_ad=True, raise_exception=False)


def _by_element(v: Any) -> Any:
    y = torch.zeros(3)
    y[0] = v[0] ** 2
    y[1] = v[0] * v[1]
    y[2] += v[1]
    return y


def _by_row(v: Any) -> Any:
    y = torch.zeros(2, 2)
    for i in range(2):
        y[i, :] = v * v[i]
    y[0][1] = v[0] ** 3
    return y.sum(0)


def _whole(v: Any) -> Any:
    y = torch.empty(2)
    y.copy_(v)
    y.add_(1)
    first = y[0]
    y[0] = v[1]
    return first * y


@pytest.mark.parametrize("function", [_by_element, _by_row, _whole])
def test_results_are_written_into_tensors_of_the_function(function: Callable[[Any], Any]) -> None:
    v, ones = torch.tensor([2.0, 3.0]), torch.ones(2)
    expected = jacrev(function)(v)
    torch.testing.assert_close(jacfwd(function)(v), expected)
    torch.testing.assert_close(jvp(function, (v,), (ones,))[1], expected.sum(-1))
    twice = jvp(lambda t: jvp(function, (t,), (ones,))[1], (v,), (ones,))[1]
    second = hessian(function)(v)
    torch.testing.assert_close(second, jacrev(jacrev(function))(v))
    torch.testing.assert_close(twice, second.sum((-1, -2)))


def test_written_tensors_are_plain_after_the_level() -> None:
    kept = torch.zeros(2)
    with fwAD.dual_level():
        kept.copy_(fwAD.make_dual(torch.ones(2), torch.full((2,), 3.0)))
        assert fwAD.unpack_dual(kept).tangent.tolist() == [3, 3]
    assert fwAD.unpack_dual(kept).tangent is None
    assert (kept + 1).tolist() == [2, 2]
    kept.mul_(5)
    assert kept.tolist() == [5, 5]


def test_memory_that_others_share_is_not_written() -> None:
    rows = torch.zeros(2, 2)
    first = rows[0]
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(RuntimeError, match="shares its memory with others"):
            rows[1].copy_(dual)
    assert first.tolist() == [0, 0]


_ZERO_TANGENTS: dict[str, Callable[[Any], Any]] = {
    **{n: getattr(torch, n) for n in ("ceil", "floor", "trunc", "round", "sign", "sgn")},
    "bernoulli": lambda x: torch.bernoulli(x.sigmoid()),
    "fill": lambda x: torch.fill(x, 2.0),
    "normal": lambda x: torch.normal(x, x.abs()),
    "normal with numbers": lambda x: torch.normal(x, 1.0),
    "slogdet": lambda x: torch.linalg.slogdet(x[:, :3]).sign,
    "matrix_power": lambda x: torch.linalg.matrix_power(x[:, :3], 0),
    "pinv": lambda x: torch.linalg.pinv(x[:, :0]),
    "norm": lambda x: x.norm(0),
    "max_pool2d backward": lambda x: torch.ops.aten.max_pool2d_with_indices_backward(
        torch.ones(1, 1, 1, dtype=x.dtype), x[None], [3, 4], [3, 4], [0, 0], [1, 1], False,
        torch.zeros(1, 1, 1, dtype=torch.long),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _ZERO_TANGENTS)
def test_flat_functions_have_zeros_as_tangents(name: str) -> None:
    x = _input()
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.ones_like(x))
        primal, tangent = fwAD.unpack_dual(_ZERO_TANGENTS[name](dual))
    assert tangent is not None
    assert tangent.shape == primal.shape
    assert not tangent.any()


_IN_PLACE: dict[str, Callable[[Any], Any]] = {
    "pow": lambda x: x.pow_(torch.full((4,), 2.0, dtype=x.dtype)),
    "square": lambda x: x.square_(),
    "polygamma": lambda x: x.abs_().polygamma_(1),
    "transpose": lambda x: x.transpose_(0, 1).mul_(2)[1],
    "swapaxes": lambda x: x.swapaxes_(0, 1)[1],
    "t": lambda x: x.t_()[1],
    "squeeze": lambda x: x.unsqueeze_(0).squeeze_(0)[1],
    "squeeze a dimension": lambda x: x.unsqueeze_(-1).squeeze_(-1)[1],
    "unsqueeze": lambda x: x.unsqueeze_(1)[:, 0].sin_(),
    "as_strided": lambda x: x.as_strided_((2, 2), (1, 4), 1)[1],
}


@pytest.mark.parametrize("name", _IN_PLACE)
def test_in_place_forms_have_tangents(name: str) -> None:
    x, v = _input(), torch.randn(3, 4, dtype=torch.float64)
    found = jvp(lambda x: _IN_PLACE[name](x.clone()), (x,), (v,))
    step = 1e-6
    above, below = (_IN_PLACE[name](x + sign * step * v) for sign in (1, -1))
    torch.testing.assert_close(found[0], _IN_PLACE[name](x.clone()))
    torch.testing.assert_close(found[1], (above - below) / (2 * step), atol=1e-6, rtol=1e-5)


def test_tangents_are_laid_out_like_their_primal_values() -> None:
    x, v = _input()[:, :3], torch.randn(3, 3, dtype=torch.float64)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x.t(), v)
        assert fwAD.unpack_dual(dual).tangent.stride() == x.t().stride()
        found = fwAD.unpack_dual(dual.as_strided((2,), (4,))).tangent
        assert found.tolist() == v[0, :2].tolist()


def test_padding_has_zeros_as_tangents() -> None:
    found = jvp(lambda x: F.pad(x, (1, 0), value=5.0), (torch.ones(1),), (torch.full((1,), 3.0),))
    assert [t.tolist() for t in found] == [[5, 1], [0, 3]]


def test_tangents_at_nan_are_not_added() -> None:
    x, v = torch.tensor([1.0, float("nan"), 3.0]), torch.tensor([1.0, 2.0, 4.0])
    assert jvp(torch.nansum, (x,), (v,))[1].item() == 5
    assert jvp(torch.nanmean, (x,), (v,))[1].item() == 2.5


def test_places_that_are_unpooled_twice_keep_one_tangent() -> None:
    indices = torch.tensor([[[0, 0]]])
    found = jvp(
        lambda x: F.max_unpool1d(x, indices, 2),
        (torch.ones(1, 1, 2),),
        (torch.tensor([[[2.0, 3.0]]]),),
    )[1]
    assert found.tolist() == [[[3, 0, 0, 0]]]


@pytest.mark.skipif(not torch._C.has_lapack, reason="needs LAPACK, such as OpenBLAS")
def test_tangents_of_matrices_that_are_not_symmetric() -> None:
    """The Cholesky factor's is taken from the product with the inverse factors, as in PyTorch."""
    x = torch.tensor([[4.0, 0.0], [0.0, 1.0]])
    v = torch.tensor([[0.0, 1.0], [3.0, 0.0]])
    lower = jvp(torch.linalg.cholesky, (x,), (v,))[1]
    upper = jvp(lambda x: torch.linalg.cholesky(x, upper=True), (x,), (v,))[1]
    assert lower.tolist() == [[0, 0], [1.5, 0]]
    assert upper.tolist() == [[0, 1.5], [0, 0]]
    values, vectors = jvp(torch.linalg.eigh, (x,), (v,))[1]
    assert values.tolist() == [0, 0]
    torch.testing.assert_close(vectors.abs(), torch.tensor([[1 / 3, 0.0], [0.0, 1.0]]))


_SPECTRA: dict[str, Callable[[Any], Any]] = {
    "eigvals": lambda x: torch.linalg.eigvals(x[:, :3] @ x[:, :3].t()).real.sum(0),
    "eigvalsh": lambda x: torch.linalg.eigvalsh(x @ x.t()),
    "svdvals": lambda x: torch.linalg.svdvals(x),
    "nuclear norm": lambda x: torch.linalg.matrix_norm(x, "nuc"),
    "cond": lambda x: torch.linalg.cond(x),
    "lstsq": lambda x: torch.linalg.lstsq(x[:, :2], x[:, 2:]).solution,
    "inverse squared": lambda x: torch.linalg.matrix_power(x[:, :3].expand(2, 3, 3), -2),
}


@pytest.mark.parametrize("name", _SPECTRA)
def test_tangents_of_spectra(name: str) -> None:
    function, x, v = _SPECTRA[name], _input(), torch.randn(3, 4, dtype=torch.float64)
    step = 1e-6
    slope = (function(x + step * v) - function(x - step * v)) / (2 * step)
    torch.testing.assert_close(jvp(function, (x,), (v,))[1], slope, atol=1e-5, rtol=1e-5)


def test_norms_have_a_tangent_of_zero_at_zero() -> None:
    x, v = torch.zeros(2), torch.ones(2)
    assert jvp(torch.linalg.vector_norm, (x,), (v,))[1].item() == 0


def test_sums_of_complex_exponentials_keep_their_digits() -> None:
    x = torch.tensor([800 + 700j, 1 + 2j], dtype=torch.complex64)
    tangent = jvp(lambda x: torch.logsumexp(x, 0), (x,), (torch.ones_like(x),))[1]
    torch.testing.assert_close(tangent, torch.ones((), dtype=torch.complex64))


def test_normalisations_keep_the_dtype_of_tangents() -> None:
    x = torch.ones(2, 4, dtype=torch.bfloat16)
    assert jvp(lambda x: F.rms_norm(x, (4,)), (x,), (x,))[1].dtype == torch.bfloat16


def test_groups_of_no_elements() -> None:
    x = torch.ones(0, 4, 3)
    assert jvp(lambda x: F.group_norm(x, 2), (x,), (x,))[1].shape == (0, 4, 3)


def test_numbers_drawn_by_mean_have_a_gradient_of_zero() -> None:
    mean, std = torch.zeros(2, requires_grad=True), torch.ones(3, 1, requires_grad=True)
    drawn = torch.normal(mean, std)
    assert drawn.requires_grad
    drawn.sum().backward()
    assert mean.grad.tolist() == [0, 0]
    assert std.grad.tolist() == [[0], [0], [0]]


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(x: Any, y: Any) -> Any:
        return x * y

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, y, _ = ctx.saved_tensors
        return grad * y, grad * x

    @staticmethod
    def jvp(ctx: Any, x_tangent: Any, y_tangent: Any) -> Any:
        x, y = ctx.saved_tensors
        return x_tangent * y + x * y_tangent


def test_each_pass_gets_the_tensors_saved_for_it() -> None:
    x, y = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0])
    _Product.apply(x, y).backward()
    assert x.grad.tolist() == [3]
    assert jvp(_Product.apply, (y, y), (torch.ones(1), torch.ones(1)))[1].tolist() == [6]


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 3, 3), (0, 2)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_pseudo_inverses(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=dtype, requires_grad=True)
    assert gradcheck(torch.linalg.pinv, x, check_forward_ad=True)
    assert gradgradcheck(torch.linalg.pinv, x, check_fwd_over_rev=True)


def test_pseudo_inverses_of_singular_matrices() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    projection = lambda x: torch.linalg.pinv(torch.outer(x, x), atol=1e-6)  # noqa: E731
    assert gradcheck(projection, x, check_forward_ad=True)
    assert gradgradcheck(projection, x)


@pytest.mark.parametrize("name", ["eigvalsh", "svdvals", "cond"])
def test_second_derivatives_of_spectra(name: str) -> None:
    x = _input()

    def scalar(x: Any) -> Any:
        return _SPECTRA[name](x).sin().sum()

    expected = jacrev(jacrev(scalar))(x)
    for outer, inner in ((jacrev, jacfwd), (jacfwd, jacrev), (jacfwd, jacfwd)):
        torch.testing.assert_close(outer(inner(scalar))(x), expected, atol=1e-6, rtol=1e-5)


def test_copies_and_memory_are_those_of_the_primal() -> None:
    x = torch.ones(2)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, torch.ones(2))
        assert dual.untyped_storage().data_ptr() == x.data_ptr()
        for again in (copy.deepcopy(dual), pickle.loads(pickle.dumps(dual))):
            assert type(again) is torch.Tensor and again.tolist() == [1, 1]
